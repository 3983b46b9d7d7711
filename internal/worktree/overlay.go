package worktree

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/git"
	"kaijutsu/internal/guard"
	"kaijutsu/internal/repo"
)

// Overlay keeps the file blocks of a worktree and its disk in step. It is safe
// for concurrent use.
type Overlay struct {
	cfg    Config
	keys   keys
	cancel context.CancelFunc
	asks   chan func(context.Context) // to the owner
	wake   chan struct{}
	done   chan struct{}
	frozen chan struct{} // holds one while somebody is in Frozen

	mu     sync.Mutex
	doc    kaijutsu.DocumentID // that the overlay is attached to
	known  map[blocks.ID]bool  // blocks of it that matter here
	noted  map[blocks.ID]blocks.Touch
	all    bool     // anything may have changed
	expect git.Hash // a commit that was made from a Snapshot
	moved  bool     // expect is set, and counts
	state  State    // without files
	shown  map[blocks.ID]FileState

	own owned
}

// owned is what only the owner's goroutine touches.
type owned struct {
	at     place
	files  map[blocks.ID]*file
	paths  map[string]*file
	aside  map[blocks.ID]*file // by the block that says what is the matter
	epoch  git.Epoch           // as it was last read
	moved  time.Time           // when index or HEAD was last found to be another
	paused string              // why; "" not
	held   bool                // somebody is in Frozen
	window []imported          // imports since the index last changed
	watch  []string            // git's files that are watched
	ready  bool                // the overlay was attached once
	root   string              // what names of the watcher begin with
	retry  time.Time           // when what failed is tried again
	locked time.Time           // since when index.lock was seen
	asked  []*request          // what is not done yet
	// elsewhere are the records of the files of other contexts, by path.
	elsewhere map[kaijutsu.DocumentID]map[string]string
}

// Open returns an overlay that is attached to the branch that is checked out,
// with the files that were opened before. It reads no file; the overlay looks at
// them as soon as it runs. When git is at work it begins paused. The caller tells
// Note of every commit, and closes the overlay before the kernel.
func Open(cfg Config) (*Overlay, error) {
	switch {
	case cfg.Log == nil, cfg.Repo == nil, cfg.Kernel == nil, cfg.Store == nil, cfg.Git == nil, cfg.Folder == nil, cfg.Watch == nil, cfg.Mount == "", cfg.Context == nil:
		return nil, fmt.Errorf("open worktree %s: the configuration lacks something: %w", cfg.Mount, kaijutsu.ErrInvalid)
	}
	if cfg.DiskAs.IsZero() {
		cfg.DiskAs = Disk
	}
	if cfg.Limit <= 0 {
		cfg.Limit = DefaultLimit
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Others == nil {
		cfg.Others = func() []kaijutsu.DocumentID { return nil }
	}
	ctx, cancel := context.WithCancel(context.Background())
	o := &Overlay{
		cfg: cfg, keys: keysOf(cfg.Mount), cancel: cancel,
		asks: make(chan func(context.Context)), wake: make(chan struct{}, 1), done: make(chan struct{}), frozen: make(chan struct{}, 1),
		known: map[blocks.ID]bool{}, noted: map[blocks.ID]blocks.Touch{}, shown: map[blocks.ID]FileState{},
	}
	o.own.files, o.own.paths, o.own.aside = map[blocks.ID]*file{}, map[string]*file{}, map[blocks.ID]*file{}
	o.own.root = strings.TrimSuffix(cfg.Folder.Dir(), "/") + "/"
	if err := o.attachFirst(ctx); err != nil {
		cancel()
		return nil, fmt.Errorf("open worktree %s: %w", cfg.Mount, err)
	}
	guard.Go(cfg.Log, "overlay", func() { o.run(ctx) })
	return o, nil
}

// Close ends the overlay and waits for what it is doing. What it has not written
// yet it finds when it is opened again.
func (o *Overlay) Close() error {
	o.cancel()
	<-o.done
	return nil
}

// Note takes notice of what was committed. It returns at once.
func (o *Overlay) Note(c repo.Committed) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c.Doc != o.doc || c.Doc.IsZero() {
		return
	}
	woke := c.All || c.Deleted
	o.all = o.all || woke
	for _, d := range c.Deltas {
		for _, t := range d.Blocks {
			if o.known[t.ID] {
				o.noted[t.ID] |= t.How
				woke = true
			}
		}
	}
	if woke {
		o.wakeUp()
	}
}

// Committed says that a commit was made of what a Snapshot held: the overlay
// goes on with it as what it knows already. It may be called inside of Frozen,
// or right after it.
func (o *Overlay) Committed(head git.Hash) {
	o.mu.Lock()
	o.expect, o.moved = head, true
	o.mu.Unlock()
	o.wakeUp()
}

func (o *Overlay) wakeUp() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// State returns what the overlay does at the moment.
func (o *Overlay) State() State {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.state
	for _, f := range o.shown {
		s.Files = append(s.Files, f)
	}
	slices.SortFunc(s.Files, func(a, b FileState) int { return strings.Compare(a.Path, b.Path) })
	return s
}

// Doc returns the context that the overlay is attached to; zero while it was never
// attached to one.
func (o *Overlay) Doc() kaijutsu.DocumentID {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.doc
}

// Branch returns the branch that the overlay is attached to, Detached when HEAD
// is; "" while it was never attached to one.
func (o *Overlay) Branch() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.state.Branch
}

// errClosed says that the overlay is closed.
var errClosed = fmt.Errorf("the worktree's mount is closed: %w", kaijutsu.ErrUnavailable)

// Settle looks at every file that was opened and returns when block and disk
// agree, but for those in conflict. The error wraps kaijutsu.ErrUnavailable when
// the overlay is paused.
func (o *Overlay) Settle(ctx context.Context) error {
	o.cfg.Watch.Poke()
	first := true
	return o.await(ctx, func(context.Context) (bool, error) {
		if first {
			now := time.Now()
			for _, f := range o.own.files {
				f.stale = true
				f.hurry(now)
			}
			first = false
			return false, nil
		}
		return o.settled(nil)
	})
}

// settled reports whether nothing of these files is under way; nil means all.
func (o *Overlay) settled(paths []string) (bool, error) {
	if o.own.paused != "" {
		if transient(o.own.paused) {
			return false, nil
		}
		return false, o.errPaused()
	}
	if o.isAll() {
		return false, nil
	}
	under := func(f *file) bool { return !f.due.IsZero() && f.rec.Conflict == nil && f.problem == "" }
	if paths == nil {
		for _, f := range o.own.files {
			if under(f) {
				return false, nil
			}
		}
		return true, nil
	}
	for _, p := range paths {
		if f := o.own.paths[p]; f != nil && under(f) {
			return false, nil
		}
	}
	return true, nil
}

func (o *Overlay) isAll() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all || len(o.noted) > 0
}

func (o *Overlay) errPaused() error {
	return fmt.Errorf("the worktree of %s is paused: %s: %w", o.cfg.Mount, o.own.paused, kaijutsu.ErrUnavailable)
}

// unlessDone hides that the overlay was closed meanwhile.
func unlessDone(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
