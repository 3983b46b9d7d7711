package textdiff

import (
	"slices"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// edit replaces a[a0:a1] by b[b0:b1]; in which unit depends on who made it.
type edit struct{ a0, a1, b0, b1 int }

const (
	// maxDepth bounds how often a run between two anchors is searched for
	// anchors of its own.
	maxDepth = 12
	// smallRun is the length up to which a run goes to the search as it is.
	smallRun = 64
	// maxSearch is the length of both runs together above which the search,
	// whose arithmetic ends at 1<<25, is not tried.
	maxSearch = 1 << 24
)

// compare returns the edits between two sequences of token numbers, in order
// and apart from each other.
func compare(a, b []rune) []edit {
	var out []edit
	compareRun(a, b, 0, 0, maxDepth, &out)
	return out
}

// compareRun appends the edits between a and b, which start at a0 and b0.
func compareRun(a, b []rune, a0, b0, depth int, out *[]edit) {
	p := commonPrefix(a, b)
	a, b, a0, b0 = a[p:], b[p:], a0+p, b0+p
	s := commonSuffix(a, b)
	a, b = a[:len(a)-s], b[:len(b)-s]
	switch {
	case len(a) == 0 && len(b) == 0:
		return
	case len(a) == 0 || len(b) == 0 || len(a)+len(b) > maxSearch:
		addEdit(out, edit{a0, a0 + len(a), b0, b0 + len(b)})
		return
	}
	if depth > 0 && len(a) > smallRun && len(b) > smallRun {
		if ties := anchors(a, b); len(ties) > 0 {
			x, y := 0, 0
			for _, t := range ties {
				compareRun(a[x:t.a], b[y:t.b], a0+x, b0+y, depth-1, out)
				x, y = t.a+1, t.b+1
			}
			compareRun(a[x:], b[y:], a0+x, b0+y, depth-1, out)
			return
		}
	}
	for _, d := range lcs.DiffRunes(a, b) {
		addEdit(out, edit{a0 + d.Start, a0 + d.End, b0 + d.ReplStart, b0 + d.ReplEnd})
	}
}

// addEdit appends e, joining it with the edit before when they touch.
func addEdit(out *[]edit, e edit) {
	if n := len(*out); n > 0 {
		if last := &(*out)[n-1]; last.a1 == e.a0 && last.b1 == e.b0 {
			last.a1, last.b1 = e.a1, e.b1
			return
		}
	}
	*out = append(*out, e)
}

// tie says that token a of the one sequence is token b of the other.
type tie struct{ a, b int }

// anchors finds runs of 1, 4 or 16 tokens that occur once in a and once in b,
// and returns the starts of as many of them as lie in the same order in both.
func anchors(a, b []rune) []tie {
	x, y := a, b
	for size := 1; size <= 16; size *= 2 {
		if size > 1 {
			x, y = pair(x, y, size/2)
		}
		if size == 2 || size == 8 {
			continue
		}
		if ties := inOrder(unique(x, y)); len(ties) > 0 {
			return ties
		}
	}
	return nil
}

// pair numbers the runs of twice the length: run i followed by run i+step.
func pair(a, b []rune, step int) (x, y []rune) {
	numbers := make(map[[2]rune]rune)
	number := func(s []rune) []rune {
		out := make([]rune, max(0, len(s)-step))
		for i := range out {
			key := [2]rune{s[i], s[i+step]}
			n, ok := numbers[key]
			if !ok {
				n = rune(len(numbers))
				numbers[key] = n
			}
			out[i] = n
		}
		return out
	}
	return number(a), number(b)
}

// unique lists the tokens that occur once in a and once in b, by place in a.
func unique(a, b []rune) []tie {
	const many = -1
	inB := make(map[rune]int, len(b))
	for i, t := range b {
		if _, seen := inB[t]; seen {
			inB[t] = many
		} else {
			inB[t] = i
		}
	}
	inA := make(map[rune]int, len(a))
	for _, t := range a {
		inA[t]++
	}
	var ties []tie
	for i, t := range a {
		if j, ok := inB[t]; ok && j != many && inA[t] == 1 {
			ties = append(ties, tie{i, j})
		}
	}
	return ties
}

// inOrder keeps the longest subsequence of ties whose b ascends too.
func inOrder(ties []tie) []tie {
	var tails []int // tails[n] is the tie that ends the best run of n+1 ties
	before := make([]int, len(ties))
	for i, t := range ties {
		n, _ := slices.BinarySearchFunc(tails, t.b, func(j, b int) int { return ties[j].b - b })
		before[i] = -1
		if n > 0 {
			before[i] = tails[n-1]
		}
		if n == len(tails) {
			tails = append(tails, i)
		} else {
			tails[n] = i
		}
	}
	if len(tails) == 0 {
		return nil
	}
	out := make([]tie, len(tails))
	for i, n := tails[len(tails)-1], len(tails)-1; n >= 0; i, n = before[i], n-1 {
		out[n] = ties[i]
	}
	return out
}

func commonPrefix(a, b []rune) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

func commonSuffix(a, b []rune) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[len(a)-1-i] != b[len(b)-1-i] {
			return i
		}
	}
	return n
}
