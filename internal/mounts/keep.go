package mounts

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"kaijutsu"
)

// keep is the keeper.
func (m *Mounts) keep() {
	tick := time.NewTicker(m.cfg.Every)
	defer tick.Stop()
	for {
		for _, job := range m.due() {
			m.goes(job)
		}
		select {
		case <-m.woken:
		case <-tick.C:
		case <-m.life.Done():
			return
		}
	}
}

// due returns what is to be done: mounts to be opened, to be looked at, and to
// be closed because their records say so.
func (m *Mounts) due() (jobs []func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	want := make(map[string]bool)
	now := m.cfg.Now()
	for _, r := range m.known.mine(m.cfg.Node) {
		want[r.id] = true
		l := m.live[r.id]
		switch {
		case l == nil:
			l = newLive(r)
			m.live[r.id] = l
			jobs = append(jobs, func() { m.reopen(l, r) })
		case l.busy:
		case l.opened == nil && now.Sub(l.tried) >= m.pause(l.failures), l.opened != nil && another(l.rec, r):
			l.busy = true
			jobs = append(jobs, func() { m.reopen(l, r) })
		case l.opened != nil:
			l.busy, l.rec = true, r
			jobs = append(jobs, func() { m.look(l) })
		}
	}
	for id, l := range m.live {
		if !want[id] && !l.busy {
			l.busy = true
			jobs = append(jobs, func() { m.drop(l) })
		}
	}
	return jobs
}

// another reports whether a record says something that only opening the mount
// anew brings about.
func another(was, is record) bool {
	return was.rw != is.rw || was.diskAs != is.diskAs || was.path != is.path
}

// pause is how long a mount that failed is left alone.
func (m *Mounts) pause(failures int) time.Duration {
	return min(m.cfg.Every<<min(failures, 10), max(time.Minute, m.cfg.Every))
}

// look sees whether the disk of a mount is still there, and notes the branch that
// it is on.
func (m *Mounts) look(l *live) {
	m.mu.RLock()
	o, r := l.opened, l.rec
	m.mu.RUnlock()
	if err := o.vanished(r, m.worktreeDir(r)); err != nil {
		m.log.Warn("mount closed: its disk is gone", "mount", r.path, "err", err)
		m.shut(l, StateFailed, err.Error())
	} else if o.overlay != nil {
		m.noteBranch(l, o)
	}
	m.mu.Lock()
	l.busy, l.tried = false, m.cfg.Now()
	m.mu.Unlock()
}

// vanished returns why a mount cannot go on; nil: it can.
func (o *opened) vanished(r record, dir string) error {
	if o.root == nil {
		return nil
	}
	if r.kind == folderKind {
		dir = r.dir
	}
	now, err := os.Stat(dir)
	switch {
	case err != nil:
		return fmt.Errorf("its directory is gone: %w", fileError(dir, err))
	case !os.SameFile(now, o.root):
		return fmt.Errorf("its directory %s is another one now: %w", dir, kaijutsu.ErrUnavailable)
	case o.tree == nil:
		return nil
	}
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err != nil {
		return fmt.Errorf("its worktree is gone: %w", fileError(filepath.Join(dir, ".git"), err))
	}
	if _, err := os.Stat(o.tree.GitDir()); err != nil {
		return fmt.Errorf("its repository is gone: %w", fileError(o.tree.GitDir(), err))
	}
	return nil
}
