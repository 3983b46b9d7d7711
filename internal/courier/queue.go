package courier

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"kaijutsu"
	"kaijutsu/drift"
)

// The records.
const (
	itemRecord    = "item/"
	flushRecord   = "flush/"
	refusedRecord = "refused/"
	fenceRecord   = "fence/"
	lastRecord    = "last"
	lostRecord    = "lost_found"
)

// The bounds of the queue.
const (
	maxItems       = 100_000
	maxItemsOf     = 50_000 // of one principal
	maxBytes       = 256 << 20
	maxBytesOf     = 128 << 20 // of one principal
	maxHeld        = 2_000     // from other kernels
	maxHeldOf      = 200       // of one principal
	maxHeldBytes   = 64 << 20
	maxHeldBytesOf = 8 << 20 // of one principal
	maxRefusals    = 10_000  // remembered
	maxPreview     = 100     // characters
	maxReasonBytes = 500

	shortBytes = 1 << 10  // a content that is kept in memory
	keptBytes  = 64 << 20 // of all of those
)

// entry is an item as it is kept in memory: without its content, which is in
// its record, unless that is short. It is replaced, never changed.
type entry struct {
	drift.Item
	preview string
	bytes   int  // of the content
	size    int  // of the record, which counts
	whole   bool // the content is here
}

// queue is the records in memory. It follows them, whichever node writes.
type queue struct {
	c *Courier

	mu      sync.RWMutex
	items   map[string]*entry                         // guarded by mu; by id
	numbers map[uint64][]string                       // guarded by mu; ids
	sources map[kaijutsu.DocumentID]map[string]*entry // guarded by mu
	loads   map[kaijutsu.Principal]load               // guarded by mu
	kept    int                                       // guarded by mu; bytes of contents in memory
	total   load                                      // guarded by mu
	heldOf  map[kaijutsu.Principal]load               // guarded by mu; what of that is held
	held    load                                      // guarded by mu
	written map[string]writing                        // guarded by mu; what the writer is writing, by record
	states  map[drift.State]int                       // guarded by mu
	last    uint64                                    // guarded by mu; the last number given
	lost    kaijutsu.DocumentID                       // guarded by mu; lost+found
	flushes map[kaijutsu.DocumentID]flushRow          // guarded by mu
	refused map[string]refusal                        // guarded by mu; by drift id
	unread  map[string]struct{}                       // guarded by mu; records that cannot be read
	pending map[kaijutsu.Principal]load               // guarded by mu; what is being written
	awaited load                                      // guarded by mu; the sum of that
	fences  map[string]uint64                         // guarded by mu; by node
	moved   chan struct{}                             // guarded by mu; closed and replaced when a fence moves
}

// open reads the records and follows them from then on.
func (q *queue) open(c *Courier) {
	q.c = c
	q.items, q.numbers = make(map[string]*entry), make(map[uint64][]string)
	q.sources, q.loads = make(map[kaijutsu.DocumentID]map[string]*entry), make(map[kaijutsu.Principal]load)
	q.states, q.flushes = make(map[drift.State]int), make(map[kaijutsu.DocumentID]flushRow)
	q.refused, q.unread, q.moved = make(map[string]refusal), make(map[string]struct{}), make(chan struct{})
	q.heldOf, q.written = make(map[kaijutsu.Principal]load), make(map[string]writing)
	q.pending, q.fences = make(map[kaijutsu.Principal]load), make(map[string]uint64)
	for prefix, follow := range map[string]func(string, []byte){
		itemRecord: q.followItem, flushRecord: q.followFlush, refusedRecord: q.followRefusal,
		fenceRecord: q.followFence, lastRecord: q.followLast, lostRecord: q.followLost,
	} {
		c.unwatch = append(c.unwatch, c.cfg.Table.Watch(prefix, follow))
		for name := range c.cfg.Table.All(prefix) {
			// What was written since the watch began is followed by that; what is
			// there now is the newest of it.
			if value, ok := c.cfg.Table.Get(name); ok {
				follow(name, value)
			}
		}
	}
}

