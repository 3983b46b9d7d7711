package kernel

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/guard"
)

const (
	// seatWait is how long one word with NATS may take.
	seatWait = 2 * time.Second
	// leftTTL is how long a seat that was left is remembered, so that whoever
	// reads it knows that nobody is to tell of it.
	leftTTL = 2 * time.Second
	// fallenTTL is how long it is remembered who tells of a seat that expired.
	fallenTTL = 30 * time.Second
)

// queueLocked has a seat written to NATS.
func (t *seats) queueLocked(s *seat) {
	if t.k.cfg.Bus == nil || s.queued {
		return
	}
	s.queued = true
	t.dirty = append(t.dirty, s)
	t.stirLocked()
}

// fellLocked forgets a seat of another node and has it told.
func (t *seats) fellLocked(r *remote) {
	if t.there[r.key] == r {
		delete(t.there, r.key)
	}
	t.fallen = append(t.fallen, r)
	t.stirLocked()
}

func (t *seats) stirLocked() {
	select {
	case t.stir <- struct{}{}:
	default:
	}
}

// seatWrites is how many seats are written to NATS at a time: each takes a round
// trip or more, and all of them are renewed within a third of their time.
const seatWrites = 16

// write writes seats to NATS, several at a time.
func (t *seats) write(ctx context.Context) {
	for {
		select {
		case <-t.stir:
		case <-ctx.Done():
			return
		}
		for ctx.Err() == nil && t.writeNext(ctx) {
		}
	}
}

// writeNext writes the next seats; what this node has to say first.
func (t *seats) writeNext(ctx context.Context) bool {
	t.mu.Lock()
	switch {
	case len(t.dirty) > 0:
		some := t.nextLocked()
		t.mu.Unlock()
		var writing sync.WaitGroup
		for _, s := range some {
			writing.Go(guard.Func(t.k.cfg.Log, "seat", func() { t.put(ctx, s) }))
		}
		writing.Wait()
	case len(t.fallen) > 0:
		r := t.fallen[0]
		t.fallen = t.fallen[1:]
		t.mu.Unlock()
		t.bury(ctx, r)
	default:
		t.dirty, t.fallen = nil, nil
		t.mu.Unlock()
		return false
	}
	t.tell()
	return true
}

// nextLocked takes seats to be written out of the queue: of one key only one,
// because what is said of a key has an order.
func (t *seats) nextLocked() []*seat {
	keys := make(map[string]bool, seatWrites)
	n := 0
	for n < min(len(t.dirty), seatWrites) && !keys[t.dirty[n].key] {
		keys[t.dirty[n].key] = true
		t.dirty[n].queued = false
		n++
	}
	some := t.dirty[:n:n]
	t.dirty = t.dirty[n:]
	return some
}

// flush says the last words of this node.
func (t *seats) flush() {
	if t.k.cfg.Bus == nil || t.k.cfg.Bus.Embedded() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), seatWait)
	defer cancel()
	for ctx.Err() == nil && t.writeNext(ctx) {
	}
}

// put writes one seat. What NATS does not take now, the keeper queues again.
func (t *seats) put(ctx context.Context, s *seat) {
	ctx, cancel := context.WithTimeout(ctx, seatWait)
	defer cancel()
	t.mu.Lock()
	value, rev, gone := t.valueLocked(s), s.rev, s.gone
	t.mu.Unlock()
	if gone {
		if rev != 0 {
			_, _ = t.k.cfg.Bus.Renew(ctx, s.key, value, rev, leftTTL) // else somebody else has it, or it expires
		}
		return
	}
	held := rev != 0
	if held {
		now, err := t.k.cfg.Bus.Renew(ctx, s.key, value, rev, t.time.TTL)
		if !errors.Is(err, kaijutsu.ErrConflict) {
			t.wrote(s, now, err)
			return
		}
	}
	t.claim(ctx, s, value, held)
}

