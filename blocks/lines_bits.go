package blocks

import "math/bits"

// bitTree is a set of numbers below a bound that finds the nearest one on
// either side of a place: bits, and above each 64 of them one that says
// whether any is set.
type bitTree struct {
	n      int
	levels [][]uint64
}

func newBitTree(n int) *bitTree {
	t := &bitTree{n: n}
	for size := n; ; {
		size = (size + 63) / 64
		t.levels = append(t.levels, make([]uint64, size))
		if size <= 1 {
			return t
		}
	}
}

func (t *bitTree) has(i int) bool { return t.levels[0][i>>6]>>(i&63)&1 == 1 }

// flip puts a number in, or takes it out.
func (t *bitTree) flip(i int) {
	for _, level := range t.levels {
		w := &level[i>>6]
		was := *w == 0
		*w ^= 1 << (i & 63)
		if !was && *w != 0 {
			return // nothing is new above
		}
		i >>= 6
	}
}

// above returns the lowest number that is higher than i, the bound if there is
// none.
func (t *bitTree) above(i int) int {
	i++
	for k, level := range t.levels {
		if i>>6 >= len(level) {
			return t.n
		}
		if w := level[i>>6] >> (i & 63); w != 0 {
			i += bits.TrailingZeros64(w)
			for ; k > 0; k-- {
				i = i<<6 + bits.TrailingZeros64(t.levels[k-1][i])
			}
			return i
		}
		i = i>>6 + 1
	}
	return t.n
}

// below returns the highest number that is lower than i, -1 if there is none.
func (t *bitTree) below(i int) int {
	i--
	for k, level := range t.levels {
		if i < 0 {
			return -1
		}
		if w := level[i>>6] << (63 - i&63); w != 0 {
			i -= bits.LeadingZeros64(w)
			for ; k > 0; k-- {
				i = i<<6 + 63 - bits.LeadingZeros64(t.levels[k-1][i])
			}
			return i
		}
		i = i>>6 - 1
	}
	return -1
}
