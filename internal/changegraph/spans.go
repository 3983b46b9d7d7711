package changegraph

import (
	"iter"
	"slices"
	"sort"
)

// span is the indexes lo <= i < hi.
type span struct{ lo, hi int32 }

// spans is a set of log indexes: ascending, not empty, not touching. The zero
// value is the empty set. A set is not modified once it is shared.
type spans []span

// between returns the set of lo <= i < hi.
func between(lo, hi int) spans {
	if lo >= hi {
		return nil
	}
	return spans{{int32(lo), int32(hi)}}
}

// appendSpan adds indexes that are not below those in the set.
func (s spans) appendSpan(lo, hi int32) spans {
	if lo >= hi {
		return s
	}
	if n := len(s); n > 0 && s[n-1].hi >= lo {
		s[n-1].hi = max(s[n-1].hi, hi)
		return s
	}
	return append(s, span{lo, hi})
}

// contains reports whether i is in the set.
func (s spans) contains(i int32) bool {
	n := sort.Search(len(s), func(k int) bool { return s[k].hi > i })
	return n < len(s) && s[n].lo <= i
}

// count returns the number of indexes in the set.
func (s spans) count() int {
	n := 0
	for _, p := range s {
		n += int(p.hi - p.lo)
	}
	return n
}

// all yields the indexes in ascending order.
func (s spans) all() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for _, p := range s {
			for i := p.lo; i < p.hi; i++ {
				if !yield(i) {
					return
				}
			}
		}
	}
}

// intersect returns the indexes in both sets.
func (s spans) intersect(o spans) spans {
	var both spans
	for a, b := 0, 0; a < len(s) && b < len(o); {
		lo, hi := max(s[a].lo, o[b].lo), min(s[a].hi, o[b].hi)
		both = both.appendSpan(lo, hi)
		if s[a].hi < o[b].hi {
			a++
		} else {
			b++
		}
	}
	return both
}

// union returns the indexes in either set.
func (s spans) union(o spans) spans {
	switch {
	case len(s) == 0:
		return o
	case len(o) == 0:
		return s
	}
	either := make(spans, 0, len(s)+len(o))
	for a, b := 0, 0; a < len(s) || b < len(o); {
		if b == len(o) || a < len(s) && s[a].lo <= o[b].lo {
			either = either.appendSpan(s[a].lo, s[a].hi)
			a++
		} else {
			either = either.appendSpan(o[b].lo, o[b].hi)
			b++
		}
	}
	return either
}

// minus returns the indexes of s that are not in o.
func (s spans) minus(o spans) spans {
	if len(o) == 0 {
		return s
	}
	var rest spans
	b := 0
	for _, p := range s {
		for b < len(o) && o[b].hi <= p.lo {
			b++
		}
		lo := p.lo
		for k := b; k < len(o) && o[k].lo < p.hi; k++ {
			rest = rest.appendSpan(lo, o[k].lo)
			lo = o[k].hi
		}
		rest = rest.appendSpan(lo, p.hi)
	}
	return rest
}

// below returns the indexes less than n.
func (s spans) below(n int) spans { return s.intersect(between(0, n)) }

// spansOf returns the set of these indexes, in any order.
func spansOf(indexes []int32) spans {
	sorted := slices.Clone(indexes)
	slices.Sort(sorted)
	var s spans
	for _, i := range sorted {
		s = s.appendSpan(i, i+1)
	}
	return s
}
