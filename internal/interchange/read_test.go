package interchange

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
)

const (
	idA = blocks.ID("0197f000-0000-7000-8000-00000000000a")
	idB = blocks.ID("0197f000-0000-7000-8000-00000000000b")
)

func TestMarkdownReadsWell(t *testing.T) {
	c := Context{Title: "Plan", Blocks: []Block{
		{ID: idA, Kind: "text", Role: "user", Status: "done", Form: "text", Content: "What shall we do?\n\n- this\n- that"},
		{ID: idB, Kind: "tool_call", Role: "model", Status: "running", Form: "body", Content: `{"path": "plan.md"}`, Meta: `{"tool_name":"read"}`},
		{Parent: idB, Depth: 1, Kind: "tool_result", Role: "tool", Status: "done", Form: "body", Content: "a fence:\n```\nx\n```\n", Collapsed: true},
	}}
	var b strings.Builder
	if err := WriteMarkdown(&b, c); err != nil {
		t.Fatal(err)
	}
	want := `---
kaijutsu: 1
title: "Plan"
---

**user** <!-- block {"id":"0197f000-0000-7000-8000-00000000000a","role":"user"} -->

What shall we do?

- this
- that

**model** tool_call (running) <!-- block {"id":"0197f000-0000-7000-8000-00000000000b","kind":"tool_call","role":"model","status":"running","form":"body","as":"fence","meta":{"tool_name":"read"}} -->

~~~json
{"path": "plan.md"}
~~~

**tool** tool_result <!-- block {"parent":"0197f000-0000-7000-8000-00000000000b","kind":"tool_result","role":"tool","as":"fence","collapsed":true} -->

~~~~
a fence:
~~~
x
~~~

~~~~
`
	if want = strings.ReplaceAll(want, "~", "`"); b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestReadMarkdownThatPeopleWrote(t *testing.T) {
	tests := []struct {
		name, text string
		title      string
		contents   []string
	}{
		{"nothing", "", "", nil},
		{"a line", "hello\n", "", []string{"hello"}},
		{"headings", "# Title\n\nintro\n\n## One\ntext\n### Two ###\nmore\n\nand more\n", "Title", []string{"# Title\n\nintro", "## One\ntext", "### Two ###\nmore\n\nand more"}},
		{"a heading in a fence", "a\n```sh\n# no heading\n```\n# B\n", "B", []string{"a\n```sh\n# no heading\n```", "# B"}},
		{"no heading", "#hashtag\n####### seven", "", []string{"#hashtag\n####### seven"}},
		{"the line ends of Windows", "# A\r\n\r\nb\r\n", "A", []string{"# A\n\nb"}},
		{"front matter of others", "---\ntitle: 'It''s'\ntags: [x]\n---\n# B\n", "It's", []string{"```yaml\ntitle: 'It''s'\ntags: [x]\n```", "# B"}},
		{"a title only", "---\ntitle: T\n---\ntext", "T", []string{"text"}},
		{"a rule", "---\ntext\n", "", []string{"---\ntext"}},
		{"a long section", "# A\n\n" + strings.Repeat("word ", 300) + "\n\n" + strings.Repeat("word ", 200) + "\n\n" + strings.Repeat("word ", 99) + "end\n", "A", []string{
			"# A\n\n" + strings.Repeat("word ", 300), strings.Repeat("word ", 200) + "\n\n" + strings.Repeat("word ", 99) + "end"}},
		{"a comment of ours inside", "text\n<!-- block {} -->\nmore", "", []string{"text\n<!-- block {} -->\nmore"}},
		{"without front matter", "**user** <!-- block {} -->\nhello\n\n<!-- block {\"role\":\"model\"} -->\n\n\nhi\n\n", "", []string{"hello", "hi"}},
		{"text before the first block", "---\nkaijutsu: 1\n---\nfirst\n\n<!-- block {} -->\nsecond\n", "", []string{"first", "second"}},
		{"a fence that was taken away", "<!-- block {\"as\":\"fence\"} -->\n\ntext\n", "", []string{"text"}},
		{"an empty block", "<!-- block {} -->\n<!-- block {} -->\n", "", []string{"", ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := ReadMarkdown([]byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, b := range c.Blocks {
				got = append(got, b.Content)
			}
			if c.Title != tt.title || fmt.Sprintf("%q", got) != fmt.Sprintf("%q", tt.contents) {
				t.Errorf("read %q %q, want %q %q", c.Title, got, tt.title, tt.contents)
			}
			if _, err := Plan(c, func() blocks.ID { return idA }); err != nil {
				t.Errorf("Plan: %v", err)
			}
		})
	}
}

func TestReadMarkdownRefuses(t *testing.T) {
	const ours = "---\nkaijutsu: 1\n---\n"
	tests := []struct{ name, text, says string }{
		{"not UTF-8", "a\n\xff", "line 2: not UTF-8"},
		{"another version", "---\nkaijutsu: 2\n---\n", `line 2: kaijutsu "2": want 1`},
		{"a strange key", "---\nkaijutsu: 1\nx: y\n---\n", `line 3: "x: y": want "kaijutsu" or "title"; take the line out`},
		{"a title that is no string", "---\nkaijutsu: 1\ntitle: \"x\n---\n", "line 3: title"},
		{"a broken comment", ours + "<!-- block {\"role\":\"user\" -->\n", "line 4: the comment that begins a block is broken"},
		{"a strange field", ours + "<!-- block {\"rle\":\"user\"} -->\n", `line 4: the fields of the block: json: unknown field "rle"`},
		{"a field of another type", ours + "<!-- block {\"role\":1} -->\n", "line 4: the fields of the block"},
		{"two objects", ours + "<!-- block {}{} -->\n", `line 4: "{}" follows the fields`},
		{"a strange role", ours + "\n<!-- block {\"role\":\"owner\"} -->\n", `line 5: role "owner": want user, model, system or tool`},
		{"a strange kind", ours + "<!-- block {\"kind\":\"A B\"} -->\n", `line 4: kind "A B"`},
		{"a strange status", ours + "<!-- block {\"status\":\"over\"} -->\n", `line 4: status "over"`},
		{"a strange form", ours + "<!-- block {\"form\":\"blob\"} -->\n", `line 4: form "blob"`},
		{"a strange id", ours + "<!-- block {\"id\":\"7\"} -->\n", `line 4: id "7": want a UUID`},
		{"a strange way to write", ours + "<!-- block {\"as\":\"html\"} -->\n", `line 4: as "html"`},
		{"meta that is no object", ours + "<!-- block {\"meta\":[1]} -->\n", "line 4: meta"},
		{"meta twice", ours + "<!-- block {\"meta\":{},\"meta_text\":\"{}\"} -->\n", "line 4: meta and meta_text"},
		{"content without a form", ours + "<!-- block {\"form\":\"none\"} -->\nx\n", "line 4: form is none, but there is content"},
		{"an id twice", ours + "<!-- block {\"id\":\"" + string(idA) + "\"} -->\n<!-- block {\"id\":\"" + string(idA) + "\"} -->\n", "line 5: id " + string(idA) + " is that of the block at line 4 too"},
		{"a depth that cannot be", ours + "<!-- block {\"depth\":3} -->\n", "line 4: depth 3"},
		{"an open fence", ours + "<!-- block {\"as\":\"fence\"} -->\n```\nx\n", "line 5: the fence is not closed; add a line ``` behind the content"},
		{"text behind a fence", ours + "<!-- block {\"as\":\"fence\"} -->\n```\nx\n```\nmore\n", `line 8: "more" follows the fence that closed at line 7`},
		{"no JSON string", ours + "<!-- block {\"as\":\"json\"} -->\n```\nx\n```\n", "line 6: the content is not a JSON string"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ReadMarkdown([]byte(tt.text))
			if !errors.Is(err, kaijutsu.ErrInvalid) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want one that says %q", err, tt.says)
			}
		})
	}
}

