package store

import (
	"context"
	"fmt"

	"kaijutsu"
)

const (
	// partBytes fits a transaction twice.
	partBytes = 192 << 10
	// partsAhead is how many parts of one blob may wait for the disk.
	partsAhead = 4
)

// staging writes the blobs of one write ahead of the row that refers to them.
// A chore row goes with the first part and promises to delete the blob; the
// transaction that makes the blob visible deletes the chore. So a crash, an
// error or a cancelled context in between leaves nothing but work for the
// sweeper. It is not safe for concurrent use.
type staging struct {
	s      *Store
	rows   []op // of blobs small enough to go along with the final row
	bytes  int
	chores []uint64
	next   uint64 // greater than every number used
	kept   bool
}

// add returns a blob holding data, of which everything is durable or in rows.
func (g *staging) add(ctx context.Context, data []byte) (blob, error) {
	if len(data) > maxBlobBytes {
		return blob{}, fmt.Errorf("%s, at most %s: %w", mebibytes(int64(len(data))), mebibytes(maxBlobBytes), kaijutsu.ErrTooLarge)
	}
	b := blob{size: uint64(len(data)), parts: uint32((len(data) + partBytes - 1) / partBytes)}
	if g.bytes+len(data) <= maxInlineBytes {
		b.number = g.s.chores.take()
		g.next = b.number + 1
		for i := range b.parts {
			g.rows = append(g.rows, b.part(i, data))
		}
		g.bytes += len(data) + rowOverhead
		return b, nil
	}
	b.number = g.s.chores.begin()
	g.next = b.number + 1
	g.chores = append(g.chores, b.number)
	return b, g.writeParts(ctx, b, data)
}

func (b blob) part(i uint32, data []byte) op {
	key := partKey(b.number, i)
	from := int(i) * partBytes
	return op{key: key, frame: seal(key, kindPart, data[from:min(from+partBytes, len(data))])}
}

func (g *staging) writeParts(ctx context.Context, b blob, data []byte) error {
	var sent []*item
	var failed error
	for i := range b.parts {
		it := &item{rows: 2, bytes: partBytes + 2*rowOverhead}
		if i == 0 {
			it.need = 2 * int64(len(data)) // now in the log, soon in tables
		}
		it.stage = func(batch *batch) error {
			if i == 0 {
				batch.putChore(b.number, chore{blob: b})
			}
			batch.ops = append(batch.ops, b.part(i, data))
			return nil
		}
		if failed = g.s.send(ctx, it); failed != nil {
			break
		}
		sent = append(sent, it)
		// The first part carries the chore: nothing follows before it is there.
		if i == 0 || len(sent) == partsAhead {
			failed = g.s.wait(sent[0])
			sent = sent[1:]
		}
		if failed != nil {
			break
		}
	}
	for _, it := range sent {
		if err := g.s.wait(it); failed == nil {
			failed = err
		}
	}
	return failed
}

// publish adds to the batch what makes the blobs stay.
func (g *staging) publish(b *batch) {
	b.ops = append(b.ops, g.rows...)
	for _, number := range g.chores {
		key := numberKey(classChore, number)
		b.delete(key)
		b.present[string(key)] = false // for a sweeper in the same batch
	}
	b.state.nextNumber = max(b.state.nextNumber, g.next)
}

// keep says that what publish added is durable.
func (g *staging) keep() {
	g.kept = true
	g.s.chores.end(g.chores)
}

// abandon leaves unpublished blobs to the sweeper.
func (g *staging) abandon() {
	if !g.kept && len(g.chores) > 0 {
		g.s.chores.end(g.chores)
		g.s.chores.poke()
	}
}

// blob returns a blob's bytes.
func (v view) blob(b blob) ([]byte, error) {
	data := make([]byte, 0, min(b.size, uint64(b.parts)*partBytes))
	for i := range b.parts {
		key := partKey(b.number, i)
		kind, part, err := v.get(key)
		switch {
		case err == errAbsent:
			return nil, v.damaged(key, "missing")
		case err != nil:
			return nil, err
		case kind != kindPart:
			return nil, v.damaged(key, fmt.Sprintf("of kind %d, want %d", kind, kindPart))
		}
		data = append(data, part...)
	}
	if uint64(len(data)) != b.size {
		return nil, v.damaged(partKey(b.number, 0), fmt.Sprintf("part of a blob of %d bytes, want %d", len(data), b.size))
	}
	return data, nil
}
