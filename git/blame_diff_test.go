package git

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"kaijutsu/internal/textdiff"
)

// The runs are common to both texts, in order, and as long together as a
// longest common subsequence.
func TestSameLinesAreALongestCommonSubsequence(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(string(rune('a' + rnd.IntN(5))))
			b.WriteByte('\n')
		}
		s := b.String()
		if rnd.IntN(3) == 0 {
			s = strings.TrimSuffix(s, "\n")
		}
		return s
	}
	for range 3000 {
		a, b := text(rnd.IntN(14)), text(rnd.IntN(14))
		x, y := slices.Collect(strings.Lines(a)), slices.Collect(strings.Lines(b))
		got, ax, bx := 0, 0, 0
		for _, r := range sameLines([]byte(a), []byte(b)) {
			if r.a < ax || r.b < bx || !slices.Equal(x[r.a:r.a+r.n], y[r.b:r.b+r.n]) {
				t.Fatalf("sameLines(%q, %q) has the run %v", a, b, r)
			}
			got, ax, bx = got+r.n, r.a+r.n, r.b+r.n
		}
		if want := longest(x, y); got != want {
			t.Fatalf("sameLines(%q, %q) has %d lines, want %d", a, b, got, want)
		}
	}
}

func longest(x, y []string) int {
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
	}
	for i := range x {
		for j := range y {
			if rows[i+1][j+1] = max(rows[i][j+1], rows[i+1][j]); x[i] == y[j] {
				rows[i+1][j+1] = rows[i][j] + 1
			}
		}
	}
	return rows[len(x)][len(y)]
}

// Texts that have little in common go to the other differ, which has no limit.
func TestSameLinesOfTextsFarApart(t *testing.T) {
	var a, b strings.Builder
	for i := range 3000 {
		a.WriteString(strings.Repeat("a", i%97) + "\n")
		b.WriteString(strings.Repeat("b", i%89) + "\n")
		if i%100 == 0 {
			a.WriteString(strings.Repeat("both", i) + "\n")
			b.WriteString(strings.Repeat("both", i) + "\n")
		}
	}
	n := 0
	for _, r := range sameLines([]byte(a.String()), []byte(b.String())) {
		n += r.n
	}
	want := 0
	for _, line := range textdiff.LineMap(a.String(), b.String()) {
		if line >= 0 {
			want++
		}
	}
	if n != want || n < 30 {
		t.Errorf("%d lines in common, want %d", n, want)
	}
}
