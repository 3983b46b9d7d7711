package repo

import (
	"context"
	"fmt"

	"kaijutsu"
)

// Raw returns n changes of a document's log from number from on, decoded, and
// who made them; fewer when the log ends. They have no Steps.
func (r *Repo) Raw(ctx context.Context, id kaijutsu.DocumentID, from, n uint64) ([]Change, error) {
	return nil, fmt.Errorf("read changes: not there yet: %w", kaijutsu.ErrUnavailable)
}

// Has reports for each of these changes whether the document holds it; all
// false when it is not here.
func (r *Repo) Has(ctx context.Context, id kaijutsu.DocumentID, changes []kaijutsu.ChangeHash) ([]bool, error) {
	return nil, fmt.Errorf("look for changes: not there yet: %w", kaijutsu.ErrUnavailable)
}

// Since gives f, in parts of at most 256 KiB or one change, the changes that
// are not behind those of have that the document holds, each after those it
// depends on.
func (r *Repo) Since(ctx context.Context, id kaijutsu.DocumentID, have kaijutsu.Heads, f func([]Change) error) error {
	return fmt.Errorf("read changes: not there yet: %w", kaijutsu.ErrUnavailable)
}
