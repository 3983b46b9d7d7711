package cluster

import (
	"encoding/binary"
	"fmt"

	"kaijutsu"
)

const (
	// partBytes is how much of an answer one message carries.
	partBytes = 256 << 10
	// maxItemBytes bounds one item of an answer: the largest change, alone in
	// its batch.
	maxItemBytes = maxRawBytes + 64<<10
)

// packer sends the items of an answer, each with its length before it, in
// messages of partBytes, whatever the size of the items.
type packer struct {
	send func([]byte) error
	b    []byte
}

func (p *packer) item(data []byte) error {
	p.b = binary.AppendUvarint(p.b, uint64(len(data)))
	for {
		n := min(partBytes-len(p.b), len(data))
		p.b = append(p.b, data[:max(n, 0)]...)
		data = data[max(n, 0):]
		if len(p.b) < partBytes {
			return nil
		}
		if err := p.flush(); err != nil {
			return err
		}
	}
}

// flush sends what is left.
func (p *packer) flush() error {
	if len(p.b) == 0 {
		return nil
	}
	b := p.b
	p.b = make([]byte, 0, partBytes+binary.MaxVarintLen32)
	return p.send(b)
}

// unpacker puts the items of an answer together again and gives each to f,
// which may keep it.
type unpacker struct {
	f func(item []byte) error
	b []byte // what has come of the next item, from its length on
}

func (u *unpacker) part(data []byte) error {
	u.b = append(u.b, data...)
	for len(u.b) > 0 {
		size, n := binary.Uvarint(u.b)
		if n == 0 && len(u.b) < binary.MaxVarintLen32 {
			return nil
		}
		if n <= 0 || size > maxItemBytes {
			return fmt.Errorf("an item of the answer is longer than %d bytes: %w", maxItemBytes, kaijutsu.ErrInvalid)
		}
		if uint64(len(u.b)-n) < size {
			return nil
		}
		item := u.b[n : n+int(size) : n+int(size)]
		u.b = u.b[n+int(size):]
		if err := u.f(item); err != nil {
			return err
		}
	}
	u.b = nil
	return nil
}

// end reports whether the answer stopped in the middle of an item.
func (u *unpacker) end() error {
	if len(u.b) > 0 {
		return fmt.Errorf("the answer ends in the middle: %w", kaijutsu.ErrInvalid)
	}
	return nil
}
