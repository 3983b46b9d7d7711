package worktree

import (
	"fmt"
	"strings"
	"testing"
)

func TestComeBack(t *testing.T) {
	const (
		head = "package a\n\nfunc First() {\n}\n"
		hers = "\nfunc Hers(x int) error {\n\tif x {\n\t\treturn nil\n\t}\n}\n"
		ann  = "\nfunc Anns(y string) bool {\n\tif y {\n\t\treturn nil\n\t}\n}\n"
		tail = "\nfunc Last() {\n}\n"
	)
	for _, c := range []struct {
		name              string
		from, to, earlier string
		want              string // the lines that come back
	}{
		{"the same text", head + tail, head + hers + tail, head + hers + tail, hers},
		{"amid others", head + tail, head + hers + tail + ann, head + hers + tail, hers},
		{"moved on", head + tail, head + hers + tail + "// new\n", head + hers + tail, hers},
		{"a twin, hers is there", head + hers, head + hers + ann, head + hers, ""},
		{"a twin, hers is elsewhere", head + tail, head + tail + ann, head + hers + tail, ""},
		{"a twin instead of hers", head + hers + tail, head + tail + ann, head + hers + tail, ""},
		{"a bracket comes back", "f {\nreturn x\nover\n", "f {\nreturn x\n}\nover\nnew\n", "f {\nreturn x\n}\nover\n", "}\n"},
		{"a bracket that is nobody's", "f {\nreturn x\n}\n", "f {\nreturn x\n}\ng\n}\n", "q {\n}\n", ""},
		{"the only new line", "one\ntwo\n", "one\nhers\ntwo\n", "zero\nhers\n", "hers\n"},
		{"without an end", "one", "one\nhers two", "one\nhers two\nmore\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			back, like := comeBack(c.from, c.to, c.earlier, insertedLines(c.from, c.to))
			now, then := splitAfter(c.to), splitAfter(c.earlier)
			var got strings.Builder
			for i, line := range now {
				if at, ok := back[i]; ok {
					got.WriteString(line)
					if then[at] != line {
						t.Errorf("line %d is %q, and was %q", i, line, then[at])
					}
				}
			}
			if got, want := tidy(got.String()), tidy(c.want); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if (like == 1) != (c.to == c.earlier) {
				t.Errorf("alike %v", like)
			}
		})
	}
}

// tidy is a text without empty lines: which of them are meant is no matter.
func tidy(text string) string { return strings.ReplaceAll("\n"+text, "\n\n", "\n") }

// Steps put lines where they belong, also where equal ones stand beside them.
func TestCarrySteps(t *testing.T) {
	to := "func A {\n}\n\nfunc B {\n}\nend"
	known := map[int]writer{}
	for i := 2; i < 5; i++ {
		known[i] = writer{message: "carried"}
	}
	steps := carrySteps(to, known)
	if len(steps) != 2 || steps[0].text != "func A {\n}\nend" || steps[1].text != to {
		t.Fatalf("steps %+v", steps)
	}
	if got, want := fmt.Sprint(steps[1].puts), fmt.Sprintf("[{%d 0 %s}]", len("func A {\n}\n"), "\nfunc B {\n}\n"); got != want {
		t.Errorf("puts %q, want %q", got, want)
	}
}
