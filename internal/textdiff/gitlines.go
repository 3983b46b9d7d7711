package textdiff

import (
	"math"
	"slices"
)

// The comparison of lines that a merge rests on. Where texts have equal lines
// there are several ways to say what changed, and a merge depends on which one
// it is; so that merges come out as git's do, this is git's way: the search of
// E. W. Myers (An O(ND) Difference Algorithm and Its Variations, Algorithmica
// 1, 1986) from both ends, without lines that tell nothing, and with each
// change then moved as far to the end as equal lines let it, or to where it
// faces a change on the other side. It is bounded like git's: a search that
// has cost too much is cut at the best place so far. And it is bounded in all:
// texts of hundreds of thousands of lines that have little to do with each
// other are not compared to the end, which git does; what is left is one change
// then. The bound counts steps, and so is the same everywhere.

const (
	manyMatches    = 1024    // from so many on, at most, a line's matches are too many to tell anything
	aroundScan     = 100     // lines on each side that say whether such a line is in a changed part
	aroundFactor   = 4       // there are so many times as many changed ones
	longSnake      = 20      // equal lines that make a place good to cut at
	cutCost        = 256     // the least cost at which a search is cut
	cutGain        = 4       // and what a good place must have gained for each step
	mergeSteps     = 1 << 24 // that a comparison takes at most, some 50 ms
	unreached      = -1
	unreachedAbove = math.MaxInt
)

// gitEdits returns the edits between two sequences of line numbers, as git
// finds them.
func gitEdits(a, b []rune) []edit { return compareAsGit(a, b).edits() }

func compareAsGit(a, b []rune) *gitDiff {
	g := &gitDiff{a: side{lines: a, changed: make([]bool, len(a))}, b: side{lines: b, changed: make([]bool, len(b))}}
	g.leaveOut()
	g.search()
	g.a.settle(&g.b)
	g.b.settle(&g.a)
	return g
}

// gitDiff is a comparison of two texts.
type gitDiff struct {
	a, b      side
	fwd, back []int // by diagonal: how far the search came
	middle    int   // index of diagonal 0
	costBound int   // the cost at which a search is cut
	steps     int   // taken so far
}

// side is one text: its lines, which of them are changed, and those that the
// search looks at.
type side struct {
	lines   []rune
	changed []bool
	kept    []rune
	keptAt  []int
	moves   int // lines by which groups were moved
}

// leaveOut picks the lines that are searched: not those that both texts begin
// or end with, not those that the other text has not, and not those that it has
// very often amid such.
func (g *gitDiff) leaveOut() {
	a, b := g.a.lines, g.b.lines
	lo := commonPrefix(a, b)
	tail := commonSuffix(a[lo:], b[lo:])
	inA, inB := countLines(a), countLines(b)
	g.a.keep(lo, len(a)-tail, inB)
	g.b.keep(lo, len(b)-tail, inA)
}

func countLines(lines []rune) map[rune]int {
	n := make(map[rune]int, len(lines))
	for _, l := range lines {
		n[l]++
	}
	return n
}

// What the other text has of a line.
const (
	hasNone = iota
	hasSome
	hasMany
)

func (s *side) keep(lo, hi int, others map[rune]int) {
	many := min(rootOf(len(s.lines)), manyMatches)
	has := make([]uint8, len(s.lines))
	for i := lo; i < hi; i++ {
		switch n := others[s.lines[i]]; {
		case n >= many:
			has[i] = hasMany
		case n > 0:
			has[i] = hasSome
		}
	}
	for i := lo; i < hi; i++ {
		if has[i] == hasSome || has[i] == hasMany && !amidChanged(has, i, lo, hi-1) {
			s.kept = append(s.kept, s.lines[i])
			s.keptAt = append(s.keptAt, i)
		} else {
			s.changed[i] = true
		}
	}
}

// rootOf returns a power of two that is about the square root of n.
func rootOf(n int) int {
	root := 1
	for ; n > 0; n >>= 2 {
		root <<= 1
	}
	return root
}

