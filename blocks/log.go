package blocks

import (
	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// Log is the history of a document: its changes, numbered from 0 in an order
// in which each comes after those it depends on.
type Log interface {
	// Len returns the number of changes.
	Len() int
	// Change returns change i, decoded. It is shared and must not be changed.
	Change(i int) (*amfile.Change, error)
	// Hash returns the hash of change i.
	Hash(i int) kaijutsu.ChangeHash
	// Index returns the number of the change with this hash.
	Index(h kaijutsu.ChangeHash) (int, bool)
	// Find returns the number of the change that holds this operation.
	Find(actor kaijutsu.ActorID, counter uint64) (int, bool)
}

// keptOps bounds the decoded changes that a keptLog keeps, by their operations.
const keptOps = 500_000

// keptLog is a log whose changes are looked at again and again while one
// question is answered.
type keptLog struct {
	Log
	kept  map[int]*amfile.Change
	order []int // oldest first
	ops   int
}

func keep(log Log) *keptLog { return &keptLog{Log: log, kept: make(map[int]*amfile.Change)} }

// Change returns change i, decoded.
func (l *keptLog) Change(i int) (*amfile.Change, error) {
	if c := l.kept[i]; c != nil {
		return c, nil
	}
	c, err := l.Log.Change(i)
	if err != nil {
		return nil, err
	}
	l.kept[i] = c
	l.order = append(l.order, i)
	for l.ops += len(c.Ops) + 1; l.ops > keptOps && len(l.order) > 1; {
		l.ops -= len(l.kept[l.order[0]].Ops) + 1
		delete(l.kept, l.order[0])
		l.order = l.order[1:]
	}
	return c, nil
}
