package git

import (
	"context"
	"fmt"
	"io/fs"

	"kaijutsu"
)

// ErrNothing says that a commit would change nothing. It wraps
// kaijutsu.ErrInvalid.
var ErrNothing = fmt.Errorf("nothing to commit: %w", kaijutsu.ErrInvalid)

// FileChange is a file that a commit changes.
type FileChange struct {
	Path   string // clean, slashes, relative to the top
	Data   []byte // as git stores it; the target of a symbolic link
	Mode   Mode   // Regular, Executable or Symlink; 0: the mode the file has, Regular for a new one
	Delete bool   // the file goes away; it is no error if it is not there
}

// CommitSpec says what MakeCommit commits.
type CommitSpec struct {
	Branch string // the worktree's branch, short; "" for a detached HEAD
	Parent Hash   // the commit that the branch is at; "" for the first one
	Files  []FileChange
	// Message is cleaned as CleanMessage does. It must not be empty then.
	Message   string
	Author    Signature
	Committer Signature // zero: Author
	Signer    Signer    // nil: not signed
	// Stat returns what the file system says of the file at path if the file
	// holds exactly what is committed; it makes git's next look cheap. An
	// error: the file is not known to be so. Where Stat is nil, MakeCommit
	// compares the files of the worktree itself.
	Stat  func(path string) (fs.FileInfo, error)
	Empty bool // a commit that changes nothing is wanted
}

// MakeCommit commits.
func (w *Worktree) MakeCommit(ctx context.Context, spec CommitSpec) (CommitInfo, error) {
	return CommitInfo{}, fmt.Errorf("commit: %w", kaijutsu.ErrUnavailable)
}
