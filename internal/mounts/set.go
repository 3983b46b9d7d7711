package mounts

import (
	"context"
	"fmt"
	"path"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// SetSpec says what of a mount is to be another; nil leaves it.
type SetSpec struct {
	Mount                   string // its path, or the last part of it; not a path in it
	ReadWrite               *bool
	DiskAs                  *kaijutsu.Principal
	Trailers, Notes, Author *string
}

// Set changes what a mount allows and what its commits carry, for an owner of
// the kernel, on any node.
func (m *Mounts) Set(ctx context.Context, c op.Call, spec SetSpec) (Mount, error) {
	r, leave, err := m.change(ctx, c, spec.Mount, "set")
	if err != nil {
		return Mount{}, err
	}
	defer leave()
	if spec.ReadWrite != nil {
		r.rw = *spec.ReadWrite
	}
	if spec.DiskAs != nil {
		if err := m.checkDiskAs(*spec.DiskAs); err != nil {
			return Mount{}, err
		}
		r.diskAs = *spec.DiskAs
	}
	for _, s := range []struct {
		given *string
		check func(string) error
		put   func(string)
	}{
		{spec.Trailers, checkTrailers, func(s string) { r.trailers = s }},
		{spec.Notes, checkNotes, func(s string) { r.notes = s != "off" }},
		{spec.Author, checkAuthor, func(s string) { r.author = s }},
	} {
		if s.given == nil {
			continue
		}
		if err := s.check(*s.given); err != nil {
			return Mount{}, err
		}
		s.put(*s.given)
	}
	if err := m.put(ctx, c.By, r); err != nil {
		return Mount{}, err
	}
	if r.node == m.cfg.Node {
		m.wake()
		if err := m.settled(ctx, r.id); err != nil {
			return Mount{}, err
		}
	}
	return m.Get(ctx, c, r.path)
}

// change finds a mount that an owner of the kernel wants to change, and waits for
// the turn to do so.
func (m *Mounts) change(ctx context.Context, c op.Call, word, doing string) (record, func(), error) {
	if err := owns(c); err != nil {
		return record{}, nil, fmt.Errorf("%s a mount: %w", doing, err)
	}
	leave, err := m.turn(ctx)
	if err != nil {
		return record{}, nil, err
	}
	s, err := m.named(c, word)
	if err == nil && strings.HasPrefix(word, "/") && path.Clean(word) != s.path {
		err = kaijutsu.About("mount", fmt.Errorf("mount %.200q %w: the mount there is %s; name that", word, kaijutsu.ErrNotFound, s.path))
	}
	if err == nil && s.path == scratch {
		err = kaijutsu.About("mount", fmt.Errorf("mount %s is always there: %w", scratch, kaijutsu.ErrInvalid))
	}
	if err != nil {
		leave()
		return record{}, nil, err
	}
	return s.record, leave, nil
}

// settled waits until a mount is open as its record says, or could not be opened,
// or is gone.
func (m *Mounts) settled(ctx context.Context, id string) error {
	for {
		m.mu.RLock()
		moved, l := m.moved, m.live[id]
		r, there := m.known.all[id]
		there = there && r.removed.IsZero()
		done := !there && l == nil || there && l != nil && (l.state == StateReady && !another(l.rec, r) || l.state == StateFailed && !l.busy)
		m.mu.RUnlock()
		if done {
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
