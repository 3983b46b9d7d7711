package repo

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
)

const (
	// replaysKept is how many stretches of traced changes are kept, and
	// replayBytes about how much all of them may take, models included.
	replaysKept = 8
	replayBytes = 128 << 20
	// replayChanges is how many traced changes a stretch holds, and
	// stretchBytes what they may take, about: a quarter more before the oldest
	// go. replayPart is how many are traced at a time, and partBytes what they
	// may take, unless one takes more.
	replayChanges = 8192
	stretchBytes  = 32 << 20
	replayPart    = 256
	partBytes     = 8 << 20
	// replayAhead is how far ahead of a stretch one may resume and have it grow
	// so far; a new one begins at a multiple of it.
	replayAhead = 512
)

// stretch is a part of a document's log, traced, and the model behind it, so
// that it can grow. Who resumes within it costs what is given to it; who
// resumes before it has another one made from the beginning of the log.
type stretch struct {
	doc  kaijutsu.DocumentID
	used time.Time // guarded by replays.mu

	// from is the version before the first of changes, end that behind the
	// last; both only grow.
	from, end atomic.Uint64
	bytes     atomic.Int64 // estimate

	mu      sync.Mutex // held while it grows
	changes []Change   // each is immutable
	traced  int        // bytes of changes
	heads   kaijutsu.Heads
	model   *blocks.Model
}

// Replay gives f the changes numbered from to to-1 of a document's log, traced
// as they were when they came: the version that each made, its Steps and Heads.
// to 0 means all there are now. Who made them is told as it is known now, and
// not whether they are Remote.
//
// f is called outside of the owner and may take its time; its error ends the
// replay and is returned. c is without its operations, as in Committed. What
// was traced is kept for a while: to resume near where others did is cheap. The
// error wraps kaijutsu.ErrNotFound when the document is not here or has no
// version from.
func (r *Repo) Replay(ctx context.Context, id kaijutsu.DocumentID, from, to uint64, f func(version uint64, c Change) error) error {
	d, err := r.acquire(id)
	if err != nil {
		return err
	}
	defer r.release(d)
	err = d.call(ctx, func(d *document) error {
		n := uint64(d.graph.Len())
		if n == 0 {
			return d.notHere()
		}
		if from > n {
			return fmt.Errorf("version %d of document %s, which has %d: %w", from, id, n, kaijutsu.ErrNotFound)
		}
		if to == 0 || to > n {
			to = n
		}
		return nil
	})
	for err == nil && from < to {
		var part []Change
		part, err = r.traced(ctx, d, from, min(to, from+replayPart))
		for i := 0; i < len(part) && err == nil; i++ {
			from++
			err = f(from, part[i])
		}
	}
	return err
}

