package git

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
}

// Dir returns the absolute path of the worktree.
func (w *Worktree) Dir() string { return w.dir }

// GitDir returns the worktree's own git directory, where its HEAD and index are.
func (w *Worktree) GitDir() string { return w.gitdir }

// Repo returns the repository of the worktree.
func (w *Worktree) Repo() *Repo { return w.repo }
