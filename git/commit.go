package git

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"

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

// MakeCommit commits the chosen files on top of Parent, and nothing else: the
// rest of the tree is the parent's, whatever is staged. Then the branch is at
// the commit, and the index has the chosen files as they were committed; its
// other entries stay as they are.
//
// A branch or HEAD that is not where the specification says, a merge, rebase or
// the like in progress, and a path that is a submodule or in one, behind a link,
// below a file or a directory, is an error that wraps ErrConflict; somebody's lock
// is one that wraps ErrUnavailable; both leave nothing but unreachable objects
// behind, which git's own garbage collection takes. A commit that would change
// nothing is ErrNothing. Hooks are not run.
//
// The new index and the new value of the branch are both written to lock files
// before either takes its place, the index first. If the process is killed
// between the two, the chosen files are staged and the commit is not made: git
// status shows them under "changes to be committed", and nothing is lost. The
// locks that stay then are taken away by OpenWorktree, and by whoever of this
// program wants them next.
func (w *Worktree) MakeCommit(ctx context.Context, spec CommitSpec) (CommitInfo, error) {
	spec, err := spec.checked()
	if err != nil {
		return CommitInfo{}, fmt.Errorf("commit: %w", err)
	}
	if err := w.checkEpoch(spec); err != nil {
		return CommitInfo{}, fmt.Errorf("commit: %w", err)
	}
	if err := w.checkPlaces(spec.Files); err != nil {
		return CommitInfo{}, fmt.Errorf("commit: %w", err)
	}
	c, staged, err := w.buildCommit(ctx, spec)
	if err != nil {
		return CommitInfo{}, fmt.Errorf("commit: %w", err)
	}
	if err := w.landCommit(ctx, spec, c, staged); err != nil {
		return CommitInfo{}, fmt.Errorf("commit: %w", err)
	}
	return c, nil
}

func (w *Worktree) checkEpoch(spec CommitSpec) error {
	e, err := w.Epoch()
	switch {
	case err != nil:
		return err
	case e.State != "":
		return fmt.Errorf("a %s is in progress; finish or abort it first: %w", e.State, kaijutsu.ErrConflict)
	case e.Branch != spec.Branch:
		return fmt.Errorf("the worktree is on %s, not on %s: %w", orDetached(e.Branch), orDetached(spec.Branch), kaijutsu.ErrConflict)
	case e.Head == "" && e.Branch != "" && w.last.of(e.Branch) != "":
		h := w.last.of(e.Branch)
		return fmt.Errorf("branch %s is gone; it was at %s, and git branch %s %s brings it back: %w", e.Branch, h, e.Branch, h, kaijutsu.ErrConflict)
	case e.Head != spec.Parent:
		return fmt.Errorf("%s is at %s, not at %s: %w", orDetached(e.Branch), orNone(e.Head), orNone(spec.Parent), kaijutsu.ErrConflict)
	}
	return nil
}

func orDetached(branch string) string {
	if branch == "" {
		return "a detached HEAD"
	}
	return "branch " + branch
}

// buildCommit writes the objects, which nothing points to yet. staged has what
// is to be in the index for each file of the specification, in its order.
func (w *Worktree) buildCommit(ctx context.Context, spec CommitSpec) (c CommitInfo, staged []IndexEntry, err error) {
	var parentTree Hash
	if spec.Parent != "" {
		if parentTree, err = w.repo.treeOf(spec.Parent); err != nil {
			return c, nil, err
		}
		c.Parents = []Hash{spec.Parent}
	}
	edits := newTreeEdit()
	blobs := make([]Hash, len(spec.Files))
	for i, f := range spec.Files {
		if err := ctx.Err(); err != nil {
			return c, nil, err
		}
		if !f.Delete {
			if blobs[i], err = w.repo.writeObject(blobKind, f.Data); err != nil {
				return c, nil, err
			}
		}
		if err := edits.add(f.Path, fileEdit{blob: blobs[i], mode: f.Mode, delete: f.Delete}); err != nil {
			return c, nil, fmt.Errorf("path %q: %w", f.Path, err)
		}
	}
	if c.Tree, err = w.repo.editTree(parentTree, edits); err != nil {
		return c, nil, err
	}
	if c.Tree == "" {
		if c.Tree, err = w.repo.writeObject(treeKind, nil); err != nil {
			return c, nil, err
		}
	}
	if !spec.Empty && (c.Tree == parentTree || parentTree == "" && c.Tree == emptyTree) {
		return c, nil, ErrNothing
	}
	c.Author, c.Committer, c.Message = spec.Author, spec.Committer, spec.Message
	if c.Hash, c.Signed, err = w.repo.writeCommit(c, spec.Signer); err != nil {
		return c, nil, err
	}
	return c, w.stagedEntries(spec, edits, blobs), nil
}

// emptyTree is the name of the tree without entries.
const emptyTree = Hash("4b825dc642cb6eb9a060e54bf8d69288fbee4904")

func (r *Repo) writeCommit(c CommitInfo, signer Signer) (Hash, bool, error) {
	data := encodeCommit(c)
	if signer != nil {
		armored, err := signer.Sign(data)
		if err != nil {
			return "", false, err
		}
		data = withSignature(data, armored)
	}
	h, err := r.writeObject(commitKind, data)
	return h, signer != nil, err
}

// landCommit makes the commit the branch's, and the index agree.
func (w *Worktree) landCommit(ctx context.Context, spec CommitSpec, c CommitInfo, staged []IndexEntry) error {
	var move *branchMove
	err := w.UpdateIndex(ctx, func(idx *Index) error {
		for i, f := range spec.Files {
			idx.replacePath(f.Path, staged[i])
		}
		var err error
		move, err = w.beginMove(spec.Branch, c.Hash, spec.Parent)
		return err
	})
	if move != nil {
		defer move.abort()
	}
	if err != nil {
		return err
	}
	what := "commit: "
	if spec.Parent == "" {
		what = "commit (initial): "
	}
	return move.commit(spec.Committer, what+c.Subject())
}

// branchMove is HEAD locked where it is, and its branch about to move.
type branchMove struct {
	w    *Worktree
	head *lock // nil when HEAD itself moves
	ref  *refUpdate
}

func (w *Worktree) beginMove(branch string, new, old Hash) (*branchMove, error) {
	m := &branchMove{w: w}
	name := "HEAD"
	if branch != "" {
		name = "refs/heads/" + branch
		var err error
		if m.head, err = lockRef(filepath.Join(w.gitdir, "HEAD")); err != nil {
			return nil, err
		}
	}
	var err error
	if m.ref, err = w.repo.beginRef(w.gitdir, name, new, old); err != nil {
		m.abort()
		return nil, err
	}
	head, err := w.repo.readRef(w.gitdir, "HEAD")
	if err == nil && branch != "" && head.Target != name {
		err = fmt.Errorf("HEAD went away from %s meanwhile: %w", name, kaijutsu.ErrConflict)
	}
	if err != nil {
		m.abort()
		return nil, err
	}
	return m, nil
}

func (m *branchMove) commit(by Signature, message string) error {
	if err := m.w.repo.logRef(m.w.gitdir, m.ref, by, message); err != nil {
		return err
	}
	return m.ref.commit()
}

// abort gives back the locks that are still held.
func (m *branchMove) abort() {
	if m.ref != nil {
		m.ref.abort()
	}
	if m.head != nil {
		m.head.abort()
	}
}
