package textdiff

import (
	"bytes"
	"errors"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestMerge3(t *testing.T) {
	tests := []struct {
		name               string
		base, ours, theirs string
		want               string
		conflicts          []Conflict
	}{
		{"nothing", "", "", "", "", nil},
		{"one side", "a\nb\nc\n", "a\nx\nc\n", "a\nb\nc\n", "a\nx\nc\n", nil},
		{"the other side", "a\nb\nc\n", "a\nb\nc\n", "a\nb\n", "a\nb\n", nil},
		{"the same", "a\nb\nc\n", "a\nx\nc\n", "a\nx\nc\n", "a\nx\nc\n", nil},
		{"apart", "a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\n", "A\nb\nc\nD\n", nil},
		{"a line between", "a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n", nil},
		{"next to each other", "a\nb\n", "A\nb\n", "a\nB\n", "A\nb\n", []Conflict{{
			Base: []string{"a\n", "b\n"}, Ours: []string{"A\n", "b\n"}, Theirs: []string{"a\n", "B\n"},
		}}},
		{"the same line", "x\na\ny\n", "x\nb\ny\n", "0\nx\nc\ny\n", "0\nx\nb\ny\n", []Conflict{{
			Base: []string{"a\n"}, Ours: []string{"b\n"}, Theirs: []string{"c\n"}, BaseLine: 1, OursLine: 1, TheirsLine: 2, Line: 2,
		}}},
		{"deleted and changed", "x\na\ny\n", "x\ny\n", "x\nb\ny\n", "x\ny\n", []Conflict{{
			Base: []string{"a\n"}, Theirs: []string{"b\n"}, BaseLine: 1, OursLine: 1, TheirsLine: 1, Line: 1,
		}}},
		{"the same and more", "a\nb\nc\nd\n", "A\nb\nc\nd\n", "A\nb\nc\nD\n", "A\nb\nc\nD\n", nil},
		{"both at the end", "a\n", "a\nb\n", "a\nb\nc\n", "a\nb\n", []Conflict{{
			Ours: []string{"b\n"}, Theirs: []string{"b\n", "c\n"}, BaseLine: 1, OursLine: 1, TheirsLine: 1, Line: 1,
		}}},
		{"no line feed at the end", "a\nb\nc", "A\nb\nc", "a\nb\nC", "A\nb\nC", nil},
		{"a line feed at the end", "a\nb\nc", "a\nb\nc\n", "A\nb\nc", "A\nb\nc\n", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Merge3(tt.base, tt.ours, tt.theirs)
			if got.Text != tt.want || !slices.EqualFunc(got.Conflicts, tt.conflicts, equalConflicts) {
				t.Errorf("Merge3 = %q, %+v, want %q, %+v", got.Text, got.Conflicts, tt.want, tt.conflicts)
			}
		})
	}
}

func equalConflicts(a, b Conflict) bool {
	return slices.Equal(a.Base, b.Base) && slices.Equal(a.Ours, b.Ours) && slices.Equal(a.Theirs, b.Theirs) &&
		[4]int{a.BaseLine, a.OursLine, a.TheirsLine, a.Line} == [4]int{b.BaseLine, b.OursLine, b.TheirsLine, b.Line}
}

