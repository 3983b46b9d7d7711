package torture

import (
	"fmt"
	"strings"
	"testing"
)

// writtenBook is a book with a line of each on two branches, of which one began with
// what the other had.
func writtenBook() *gitBook {
	b := newGitBook()
	b.isOf("c1", "work")
	b.isOf("c2", "topic")
	add := func(who string, n int, context, branch string, acked bool) {
		l := b.line(who, n, "a.txt")
		b.inContext(l, context)
		b.onBranch(l, branch)
		if acked {
			b.ack(l)
		}
	}
	add("amy", 1, "c1", "", true)
	b.fork("work", "topic")
	add("ben", 1, "c1", "", true)
	add("bot", 1, "c2", "", true)
	add("sed", 1, "", "work", true)
	add("amy", 2, "c1", "", false) // perhaps
	other := b.line("amy", 3, "b.txt")
	b.inContext(other, "c1")
	return b
}

// fileWith is a file that holds lines, below the headings of their writers.
func fileWith(branch string, lines ...string) string {
	text := blankFile(branch)
	for _, l := range lines {
		who, _, _ := strings.Cut(l, " ")
		text = strings.Replace(text, heading(who)+"\n", heading(who)+"\n"+l+"\n", 1)
	}
	return text
}

func TestGitBookCompares(t *testing.T) {
	whole := []string{"amy 1.", "ben 1.", "sed 1."}
	with := func(more ...string) []string { return append(append([]string(nil), whole...), more...) }
	for _, tt := range []struct {
		name, branch, text string
		want               string // in what is wrong; "": nothing is
	}{
		{"all there", "work", fileWith("work", whole...), ""},
		{"what was perhaps written", "work", fileWith("work", with("amy 2.")...), ""},
		{"what the branch began with", "topic", fileWith("topic", "amy 1.", "bot 1."), ""},
		{"a line lost", "work", fileWith("work", "amy 1.", "sed 1."), `"ben 1." is lost`},
		{"a line of sed lost", "work", fileWith("work", "amy 1.", "ben 1."), `"sed 1." is lost`},
		{"what the branch began with lost", "topic", fileWith("topic", "bot 1."), `"amy 1." is lost`},
		{"a line doubled", "work", fileWith("work", with("ben 1.")...), `"ben 1." stands there 2 times`},
		{"a line of the other branch", "work", fileWith("work", with("bot 1.")...), `"bot 1." stands there, which is of branch topic`},
		{"a later line of the branch it began with", "topic", fileWith("topic", "amy 1.", "bot 1.", "ben 1."), `"ben 1." stands there, which is of branch work`},
		{"a line of another file", "work", fileWith("work", with("amy 3.")...), `"amy 3." stands there, which is of b.txt`},
		{"a line cut in two", "work", strings.Replace(fileWith("work", whole...), "ben 1.", "ben\n1.", 1), `which nobody wrote`},
		{"marks of a conflict", "work", fileWith("work", with("amy <<<<<<<")...), `which nobody wrote`},
		{"a heading lost", "work", strings.Replace(fileWith("work", whole...), "== bot\n", "", 1), `"== bot" is gone`},
		{"a heading doubled", "work", fileWith("work", whole...) + "== end\n", `"== end" stands 2 times`},
		{"nothing", "work", "", `"amy 1." is lost`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wrong, acked := writtenBook().compare(tt.branch, "a.txt", tt.text)
			got := strings.Join(wrong, "; ")
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("compare says %q, want %q", got, tt.want)
			}
			if want := map[string]int{"work": 3, "topic": 2}[tt.branch]; acked != want {
				t.Errorf("%d acknowledged lines are looked for, want %d", acked, want)
			}
		})
	}
}

