package changegraph

const (
	minBlock = 1 << 10
	maxBlock = 1 << 20
)

// arena holds the bytes of changes in a few large blocks, so that a long log
// is a handful of objects to the garbage collector. Bytes once stored stay
// where they are: slices given out remain valid, also after a truncation.
type arena struct {
	blocks [][]byte
	size   int64 // bytes of all blocks
}

// place says where in an arena a slice is.
type place struct{ block, off, size uint32 }

// put stores a copy of b.
func (a *arena) put(b []byte) place {
	n := len(a.blocks)
	if n == 0 || cap(a.blocks[n-1])-len(a.blocks[n-1]) < len(b) {
		size := max(min(max(int(a.size), minBlock), maxBlock), len(b))
		a.blocks = append(a.blocks, make([]byte, 0, size))
		a.size += int64(size)
		n++
	}
	last := &a.blocks[n-1]
	p := place{uint32(n - 1), uint32(len(*last)), uint32(len(b))}
	*last = append(*last, b...)
	return p
}

// get returns what is stored at p. The caller must not write to it.
func (a *arena) get(p place) []byte {
	return a.blocks[p.block][p.off : p.off+p.size : p.off+p.size]
}

// cut forgets all that was stored from p on. The block of p takes no more, so
// that slices given out of it never change.
func (a *arena) cut(p place) {
	if p.block == 0 && p.off == 0 {
		*a = arena{}
		return
	}
	keep := int(p.block)
	if p.off > 0 {
		last := &a.blocks[keep]
		*last = (*last)[:p.off:p.off]
		keep++
	}
	a.blocks = a.blocks[:keep:keep]
	a.size = 0
	for _, b := range a.blocks {
		a.size += int64(cap(b))
	}
}
