package backup

import (
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/store"
)

// Have says what of documents somebody has already: what is in the run before.
type Have struct {
	Storage string // id of the storage it is of
	docs    map[kaijutsu.DocumentID]had
}

// had is the end of what is there of a document.
type had struct {
	extent store.Extent // without heads: only their digest is needed
	heads  [32]byte
	last   [32]byte
	again  bool // take it whole
}

func digestHeads(h kaijutsu.Heads) [32]byte {
	var e encoder
	e.heads(h)
	return sum(e.b)
}

const haveFormat = 1

// Encode returns the bytes that DecodeHave reads.
func (h Have) Encode() []byte {
	var e encoder
	e.uint(haveFormat)
	e.string(h.Storage)
	e.uint(uint64(len(h.docs)))
	for doc, one := range h.docs {
		x := one.extent
		x.Doc, x.Heads = doc, nil
		e.extent(x)
		e.hash(one.heads)
		e.hash(one.last)
		e.flag(one.again)
	}
	return e.b
}

// DecodeHave reads what Encode wrote; no bytes are nothing. The error wraps
// kaijutsu.ErrInvalid.
func DecodeHave(b []byte) (Have, error) {
	h := Have{docs: map[kaijutsu.DocumentID]had{}}
	if len(b) == 0 {
		return h, nil
	}
	d := decoder{b: b}
	if format := d.uint(); format != haveFormat {
		return h, fmt.Errorf("what is had: format %d: %w", format, errFormat)
	}
	h.Storage = d.string()
	for n := d.uint(); n > 0 && !d.broken; n-- {
		x := d.extent()
		h.docs[x.Doc] = had{extent: x, heads: d.hash(), last: d.hash(), again: d.flag()}
	}
	if err := d.done(); err != nil {
		return Have{}, fmt.Errorf("what is had: %w", err)
	}
	return h, nil
}

// Len returns of how many documents something is had.
func (h Have) Len() int { return len(h.docs) }
