package mounts

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"

	"kaijutsu"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
	"kaijutsu/internal/worktree"
)

// contextOf returns the context of a branch of a mount. The one that it has had
// is found; else one is made in the name of whoever added the mount: a fork of
// the context that the mount was at, or a new one.
func (m *Mounts) contextOf(ctx context.Context, r record, branch string, from kaijutsu.DocumentID) (kaijutsu.DocumentID, error) {
	branch = or(branch, worktree.Detached)
	m.mu.RLock()
	doc, known := m.known.branches[r.id][branch]
	count := len(m.known.branches[r.id])
	m.mu.RUnlock()
	if known && !m.cfg.Kernel.Deleted(doc) {
		return doc, nil
	}
	if !known && count >= maxBranches {
		return doc, fmt.Errorf("mount %s has contexts of %d branches; remove the mount and add it under another path: %w", r.path, count, kaijutsu.ErrTooLarge)
	}
	c := op.Call{By: r.by, Right: kaijutsu.RightOwn}
	n := kernel.NewContext{Title: path.Base(r.path) + "@" + branch}
	var info kernel.ContextInfo
	var err error
	if from.IsZero() || m.cfg.Kernel.Deleted(from) {
		info, err = m.cfg.Kernel.CreateAs(ctx, c, n, "mount_add", nil)
	} else {
		info, err = m.cfg.Kernel.ForkAs(ctx, c, from, nil, n)
	}
	if err != nil {
		return doc, fmt.Errorf("make the context of branch %s: %w", branch, err)
	}
	value, err := encodeBranch(branch, info.Doc)
	if err == nil {
		err = m.cfg.Records.Put(ctx, r.by, branchName(r.id, branch), value)
	}
	if err != nil {
		return doc, fmt.Errorf("note the context of branch %s: %w", branch, err)
	}
	if !from.IsZero() {
		err = m.inheritBases(ctx, from, info.Doc)
	}
	return info.Doc, err
}

// maxBranches bounds the contexts of a mount.
const maxBranches = 1000

// contextsOf returns all contexts of a mount.
func (m *Mounts) contextsOf(id string) []kaijutsu.DocumentID {
	m.mu.RLock()
	defer m.mu.RUnlock()
	of := m.known.branches[id]
	var out []kaijutsu.DocumentID
	for _, branch := range slices.Sorted(maps.Keys(of)) {
		out = append(out, of[branch])
	}
	return out
}

// noteBranch has the record say which branch a mount is on, so that the other
// nodes know its context. When somebody changes mounts it is left for the next
// time.
func (m *Mounts) noteBranch(l *live, o *opened) {
	branch := o.checkedOut()
	select {
	case m.changing <- struct{}{}:
	default:
		return
	}
	defer func() { <-m.changing }()
	m.mu.RLock()
	r, there := m.known.all[l.id]
	m.mu.RUnlock()
	if !there || !r.removed.IsZero() || r.current == branch {
		return
	}
	r.current = branch
	if err := m.put(m.life, r.by, r); err != nil && !errors.Is(err, context.Canceled) {
		m.log.Warn("branch of a mount not noted: it is tried again", "mount", r.path, "err", err)
	}
}

// put writes a mount's record.
func (m *Mounts) put(ctx context.Context, by kaijutsu.Principal, r record) error {
	value, err := encodeMount(r)
	if err == nil {
		err = m.cfg.Records.Put(ctx, by, recordPrefix+r.id, value)
	}
	if err != nil {
		return fmt.Errorf("write the record of mount %s: %w", r.path, err)
	}
	return nil
}
