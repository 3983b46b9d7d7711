package git

// Worktree is a worktree of a repository, the main one or a linked one. It may
// be used by many goroutines.
type Worktree struct {
	repo   *Repo
	dir    string // absolute
	gitdir string // its own git directory: HEAD, index, state files
}

// Dir returns the absolute path of the worktree.
func (w *Worktree) Dir() string { return w.dir }

// GitDir returns the worktree's own git directory, where its HEAD and index are.
func (w *Worktree) GitDir() string { return w.gitdir }

// Repo returns the repository of the worktree.
func (w *Worktree) Repo() *Repo { return w.repo }

// WorktreeSpec says which worktree AddWorktree makes.
type WorktreeSpec struct {
	Dir    string // where; absolute
	Name   string // its name below worktrees/ in the repository; default: the last element of Dir
	Branch string // short name; made from Start if it is not there
	Start  string // revision; default: the branch of the same name of a remote, or HEAD
	// Progress is called now and then with the number of files written and of
	// all; nil: nobody wants to know.
	Progress func(done, total int)
	By       Signature // who, for the reflog
}

// WorktreeInfo is a line of git worktree list.
type WorktreeInfo struct {
	Dir      string // absolute; for a bare repository its own directory
	GitDir   string
	Name     string // "" for the main one
	Branch   string // short; "" detached or bare
	Head     Hash   // "" unborn
	Main     bool
	Bare     bool
	Locked   bool
	Prunable bool // its directory, or the way back from it, is gone
}

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

// Text says whether git converts line endings of a file.
type Text int

// The answers.
const (
	TextNo Text = iota
	TextYes
	TextAuto // if the content looks like text
)

// Attr is what the attributes and the configuration say of a path.
type Attr struct {
	Text     Text
	EOL      string // line endings on disk: "lf" or "crlf"; "" when nothing is converted
	Filter   string // name of a filter driver: the file is not what git stores
	Encoding string // working-tree-encoding: the file is not UTF-8 on disk
	Ident    bool   // $Id$ is expanded on disk
	Binary   bool   // set by the macro binary, or by -text with -diff
}

// StatusOptions says what Status looks for; the zero value: tracked files.
type StatusOptions struct {
	Untracked bool     // also untracked files; a directory without tracked ones is one entry that ends in a slash
	Every     bool     // with Untracked: every file of such directories instead
	Ignored   bool     // with Untracked: also what is ignored
	Renames   bool     // pair staged deletions with equal staged additions
	Paths     []string // only these files and what is below these directories; nil: all
	// Text returns what counts instead of the file on disk, as git would store
	// it; false: the disk counts. It may be nil.
	Text func(path string) ([]byte, bool)
}

// Code says what became of a file, in the letters of git status.
type Code byte

// The codes.
const (
	Unmodified  Code = '.'
	Modified    Code = 'M'
	TypeChanged Code = 'T'
	Added       Code = 'A'
	Deleted     Code = 'D'
	Renamed     Code = 'R'
	Unmerged    Code = 'U'
	Untracked   Code = '?'
	Ignored     Code = '!'
)

// FileStatus is a path that is not the same in HEAD, index and worktree.
type FileStatus struct {
	Path             string
	OldPath          string // of Renamed
	Staged, Unstaged Code   // HEAD to index, index to worktree
	Head, Index      Mode   // 0: not there
	Disk             Mode
	Conflict         string // "UU", "AA", "DU" …: the two letters of an unmerged path
}

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

// Index is the index of a worktree.
type Index struct {
	Version int
	Entries []IndexEntry // sorted by path and stage
}

// IndexEntry is a path in the index.
type IndexEntry struct {
	Path         string
	Stage        int // 0, or 1 base, 2 ours, 3 theirs of a conflict
	Hash         Hash
	Mode         Mode
	Stat         IndexStat
	AssumeValid  bool
	SkipWorktree bool
	IntentToAdd  bool
}

// IndexStat is what the index remembers of a file, cut to 32 bits as git does;
// zero: unknown.
type IndexStat struct {
	CTimeSec, CTimeNano, MTimeSec, MTimeNano uint32
	Dev, Ino, UID, GID, Size                 uint32
}
