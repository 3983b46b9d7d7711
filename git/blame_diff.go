package git

import (
	"bytes"
	"hash/maphash"
)

// maxEdits is the number of lines taken away and added up to which the shortest
// way from one file to another is looked for; its search takes time and space
// with the square of it.
const maxEdits = 400

// lineSeed makes the sums of lines ones that nobody can aim at.
var lineSeed = maphash.MakeSeed()

// lineSums returns a sum of each line with its line feed.
func lineSums(text []byte) []uint64 {
	out := make([]uint64, 0, countLines(text))
	for line := range bytes.Lines(text) {
		out = append(out, maphash.Bytes(lineSeed, line))
	}
	return out
}

// shortestEdit returns the runs that a and b have in common on the shortest
// way from the one to the other, and false if that has over maxEdits steps. It
// is the greedy algorithm of E. Myers, "An O(ND) Difference Algorithm and Its
// Variations" (1986), which git's differ is made of, too.
func shortestEdit(a, b []uint64) ([]sameRun, bool) {
	limit := min(len(a)+len(b), maxEdits)
	ends := make([]int, 2*limit+3) // by diagonal: how far of a the best path comes
	zero := limit + 1
	var trace [][]int // for each number of edits, the ends of the number before
	for d := 0; d <= limit; d++ {
		trace = append(trace, append([]int(nil), ends[zero-d:zero+d+1]...))
		for k := -d; k <= d; k += 2 {
			x := 0
			if d > 0 {
				x = stepTo(ends, zero, d, k)
			}
			y := x - k
			for x < len(a) && y < len(b) && x >= 0 && y >= 0 && a[x] == b[y] {
				x, y = x+1, y+1
			}
			ends[zero+k] = x
			if x >= len(a) && y >= len(b) {
				return walkBack(trace, d, k, x), true
			}
		}
	}
	return nil, false
}

// stepTo is where a path of d edits on diagonal k begins its equal run: below
// the one on k+1, or right of the one on k-1.
func stepTo(ends []int, zero, d, k int) int {
	if k == -d || k != d && ends[zero+k-1] < ends[zero+k+1] {
		return ends[zero+k+1]
	}
	return ends[zero+k-1] + 1
}

// walkBack follows the path that ends at x on diagonal k after d edits, and
// returns its equal runs in order.
func walkBack(trace [][]int, d, k, x int) []sameRun {
	var out []sameRun
	for ; d >= 0; d-- {
		start, before := 0, k
		if d > 0 {
			ends := trace[d]
			start = stepTo(ends, d, d, k)
			if k == -d || k != d && ends[d+k-1] < ends[d+k+1] {
				before = k + 1
			} else {
				before = k - 1
			}
		}
		if x > start {
			out = append(out, sameRun{start, start - k, x - start})
		}
		if d > 0 {
			x, k = trace[d][d+before], before
		}
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}