func TestReadJSONRefuses(t *testing.T) {
	tests := []struct{ name, text, says string }{
		{"nothing", "", "line 1: "},
		{"not UTF-8", "{\n\"\xff\":1}", "line 2: not UTF-8"},
		{"half an object", "{\"kaijutsu\":1,\n\"title\":", "line 2: "},
		{"a slip", "{\"kaijutsu\":1,\n\"title\":x}", "line 2: invalid character 'x'"},
		{"another version", `{"kaijutsu":2}`, `"kaijutsu" is 2: want 1`},
		{"no version", `{}`, `"kaijutsu" is 0: want 1`},
		{"a strange field", "{\"kaijutsu\":1,\n\"x\":1}", `unknown field "x"`},
		{"a strange field of a block", "{\"kaijutsu\":1,\"blocks\":[\n{\"content\":\"\"},\n{\"x\":1}]}", `block 2: line 3: json: unknown field "x"`},
		{"another type", "{\"kaijutsu\":1,\"blocks\":[\n{\"content\":7}]}", "block 1: line 2: content is a JSON number: want a string"},
		{"something behind it", "{\"kaijutsu\":1}\n\nx", `line 3: "x" follows the context`},
		{"a strange role", "{\"kaijutsu\":1,\"blocks\":[\n\n{\"role\":\"x\"}]}", `block 1: line 3: role "x"`},
		{"an id twice", "{\"kaijutsu\":1,\"blocks\":[{\"id\":\"" + string(idA) + "\"},\n{\"id\":\"" + string(idA) + "\"}]}", "block 2: line 2: id " + string(idA) + " is that of the block at place 1 too"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ReadJSON([]byte(tt.text))
			if !errors.Is(err, kaijutsu.ErrInvalid) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want one that says %q", err, tt.says)
			}
		})
	}
}

func TestPlan(t *testing.T) {
	c := Context{Blocks: []Block{
		{ID: idA, Kind: "tool_call", Role: "model", Status: "done", Form: "body", Content: "{}"},
		{ID: idB, Parent: idA, Depth: 1, Kind: "tool_result", Role: "tool", Status: "done", Form: "body", Meta: `{"tool_call_id":"` + string(idA) + `","other":"0197f000-0000-7000-8000-0000000000ff"}`},
		{Kind: "text", Role: "user", Status: "done", Form: "text", Content: strings.Repeat("ä", 50_001)},
	}}
	n := 0
	specs, err := Plan(c, func() blocks.ID { n++; return blocks.ID(fmt.Sprintf("00000000-0000-7000-8000-%012d", n)) })
	if err != nil {
		t.Fatal(err)
	}
	if got, want := specs[1].Meta, `{"tool_call_id":"`+string(specs[0].ID)+`","other":"0197f000-0000-7000-8000-0000000000ff"}`; got != want {
		t.Errorf("Meta = %s, want %s", got, want)
	}
	if specs[1].Parent != specs[0].ID {
		t.Errorf("Parent = %s, want %s", specs[1].Parent, specs[0].ID)
	}
	if specs[2].Form != blocks.FormBody {
		t.Errorf("Form of a long text = %s, want %s", specs[2].Form, blocks.FormBody)
	}
	c.Blocks[2].Content = strings.Repeat("x", 1<<20+1)
	if _, err := Plan(c, func() blocks.ID { return idA }); !errors.Is(err, kaijutsu.ErrTooLarge) || !strings.Contains(fmt.Sprint(err), "block 3") {
		t.Errorf("a content too long: %v, want %v", err, kaijutsu.ErrTooLarge)
	}
}
