package mounts

import (
	"context"
	"errors"
	"fmt"

	"kaijutsu"
	"kaijutsu/git"
	"kaijutsu/internal/op"
	"kaijutsu/internal/vfs"
	"kaijutsu/internal/worktree"
)

// Branches lists the branches of a mount's repository.
func (m *Mounts) Branches(_ context.Context, c op.Call, at string) (_ []git.Branch, err error) {
	defer m.veil(c, &err)
	s, _, err := m.gitAt(c, at, kaijutsu.RightRead)
	if err != nil {
		return nil, err
	}
	out, err := s.tree.Repo().Branches()
	if err != nil {
		return nil, fmt.Errorf("branches of mount %s: %w", s.path, err)
	}
	for i := range out {
		out[i].Worktree = m.hidden(c, out[i].Worktree)
	}
	return out, nil
}

// CreateBranch makes a branch; start is a revision, "" what is checked out.
func (m *Mounts) CreateBranch(ctx context.Context, c op.Call, at, name, start string) (_ git.Branch, err error) {
	defer m.veil(c, &err)
	s, leave, err := m.writable(ctx, c, at)
	if err != nil {
		return git.Branch{}, err
	}
	defer leave()
	from, err := s.tree.Resolve(or(start, "HEAD"))
	if err != nil {
		return git.Branch{}, about("start", fmt.Errorf("create branch %.200q: %w", name, err))
	}
	if err := s.tree.Repo().CreateBranch(name, string(from), m.signature(c.By)); err != nil {
		return git.Branch{}, about("name", err)
	}
	all, err := s.tree.Repo().Branches()
	if err != nil {
		return git.Branch{}, err
	}
	for _, b := range all {
		if !b.Remote && b.Name == name {
			return b, nil
		}
	}
	return git.Branch{}, fmt.Errorf("branch %.200q is gone again: %w", name, kaijutsu.ErrConflict)
}

// DeleteBranch deletes a branch that is checked out nowhere; without force only
// one whose commits are in what is checked out, or in its upstream. Force is an
// owner's of the kernel: the repository is somebody's. The branch's context stays.
func (m *Mounts) DeleteBranch(ctx context.Context, c op.Call, at, name string, force bool) (err error) {
	defer m.veil(c, &err)
	s, leave, err := m.writable(ctx, c, at)
	if err != nil {
		return err
	}
	defer leave()
	if force && owns(c) != nil {
		return kaijutsu.About("force", fmt.Errorf("delete branch %.200q with what is in no other: %s is not an owner of the kernel; merge it first, or ask one: %w", name, c.By.Name, kaijutsu.ErrDenied))
	}
	if err := s.tree.DeleteBranch(name, force); err != nil {
		return about("name", err)
	}
	return nil
}

// SwitchBranch checks out another branch, as git does: changes that would be lost
// are refused. The mount goes on with that branch's context.
func (m *Mounts) SwitchBranch(ctx context.Context, c op.Call, at, name string) (_ Mount, err error) {
	defer m.veil(c, &err)
	s, leave, err := m.writable(ctx, c, at)
	if err != nil {
		return Mount{}, err
	}
	defer leave()
	if err := s.overlay.Settle(ctx); err != nil {
		return Mount{}, err
	}
	for _, f := range s.overlay.State().Files {
		if f.Dirty || f.Conflict {
			return Mount{}, kaijutsu.About("name", fmt.Errorf("switch to %.200q: file %s holds what is not on the disk; resolve it first: %w", name, f.Path, kaijutsu.ErrConflict))
		}
	}
	err = s.overlay.Frozen(ctx, []string{}, func(worktree.Snapshot) error { return s.tree.Switch(ctx, name, m.signature(c.By)) })
	if err != nil {
		return Mount{}, about("name", err)
	}
	if err := s.overlay.Settle(ctx); err != nil && !errors.Is(err, kaijutsu.ErrUnavailable) {
		return Mount{}, err
	}
	m.mu.RLock()
	l := m.live[s.id]
	m.mu.RUnlock()
	if l != nil {
		m.noteBranch(l, s.opened)
	}
	return m.Get(ctx, c, s.path)
}

// writable finds the git mount whose repository somebody wants to change, and
// waits for the turn to do so.
func (m *Mounts) writable(ctx context.Context, c op.Call, at string) (seen, func(), error) {
	s, _, err := m.gitAt(c, at, kaijutsu.RightEdit)
	if err != nil {
		return s, nil, err
	}
	if !s.rw {
		return s, nil, about("mount", fmt.Errorf("mount %s: %w", s.path, vfs.ErrReadOnly))
	}
	select {
	case s.commits <- struct{}{}:
		return s, func() { <-s.commits }, nil
	case <-ctx.Done():
		return s, nil, ctx.Err()
	}
}

// head is the commit that a mount is at.
func (s seen) head() git.Hash {
	if e, err := s.tree.Epoch(); err == nil {
		return e.Head
	}
	return ""
}
