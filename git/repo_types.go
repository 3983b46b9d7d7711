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

// Side is a side of a comparison: a revision, or one of the two below.
type Side string

// The sides that are no revisions.
const (
	SideWorktree Side = ":worktree"
	SideIndex    Side = ":index"
)

// DiffOptions says what is compared; the zero value compares HEAD with the
// worktree.
type DiffOptions struct {
	From, To Side // default HEAD, and SideWorktree
	Paths    []string
	Text     func(path string) ([]byte, bool) // as in StatusOptions
	Limit    int                              // bytes of all Unified together; what is over it has none; default 8 MiB
}

// FileDiff is a changed file.
type FileDiff struct {
	Path, OldPath    string
	From, To         Mode   // 0: not there
	Unified          string // what git apply reads; "" for binary files and over the limit
	Added, Deleted   int    // lines
	Binary, TooLarge bool
}

// Branch is a branch.
type Branch struct {
	Name     string // short: main, or origin/main of a remote
	Head     Hash
	Remote   bool
	Worktree string // where it is checked out; "" nowhere
}
