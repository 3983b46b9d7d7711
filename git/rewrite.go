package git

import (
	"context"
	"fmt"
	"io"

	"kaijutsu"
)

// Rewrite says which commits became another one: one in a rebase, an amend or
// a cherry-pick, several in a squash, and the same one again where a commit was
// split.
type Rewrite struct {
	Old []Hash // oldest first
	New Hash
}

// Range is the commits that are reachable from To and not from From.
type Range struct {
	From, To Hash // From "": the merge base of what is compared
}

// RewriteOptions says how notes are carried on.
type RewriteOptions struct {
	Ref    string    // of the notes, in full; default NotesRef
	By     Signature // who writes the notes
	Again  bool      // also for commits that have a note already
	DryRun bool      // say what would be written
}

// Rewritten says what became of a rewrite.
type Rewritten struct {
	Rewrite
	Lines   int    // that have a writer in the new note
	Skipped string // why no note was written; "": it was
}

// FindRewrites pairs.
func (r *Repo) FindRewrites(ctx context.Context, old, new Range) ([]Rewrite, error) {
	return nil, fmt.Errorf("finding rewritten commits: %w", kaijutsu.ErrUnavailable)
}

// ReadRewrites reads what git gives to its post-rewrite hook.
func ReadRewrites(src io.Reader) ([]Rewrite, error) {
	return nil, fmt.Errorf("reading rewritten commits: %w", kaijutsu.ErrUnavailable)
}

// RewriteNotes carries notes.
func (r *Repo) RewriteNotes(ctx context.Context, pairs []Rewrite, o RewriteOptions) ([]Rewritten, error) {
	return nil, fmt.Errorf("rewriting notes: %w", kaijutsu.ErrUnavailable)
}
