// Package interchange writes a context as Markdown or JSON and reads both back:
// for people who edit a context in their editor, for other programs, and for
// imports of Markdown that was never ours.
//
// What holds: reading what was written gives the same context, whatever its
// contents are. Of its fields Markdown leaves out Author and Created, which are
// for information and not imported. What is read is checked; errors name the
// line and what to do.
//
// # Markdown
//
//	---
//	kaijutsu: 1
//	title: "Plan"
//	---
//
//	**user** <!-- block {"id":"0197…","role":"user"} -->
//
//	What shall we do?
//
//	**model** tool_call <!-- block {"id":"0197…","kind":"tool_call","role":"model","as":"fence"} -->
//
//	```json
//	{"path": "plan.md"}
//	```
//
// A line with such a comment begins a block. The comment counts; what stands
// before it is for reading. Fields with their default are left out: kind text,
// role user, status done, the form that a new block of that role and status
// gets. A new block needs no id. The content follows without the empty lines
// around it; or, where "as" says so, in a code fence: as it is ("fence"), or as
// a JSON string ("json") when it holds what editors tend to change. A fence
// ends at the first line that is as long.
//
// A file without the line "kaijutsu: 1" and without a block line at its start
// is plain Markdown: each heading begins a text block, long sections are cut
// between paragraphs, the first heading of the first level is the title.
//
// # JSON
//
// One object with "kaijutsu": 1, "title" and "blocks", whose members are named
// as the fields of Block in lower snake case.
//
// The package is pure: it starts no goroutine, keeps no state and does no I/O
// of its own. It writes nothing into a context: Plan says which blocks to
// insert.
package interchange
