package records

import (
	"context"
	"fmt"
	"slices"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/repo"
)

// maxWrite is how many records one Write takes.
const maxWrite = 1000

// Put is Write of one record.
func (t *Table) Put(ctx context.Context, by kaijutsu.Principal, name string, value []byte) error {
	if value == nil {
		value = []byte{}
	}
	return t.Write(ctx, by, Record{name, value})
}

// Delete is Write of one record that goes.
func (t *Table) Delete(ctx context.Context, by kaijutsu.Principal, name string) error {
	return t.Write(ctx, by, Record{Name: name})
}

// Write writes records as one change by the principal, all or none: 1000 at
// most, each name once. It returns when they are on disk and every watcher has
// been told; a watcher must therefore not call it. What is as it is to be is
// not written. Errors wrap kaijutsu.ErrInvalid, ErrTooLarge, ErrDenied when
// nobody writes, and ErrUnavailable.
func (t *Table) Write(ctx context.Context, by kaijutsu.Principal, rs ...Record) error {
	if err := t.check(rs); err != nil {
		return err
	}
	if t.stopping.Err() != nil {
		return errClosed
	}
	select {
	case t.writing <- struct{}{}:
		defer func() { <-t.writing }()
	case <-ctx.Done():
		return ctx.Err()
	case <-t.stopping.Done():
		return errClosed
	}
	if by.IsZero() {
		return fmt.Errorf("write records: no principal: %w", kaijutsu.ErrDenied)
	}
	done, err := t.repo.Add(ctx, t.doc, by, func(m repo.Making) (*amfile.Change, error) { return t.change(m, rs) })
	if err != nil {
		return fmt.Errorf("write record %q: %w", rs[0].Name, err)
	}
	return t.await(ctx, int(done.Version))
}

func (t *Table) check(rs []Record) error {
	if len(rs) == 0 || len(rs) > maxWrite {
		return fmt.Errorf("write %d records: %w: want 1 to %d", len(rs), kaijutsu.ErrInvalid, maxWrite)
	}
	names := make([]string, len(rs))
	for i, r := range rs {
		names[i] = r.Name
		if err := checkName(r.Name); err != nil {
			return err
		}
		if err := checkValue(r.Value, t.state.most()); err != nil {
			return err
		}
	}
	slices.Sort(names)
	if len(slices.Compact(names)) < len(rs) {
		return fmt.Errorf("write records: %w: one is named twice", kaijutsu.ErrInvalid)
	}
	return nil
}

// change makes the change that writes records; nil when there is nothing to
// write. What another node put a moment ago, and is not applied here yet, it
// does not supersede: it wins over that by its counter.
func (t *Table) change(m repo.Making, rs []Record) (*amfile.Change, error) {
	c := &amfile.Change{
		Deps: slices.Clone(m.Deps), Actors: []kaijutsu.ActorID{m.Actor},
		Seq: m.Seq, StartOp: m.StartOp, Time: m.Time.Unix(),
	}
	t.mu.RLock()
	for _, r := range rs {
		op, actors, ok := t.state.operation(r, len(c.Actors))
		if ok {
			c.Ops, c.Actors = append(c.Ops, op), append(c.Actors, actors...)
		}
	}
	t.mu.RUnlock()
	if len(c.Ops) == 0 {
		return nil, nil
	}
	if err := amfile.EncodeChange(c); err != nil {
		return nil, err
	}
	return c, nil
}
