package git

import (
	"bytes"

	"kaijutsu/internal/textdiff"
)

// sameRun says that n lines from line a of one file are those from line b of
// another.
type sameRun struct{ a, b, n int }

// sameLines returns the runs of lines that two files have in common, in order.
func sameLines(from, to []byte) []sameRun {
	head := commonHead(from, to)
	tail := commonTail(from[head:], to[head:])
	before := countLines(from[:head])
	x, y := from[head:len(from)-tail], to[head:len(to)-tail]
	var out []sameRun
	add := func(a, b, n int) {
		if n == 0 {
			return
		}
		if last := len(out) - 1; last >= 0 && out[last].a+out[last].n == a && out[last].b+out[last].n == b {
			out[last].n += n
			return
		}
		out = append(out, sameRun{a, b, n})
	}
	add(0, 0, before)
	nx, ny := countLines(x), countLines(y)
	if nx > 0 && ny > 0 {
		for _, run := range sameBetween(x, y) {
			add(before+run.a, before+run.b, run.n)
		}
	}
	add(before+nx, before+ny, countLines(from[len(from)-tail:]))
	return out
}

// sameBetween compares what is between the head and the tail that both have.
func sameBetween(from, to []byte) []sameRun {
	x, y := lineSums(from), lineSums(to)
	if runs, ok := shortestEdit(x, y); ok {
		return runs
	}
	var out []sameRun
	a, b := 0, 0
	for _, h := range textdiff.Hunks(string(from), string(to)) {
		out = append(out, sameRun{a, b, h.OldStart - a})
		a, b = h.OldEnd, h.NewEnd
	}
	return append(out, sameRun{a, b, len(x) - a})
}

// commonHead returns the length of the whole lines that both begin with.
func commonHead(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for step := 1 << 12; i+step <= n && bytes.Equal(a[i:i+step], b[i:i+step]); i += step {
	}
	for i < n && a[i] == b[i] {
		i++
	}
	if i == len(a) && i == len(b) {
		return i
	}
	return bytes.LastIndexByte(a[:i], '\n') + 1
}

// commonTail returns the length of the whole lines that both end in.
func commonTail(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for step := 1 << 12; i+step <= n && bytes.Equal(a[len(a)-i-step:len(a)-i], b[len(b)-i-step:len(b)-i]); i += step {
	}
	for i < n && a[len(a)-1-i] == b[len(b)-1-i] {
		i++
	}
	return cutTail(a, b, i)
}

// cutTail shortens a tail of i bytes until it begins a line in both.
func cutTail(a, b []byte, i int) int {
	starts := func(s []byte, i int) bool { return i == len(s) || s[len(s)-1-i] == '\n' }
	for i > 0 && !(starts(a, i) && starts(b, i)) {
		nl := bytes.IndexByte(a[len(a)-i:], '\n')
		if nl < 0 {
			return 0
		}
		i -= nl + 1
	}
	return i
}

// countLines counts lines as git does: what follows the last line feed is one.
func countLines(s []byte) int {
	n := bytes.Count(s, []byte{'\n'})
	if len(s) > 0 && s[len(s)-1] != '\n' {
		n++
	}
	return n
}

// splitRuns parts runs of lines of a file into those that the file before has,
// with their lines there, and the rest. Both arguments are in order.
func splitRuns(runs []lineRun, same []sameRun) (passed, kept []lineRun) {
	i := 0
	for _, r := range runs {
		for r.n > 0 {
			for i < len(same) && same[i].b+same[i].n <= r.at {
				i++
			}
			if i == len(same) || same[i].b >= r.at+r.n {
				kept = append(kept, r)
				break
			}
			if gap := same[i].b - r.at; gap > 0 {
				kept = append(kept, lineRun{r.out, r.at, gap})
				r = lineRun{r.out + gap, r.at + gap, r.n - gap}
			}
			n := min(r.n, same[i].b+same[i].n-r.at)
			passed = append(passed, lineRun{r.out, same[i].a + r.at - same[i].b, n})
			r = lineRun{r.out + n, r.at + n, r.n - n}
		}
	}
	return passed, kept
}