func TestGitBookKnowsWhatIsForeign(t *testing.T) {
	b := writtenBook()
	if got := b.foreign("work", fileWith("work", "amy 1.", "ben 1.", "amy 2.")); len(got) != 0 {
		t.Errorf("foreign = %q, want nothing", got)
	}
	if got := b.foreign("topic", fileWith("topic", "amy 1.", "ben 1.", "bot 1.")); len(got) != 1 || got[0] != "ben 1." {
		t.Errorf("foreign = %q, want ben's line, which came later", got)
	}
	b.isOf("c1", "topic")
	if len(b.wrong) != 1 {
		t.Errorf("a context that is of two branches is not noted: %q", b.wrong)
	}
}

func TestGitNotesAreHeldAgainstTheLines(t *testing.T) {
	const commit = "0123456789012345678901234567890123456789"
	meta := func(schema, base string) string {
		return fmt.Sprintf(`---
{"schema_version": %q, "base_commit_sha": %q,
 "humans": {"h_1": {"author": "Amy <amy@example.org>"}, "h_2": {"author": "Ben <ben@example.org>"}, "h_3": {"author": "Zoe <zoe@example.org>"}},
 "sessions": {"s_1": {"agent_id": {"tool": "bot", "id": "c", "model": "model-7"}}, "s_2": {"agent_id": {"tool": "bot", "id": "c", "model": ""}}}}
`, schema, base)
	}
	good := meta("authorship/3.0.0", commit)
	const text = "== base work\namy 1.\nsed 1.\nbot 1.\nbot 2.\nben 1.\n"
	for _, tt := range []struct{ name, note, want string }{
		{"right", "src/b.txt\n  h_1 2\n  s_1::t_1 4-5\n  h_2 6\n" + good, ""},
		{"a path that is quoted", "\"src/b.txt\"\n  h_1 2\n  s_1::t_1 4,5\n  h_2 6\n" + good, ""},
		{"of another file too", "src/a.txt\n  h_2 1-9\nsrc/b.txt\n  h_1 2\n  s_1::t_1 4-5\n  h_2 6\n" + good, ""},
		{"a line that nobody has", "src/b.txt\n  h_1 2\n  s_1::t_1 4\n  h_2 6\n" + good, `line 5 of src/b.txt, "bot 2.", is by ""`},
		{"sed's line is somebody's", "src/b.txt\n  h_1 2-3\n  s_1::t_1 4-5\n  h_2 6\n" + good, `line 3 of src/b.txt, "sed 1.", is by "amy"`},
		{"another person", "src/b.txt\n  h_2 2\n  s_1::t_1 4-5\n  h_2 6\n" + good, `"amy 1.", is by "ben"`},
		{"a stranger", "src/b.txt\n  h_3 2\n  s_1::t_1 4-5\n  h_2 6\n" + good, `is by "whoever is h_3"`},
		{"an agent without a model", "src/b.txt\n  h_1 2\n  s_2::t_1 4-5\n  h_2 6\n" + good, `is by "whoever is s_2::t_1"`},
		{"a key that leads nowhere", "src/b.txt\n  h_1 2\n  s_9::t_1 4-5\n  h_2 6\n" + good, `whoever is s_9`},
		{"more lines than there are", "src/b.txt\n  h_1 2\n  s_1::t_1 4-5\n  h_2 6-7\n" + good, `has 6 lines, not 7`},
		{"of another commit", "src/b.txt\n  h_1 2\n" + meta("authorship/3.0.0", "x"), "not of the format"},
		{"of another version", "src/b.txt\n  h_1 2\n" + meta("authorship/2.0.0", commit), "not of the format"},
		{"no ranges", "src/b.txt\n  h_1\n" + good, "not of the format"},
		{"a range that goes back", "src/b.txt\n  h_1 4-2\n" + good, "not of the format"},
		{"an entry of no file", "  h_1 2\n" + good, "not of the format"},
		{"no metadata", "src/b.txt\n  h_1 2\n", "not of the format"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got string
			if n, err := parseNote(tt.note, commit); err != nil {
				got = err.Error()
			} else {
				got = strings.Join(n.compare("src/b.txt", text), "; ")
			}
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
