package git

import "sync"

// Worktree is a worktree of a repository, the main one or a linked one. It may
// be used by many goroutines.
type Worktree struct {
	repo   *Repo
	dir    string // absolute
	gitdir string // its own git directory: HEAD, index, state files

	configs configFiles
	files   fileCache // attributes and ignore files
	index   indexCache
	clean   cleanFiles
	last    lastHead
}

// lastHead is where HEAD was when it had a commit last. The zero value is
// ready.
type lastHead struct {
	mu     sync.Mutex
	branch string // short
	head   Hash
}

func (l *lastHead) seen(branch string, head Hash) {
	if head == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.branch, l.head = branch, head
}

// of returns the commit that a branch, the last one seen, had.
func (l *lastHead) of(branch string) Hash {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.branch != branch {
		return ""
	}
	return l.head
}

// Dir returns the absolute path of the worktree.
func (w *Worktree) Dir() string { return w.dir }

// GitDir returns the worktree's own git directory, where its HEAD and index are.
func (w *Worktree) GitDir() string { return w.gitdir }

// Repo returns the repository of the worktree.
func (w *Worktree) Repo() *Repo { return w.repo }