// followItem takes an item's record over, whoever has written it; nil: it is
// gone. One that cannot be read is kept, counted and not delivered.
func (q *queue) followItem(name string, value []byte) {
	id := strings.TrimPrefix(name, itemRecord)
	var e *entry
	var err error
	if value != nil {
		if e = q.wrote(name, value); e == nil {
			e, err = readEntry(id, value)
		}
		if err != nil {
			q.c.log.Error("item of the queue not read: it stays and is not delivered", "record", name, "err", err)
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.unread, name)
	if err != nil {
		q.unread[name] = struct{}{}
	}
	if was := q.items[id]; was != nil {
		q.dropLocked(was)
	}
	if e != nil {
		q.addLocked(e)
	}
}

// readEntry decodes an item for the memory.
func readEntry(id string, value []byte) (*entry, error) {
	it, err := drift.DecodeItem(value)
	if err == nil && it.ID != id {
		err = fmt.Errorf("it is of the drift %s: %w", it.ID, kaijutsu.ErrInvalid)
	}
	if err != nil {
		return nil, err
	}
	return newEntry(it, value), nil
}

func newEntry(it drift.Item, value []byte) *entry {
	return &entry{Item: it, preview: preview(it.Content), bytes: len(it.Content), size: len(value)}
}

func (q *queue) addLocked(e *entry) {
	if e.whole = e.bytes <= shortBytes && q.kept+e.bytes <= keptBytes; e.whole {
		q.kept += e.bytes
	} else {
		e.Content = ""
	}
	q.items[e.ID] = e
	q.numbers[e.Number] = append(q.numbers[e.Number], e.ID)
	if q.sources[e.From] == nil {
		q.sources[e.From] = make(map[string]*entry)
	}
	q.sources[e.From][e.ID] = e
	q.states[e.State]++
	q.last = max(q.last, e.Number)
	q.countLocked(e, 1)
}

func (q *queue) dropLocked(e *entry) {
	if e.whole {
		q.kept -= e.bytes
	}
	delete(q.items, e.ID)
	if ids := slices.DeleteFunc(q.numbers[e.Number], func(id string) bool { return id == e.ID }); len(ids) > 0 {
		q.numbers[e.Number] = ids
	} else {
		delete(q.numbers, e.Number)
	}
	delete(q.sources[e.From], e.ID)
	if len(q.sources[e.From]) == 0 {
		delete(q.sources, e.From)
	}
	q.states[e.State]--
	q.countLocked(e, -1)
}

// followLast takes over which number was given last: none is given twice, also
// when its item is gone.
func (q *queue) followLast(_ string, value []byte) {
	n, err := strconv.ParseUint(string(value), 10, 64)
	if err != nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.last = max(q.last, n)
}

func (q *queue) followLost(_ string, value []byte) {
	doc, err := kaijutsu.ParseDocumentID(string(value))
	if err != nil {
		doc = kaijutsu.DocumentID{}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.lost = doc
}

func (q *queue) lostFound() kaijutsu.DocumentID {
	q.mu.RLock()
	defer q.mu.RUnlock()
	return q.lost
}

// get returns an item without its content; nil: there is none.
func (q *queue) get(id string) *entry {
	q.mu.RLock()
	defer q.mu.RUnlock()
	return q.items[id]
}

// whole returns an item with its content.
func (q *queue) whole(id string) (drift.Item, error) {
	if e := q.get(id); e != nil && e.whole {
		return e.Item, nil
	}
	value, ok := q.c.cfg.Table.Get(itemRecord + id)
	if !ok {
		return drift.Item{}, fmt.Errorf("drift %s: %w in the queue", id, kaijutsu.ErrNotFound)
	}
	return drift.DecodeItem(value)
}

// of returns the items of a source, by number.
func (q *queue) of(source kaijutsu.DocumentID, keep func(*entry) bool) []*entry {
	q.mu.RLock()
	var out []*entry
	for _, e := range q.sources[source] {
		if keep(e) {
			out = append(out, e)
		}
	}
	q.mu.RUnlock()
	slices.SortFunc(out, byNumber)
	return out
}

// all returns the items that keep wants, by number.
func (q *queue) all(keep func(*entry) bool) []*entry {
	q.mu.RLock()
	var out []*entry
	for _, e := range q.items {
		if keep(e) {
			out = append(out, e)
		}
	}
	q.mu.RUnlock()
	slices.SortFunc(out, byNumber)
	return out
}

func byNumber(a, b *entry) int {
	switch {
	case a.Number < b.Number:
		return -1
	case a.Number > b.Number:
		return 1
	}
	return strings.Compare(a.ID, b.ID)
}

func (q *queue) stats() Stats {
	q.mu.RLock()
	defer q.mu.RUnlock()
	return Stats{
		Staged: q.states[drift.StateStaged], Dead: q.states[drift.StateDead],
		Held: q.states[drift.StateHeld], Offered: q.states[drift.StateOffered], Unread: len(q.unread),
	}
}

// illegible returns the ids of items whose records cannot be read, sorted.
func (q *queue) illegible() (ids []string) {
	q.mu.RLock()
	defer q.mu.RUnlock()
	for name := range q.unread {
		ids = append(ids, strings.TrimPrefix(name, itemRecord))
	}
	slices.Sort(ids)
	return ids
}

// lastNumber returns the last number that was given.
func (q *queue) lastNumber() uint64 {
	q.mu.RLock()
	defer q.mu.RUnlock()
	return q.last
}
