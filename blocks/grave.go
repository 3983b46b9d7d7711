package blocks

import (
	"encoding/binary"
	"unicode/utf8"
)

// A deleted span keeps, in place of its text, what its elements were and which
// operations deleted them, so that what a text held at some heads can be told
// without reading its history: graves, one behind the other, in the order of
// the elements. Each is a few bytes and the deleted characters.

// grave is a number of neighbours that were deleted one after the other, in
// the order of the elements or against it.
type grave struct {
	kind graveKind
	step int32 // from each deleting operation's counter to the next: 1, -1; 0 for one element
	n    uint32
	by   opID // deleted the first
	text string
}

// graveKind says what the elements of a grave were.
type graveKind uint8

const (
	graveRun    graveKind = iota // one code point each
	graveString                  // one element: a string of any length
	graveVoid                    // nothing that is known
)

// maxGraves bounds the bytes of graves that a span takes in from its neighbour.
const maxGraves = 256

// again is one more operation that deleted an element which was deleted.
type again struct{ elem, by opID }

// maxAgain bounds those that a sequence keeps.
const maxAgain = 1 << 12

// archive is what is known of the past of a sequence besides its graves.
type archive struct {
	again []again
	lost  bool // not all: elements were overwritten, or too much happened
}

func (s *sequence) archived() *archive {
	if s.past == nil {
		s.past = &archive{}
	}
	return s.past
}

// lose notes that the spans do not tell the past of the sequence.
func (s *sequence) lose() {
	a := s.archived()
	a.again, a.lost = nil, true
}

// deleteAgain notes that an element that was deleted was deleted once more.
func (s *sequence) deleteAgain(m *Model, elem, by opID) {
	a := s.archived()
	switch {
	case a.lost:
	case len(a.again) == maxAgain:
		s.lose()
	default:
		a.again = append(a.again, again{elem, by})
		s.grow(m, 16)
	}
}

// bury gives an isolated span that was deleted its grave.
func (s *sequence) bury(m *Model, sp *span, g grave) {
	var buf [64]byte
	sp.text = string(g.append(buf[:0]))
	s.grow(m, len(sp.text))
}

// append adds the grave in bytes: a number that holds count, step and kind, then
// actor and counter of the operation, the length of the text unless it is one
// character, and the text.
func (g grave) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(g.n)<<4|uint64(g.step+1)<<2|uint64(g.kind))
	if g.kind == graveVoid {
		return b
	}
	b = binary.AppendUvarint(b, uint64(g.by.actor))
	b = binary.AppendUvarint(b, uint64(g.by.counter))
	if g.kind == graveString || g.n > 1 {
		b = binary.AppendUvarint(b, uint64(len(g.text)))
	}
	return append(b, g.text...)
}

// nextGrave returns the first of some graves and the others.
func nextGrave(graves string) (g grave, rest string) {
	number := func() uint64 {
		var x uint64
		for shift := 0; ; shift += 7 {
			b := graves[0]
			graves = graves[1:]
			x |= uint64(b&0x7f) << shift
			if b < 0x80 {
				return x
			}
		}
	}
	head := number()
	g.kind, g.step, g.n = graveKind(head&3), int32(head>>2&3)-1, uint32(head>>4)
	if g.kind == graveVoid {
		return g, graves
	}
	g.by.actor = uint32(number())
	g.by.counter = uint32(number())
	size := 0
	if g.kind == graveString || g.n > 1 {
		size = int(number())
	} else {
		_, size = utf8.DecodeRuneInString(graves)
	}
	g.text = graves[:size]
	return g, graves[size:]
}

// cut returns the first n elements of a grave and the rest.
func (g grave) cut(n uint32) (left, right grave) {
	left, right = g, g
	left.n, right.n = n, g.n-n
	if g.kind == graveRun {
		at := byteOffset(g.text, int(g.n), int(n))
		left.text, right.text = g.text[:at], g.text[at:]
		right.by.counter += uint32(g.step * int32(n))
		if left.n == 1 {
			left.step = 0
		}
		if right.n == 1 {
			right.step = 0
		}
	}
	return left, right
}

// with returns two neighbouring graves as one, if they can be one.
func (g grave) with(next grave) (grave, bool) {
	if g.kind == graveVoid && next.kind == graveVoid {
		g.n += next.n
		return g, true
	}
	if g.kind != graveRun || next.kind != graveRun || g.by.actor != next.by.actor {
		return g, false
	}
	step := int32(next.by.counter - (g.by.counter + uint32(g.step*int32(g.n-1))))
	if step != 1 && step != -1 || g.n > 1 && g.step != step || next.n > 1 && next.step != step {
		return g, false
	}
	g.step, g.n, g.text = step, g.n+next.n, g.text+next.text
	return g, true
}

// splitGraves cuts graves in front of element at.
func splitGraves(graves string, at uint32) (left, right string) {
	var front []byte
	rest := graves
	for at > 0 {
		g, behind := nextGrave(rest)
		if g.n > at {
			l, r := g.cut(at)
			front = l.append(front)
			return string(front), string(append(r.append(nil), behind...))
		}
		front = append(front, rest[:len(rest)-len(behind)]...)
		at, rest = at-g.n, behind
	}
	return string(front), rest
}

// joinGraves returns the graves of two neighbours as those of one.
func joinGraves(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	var last grave
	at := 0
	for rest := a; rest != ""; {
		at = len(a) - len(rest)
		last, rest = nextGrave(rest)
	}
	first, behind := nextGrave(b)
	if one, ok := last.with(first); ok {
		var buf [2 * maxGraves]byte
		return string(append(one.append(append(buf[:0], a[:at]...)), behind...))
	}
	return a + b
}
