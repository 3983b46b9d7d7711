package repo

import (
	"context"
	"fmt"

	"kaijutsu"
)

var errLater = fmt.Errorf("it is not in place yet: %w", kaijutsu.ErrUnavailable)

// Fork makes a context that holds what the document held at these heads, and
// returns when it is on disk. No heads means now; title "" keeps the title.
// The error wraps kaijutsu.ErrNotFound when there is no such document, or it
// does not hold one of the heads.
func (r *Repo) Fork(ctx context.Context, by kaijutsu.Principal, id kaijutsu.DocumentID, heads kaijutsu.Heads, title string) (kaijutsu.ContextID, error) {
	return kaijutsu.ContextID{}, errLater
}

// Delete removes a document for good and returns when that is on disk.
func (r *Repo) Delete(ctx context.Context, id kaijutsu.DocumentID) error { return errLater }

// ImportDocument makes a context of an .automerge file.
func (r *Repo) ImportDocument(ctx context.Context, by kaijutsu.Principal, chunk []byte) (kaijutsu.ContextID, error) {
	return kaijutsu.ContextID{}, errLater
}