// amidChanged reports whether a line that the other text has often is among
// lines that it has not.
func amidChanged(has []uint8, i, lo, hi int) bool {
	lo, hi = max(lo, i-aroundScan), min(hi, i+aroundScan)
	count := func(from, to, step int) (none, many int) {
		for k := from; k != to+step; k += step {
			switch has[k] {
			case hasNone:
				none++
			case hasMany:
				many++
			default:
				return none, many
			}
		}
		return none, many
	}
	before, often := 0, 2
	if i > lo {
		n, m := count(i-1, lo, -1)
		before, often = n, often+m
	}
	if before == 0 {
		return false
	}
	behind := 0
	if i < hi {
		n, m := count(i+1, hi, 1)
		behind, often = n, often+m
	}
	return behind > 0 && often*aroundFactor < often+before+behind
}

// search marks the changed ones of the lines that were kept.
func (g *gitDiff) search() {
	n := len(g.a.kept) + len(g.b.kept) + 3
	g.fwd, g.back = make([]int, n+1), make([]int, n+1)
	g.middle = len(g.b.kept) + 1
	g.costBound = max(rootOf(n), cutCost)
	g.between(box{0, len(g.a.kept), 0, len(g.b.kept)}, false)
}

// box is a run of kept lines of each text.
type box struct{ a0, a1, b0, b1 int }

// between marks what is changed in a box; exactly if it must be.
func (g *gitDiff) between(x box, exact bool) {
	a, b := g.a.kept, g.b.kept
	for {
		for x.a0 < x.a1 && x.b0 < x.b1 && a[x.a0] == b[x.b0] {
			x.a0, x.b0 = x.a0+1, x.b0+1
		}
		for x.a0 < x.a1 && x.b0 < x.b1 && a[x.a1-1] == b[x.b1-1] {
			x.a1, x.b1 = x.a1-1, x.b1-1
		}
		if x.a0 == x.a1 || x.b0 == x.b1 || g.steps > mergeSteps {
			for _, i := range g.a.keptAt[x.a0:x.a1] {
				g.a.changed[i] = true
			}
			for _, i := range g.b.keptAt[x.b0:x.b1] {
				g.b.changed[i] = true
			}
			return
		}
		at := g.cut(x, exact)
		g.between(box{x.a0, at.a, x.b0, at.b}, at.exactLo)
		x, exact = box{at.a, x.a1, at.b, x.b1}, at.exactHi
	}
}

// cutAt is where a box is cut in two, and which parts have to be searched to
// the end.
type cutAt struct {
	a, b             int
	exactLo, exactHi bool
}

// frontier is the diagonals that a search has come to.
type frontier struct{ min, max, mid int }

// grow takes in the next diagonal on either side, or leaves the outermost when
// there is none.
func (f *frontier) grow(reached []int, middle, lo, hi, none int) {
	if f.min > lo {
		f.min--
		reached[middle+f.min-1] = none
	} else {
		f.min++
	}
	if f.max < hi {
		f.max++
		reached[middle+f.max+1] = none
	} else {
		f.max--
	}
}

