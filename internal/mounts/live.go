package mounts

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"kaijutsu/git"
	"kaijutsu/internal/diskwatch"
	"kaijutsu/internal/vfs"
	"kaijutsu/internal/worktree"
)

// The states of a mount, as lists show them.
const (
	StateOpening   = "opening"
	StateReady     = "ready"
	StateFailed    = "failed"
	StateElsewhere = "elsewhere" // it is another node's
)

// live is a mount of this node. Its fields are guarded by Mounts.mu, but for
// commits.
type live struct {
	id       string
	rec      record // as it was opened
	state    string
	reason   string // why it failed, or how far opening is
	failures int
	tried    time.Time
	busy     bool // it is being opened, looked at or closed
	*opened       // nil unless it is ready

	commits chan struct{} // a token: one commits, switches or removes at a time
}

// opened is what is behind a mount that is ready.
type opened struct {
	fsys    vfs.FS      // of memory and folders
	root    os.FileInfo // of the directory; nil: there is none
	folder  *vfs.Folder
	tree    *git.Worktree
	watch   *diskwatch.Watcher
	overlay *worktree.Overlay
	notice  string
}

func (o *opened) close() error {
	var errs []error
	if o.overlay != nil {
		errs = append(errs, o.overlay.Close())
	}
	if o.watch != nil {
		errs = append(errs, o.watch.Close())
	}
	if o.folder != nil {
		errs = append(errs, o.folder.Close())
	}
	return errors.Join(errs...)
}

func newLive(r record) *live {
	return &live{id: r.id, rec: r, state: StateOpening, busy: true, commits: make(chan struct{}, 1)}
}

// reopen opens a mount, and closes it first when it is open.
func (m *Mounts) reopen(l *live, r record) {
	m.shut(l, StateOpening, "")
	m.mu.Lock()
	l.rec = r
	m.mu.Unlock()
	o, err := m.open(m.life, l, r, "")
	m.settle(l, o, err)
	if err == nil {
		m.finish(l, r, o)
	}
}

// finish tells of a commit that was made when the server ended.
func (m *Mounts) finish(l *live, r record, o *opened) {
	if o.overlay == nil {
		return
	}
	l.commits <- struct{}{}
	defer func() { <-l.commits }()
	if err := m.recover(m.life, r, o); err != nil && m.life.Err() == nil {
		m.log.Warn("commit not told of: it is tried again when the mount is opened", "mount", r.path, "err", err)
	}
}

// settle says what came of opening a mount.
func (m *Mounts) settle(l *live, o *opened, err error) {
	m.mu.Lock()
	l.opened, l.busy, l.tried = o, false, m.cfg.Now()
	if err == nil {
		l.state, l.reason, l.failures = StateReady, "", 0
		m.order = append(m.order, l)
	} else {
		l.state, l.reason = StateFailed, err.Error()
		l.failures++
	}
	path, failures := l.rec.path, l.failures
	m.changedLocked()
	m.mu.Unlock()
	switch {
	case err == nil:
		m.log.Info("mount ready", "mount", path)
	case m.life.Err() == nil && failures == 1:
		m.log.Warn("mount not opened: it is tried again", "mount", path, "err", err)
	}
}

// shut closes what is behind a mount and leaves it in a state.
func (m *Mounts) shut(l *live, state, reason string) {
	m.mu.Lock()
	o := l.opened
	l.opened, l.state, l.reason = nil, state, reason
	m.order = slices.DeleteFunc(m.order, func(other *live) bool { return other == l })
	m.changedLocked()
	m.mu.Unlock()
	if o == nil {
		return
	}
	if err := o.close(); err != nil {
		m.log.Warn("mount not closed well", "mount", l.rec.path, "err", err)
	}
}

// drop closes a mount that there is no more.
func (m *Mounts) drop(l *live) {
	m.shut(l, StateFailed, "it is removed")
	m.mu.Lock()
	if m.live[l.id] == l {
		delete(m.live, l.id)
	}
	l.busy = false
	m.changedLocked()
	m.mu.Unlock()
	m.wake() // it may be there again
}

// closeAll closes every mount, the last that was opened first.
func (m *Mounts) closeAll() error {
	m.mu.RLock()
	order := slices.Clone(m.order)
	m.mu.RUnlock()
	var errs []error
	for _, l := range slices.Backward(order) {
		m.mu.Lock()
		o := l.opened
		l.opened, l.state, l.reason = nil, StateFailed, "the server stops"
		m.mu.Unlock()
		if o != nil {
			errs = append(errs, o.close())
		}
	}
	return errors.Join(errs...)
}

// changedLocked wakes those who wait for a state.
func (m *Mounts) changedLocked() {
	close(m.moved)
	m.moved = make(chan struct{})
}

// Settle waits until no mount of this node is being opened or closed.
func (m *Mounts) Settle(ctx context.Context) error {
	for {
		m.mu.RLock()
		moved, pending := m.moved, false
		for _, r := range m.known.mine(m.cfg.Node) {
			l := m.live[r.id]
			pending = pending || l == nil || l.state == StateOpening || l.opened != nil && another(l.rec, r)
		}
		m.mu.RUnlock()
		if !pending {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		case <-m.life.Done():
			return errClosed
		}
	}
}
