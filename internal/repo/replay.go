package repo

import (
	"context"
	"fmt"

	"kaijutsu"
)

// Replay gives f the changes numbered from to to-1 of a document's log, traced
// as they were when they came: the version that each made, its Steps and Heads.
// to 0 means all there are now. f is called outside of the owner and may take
// its time; its error ends the replay and is returned.
// The error wraps kaijutsu.ErrNotFound when the document is not here or has no
// version from.
func (r *Repo) Replay(ctx context.Context, id kaijutsu.DocumentID, from, to uint64, f func(version uint64, c Change) error) error {
	return fmt.Errorf("replay: not there yet: %w", kaijutsu.ErrUnavailable)
}
