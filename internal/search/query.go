package search

import "slices"

// maxNeedSize bounds the trigrams in what an expression needs; what would pass
// it is left out, which lets more blocks through and is never wrong.
const maxNeedSize = 2000

// need says what a text must contain so that an expression can match in it.
// Without keys and parts it needs nothing: every text will do.
type need struct {
	any   bool      // one of parts suffices; else all of keys and parts
	keys  []trigram // ascending
	parts []*need
	size  int // trigrams in it
}

var nothing = &need{}

func (n *need) isNothing() bool { return n.size == 0 }

// and returns the need of both.
func (n *need) and(m *need) *need {
	switch {
	case n.isNothing():
		return m
	case m.isNothing() || n.size+m.size > maxNeedSize:
		return n
	}
	out := &need{}
	for _, x := range [...]*need{n, m} {
		if x.any {
			out.parts = append(out.parts, x)
			continue
		}
		out.keys = append(out.keys, x.keys...)
		out.parts = append(out.parts, x.parts...)
	}
	out.keys = distinct(out.keys)
	return out.sized()
}

// or returns the need of one of both.
func (n *need) or(m *need) *need {
	if n.isNothing() || m.isNothing() || n.size+m.size > maxNeedSize {
		return nothing
	}
	out := &need{any: true}
	for _, x := range [...]*need{n, m} {
		if x.any {
			out.parts = append(out.parts, x.parts...)
		} else {
			out.parts = append(out.parts, x)
		}
	}
	return out.sized()
}

func (n *need) sized() *need {
	n.size = len(n.keys)
	for _, p := range n.parts {
		n.size += p.size
	}
	return n
}

// needOneOf returns what a text needs that contains one of the strings, which
// are folded.
func needOneOf(set []string) *need {
	if len(set) == 0 {
		return nothing
	}
	var out *need
	for _, s := range set {
		keys := trigramsOf(s)
		n := (&need{keys: keys}).sized()
		if out == nil {
			out = n
		} else {
			out = out.or(n)
		}
		if out.isNothing() {
			return nothing
		}
	}
	return out
}

// enough is how many times fewer blocks are left than a further trigram lists,
// when comparing them is quicker than reading that list.
const enough = 50

// find returns the numbers of the blocks that have what n needs, ascending, or
// all when n needs nothing.
func (g *grams) find(n *need) (numbers []uint32, all bool) {
	if n.isNothing() {
		return nil, true
	}
	if n.any {
		for _, p := range n.parts {
			some, all := g.find(p)
			if all {
				return nil, true
			}
			numbers = append(numbers, some...)
		}
		slices.Sort(numbers)
		return slices.Compact(numbers), false
	}
	lists := make([]*postings, 0, len(n.keys))
	for _, t := range n.keys {
		p := g.get(t)
		if p == nil {
			return nil, false
		}
		lists = append(lists, p)
	}
	slices.SortFunc(lists, func(a, b *postings) int { return int(a.count) - int(b.count) })
	all = true
	for _, p := range lists {
		switch {
		case all:
			numbers, all = p.all(), false
		case len(numbers)*enough > int(p.count):
			numbers = p.within(numbers)
		}
	}
	for _, p := range n.parts {
		some, every := g.find(p)
		switch {
		case every:
		case all:
			numbers, all = some, false
		default:
			numbers = intersect(numbers, some)
		}
	}
	return numbers, all
}

// intersect returns what is in both, in a's memory.
func intersect(a, b []uint32) []uint32 {
	out := a[:0]
	for _, n := range a {
		for len(b) > 0 && b[0] < n {
			b = b[1:]
		}
		if len(b) > 0 && b[0] == n {
			out = append(out, n)
		}
	}
	return out
}
