package git

import (
	"context"
	"fmt"
	"io"

	"kaijutsu"
)

var errPending = fmt.Errorf("not available yet: %w", kaijutsu.ErrUnavailable)

// Clone clones url into the bare repository dir.
func Clone(ctx context.Context, url, dir string, progress io.Writer) (*Repo, error) {
	return nil, errPending
}

// Diff compares two sides.
func (w *Worktree) Diff(ctx context.Context, o DiffOptions) ([]FileDiff, error) {
	return nil, errPending
}

// Log lists commits.
func (w *Worktree) Log(ctx context.Context, rev string, n int, path string) ([]CommitInfo, error) {
	return nil, errPending
}

// Branches lists branches.
func (r *Repo) Branches() ([]Branch, error) { return nil, errPending }

// CreateBranch makes a branch.
func (r *Repo) CreateBranch(name, start string, by Signature) error { return errPending }

// DeleteBranch deletes a branch that is checked out nowhere; without force, only one
// whose commits HEAD has.
func (r *Repo) DeleteBranch(name string, force bool) error { return errPending }

// Switch checks out another branch.
func (w *Worktree) Switch(ctx context.Context, name string, by Signature) error { return errPending }
