package courier

import (
	"bytes"
	"fmt"

	"kaijutsu"
	"kaijutsu/drift"
)

// load is how much somebody has in the queue, in bytes of records.
type load struct{ items, bytes int }

func (l load) plus(m load) load { return load{l.items + m.items, l.bytes + m.bytes} }

// countLocked enters an item, or takes it out.
func (q *queue) countLocked(e *entry, sign int) {
	one := load{sign, sign * e.size}
	q.total = q.total.plus(one)
	q.loads[e.By] = q.loads[e.By].plus(one)
	if q.loads[e.By].items == 0 {
		delete(q.loads, e.By)
	}
	if e.State != drift.StateHeld {
		return
	}
	q.held = q.held.plus(one)
	q.heldOf[e.By] = q.heldOf[e.By].plus(one)
	if q.heldOf[e.By].items == 0 {
		delete(q.heldOf, e.By)
	}
}

// roomFor refuses an item, whose record has so many bytes, for which the queue
// has no room. What other kernels offer has little: anybody may who may read.
func (q *queue) roomFor(it *drift.Item, n int) error {
	q.mu.RLock()
	defer q.mu.RUnlock()
	if q.items[it.ID] != nil {
		return nil
	}
	full := func(whose string, l load) error {
		return fmt.Errorf("the queue is full: %s %d items of %d bytes in it: flush or cancel some: %w", whose, l.items, l.bytes, kaijutsu.ErrTooLarge)
	}
	pending := q.pending[it.By]
	all, own := q.total.plus(q.awaited), q.loads[it.By].plus(pending)
	switch {
	case all.items >= maxItems || all.bytes+n > maxBytes:
		return full("there are", all)
	case own.items >= maxItemsOf || own.bytes+n > maxBytesOf:
		return full(it.By.Name+" has", own)
	case it.State != drift.StateHeld:
		return nil
	}
	all, own = q.held.plus(q.awaited), q.heldOf[it.By].plus(pending)
	full = func(whose string, l load) error {
		return fmt.Errorf("%s %d items of %d bytes held here for somebody's consent: accept or decline some: %w", whose, l.items, l.bytes, kaijutsu.ErrTooLarge)
	}
	switch {
	case own.items >= maxHeldOf || own.bytes+n > maxHeldBytesOf:
		return full(it.By.Name+" has", own)
	case all.items >= maxHeld || all.bytes+n > maxHeldBytes:
		return full("other kernels have", all)
	}
	return nil
}

// reserve counts an item that is being written, until free.
func (q *queue) reserve(it *drift.Item, value []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.written[itemRecord+it.ID] = writing{newEntry(*it, value), value}
	if q.items[it.ID] != nil {
		return
	}
	one := load{1, len(value)}
	q.pending[it.By] = q.pending[it.By].plus(one)
	q.awaited = q.awaited.plus(one)
}

// free forgets what was reserved: it is counted as what it is now.
func (q *queue) free() {
	q.mu.Lock()
	defer q.mu.Unlock()
	clear(q.pending)
	clear(q.written)
	q.awaited = load{}
}

// wrote returns what the writer has just written into a record, if that is it.
func (q *queue) wrote(name string, value []byte) *entry {
	q.mu.RLock()
	w := q.written[name]
	q.mu.RUnlock()
	if !bytes.Equal(w.value, value) {
		return nil
	}
	return w.e
}

// writing is an item that is being written, and its record.
type writing struct {
	e     *entry
	value []byte
}
