package search

import "encoding/binary"

// postings are the numbers of the blocks that hold a trigram, ascending, as
// the differences from one to the next in the encoding of binary.Uvarint.
type postings struct {
	b     []byte
	last  uint32
	count uint32
}

// add appends a number, which is greater than all before it.
func (p *postings) add(n uint32) {
	p.b = binary.AppendUvarint(p.b, uint64(n-p.last))
	p.last = n
	p.count++
}

// all returns the numbers.
func (p *postings) all() []uint32 {
	out := make([]uint32, 0, p.count)
	n := uint32(0)
	for b := p.b; len(b) > 0; {
		d, size := binary.Uvarint(b)
		if size <= 0 {
			break // checked when loaded
		}
		n, b = n+uint32(d), b[size:]
		out = append(out, n)
	}
	return out
}

// within returns the numbers that are in sorted too, in sorted's memory.
func (p *postings) within(sorted []uint32) []uint32 {
	out := sorted[:0]
	n, i := uint32(0), 0
	for b := p.b; len(b) > 0 && i < len(sorted); {
		d, size := uint64(b[0]), 1
		if d >= 0x80 {
			if d, size = binary.Uvarint(b); size <= 0 {
				break
			}
		}
		n, b = n+uint32(d), b[size:]
		for i < len(sorted) && sorted[i] < n {
			i++
		}
		if i < len(sorted) && sorted[i] == n {
			out = append(out, n)
			i++
		}
	}
	return out
}

// grams maps trigrams to the blocks that hold them.
type grams struct {
	index map[trigram]uint32 // into lists
	lists []postings
}

func newGrams() grams { return grams{index: make(map[trigram]uint32)} }

func (g *grams) add(t trigram, n uint32) {
	i, ok := g.index[t]
	if !ok {
		i = uint32(len(g.lists))
		g.index[t] = i
		g.lists = append(g.lists, postings{})
	}
	g.lists[i].add(n)
}

// get returns the postings of a trigram, nil when no block holds it.
func (g *grams) get(t trigram) *postings {
	if i, ok := g.index[t]; ok {
		return &g.lists[i]
	}
	return nil
}
