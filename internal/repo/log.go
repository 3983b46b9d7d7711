package repo

import (
	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
)

// Log is the history of a document: its changes, numbered from 0 in an order
// in which each comes after those it depends on. It is good while the function
// that got it from a View runs.
type Log struct{ doc *document }

var _ blocks.Log = Log{}

// Len returns the number of changes.
func (l Log) Len() int { return l.doc.graph.Len() }

// Change returns change i, decoded. It is shared and must not be written to.
func (l Log) Change(i int) (*amfile.Change, error) { return l.doc.decoded(i) }

// Header returns the header of change i, which takes less than Change.
func (l Log) Header(i int) (amfile.Header, error) {
	l.doc.task.stop.Check()
	return amfile.DecodeHeader(l.doc.graph.Raw(i))
}

// Index returns the number of the change with this hash.
func (l Log) Index(h kaijutsu.ChangeHash) (int, bool) { return l.doc.graph.Index(h) }

// Find returns the number of the change that holds this operation.
func (l Log) Find(actor kaijutsu.ActorID, counter uint64) (int, bool) {
	return l.doc.graph.Find(actor, counter)
}

// Hash returns the hash of change i.
func (l Log) Hash(i int) kaijutsu.ChangeHash { return l.doc.graph.Hash(i) }

// Author returns the actor that made change i.
func (l Log) Author(i int) kaijutsu.ActorID { return l.doc.graph.Author(i) }

const (
	// decodedKept bounds the decoded changes that a document keeps, by their
	// operations.
	decodedKept    = 20_000
	decodedOpBytes = 150
)

// decodedChanges keeps the changes that were decoded last.
type decodedChanges struct {
	byIndex map[int]*amfile.Change
	order   []int // oldest first
	ops     int
}

// decoded returns change i, from the cache or its bytes.
func (d *document) decoded(i int) (*amfile.Change, error) {
	d.task.stop.Check()
	k := &d.decodedKept
	if c := k.byIndex[i]; c != nil {
		return c, nil
	}
	c, err := amfile.DecodeChange(d.graph.Raw(i))
	if err != nil {
		return nil, err // it was validated before it came here
	}
	k.put(i, c)
	return c, nil
}

func (k *decodedChanges) put(i int, c *amfile.Change) {
	if k.byIndex == nil {
		k.byIndex = make(map[int]*amfile.Change)
	}
	k.byIndex[i] = c
	k.order = append(k.order, i)
	for k.ops += len(c.Ops) + 1; k.ops > decodedKept && len(k.order) > 1; {
		oldest := k.order[0]
		k.order = k.order[1:]
		k.ops -= len(k.byIndex[oldest].Ops) + 1
		delete(k.byIndex, oldest)
	}
}

func (k *decodedChanges) bytes() int64 { return int64(k.ops) * decodedOpBytes }

func (k *decodedChanges) clear() { *k = decodedChanges{} }