// gitMerge is what the git command makes of a merge; conflicts are how many it
// finds.
func gitMerge(t *testing.T, dir, base, ours, theirs string) (text string, conflicts int) {
	t.Helper()
	names := []string{filepath.Join(dir, "ours"), filepath.Join(dir, "base"), filepath.Join(dir, "theirs")}
	for i, s := range []string{ours, base, theirs} {
		if err := os.WriteFile(names[i], []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("git", "merge-file", "-p", "-q", names[0], names[1], names[2])
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	cmd.Dir = dir
	var out, says bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &says
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return out.String(), 0
	case errors.As(err, &exit) && exit.ExitCode() > 0 && exit.ExitCode() < 128:
		return out.String(), exit.ExitCode()
	}
	t.Fatalf("git merge-file: %v: %s", err, &says)
	return "", 0
}

// randomFile returns lines out of an alphabet: of a small one many are equal.
func randomFile(rng *rand.Rand, lines, alphabet int) []string {
	out := make([]string, lines)
	for i := range out {
		out[i] = randomLine(rng, alphabet)
	}
	return out
}

func randomLine(rng *rand.Rand, alphabet int) string {
	n := rng.Intn(alphabet)
	switch {
	case n == 0 || rng.Intn(8) == 0:
		return "\n"
	case rng.Intn(6) == 0:
		return "\t}\n"
	}
	return "line " + strconv.Itoa(n) + "\n"
}

// changeFile changes lines at random: others, deleted ones, new ones, copies.
func changeFile(rng *rand.Rand, lines []string, edits, alphabet int) []string {
	out := slices.Clone(lines)
	for range edits {
		at := rng.Intn(len(out) + 1)
		end := min(len(out), at+rng.Intn(4))
		switch rng.Intn(5) {
		case 0:
			out = slices.Delete(out, at, end)
		case 1:
			out = slices.Insert(out, at, randomFile(rng, 1+rng.Intn(3), alphabet)...)
		case 2:
			from := rng.Intn(len(out) + 1)
			out = slices.Insert(out, at, slices.Clone(out[from:min(len(out), from+rng.Intn(5))])...)
		default:
			for i := at; i < end; i++ {
				out[i] = randomLine(rng, alphabet)
			}
		}
	}
	return out
}

// TestMerge3IsGits holds merges of random texts against the git command's.
func TestMerge3IsGits(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git command")
	}
	count, _ := strconv.Atoi(os.Getenv("KJ_ROUNDS"))
	seed, _ := strconv.Atoi(os.Getenv("KJ_SEED"))
	rng := rand.New(rand.NewSource(int64(seed)))
	dir := t.TempDir()
	clean, both := 0, 0
	for i := range max(count, 600) {
		alphabet := []int{3, 8, 40, 1000}[rng.Intn(4)]
		size := []int{0, 3, 12, 60, 400}[rng.Intn(5)]
		base := randomFile(rng, size, alphabet)
		edits := 1 + rng.Intn(1+size/8)
		a, b := changeFile(rng, base, 1+rng.Intn(edits), alphabet), changeFile(rng, base, 1+rng.Intn(edits), alphabet)
		if rng.Intn(4) == 0 { // both have something the same
			some := changeFile(rng, base, 1+rng.Intn(edits), alphabet)
			a, b = changeFile(rng, some, 1, alphabet), changeFile(rng, some, 1, alphabet)
		}
		if i%100 == 99 { // more than is searched to the end
			front, back := randomFile(rng, 3000, alphabet), randomFile(rng, 60, 1000)
			base = slices.Concat(front, back)
			a = slices.Concat(changeFile(rng, front, 1500, alphabet), back)
			b = slices.Concat(front, changeFile(rng, back, 2, 1000))
		}
		texts := []string{strings.Join(base, ""), strings.Join(a, ""), strings.Join(b, "")}
		for k := range texts {
			if rng.Intn(4) == 0 {
				texts[k] = strings.TrimSuffix(texts[k], "\n")
			}
		}
		got := Merge3(texts[0], texts[1], texts[2])
		want, conflicts := gitMerge(t, dir, texts[0], texts[1], texts[2])
		switch {
		case len(got.Conflicts) == 0 && conflicts > 0:
			t.Fatalf("merge %d of\n%q\n%q\n%q\nis clean, and %d conflicts of git's:\n%s", i, texts[0], texts[1], texts[2], conflicts, want)
		case len(got.Conflicts) > 0 && conflicts == 0:
			t.Errorf("merge %d of\n%q\n%q\n%q\nhas conflicts %+v, and is clean for git:\n%s", i, texts[0], texts[1], texts[2], got.Conflicts, want)
		case conflicts == 0 && got.Text != want:
			t.Fatalf("merge %d of\n%q\n%q\n%q\nis\n%q, git's is\n%q", i, texts[0], texts[1], texts[2], got.Text, want)
		}
		if conflicts == 0 {
			clean++
			if texts[0] != texts[1] && texts[0] != texts[2] && texts[1] != texts[2] {
				both++
			}
		}
	}
	if both < max(count, 600)/20 {
		t.Errorf("%d merges are clean, %d of them of changes on both sides", clean, both)
	}
	t.Logf("%d merges are clean, %d of them of changes on both sides", clean, both)
}

