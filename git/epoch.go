package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"kaijutsu"
)

// Epoch is the state of a worktree that its file blocks are keyed to.
// Epochs are comparable.
type Epoch struct {
	Branch string // short name; "" detached
	Head   Hash   // "" when the branch has no commit
	State  string // "", rebase, merge, cherry-pick, revert, am, bisect
	Locked bool   // somebody holds index.lock
	Index  IndexStamp
}

// IndexStamp identifies a state of the index file; zero: there is none.
type IndexStamp struct {
	MTime, Size int64 // nanoseconds, bytes
	Ino         uint64
}

// headsPrefix is where branches are.
const headsPrefix = "refs/heads/"

// states maps what lies in a worktree's git directory to the command that is
// in progress, the first that is there. The names are those of
// wt_status_get_state in git's wt-status.c.
var states = []struct{ file, state string }{
	{"rebase-apply/applying", "am"},
	{"rebase-apply", "rebase"},
	{"rebase-merge", "rebase"},
	{"MERGE_HEAD", "merge"},
	{"CHERRY_PICK_HEAD", "cherry-pick"},
	{"REVERT_HEAD", "revert"},
	{"sequencer/todo", "sequencer"},
	{"BISECT_LOG", "bisect"},
}

// Epoch reads the state of the worktree now. It costs microseconds: two or
// three small files are read, some others looked for.
func (w *Worktree) Epoch() (Epoch, error) {
	var e Epoch
	full, h, err := w.repo.resolveRef(w.gitdir, "HEAD")
	if err != nil {
		return e, fmt.Errorf("reading the head of worktree %s: %w", w.dir, err)
	}
	if full != "HEAD" {
		e.Branch = strings.TrimPrefix(full, headsPrefix)
	}
	e.Head = h
	w.last.seen(e.Branch, e.Head)
	if e.State, err = w.state(); err != nil {
		return e, fmt.Errorf("reading the state of worktree %s: %w", w.dir, err)
	}
	if _, err := os.Lstat(filepath.Join(w.gitdir, "index.lock")); err == nil {
		e.Locked = true
	}
	if s := stampOf(filepath.Join(w.gitdir, "index")); s != (fileStamp{}) {
		e.Index = IndexStamp{MTime: s.mtime, Size: s.size, Ino: s.ino}
	}
	return e, nil
}

// state tells which command is in progress, "" for none.
func (w *Worktree) state() (string, error) {
	for _, s := range states {
		_, err := os.Lstat(filepath.Join(w.gitdir, s.file))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		if s.state == "sequencer" {
			return w.sequencer()
		}
		return s.state, nil
	}
	return "", nil
}

// sequencer tells whether several commits are being picked or reverted, while
// none of them is stopped at a conflict.
func (w *Worktree) sequencer() (string, error) {
	todo, err := readSmall(filepath.Join(w.gitdir, "sequencer/todo"))
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(string(todo), "revert ") || strings.HasPrefix(string(todo), "r ") {
		return "revert", nil
	}
	return "cherry-pick", nil
}

// WatchFiles returns the absolute names of the files that change with the
// epoch. Some of them need not exist. The list changes with the branch.
func (w *Worktree) WatchFiles() []string {
	files := []string{
		filepath.Join(w.gitdir, "HEAD"),
		filepath.Join(w.gitdir, "index"),
		filepath.Join(w.gitdir, "index.lock"),
		filepath.Join(w.repo.common, "packed-refs"),
	}
	if v, err := w.repo.readRef(w.gitdir, "HEAD"); err == nil && v.Target != "" {
		files = append(files, w.repo.refFile(w.gitdir, v.Target))
	}
	for _, s := range states {
		if !strings.Contains(s.file, "/") {
			files = append(files, filepath.Join(w.gitdir, s.file))
		}
	}
	return append(files, filepath.Join(w.gitdir, "sequencer"))
}

// OpenWorktree opens a worktree of the repository, the main one or a linked
// one. Locks that a killed process of this program left in it are taken away.
func (r *Repo) OpenWorktree(dir string) (*Worktree, error) {
	d, err := findGitDirs(dir)
	if err != nil {
		return nil, fmt.Errorf("opening worktree: %w", err)
	}
	if d.common != r.common {
		return nil, fmt.Errorf("opening worktree: %s belongs to the repository %s, not to %s: %w", dir, d.common, r.common, kaijutsu.ErrInvalid)
	}
	if d.top == "" {
		return nil, fmt.Errorf("opening worktree: %s has no files checked out: %w", dir, kaijutsu.ErrInvalid)
	}
	w := newWorktree(r, d.top, d.gitdir)
	w.dropStaleLocks()
	return w, nil
}

func newWorktree(r *Repo, dir, gitdir string) *Worktree {
	return &Worktree{repo: r, dir: dir, gitdir: gitdir}
}
