package peer

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"sync"
)

// storedRoom is what a stored block begins with (RFC 1951 §3.2.4).
const storedRoom = 5

// maxStored is how much a stored block holds.
const maxStored = 1<<16 - 1

// packs compresses what goes to many peers once. A compressed message of one
// peer is a stored block, with what is the peer's own, and behind it the shared
// blocks: the end of a stored block is at a byte, and what comes behind refers
// to nothing before itself. The zero value is empty.
type packs struct {
	mu     sync.Mutex
	recent [4]*pack // guarded by mu
	next   int      // guarded by mu
}

// pack is the compressed form of some data.
type pack struct {
	of   []byte
	once sync.Once
	data []byte
}

// maxKeptPack bounds what is kept of each for the next peers.
const maxKeptPack = 4 << 20

// pack returns data compressed, as blocks without the empty one that ends a
// message (RFC 7692 §7.2.1). The caller does not write to either.
func (p *packs) pack(data []byte) []byte {
	if len(data) > maxKeptPack {
		return deflate(data)
	}
	e := p.entry(data)
	e.once.Do(func() { e.data = deflate(data) })
	return e.data
}

// entry returns the entry of data, known by its place in memory.
func (p *packs) entry(data []byte) *pack {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.recent {
		if e != nil && len(e.of) == len(data) && &e.of[0] == &data[0] {
			return e
		}
	}
	e := &pack{of: data}
	p.recent[p.next] = e
	p.next = (p.next + 1) % len(p.recent)
	return e
}

// clear forgets all of them.
func (p *packs) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recent = [len(p.recent)]*pack{}
}

var deflaters = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // which knows the level
	return w
}}

func deflate(data []byte) []byte {
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	var b bytes.Buffer
	b.Grow(len(data)/2 + 64)
	w.Reset(&b)
	_, _ = w.Write(data) // a buffer takes everything
	_ = w.Flush()
	return bytes.TrimSuffix(b.Bytes(), []byte{0x00, 0x00, 0xff, 0xff})
}

// storedBlock makes what follows from at on a stored block that is not the last;
// the first storedRoom bytes of it are room for the block's head.
func storedBlock(b []byte, at int) []byte {
	n := uint16(min(len(b)-at-storedRoom, maxStored))
	b[at] = 0
	binary.LittleEndian.PutUint16(b[at+1:], n)
	binary.LittleEndian.PutUint16(b[at+3:], ^n)
	return b
}