// traced returns changes from to to-1 of the log, or the first of them, traced.
func (r *Repo) traced(ctx context.Context, d *document, from, to uint64) ([]Change, error) {
	s := r.replays.take(d.id, from, r.cfg.Now())
	s.mu.Lock()
	for from < s.from.Load() { // it was cut meanwhile
		s.mu.Unlock()
		s = r.replays.take(d.id, from, r.cfg.Now())
		s.mu.Lock()
	}
	defer s.mu.Unlock()
	if s.end.Load() < to {
		select {
		case r.recalling <- struct{}{}:
			defer func() { <-r.recalling }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		err := r.job(d.id, unit{what: onPast}, func(t *task) error { return s.grow(ctx, d, t, from, to) })
		if err != nil {
			r.replays.drop(s)
			return nil, fmt.Errorf("replay document %s: %w", d.id, err)
		}
		r.replays.trim(r.cfg.Now().Add(-r.cfg.IdleAfter))
	}
	first := s.from.Load()
	return slices.Clone(s.changes[from-first : min(to, s.end.Load())-first]), nil
}

// grow makes the model if there is none, and traces up to version to, or so far
// that there is enough behind from. One change is decoded at a time.
func (s *stretch) grow(ctx context.Context, d *document, t *task, from, to uint64) error {
	if s.model == nil {
		if err := s.begin(ctx, d, t); err != nil {
			return err
		}
	}
	s.model.Stop = &t.stop
	list, err := d.loggedFor(ctx, s.end.Load(), to)
	if err != nil {
		return err
	}
	for part := 0; len(list) > 0 && part < partBytes; list = list[1:] {
		t.begin(unit{what: onPast})
		c, err := list[0].change()
		if err != nil {
			return err
		}
		_, c.Steps = s.model.Trace(c.Change)
		s.heads = nextHeads(s.heads, c)
		c.Heads, c.Change = s.heads, slim(c.Change)
		n := c.Bytes()
		s.changes = append(s.changes, c)
		s.traced += n
		if s.end.Add(1) > from {
			part += n
		}
		s.cut(from)
	}
	s.bytes.Store(s.model.Bytes() + int64(s.traced))
	return nil
}

// cut forgets the oldest changes, before version from, when there are too many
// or they take too much.
func (s *stretch) cut(from uint64) {
	if len(s.changes) < replayChanges*5/4 && s.traced < stretchBytes*5/4 {
		return
	}
	first, n := s.from.Load(), 0
	for (len(s.changes)-n > replayChanges || s.traced > stretchBytes) && first+uint64(n) < from {
		s.traced -= s.changes[n].Bytes()
		n++
	}
	if n > 0 {
		s.changes = slices.Clone(s.changes[n:])
		s.from.Add(uint64(n))
	}
}

// begin makes the model as it was at version from.
func (s *stretch) begin(ctx context.Context, d *document, t *task) error {
	m := blocks.NewModel()
	m.Stop = &t.stop
	open := make(map[kaijutsu.ChangeHash]struct{})
	for at, from := uint64(0), s.from.Load(); at < from; {
		list, err := d.loggedFor(ctx, at, min(from, at+rawChanges))
		if err != nil {
			return err
		}
		for _, l := range list {
			t.begin(unit{what: onPast})
			c, err := l.change()
			if err != nil {
				return err
			}
			m.Apply(c.Change)
			for _, dep := range c.Deps {
				delete(open, dep)
			}
			open[c.Hash] = struct{}{}
		}
		at += uint64(len(list))
	}
	for h := range open {
		s.heads = append(s.heads, h)
	}
	s.heads = kaijutsu.NewHeads(s.heads...)
	s.model = m
	return nil
}

// loggedFor reads the log from outside of the owner.
func (d *document) loggedFor(ctx context.Context, from, to uint64) ([]logged, error) {
	var list []logged
	err := d.call(ctx, func(d *document) error {
		if to > uint64(d.graph.Len()) {
			return d.notHere()
		}
		list = d.logged(int(from), int(to))
		return nil
	})
	return list, err
}

// nextHeads returns the heads behind a change.
func nextHeads(heads kaijutsu.Heads, c Change) kaijutsu.Heads {
	next := make([]kaijutsu.ChangeHash, 0, len(heads)+1)
	for _, h := range heads {
		if !slices.Contains(c.Deps, h) {
			next = append(next, h)
		}
	}
	return kaijutsu.NewHeads(append(next, c.Hash)...)
}

// replays are the stretches that were used last.
type replays struct {
	mu   sync.Mutex
	kept []*stretch // guarded by mu
}

// take returns the stretch from which to go on at a version, or a new one.
func (k *replays) take(doc kaijutsu.DocumentID, from uint64, now time.Time) *stretch {
	k.mu.Lock()
	defer k.mu.Unlock()
	var best *stretch
	for _, s := range k.kept {
		covers := s.doc == doc && s.from.Load() <= from && from <= s.end.Load()+replayAhead
		if covers && (best == nil || s.end.Load() > best.end.Load()) {
			best = s
		}
	}
	if best == nil {
		best = &stretch{doc: doc}
		best.from.Store(from - from%replayAhead)
		best.end.Store(best.from.Load())
		k.kept = append(k.kept, best)
	}
	best.used = now
	return best
}

// drop forgets a stretch.
func (k *replays) drop(s *stretch) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept = slices.DeleteFunc(k.kept, func(other *stretch) bool { return other == s })
}

// trim forgets the stretches that nobody has used since a time, and the oldest
// when they are too many or take too much.
func (k *replays) trim(since time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept = slices.DeleteFunc(k.kept, func(s *stretch) bool { return s.used.Before(since) })
	slices.SortFunc(k.kept, func(a, b *stretch) int { return a.used.Compare(b.used) })
	bytes := int64(0)
	for _, s := range k.kept {
		bytes += s.bytes.Load()
	}
	for len(k.kept) > 1 && (len(k.kept) > replaysKept || bytes > replayBytes) {
		bytes -= k.kept[0].bytes.Load()
		k.kept = slices.Delete(k.kept, 0, 1)
	}
}
