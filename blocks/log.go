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
