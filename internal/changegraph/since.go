package changegraph

import (
	"slices"

	"kaijutsu"
)

// Since returns the numbers, ascending, of the changes that are not ancestors
// of these heads nor heads themselves. Unknown heads are ignored. The time is
// proportional to the part of the log behind the first such change, and less
// when the same was asked a moment ago.
func (g *Graph) Since(heads []kaijutsu.ChangeHash) []int {
	known, _ := g.resolve(heads)
	s := g.since(known)
	indexes := make([]int, 0, s.count())
	for i := range s.all() {
		indexes = append(indexes, int(i))
	}
	return indexes
}

// since is Since for known heads. It sorts them.
func (g *Graph) since(heads []int32) spans {
	slices.Sort(heads)
	heads = slices.Compact(heads)
	if len(heads) == 0 {
		return between(0, len(g.log))
	}
	if slices.Equal(heads, g.heads) {
		return nil
	}
	if s, ok := g.recent.find(heads, len(g.log)); ok {
		return s
	}
	s := g.walk(heads)
	g.recent.put(heads, s, len(g.log))
	return s
}

// walk goes through the log from its end. Every change is, when its turn
// comes, a head of the part before it; if it is not marked nothing marked
// depends on it, so it is in the answer. The walk ends as soon as every head
// of the part that remains is marked: all the rest are ancestors then.
// Child counts are lowered on the way and put back afterwards.
func (g *Graph) walk(heads []int32) spans {
	for _, h := range heads {
		g.log[h].children |= mark
	}
	open := 0 // heads of the remaining part that are not marked
	for _, h := range g.heads {
		if g.log[h].children&mark == 0 {
			open++
		}
	}
	var found []span // descending
	i := int32(len(g.log)) - 1
	for ; open > 0; i-- {
		g.Stop.Check()
		marked := g.log[i].children&mark != 0
		if !marked {
			open--
			if n := len(found); n > 0 && found[n-1].lo == i+1 {
				found[n-1].lo = i
			} else {
				found = append(found, span{i, i + 1})
			}
		}
		for _, d := range g.depsOf(i) {
			n := &g.log[d]
			n.children--
			if marked {
				n.children |= mark
			}
			if n.children == 0 {
				open++
			}
		}
	}
	for k := i + 1; k < int32(len(g.log)); k++ {
		for _, d := range g.depsOf(k) {
			g.log[d].children = (g.log[d].children &^ mark) + 1
		}
	}
	for _, h := range heads {
		g.log[h].children &^= mark
	}
	slices.Reverse(found)
	return found
}

// recent remembers answers of since. A change that is added later is no
// ancestor of heads that were there before it, so an answer grows by exactly
// the changes added since it was found.
type recent struct {
	entries []answer // the last used is last
}

type answer struct {
	heads []int32
	upTo  int // length of the log that found covers
	found spans
}

func (r *recent) find(heads []int32, length int) (spans, bool) {
	for k := len(r.entries) - 1; k >= 0; k-- {
		if !slices.Equal(r.entries[k].heads, heads) {
			continue
		}
		a := r.entries[k]
		if a.upTo < length {
			// The spans may be shared with another answer and with a caller.
			a.found, a.upTo = slices.Clone(a.found).appendSpan(int32(a.upTo), int32(length)), length
		}
		copy(r.entries[k:], r.entries[k+1:])
		r.entries[len(r.entries)-1] = a
		return a.found, true
	}
	return nil, false
}

func (r *recent) put(heads []int32, found spans, upTo int) {
	if len(found) > maxRecentSpans || len(heads) > MaxHeads {
		return
	}
	if len(r.entries) == maxRecent {
		copy(r.entries, r.entries[1:])
		r.entries = r.entries[:maxRecent-1]
	}
	r.entries = append(r.entries, answer{slices.Clone(heads), upTo, found})
}

// follow remembers the answer for a change just added on top of heads whose
// answer is known: the same changes are not its ancestors. It makes a long
// branch beside the rest of the document cost one walk instead of one for
// each change.
func (r *recent) follow(i int32, found spans) { r.put([]int32{i}, found, int(i)+1) }

func (r *recent) bytes() int64 {
	n := 0
	for _, a := range r.entries {
		n += len(a.found)*8 + len(a.heads)*4 + 64
	}
	return int64(n)
}

func (r *recent) clear() { r.entries = nil }

// HeadsOf returns the heads of the first n changes.
func (g *Graph) HeadsOf(n int) kaijutsu.Heads {
	covered := make([]bool, n)
	for i := range int32(n) {
		for _, d := range g.depsOf(i) {
			covered[d] = true
		}
	}
	var heads kaijutsu.Heads
	for i, has := range covered {
		if !has {
			heads = append(heads, g.log[i].hash)
		}
	}
	return kaijutsu.NewHeads(heads...)
}
