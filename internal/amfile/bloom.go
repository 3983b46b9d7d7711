package amfile

import (
	"encoding/binary"

	"kaijutsu"
)

// The parameters that all peers use for the filters they make.
const (
	bloomBitsPerEntry = 10
	bloomProbes       = 7
)

// Bloom is a bloom filter of change hashes: what is in it is found, and about
// one in a hundred of what is not. The zero value is the empty filter, which
// matches nothing. It is not modified after it was made.
type Bloom struct {
	entries      uint64
	bitsPerEntry uint64
	probes       uint64
	bits         []byte
}

// NewBloom returns a filter that contains the hashes.
func NewBloom(hashes []kaijutsu.ChangeHash) Bloom {
	if len(hashes) == 0 {
		return Bloom{}
	}
	b := Bloom{uint64(len(hashes)), bloomBitsPerEntry, bloomProbes, nil}
	b.bits = make([]byte, b.size())
	for i := range hashes {
		p := b.probe(&hashes[i])
		for range b.probes {
			bit := p.next()
			b.bits[bit>>3] |= 1 << (bit & 7)
		}
	}
	return b
}

// Contains reports whether h may be in the filter.
func (b Bloom) Contains(h kaijutsu.ChangeHash) bool {
	if len(b.bits) == 0 {
		return false
	}
	p := b.probe(&h)
	for range b.probes {
		if bit := p.next(); b.bits[bit>>3]&(1<<(bit&7)) == 0 {
			return false
		}
	}
	return true
}

// IsEmpty reports whether b matches nothing.
func (b Bloom) IsEmpty() bool { return len(b.bits) == 0 }

// Len returns how many hashes were put in.
func (b Bloom) Len() int { return int(b.entries) }

// size returns how many bytes the bits take.
func (b Bloom) size() uint64 { return (b.entries*b.bitsPerEntry + 7) / 8 }

// probe yields the bits of a hash: triple hashing over its first 12 bytes.
type probe struct{ x, y, z, modulo uint64 }

func (b Bloom) probe(h *kaijutsu.ChangeHash) probe {
	modulo := 8 * uint64(len(b.bits))
	word := func(i int) uint64 { return uint64(binary.LittleEndian.Uint32(h[i:])) % modulo }
	return probe{word(0), word(4), word(8), modulo}
}

func (p *probe) next() uint64 {
	bit := p.x
	p.x = (p.x + p.y) % p.modulo
	p.y = (p.y + p.z) % p.modulo
	return bit
}

// decodeBloom reads the encoded form, which it aliases.
func decodeBloom(data []byte) (Bloom, error) {
	if len(data) == 0 {
		return Bloom{}, nil
	}
	r := reader{rest: data}
	b := Bloom{entries: r.uint(), bitsPerEntry: r.uint(), probes: r.uint()}
	switch {
	case r.err != nil:
		return Bloom{}, at("bloom filter", r.err)
	case b.bitsPerEntry < 1 || b.bitsPerEntry > MaxBloomBitsPerEntry:
		return Bloom{}, broken(28, "bloom filter with %d bits per entry: want 1 to %d", b.bitsPerEntry, MaxBloomBitsPerEntry)
	case b.probes < 1 || b.probes > MaxBloomProbes:
		return Bloom{}, broken(28, "bloom filter with %d probes: want 1 to %d", b.probes, MaxBloomProbes)
	case b.entries > 8*uint64(len(r.rest)) || b.size() != uint64(len(r.rest)):
		return Bloom{}, broken(28, "bloom filter of %d entries in %d bytes", b.entries, len(r.rest))
	}
	b.bits = r.rest
	return b, nil
}

func (b Bloom) appendTo(dst []byte) []byte {
	if b.IsEmpty() {
		return dst
	}
	dst = appendUleb(dst, b.entries)
	dst = appendUleb(dst, b.bitsPerEntry)
	dst = appendUleb(dst, b.probes)
	return append(dst, b.bits...)
}