// cut finds where a shortest path through a box, from both its ends, meets.
func (g *gitDiff) cut(x box, exact bool) cutAt {
	a, b := g.a.kept, g.b.kept
	lo, hi := x.a0-x.b1, x.a1-x.b0
	f := frontier{x.a0 - x.b0, x.a0 - x.b0, x.a0 - x.b0}
	r := frontier{x.a1 - x.b1, x.a1 - x.b1, x.a1 - x.b1}
	odd := (f.mid-r.mid)&1 != 0
	fwd, back, m := g.fwd, g.back, g.middle
	fwd[m+f.mid], back[m+r.mid] = x.a0, x.a1
	for cost := 1; ; cost++ {
		snake := false
		g.steps += f.max - f.min + r.max - r.min + 2
		f.grow(fwd, m, lo, hi, unreached)
		for d := f.max; d >= f.min; d -= 2 {
			i := fwd[m+d+1]
			if fwd[m+d-1] >= i {
				i = fwd[m+d-1] + 1
			}
			from := i
			for i < x.a1 && i-d < x.b1 && a[i] == b[i-d] {
				i++
			}
			snake = snake || i-from > longSnake
			fwd[m+d] = i
			if odd && r.min <= d && d <= r.max && back[m+d] <= i {
				return cutAt{i, i - d, true, true}
			}
		}
		r.grow(back, m, lo, hi, unreachedAbove)
		for d := r.max; d >= r.min; d -= 2 {
			i := back[m+d-1]
			if i >= back[m+d+1] {
				i = back[m+d+1] - 1
			}
			from := i
			for i > x.a0 && i-d > x.b0 && a[i-1] == b[i-d-1] {
				i--
			}
			snake = snake || from-i > longSnake
			back[m+d] = i
			if !odd && f.min <= d && d <= f.max && i <= fwd[m+d] {
				return cutAt{i, i - d, true, true}
			}
		}
		if exact && g.steps <= mergeSteps {
			continue
		}
		if snake && cost > cutCost {
			g.steps += f.max - f.min + r.max - r.min
			if at, ok := g.goodCut(x, f, r, cost); ok {
				return at
			}
		}
		if cost >= g.costBound || g.steps > mergeSteps {
			return g.bestCut(x, f, r)
		}
	}
}

// goodCut returns a place behind many equal lines that is far from where the
// search began.
func (g *gitDiff) goodCut(x box, f, r frontier, cost int) (cutAt, bool) {
	a, b := g.a.kept, g.b.kept
	best, at := 0, cutAt{exactLo: true}
	for d := f.max; d >= f.min; d -= 2 {
		i := g.fwd[g.middle+d]
		j := i - d
		gain := i - x.a0 + j - x.b0 - distance(d, f.mid)
		if gain > cutGain*cost && gain > best && x.a0+longSnake <= i && i < x.a1 && x.b0+longSnake <= j && j < x.b1 && slices.Equal(a[i-longSnake:i], b[j-longSnake:j]) {
			best, at.a, at.b = gain, i, j
		}
	}
	if best > 0 {
		return at, true
	}
	at = cutAt{exactHi: true}
	for d := r.max; d >= r.min; d -= 2 {
		i := g.back[g.middle+d]
		j := i - d
		gain := x.a1 - i + x.b1 - j - distance(d, r.mid)
		if gain > cutGain*cost && gain > best && x.a0 < i && i <= x.a1-longSnake && x.b0 < j && j <= x.b1-longSnake && slices.Equal(a[i:i+longSnake], b[j:j+longSnake]) {
			best, at.a, at.b = gain, i, j
		}
	}
	return at, best > 0
}

func distance(a, b int) int { return max(a-b, b-a) }

// bestCut returns the place to which the search has come farthest.
func (g *gitDiff) bestCut(x box, f, r frontier) cutAt {
	far, farA := unreached, 0
	for d := f.max; d >= f.min; d -= 2 {
		i := min(g.fwd[g.middle+d], x.a1)
		if i-d > x.b1 {
			i = x.b1 + d
		}
		if i+i-d > far {
			far, farA = i+i-d, i
		}
	}
	near, nearA := unreachedAbove, 0
	for d := r.max; d >= r.min; d -= 2 {
		i := max(g.back[g.middle+d], x.a0)
		if i-d < x.b0 {
			i = x.b0 + d
		}
		if i+i-d < near {
			near, nearA = i+i-d, i
		}
	}
	if x.a1+x.b1-near < far-(x.a0+x.b0) {
		return cutAt{farA, far - farA, true, false}
	}
	return cutAt{nearA, near - nearA, false, true}
}

// edits returns what was found.
func (g *gitDiff) edits() []edit {
	var out []edit
	i, j := 0, 0
	for i < len(g.a.lines) || j < len(g.b.lines) {
		e := edit{i, i, j, j}
		for e.a1 < len(g.a.lines) && g.a.changed[e.a1] {
			e.a1++
		}
		for e.b1 < len(g.b.lines) && g.b.changed[e.b1] {
			e.b1++
		}
		if e.a0 < e.a1 || e.b0 < e.b1 {
			out = append(out, e)
		}
		i, j = e.a1+1, e.b1+1
	}
	return out
}
