package worktree

import (
	"context"
	"log/slog"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/git"
	"kaijutsu/internal/diskwatch"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
	"kaijutsu/internal/vfs"
)

// The services in whose name texts come from outside.
var (
	// Disk is who edits a file on the disk when nobody is named for that.
	Disk = kaijutsu.Principal{Name: "disk", Kind: kaijutsu.Service}
	// Git is who brings text that came out of git.
	Git = kaijutsu.Principal{Name: "git", Kind: kaijutsu.Service}
	// Keeper is who writes blocks that say what is the matter with a file.
	Keeper = kaijutsu.Principal{Name: "kaijutsu", Kind: kaijutsu.Service}
)

// DefaultLimit is how many bytes a file may have that is a block.
const DefaultLimit = 512 << 10

// Detached is what Config.Context is told for a branch when HEAD is detached.
const Detached = "(detached)"

// Config says what an Overlay works with. Log, Repo, Kernel, Store, Git, Folder,
// Watch, Mount and Context are required.
type Config struct {
	Log    *slog.Logger
	Repo   *repo.Repo
	Kernel *kernel.Kernel
	Store  *store.Store
	Git    *git.Worktree
	// Folder is the worktree's directory.
	Folder *vfs.Folder
	// Watch is this overlay's alone; it is closed after the overlay.
	Watch *diskwatch.Watcher
	// Mount is the path of the mount: "/mnt/app".
	Mount    string
	ReadOnly bool
	// DiskAs is who edits the files on the disk; default Disk.
	DiskAs kaijutsu.Principal
	// Context returns the context of a branch: the one it had, or a new one, a
	// fork of from unless that is zero. It is asked for Detached too. The
	// overlay's goroutine calls it; it must not call the overlay.
	Context func(ctx context.Context, branch string, from kaijutsu.DocumentID) (kaijutsu.DocumentID, error)
	// Others returns the contexts of the mount's branches, in which writers of
	// lines are looked for; nil: there are none.
	Others func() []kaijutsu.DocumentID
	// Limit is how many bytes a file may have that is a block; default
	// DefaultLimit.
	Limit int64
	// Now is the clock of ids and changes; default time.Now.
	Now func() time.Time
}

// File is a file as it was opened.
type File struct {
	Path string // relative to the mount
	Doc  kaijutsu.DocumentID
	// Block is the block that holds it; "" when the file is none, because it is
	// binary (Info.Binary), or the overlay is paused and has not opened it before.
	Block blocks.ID
	// Heads are the document's, at which the block holds Content.
	Heads   kaijutsu.Heads
	Content string // the text, lines ending with "\n"; "" when Info.Binary
	Info    vfs.Info
}

// State is what an overlay does at the moment.
type State struct {
	Branch string // Detached when HEAD is
	Head   git.Hash
	Doc    kaijutsu.DocumentID
	// Paused says that nothing goes to the disk or comes from it, and Reason why.
	Paused bool
	Reason string
	// Generation grows whenever the branch or its commit is another one.
	Generation uint64
	Files      []FileState // by path
}

// FileState is what is known of a file that was opened.
type FileState struct {
	Path  string
	Block blocks.ID
	// Dirty says that the block holds what the disk does not have yet.
	Dirty bool
	// Conflict says that block and disk both changed; Notice is the block that
	// says so.
	Conflict bool
	Notice   blocks.ID
	// Deleted says that file and block are gone, to come back together.
	Deleted bool
	// Closed says why the file is no block any more; "" when it is one.
	Closed string
	// Problem says why the file could not be read or written; "" when it could.
	Problem string
}

// Snapshot is files as they are while nothing moves between blocks and disk.
type Snapshot struct {
	Epoch git.Epoch
	Doc   kaijutsu.DocumentID
	Heads kaijutsu.Heads
	Files []Snap // by path
}

// Snap is a file that is a block.
type Snap struct {
	Path     string
	Block    blocks.ID
	RepoData []byte // what git would keep of it; nil when it does not exist
	Mode     git.Mode
	Exists   bool
	// Conflict says that block and disk do not agree. Dirty says that the disk
	// does not hold RepoData, although they are not in conflict: nothing could
	// be written.
	Conflict, Dirty bool
	// Problem says why nothing could be written; "" when that is not known.
	Problem string
}
