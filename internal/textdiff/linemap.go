package textdiff

// LineMap returns, for each line of b, the line of a that it is, from 0, or -1
// if it is none: the lines that a comparison finds to be the same, in the same
// order in both.
func LineMap(a, b string) []int {
	x, y := splitLines(a), splitLines(b)
	out := make([]int, len(y))
	at, of := 0, 0
	keep := func(end int) {
		for ; at < end; at, of = at+1, of+1 {
			out[at] = of
		}
	}
	for _, e := range lineEdits(x, y) {
		keep(e.b0)
		for ; at < e.b1; at++ {
			out[at] = -1
		}
		of = e.a1
	}
	keep(len(y))
	return out
}
