package blocks

import (
	"fmt"

	"kaijutsu"
)

var errHistory = fmt.Errorf("histories are not in place yet: %w", kaijutsu.ErrUnavailable)

// Revert takes back what the changes of a unit of work did, as far as it still
// shows. What others did since stays. It is an edit like any other and can be
// reverted in its turn.
//
//   - Characters and chunks that the unit wrote and that still show go.
//   - Those that it alone deleted come back where they were.
//   - A field that still shows what the unit put goes back to what it was.
//   - A block that the unit made is deleted, unless others wrote into it or put
//     blocks below it: then only what the unit wrote into it goes.
//   - Tombstones that it set are lifted, and the other way round.
//
// The error wraps kaijutsu.ErrConflict when nothing of the unit shows any
// more, and kaijutsu.ErrNotFound when the log does not hold it.
func (tx *Tx) Revert(log Log, unit []kaijutsu.ChangeHash) error { return errHistory }