// wrote notes what came of a write.
func (t *seats) wrote(s *seat, rev uint64, err error) {
	if err != nil {
		t.k.log.Debug("seat not written", "key", s.key, "err", err)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s.rev, s.written = rev, t.k.cfg.Now()
	t.decideLocked(s, nil)
}

// claim enters a seat that is not in NATS as this node wrote it: it is new, it
// has vanished, or somebody else has it.
func (t *seats) claim(ctx context.Context, s *seat, value []byte, held bool) {
	bus := t.k.cfg.Bus
	for range 3 {
		rev, err := bus.Create(ctx, s.key, value, t.time.TTL)
		if !errors.Is(err, kaijutsu.ErrConflict) {
			if err == nil && held {
				t.rejoin(ctx, s)
			}
			t.wrote(s, rev, err)
			return
		}
		found, rev, err := bus.Get(ctx, s.key)
		if errors.Is(err, kaijutsu.ErrNotFound) {
			continue
		}
		if err != nil {
			t.wrote(s, 0, err)
			return
		}
		if !t.mayTake(s, found, held) {
			return
		}
		rev, err = bus.Renew(ctx, s.key, value, rev, t.time.TTL)
		if !errors.Is(err, kaijutsu.ErrConflict) {
			t.wrote(s, rev, err)
			return
		}
	}
}

// mayTake reports whether a seat may be written over what is there: nobody's,
// what was left, and what the same principal took earlier. Otherwise the seat
// of this node ends.
func (t *seats) mayTake(s *seat, found []byte, held bool) bool {
	other, row, err := decodeSeat(s.key, found)
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case s.gone:
		return false
	case err != nil || row.Left || other.id == s.id:
		return true
	case other.Principal != s.Principal:
		t.decideLocked(s, errTaken(&other.Seat))
		return false
	case held && other.Since.After(s.Since):
		s.rev = 0
		t.removeLocked(s, replaced)
		return false
	}
	s.known = true // it goes on, and was told where it began
	return true
}

// rejoin tells again of a seat that NATS had forgotten, if another node has
// told that it ended.
func (t *seats) rejoin(ctx context.Context, s *seat) {
	if _, _, err := t.k.cfg.Bus.Get(ctx, leftPrefix+s.id); err != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s.id = newSeatID() // should it expire again, that is to be told again
	if !s.gone {
		t.eventLocked(flowbus.SeatJoined, s, "")
	}
	t.queueLocked(s)
}

// bury tells of a seat that nobody gave back. One node does: the one that
// enters that it does first.
func (t *seats) bury(ctx context.Context, r *remote) {
	ctx, cancel := context.WithTimeout(ctx, seatWait)
	defer cancel()
	bus := t.k.cfg.Bus
	if r.ghost && !t.exorcise(ctx, r) {
		return
	}
	_, err := bus.Create(ctx, leftPrefix+r.id, []byte(t.k.node()), fallenTTL)
	if errors.Is(err, kaijutsu.ErrConflict) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events = append(t.events, t.k.seatEvent(flowbus.SeatLeft, &r.Seat, "expired"))
}

// exorcise removes a seat that this node held before it was started anew. It
// reports whether the seat was still there.
func (t *seats) exorcise(ctx context.Context, r *remote) bool {
	found, rev, err := t.k.cfg.Bus.Get(ctx, r.key)
	if err != nil {
		return false
	}
	other, row, err := decodeSeat(r.key, found)
	if err != nil || row.Left || other.id != r.id {
		return false
	}
	_, err = t.k.cfg.Bus.Renew(ctx, r.key, leftValue(row), rev, leftTTL)
	return err == nil
}

// watch follows the seats of all nodes.
func (t *seats) watch(ctx context.Context) {
	for ctx.Err() == nil {
		replaying := false
		err := t.k.cfg.Bus.WatchKeys(ctx, seatPrefix, func(key string, value []byte, gone bool) {
			if key == "" {
				replaying = gone
				t.replay(gone)
				return
			}
			t.heard(key, value, gone, replaying)
			t.tell()
		})
		if ctx.Err() != nil {
			return
		}
		t.k.log.Debug("seats are not followed", "err", err)
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

// replay notes that all keys are told anew, from begin on: what is not among
// them is missing, and NATS may have forgotten ours.
func (t *seats) replay(begins bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if begins {
		now := t.k.cfg.Now()
		for _, r := range t.there {
			r.missing = now
		}
		return
	}
	for _, s := range t.here {
		t.queueLocked(s)
	}
}

// heard takes in what a key says now.
func (t *seats) heard(key string, value []byte, gone, replaying bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.there[key]
	if gone {
		if known != nil && !replaying {
			t.fellLocked(known)
		}
		return
	}
	r, row, err := decodeSeat(key, value)
	switch {
	case err != nil:
		t.refuseLocked(err)
	case row.Left:
		delete(t.there, key)
	case row.Node == t.k.node() && row.Process == t.process: // our own words
	case row.Node == t.k.node():
		r.ghost = true
		t.fellLocked(&r)
	case known == nil && len(t.there) >= maxNodeSeats: // shown by its own node only
	default:
		r.heard = t.k.cfg.Now()
		t.there[key] = &r
		if mine := t.here[seatKey{r.Nick, r.Instance, r.Context}]; mine != nil && r.id != mine.id {
			t.queueLocked(mine) // and it is found out who goes on
		}
	}
}

// refuseLocked notes a seat that is none, once in a while.
func (t *seats) refuseLocked(err error) {
	t.refused++
	if now := t.k.cfg.Now(); now.Sub(t.complained) > time.Minute {
		t.complained = now
		t.k.log.Warn("seat in NATS refused", "err", strings.ToValidUTF8(err.Error(), "?"), "refused", t.refused)
	}
}
