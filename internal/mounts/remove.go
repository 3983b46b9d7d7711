package mounts

import (
	"context"
	"fmt"

	"kaijutsu"
	"kaijutsu/git"
	"kaijutsu/internal/op"
)

// RemoveSpec says which mount goes, and what becomes of its worktree.
type RemoveSpec struct {
	Mount string // its path, or the last part of it; not a path in it
	// Worktree takes the worktree away too; one that holds what is not committed
	// is refused, unless Force.
	Worktree bool
	Force    bool
}

// Remove takes a mount away, for an owner of the kernel. Its contexts stay, and
// are the mount's again when it is added again; so does the worktree unless the
// spec says otherwise. A mount of another node goes there; its worktree can be
// taken away only at that node.
func (m *Mounts) Remove(ctx context.Context, c op.Call, spec RemoveSpec) (Mount, error) {
	r, leave, err := m.change(ctx, c, spec.Mount, "remove")
	if err != nil {
		return Mount{}, err
	}
	defer leave()
	was, err := m.Get(ctx, c, r.path)
	if err != nil {
		return Mount{}, err
	}
	if spec.Worktree && r.node != m.cfg.Node {
		return Mount{}, fmt.Errorf("the worktree of mount %s is on node %s; remove it there: %w", r.path, m.cfg.NodeName(r.node), kaijutsu.ErrUnavailable)
	}
	tree, err := m.removable(ctx, r, spec)
	if err != nil {
		return Mount{}, err
	}
	r.removed, r.remover = m.now(), c.By
	if err := m.put(ctx, c.By, r); err != nil {
		return Mount{}, err
	}
	m.log.Info("mount removed", "mount", r.path, "by", c.By)
	if r.node != m.cfg.Node {
		return was, nil
	}
	m.wake()
	if err := m.settled(ctx, r.id); err != nil {
		return was, err
	}
	if tree != nil {
		return was, tree.Remove(ctx, true) // that nothing is lost was seen before
	}
	return was, nil
}

// removable returns the worktree that is to go with a mount; nil: none is. What
// its blocks hold is on the disk when it is looked at for changes.
func (m *Mounts) removable(ctx context.Context, r record, spec RemoveSpec) (*git.Worktree, error) {
	if !spec.Worktree || r.kind != gitKind {
		return nil, nil
	}
	m.mu.RLock()
	l := m.live[r.id]
	var o *opened
	if l != nil {
		o = l.opened
	}
	m.mu.RUnlock()
	if o == nil || o.tree == nil {
		return nil, fmt.Errorf("the worktree of mount %s: the mount is not open; remove the mount without it: %w", r.path, kaijutsu.ErrUnavailable)
	}
	if spec.Force {
		return o.tree, nil
	}
	if err := o.overlay.Settle(ctx); err != nil {
		return nil, err
	}
	for _, f := range o.overlay.State().Files {
		if f.Conflict || f.Dirty {
			return nil, fmt.Errorf("file %s of mount %s holds what is not on the disk; resolve it first, or use force: %w", f.Path, r.path, kaijutsu.ErrConflict)
		}
	}
	changed, err := o.tree.Status(ctx, git.StatusOptions{Untracked: true})
	if err != nil {
		return nil, err
	}
	if len(changed) > 0 {
		return nil, fmt.Errorf("%d files of mount %s are not committed, %s among them; commit them first, or use force: %w", len(changed), r.path, changed[0].Path, kaijutsu.ErrConflict)
	}
	return o.tree, nil
}
