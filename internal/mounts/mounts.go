package mounts

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/git"
	"kaijutsu/internal/access"
	"kaijutsu/internal/authorship"
	"kaijutsu/internal/courier"
	guards "kaijutsu/internal/guard"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/records"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
	"kaijutsu/internal/vfs"
)

// Config says what Mounts work with. Log, Repo, Kernel, Access, Store, Records
// and Dir are required.
type Config struct {
	Log    *slog.Logger
	Repo   *repo.Repo
	Kernel *kernel.Kernel
	Access *access.Table
	Store  *store.Store
	// Records are what nodes share; it is open and stays so for longer than the
	// Mounts.
	Records *records.Table
	// Dir is the server's data directory. Worktrees and clones are made in it.
	Dir string
	// Home is what ~ is in a source; default the server's home directory.
	Home string
	Name string // the kernel's; default "main"
	Node string // this node's id; default the store's
	// NodeName returns what a node is called; nil: its id.
	NodeName func(id string) string
	// NodeAddress returns where a node can be reached; nil, or "": nobody knows.
	NodeAddress func(id string) string
	// Emit is told of commits. It must return at once. Nil: nobody follows.
	Emit func(flowbus.Event)
	// Distillers are those that messages of commits may be asked of: the default
	// one is. One that has no method Ask(context.Context, system, user string)
	// (drift.Briefing, error) is not asked.
	Distillers courier.Distillers
	// Committer is who made the commits, as git has it; default Kaijutsu
	// <kaijutsu@kaijutsu.invalid>.
	Committer git.Signature
	// Signer signs commits; nil: they are not signed.
	Signer git.Signer
	// Limit is the most bytes of a file that becomes a block; default 512 KiB.
	Limit int64
	// Scratch is the most bytes of a memory mount; default 64 MiB.
	Scratch int64
	// Every is how often the disks of mounts are looked at; default 2 s.
	Every time.Duration
	Now   func() time.Time // default time.Now
}

const (
	defaultScratch = 64 << 20
	defaultEvery   = 2 * time.Second
)

// Mounts are the mounts of a kernel, as a node has them. They are safe for
// concurrent use.
type Mounts struct {
	cfg  Config
	log  *slog.Logger
	data string // the data directory, from the root, symbolic links resolved
	book *authorship.Book

	changing chan struct{} // a token: one adds, sets or removes at a time
	woken    chan struct{} // holds a token when there is something to do
	unwatch  func()

	life    context.Context // of what outlasts a call; Close ends it
	end     context.CancelFunc
	running sync.WaitGroup

	mu      sync.RWMutex
	known   known            // guarded by mu
	live    map[string]*live // guarded by mu; this node's, by id
	order   []*live          // guarded by mu; as they were opened
	moved   chan struct{}    // guarded by mu; closed and replaced when a state changes
	closing bool             // guarded by mu
	scratch *vfs.Memory
}

// Open reads the records. It opens no mount: Start does. Whoever starts the Repo
// has it tell Note of every commit. Close the Mounts before the Kernel.
func Open(cfg Config) (*Mounts, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Name == "" {
		cfg.Name = "main"
	}
	if cfg.Node == "" {
		cfg.Node = cfg.Store.StorageID()
	}
	if cfg.NodeName == nil {
		cfg.NodeName = func(id string) string { return id }
	}
	if cfg.NodeAddress == nil {
		cfg.NodeAddress = func(string) string { return "" }
	}
	if cfg.Emit == nil {
		cfg.Emit = func(flowbus.Event) {}
	}
	if cfg.Home == "" {
		cfg.Home, _ = os.UserHomeDir()
	}
	if cfg.Committer.Name == "" || cfg.Committer.Email == "" {
		cfg.Committer = git.Signature{Name: "Kaijutsu", Email: "kaijutsu@kaijutsu.invalid"}
	}
	if cfg.Scratch <= 0 {
		cfg.Scratch = defaultScratch
	}
	if cfg.Every <= 0 {
		cfg.Every = defaultEvery
	}
	data, err := dataDirectory(cfg.Dir)
	if err != nil {
		return nil, err
	}
	m := &Mounts{
		cfg: cfg, log: cfg.Log, data: data,
		book:     authorship.New(authorship.Config{Repo: cfg.Repo, Kernel: cfg.Kernel, Access: cfg.Access, Name: cfg.Name, Now: cfg.Now}),
		changing: make(chan struct{}, 1), woken: make(chan struct{}, 1),
		live: make(map[string]*live), moved: make(chan struct{}), scratch: vfs.NewMemory(cfg.Scratch),
	}
	m.life, m.end = context.WithCancel(context.Background())
	m.openRecords()
	return m, nil
}

// dataDirectory returns the data directory from the root, so that sources can be
// held against it.
func dataDirectory(dir string) (string, error) {
	data, err := filepath.Abs(dir)
	if err == nil {
		data, err = filepath.EvalSymlinks(data)
	}
	if err != nil {
		return "", fmt.Errorf("data directory of mounts: %w", fileError(dir, err))
	}
	return data, nil
}

func (m *Mounts) worktrees() string { return filepath.Join(m.data, "worktrees") }
func (m *Mounts) clones() string    { return filepath.Join(m.data, "git") }

// Start opens the mounts of this node in the background, and from then on those
// that are added anywhere for it.
func (m *Mounts) Start() {
	m.running.Go(guards.Keep(m.cfg.Log, "keeper of mounts", m.life.Done(), m.keep))
}

// Note tells the mounts what was committed. Document owners call it; it returns
// at once.
func (m *Mounts) Note(c repo.Committed) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	id, ours := m.known.owners[c.Doc]
	if !ours {
		return
	}
	if l := m.live[id]; l != nil && l.opened != nil {
		l.overlay.Note(c)
	}
}

// Close closes the mounts of this node, the last one that was opened first, and
// waits for everything that is under way.
func (m *Mounts) Close() error {
	m.mu.Lock()
	m.closing = true
	m.mu.Unlock()
	m.unwatch()
	m.end()
	m.running.Wait()
	return m.closeAll()
}

// wake has the keeper look.
func (m *Mounts) wake() {
	select {
	case m.woken <- struct{}{}:
	default:
	}
}

// goes starts what outlasts the call that asked for it; false when the mounts
// are closed.
func (m *Mounts) goes(f func()) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closing {
		m.running.Go(guards.Func(m.cfg.Log, "mounts", f))
	}
	return !m.closing
}

// turn waits for the turn to change mounts; leave gives it to the next.
func (m *Mounts) turn(ctx context.Context) (leave func(), err error) {
	select {
	case m.changing <- struct{}{}:
		return func() { <-m.changing }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-m.life.Done():
		return nil, errClosed
	}
}

// errClosed is what is said when the mounts are closed meanwhile.
var errClosed = fmt.Errorf("the mounts are closed: %w", kaijutsu.ErrUnavailable)

// now is the time, as records have it.
func (m *Mounts) now() time.Time { return m.cfg.Now().UTC().Truncate(time.Millisecond) }
