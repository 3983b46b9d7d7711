package textdiff

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"kaijutsu"
	"pgregory.net/rapid"
)

const poem = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n"

func TestApplyUnified(t *testing.T) {
	tests := []struct {
		name, text, patch, want string
	}{
		{"a line", poem, "@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n", strings.Replace(poem, "three", "THREE", 1)},
		{"with file names and a section", poem, "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@ func f() {\n one\n+more\n two\n", "one\nmore\n" + poem[4:]},
		{"moved by one unique offset", "zero\nzero\n" + poem, "@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n", "zero\nzero\n" + strings.Replace(poem, "three", "THREE", 1)},
		{"the second hunk moves with the first", "zero\n" + "a\nb\nx\nx\nx\nx\n", "@@ -1,1 +1,1 @@\n-a\n+A\n@@ -4,1 +4,1 @@\n-x\n+X\n", "zero\nA\nb\nx\nX\nx\nx\n"},
		{"no context", poem, "@@ -2,0 +3,1 @@\n+between\n", "one\ntwo\nbetween\n" + poem[8:]},
		{"into an empty text", "", "@@ -0,0 +1,2 @@\n+a\n+b\n", "a\nb\n"},
		{"to an empty text", "a\nb\n", "@@ -1,2 +0,0 @@\n-a\n-b\n", ""},
		{"a line feed is added", "a", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n", "a\n"},
		{"a line feed is taken", "a\n", "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n", "a"},
		{"no line feed on either side", "a\nb", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n", "A\nb"},
		{"an empty context line without its blank", "a\n\nb\n", "@@ -1,3 +1,3 @@\n a\n\n-b\n+B\n", "a\n\nB\n"},
		{"a patch without its last line feed", "a\n", "@@ -1 +1 @@\n-a\n+b", "b\n"},
		{"carriage returns stay", "a\r\nb\r\n", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+B\r\n", "a\r\nB\r\n"},
		{"a mailed patch", "a\n", "From: me\n\n---\n x | 2 +-\n\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n-- \n2.39.2\n\n", "b\n"},
		{"deleted lines that look like headers", "-- a\n++ b\n", "@@ -1,2 +1,2 @@\n--- a\n-++ b\n+++ c\n+-- d\n", "++ c\n-- d\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ApplyUnified(tt.text, tt.patch)
			if err != nil || got != tt.want {
				t.Errorf("ApplyUnified = %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestApplyUnifiedRefuses(t *testing.T) {
	tests := []struct {
		name, text, patch string
		kind              error
		says              string
	}{
		{"nothing", poem, "", kaijutsu.ErrInvalid, "patch has no hunk"},
		{"prose", poem, "please change two to TWO", kaijutsu.ErrInvalid, "patch has no hunk"},
		{"a header that is none", poem, "@@ two @@\n-two\n", kaijutsu.ErrInvalid, `hunk 1: patch line 1: header "@@ two @@"`},
		{"too few lines", poem, "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n", kaijutsu.ErrInvalid, "the header counts 3 old and 3 new lines, the hunk has 2 and 2"},
		{"too many lines", poem, "@@ -1,1 +1,1 @@\n-one\n+ONE\n two\n", kaijutsu.ErrInvalid, `patch line 4: " two" is behind the lines that the header of hunk 1 counts`},
		{"line zero", poem, "@@ -0,1 +0,1 @@\n-one\n+ONE\n", kaijutsu.ErrInvalid, "lines count from 1"},
		{"a mark that is none", poem, "@@ -1,2 +1,2 @@\n one\n*two\n", kaijutsu.ErrInvalid, `patch line 3: "*two" begins with none of`},
		{"two files", poem, "--- a\n+++ a\n@@ -1 +1 @@\n-one\n+ONE\n--- b\n+++ b\n@@ -1 +1 @@\n-x\n+y\n", kaijutsu.ErrInvalid, "patch line 6: a second file begins"},
		{"binary", poem, "diff --git a/x b/x\nBinary files a/x and b/x differ\n", kaijutsu.ErrInvalid, "a binary patch"},
		{"no line before the marker", poem, "@@ -1 +1 @@\n\\ No newline at end of file\n", kaijutsu.ErrInvalid, "no line before it"},
		{"context differs", poem, "@@ -2,3 +2,3 @@\n two\n-THREE\n+3\n four\n", kaijutsu.ErrConflict, `hunk 1: patch line 3: line 3 of the text: expected "THREE", actual "three"`},
		{"the second hunk", poem, "@@ -1 +1 @@\n-one\n+ONE\n@@ -9,2 +9,2 @@\n nine\n-TEN\n+10\n", kaijutsu.ErrConflict, `hunk 2: patch line 6: line 10 of the text: expected "TEN", actual "ten"`},
		{"past the end", "a\n", "@@ -1,2 +1,2 @@\n a\n-b\n+B\n", kaijutsu.ErrConflict, `expected "b", actual: the text has 1 lines`},
		{"two places", "x\na\nx\na\nx\n", "@@ -9 +9 @@\n-a\n+b\n", kaijutsu.ErrConflict, "hunk 1: its lines are not at line 9, but at line 2 and at line 4; add lines of context"},
		{"before the hunk before", poem, "@@ -5 +5 @@\n-five\n+5\n@@ -2 +2 @@\n-two\n+2\n", kaijutsu.ErrConflict, "hunk 2: it states line 2, which the hunk before it covers"},
		{"no line feed expected", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", kaijutsu.ErrConflict, `actual "a" with a line feed at its end`},
		{"a line feed expected", "a", "@@ -1 +1 @@\n-a\n+b\n", kaijutsu.ErrConflict, `actual "a" without a line feed at its end`},
		{"lines behind the end", "a\nb\n", "@@ -1 +1 @@\n-a\n+A\n\\ No newline at end of file\n", kaijutsu.ErrConflict, "lines would follow"},
		{"behind a text without a line feed", "a", "@@ -1,0 +2 @@\n+b\n", kaijutsu.ErrConflict, "lines would follow"},
		{"inserted past the end", "a\n", "@@ -7,0 +8 @@\n+b\n", kaijutsu.ErrConflict, "hunk 1: it inserts behind line 7, the text has 1 lines"},
		{"a long line", "a\n", "@@ -1 +1 @@\n-" + strings.Repeat("x", 500) + "\n+b\n", kaijutsu.ErrConflict, strings.Repeat("x", 120) + `"…`},
		{"huge numbers", poem, "@@ -99999999999999999999 +1 @@\n-a\n+b\n", kaijutsu.ErrInvalid, "header"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ApplyUnified(tt.text, tt.patch)
			if !errors.Is(err, tt.kind) || !strings.Contains(fmt.Sprint(err), tt.says) {
				t.Errorf("ApplyUnified = %q, %v, want an error of kind %q that says %q", got, err, tt.kind, tt.says)
			}
		})
	}
}

func TestSearchingHunksIsBounded(t *testing.T) {
	text := strings.Repeat("y\n", 1<<20) + "x\n"
	var patch strings.Builder
	for range 1 << 12 {
		patch.WriteString("@@ -1 +1 @@\n-x\n+x\n")
	}
	if _, err := ApplyUnified(text, patch.String()); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("got %v, want %v", err, kaijutsu.ErrConflict)
	}
	p := patching{lines: splitLines(text), steps: 1 << 10}
	if _, err := p.search(&patchHunk{old: []string{"x\n"}}); !errors.Is(err, kaijutsu.ErrTooLarge) {
		t.Errorf("got %v, want %v", err, kaijutsu.ErrTooLarge)
	}
}

func TestUnifiedAppliesToItsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ab := texts().Draw(t, "texts")
		patch := Unified(ab[0], ab[1], "x")
		if patch == "" {
			if ab[0] != ab[1] {
				t.Fatalf("no patch from %q to %q", ab[0], ab[1])
			}
			return
		}
		got, err := ApplyUnified(ab[0], patch)
		if err != nil || got != ab[1] {
			t.Fatalf("ApplyUnified(%q, %q) = %q, %v, want %q", ab[0], patch, got, err, ab[1])
		}
	})
}

func TestHunksAreTheChangedLines(t *testing.T) {
	got := fmt.Sprintf("%+v", Hunks(poem, "zero\n"+strings.Replace(poem, "six\nseven\n", "6\n", 1)))
	want := "[{OldStart:0 OldEnd:0 NewStart:0 NewEnd:1 Old:[] New:[zero\n]} {OldStart:5 OldEnd:7 NewStart:6 NewEnd:7 Old:[six\n seven\n] New:[6\n]}]"
	if got != want {
		t.Errorf("Hunks = %s, want %s", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		ab := texts().Draw(t, "texts")
		old, out, at := splitLines(ab[0]), "", 0
		for _, h := range Hunks(ab[0], ab[1]) {
			out += strings.Join(old[at:h.OldStart], "") + strings.Join(h.New, "")
			at = h.OldEnd
		}
		if out += strings.Join(old[at:], ""); out != ab[1] {
			t.Fatalf("hunks of %q and %q give %q", ab[0], ab[1], out)
		}
	})
}

// toolTexts draws pairs that the tools treat as text.
func toolTexts() *rapid.Generator[[2]string] {
	return texts().Filter(func(ab [2]string) bool {
		return utf8.ValidString(ab[0]) && utf8.ValidString(ab[1]) && !strings.ContainsRune(ab[0]+ab[1], 0) && ab[0] != ab[1]
	})
}

// run runs a tool in dir; exit code 1 of diff says "different".
func run(t *rapid.T, dir, stdin string, ok1 bool, name string, args ...string) string {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !(ok1 && errors.As(err, &exit) && exit.ExitCode() == 1) {
		t.Fatalf("%s %q: %v\n%s\ninput:\n%s", name, args, err, out, stdin)
	}
	return string(out)
}

// TestTheToolsAgree has patch and git apply what Unified wrote, and
// ApplyUnified apply what diff and git wrote.
func TestTheToolsAgree(t *testing.T) {
	for _, tool := range []string{"patch", "git", "diff"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	dir := t.TempDir()
	write := func(t *rapid.T, name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) string {
		b, _ := os.ReadFile(filepath.Join(dir, name)) // patch removes a file that becomes empty
		return string(b)
	}
	rapid.Check(t, func(t *rapid.T) {
		ab := toolTexts().Draw(t, "texts")
		name := rapid.SampledFrom([]string{"x", "a b.txt", `q"uote`, "wörd"}).Draw(t, "name")
		patch := Unified(ab[0], ab[1], name)
		write(t, name, ab[0])
		run(t, dir, patch, false, "patch", "--binary", "-s", "-p1")
		if got := read(name); got != ab[1] {
			t.Fatalf("patch: %q, want %q, from\n%s", got, ab[1], patch)
		}
		write(t, name, ab[0])
		run(t, dir, patch, false, "git", "apply", "--whitespace=nowarn", "-")
		if got := read(name); got != ab[1] {
			t.Fatalf("git apply: %q, want %q, from\n%s", got, ab[1], patch)
		}
		os.Remove(filepath.Join(dir, name))
		write(t, "old", ab[0])
		write(t, "new", ab[1])
		for _, made := range []string{
			run(t, dir, "", true, "diff", "-u", "--text", "old", "new"),
			run(t, dir, "", true, "diff", "-U0", "--text", "old", "new"),
			run(t, dir, "", true, "git", "-c", "core.autocrlf=false", "diff", "--no-index", "--text", "old", "new"),
		} {
			got, err := ApplyUnified(ab[0], made)
			if err != nil || got != ab[1] {
				t.Fatalf("ApplyUnified = %q, %v, want %q, from\n%s", got, err, ab[1], made)
			}
		}
	})
}

func FuzzApplyUnified(f *testing.F) {
	f.Add(poem, Unified(poem, "zero\n"+poem[4:], "x"))
	f.Add("a", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n")
	f.Add("", "@@ -0,0 +1 @@\n+a")
	f.Fuzz(func(t *testing.T, text, patch string) {
		got, err := ApplyUnified(text, patch)
		if err != nil {
			return
		}
		if back := Unified(text, got, "x"); back != "" {
			if again, err := ApplyUnified(text, back); err != nil || again != got {
				t.Errorf("again: %q, %v, want %q", again, err, got)
			}
		}
	})
}

func FuzzSplices(f *testing.F) {
	f.Add("a b c", "a x c")
	f.Add("e\u0301", "\u0301e")
	f.Fuzz(func(t *testing.T, a, b string) {
		if got := apply(t, a, Splices(a, b)); got != b {
			t.Errorf("Splices(%q, %q) give %q", a, b, got)
		}
	})
}