func TestLineMap(t *testing.T) {
	for _, tt := range []struct {
		name, a, b string
		want       []int
	}{
		{"nothing", "", "", []int{}},
		{"the same", "a\nb", "a\nb", []int{0, 1}},
		{"a line in front", "a\nb\n", "x\na\nb\n", []int{-1, 0, 1}},
		{"a line less", "a\nb\nc\n", "a\nc\n", []int{0, 2}},
		{"a line changed", "a\nb\nc\n", "a\nB\nc\n", []int{0, -1, 2}},
		{"all new", "", "a\nb\n", []int{-1, -1}},
		{"all gone", "a\n", "", []int{}},
		{"a line feed less", "a\nb\n", "a\nb", []int{0, -1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := LineMap(tt.a, tt.b); !slices.Equal(got, tt.want) {
				t.Errorf("LineMap(%q, %q) = %v, want %v", tt.a, tt.b, got, tt.want)
			}
		})
	}
}

// BenchmarkMerge3 merges two changes of a file of 5,000 lines.
func BenchmarkMerge3(b *testing.B) {
	rng := rand.New(rand.NewSource(1))
	base := randomFile(rng, 5000, 3000)
	ours, theirs := changeFile(rng, base, 100, 3000), changeFile(rng, base, 100, 3000)
	x, y, z := strings.Join(base, ""), strings.Join(ours, ""), strings.Join(theirs, "")
	for b.Loop() {
		Merge3(x, y, z)
	}
}

// TestMerge3IsBounded merges texts that are as hard to compare as can be.
func TestMerge3IsBounded(t *testing.T) {
	const lines = 150_000
	file := func(seed int64, alphabet int) string {
		rng := rand.New(rand.NewSource(seed))
		var s strings.Builder
		for range lines {
			s.WriteString(strconv.Itoa(rng.Intn(alphabet)) + "\n")
		}
		return s.String()
	}
	for _, alphabet := range []int{2, 10, 1000} {
		base, ours, theirs := file(1, alphabet), file(2, alphabet), file(3, alphabet)
		for _, text := range []string{ours, theirs} {
			numbers := numberAll(splitLines(base), splitLines(text))
			g := compareAsGit(numbers[0], numbers[1])
			if g.steps > mergeSteps+8*lines || g.a.moves > mergeSteps+2*lines || g.b.moves > mergeSteps+2*lines {
				t.Errorf("%d kinds of lines take %d steps and %d and %d moves, want at most about %d", alphabet, g.steps, g.a.moves, g.b.moves, mergeSteps)
			}
			var made strings.Builder
			at := 0
			x, y := splitLines(base), splitLines(text)
			for _, e := range g.edits() {
				made.WriteString(strings.Join(x[at:e.a0], "") + strings.Join(y[e.b0:e.b1], ""))
				at = e.a1
			}
			if made.WriteString(strings.Join(x[at:], "")); made.String() != text {
				t.Errorf("%d kinds of lines: the edits do not make the text", alphabet)
			}
		}
		m := Merge3(base, ours, theirs)
		if len(m.Conflicts) == 0 {
			t.Errorf("%d kinds of lines: no conflict", alphabet)
		}
	}
}
