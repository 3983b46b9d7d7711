package follow

import (
	"context"
	"fmt"

	"kaijutsu"
	"kaijutsu/flowbus"
)

// What Next returns at most, so that a slow reader hears of its end in time.
const (
	nextEvents = 512
	nextBytes  = 1 << 20
)

// Next waits for what comes next, and returns all there is, up to a bound. The
// slice is good until the next call; what it holds is for good. No items and no
// error mean that it has been quiet for a while: time to show that the stream
// lives. An error other than ctx's is an *Ended.
func (f *Follower) Next(ctx context.Context) ([]Item, error) {
	f.leaveShot()
	for {
		items, err := f.look()
		if err != nil {
			f.ended = err
			return nil, &Ended{err, f.ID()}
		}
		if len(items) > 0 {
			f.beat.Store(false)
			return items, nil
		}
		if f.beat.Swap(false) {
			return nil, nil
		}
		select {
		case <-f.wake:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// look returns what there is now.
func (f *Follower) look() ([]Item, error) {
	if f.ended != nil {
		return nil, f.ended
	}
	if n := f.h.reviews.Load(); n != f.reviews {
		f.reviews = n
		clear(f.may)
		if f.one && !f.mayRead(f.id.Document()) {
			return nil, fmt.Errorf("context %s: %w: the right to read it was taken away", f.id, kaijutsu.ErrDenied)
		}
	}
	if f.first != nil {
		first := f.first
		f.first = nil
		return first, nil
	}
	for {
		if f.past.next != nil {
			items, err := f.pastItems()
			if len(items) > 0 || err != nil {
				return items, err
			}
		}
		entries, err := f.entries()
		if err != nil {
			return nil, err
		}
		if f.past.next != nil {
			continue
		}
		clear(f.out)
		f.out = f.out[:0]
		for _, e := range entries {
			if e.derived() {
				if !f.at.before(e.place) {
					continue
				}
				f.at = e.place
			}
			if f.wants(e) {
				f.out = append(f.out, e.item)
			}
		}
		if len(f.out) > 0 || len(entries) == 0 {
			return f.out, nil
		}
	}
}

// wants reports whether the follower is told of an entry.
func (f *Follower) wants(e *entry) bool {
	switch {
	case f.kinds&e.bit == 0:
		return false
	case f.one:
		return true // it is of the context, and the kind says it all
	}
	return f.matches(e.kind, e.subject) && f.mayRead(e.doc)
}

// entries returns the next entries of the topic, and notes that they were
// seen. When they have left the ring it begins a replay, or says that they are
// lost.
func (f *Follower) entries() ([]*entry, error) {
	h, t := f.h, f.t
	h.mu.RLock()
	defer h.mu.RUnlock()
	if f.pos < t.base {
		for kind, pos := range t.lost {
			if pos > f.pos && f.kinds&bitOf[kind] != 0 {
				return nil, fmt.Errorf("the reader cannot keep up: %w: events of type %s that are not kept have passed", kaijutsu.ErrUnavailable, kind)
			}
		}
		if f.docs && f.at.before(t.gone) {
			return nil, f.seekLocked(f.pos)
		}
		f.pos = t.base
	}
	clear(f.seen)
	f.seen, f.pos = t.behindLocked(f.seen[:0], f.pos, nextEvents, nextBytes)
	if len(f.seen) == 0 && t.ended != nil {
		return nil, t.ended
	}
	return f.seen, nil
}

// seek finds the follower's place in the ring, or begins a replay up to it.
// pos is where in the ring it was, if that is known.
func (f *Follower) seek(pos uint64) {
	f.h.mu.RLock()
	defer f.h.mu.RUnlock()
	_ = f.seekLocked(pos)
}

func (f *Follower) seekLocked(pos uint64) error {
	t := f.t
	f.pos = t.base
	if !f.docs || !f.at.before(t.start) && !f.at.before(t.gone) {
		for i := len(t.entries) - 1; i >= 0; i-- {
			if e := t.entries[i]; e.source == flowbus.FromChanges && !f.at.before(e.place) {
				f.pos = e.pos
				break
			}
		}
	} else {
		f.past = f.replay(t.firstLocked())
	}
	if pos > f.pos && pos <= f.h.pos {
		f.pos = pos
	}
	return nil
}
