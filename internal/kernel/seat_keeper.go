package kernel

import (
	"context"
	"time"

	"kaijutsu"
)

// keepEvery is how often the seats are looked at.
const keepEvery = time.Second

// graceAfterReplay is how long a seat of another node may be missing after NATS
// was away: its node says it anew.
const graceAfterReplay = 5 * time.Second

// keep looks at every seat once in a while: what has lasted long enough ends,
// who does nothing is idle, and what NATS has to hear again is said.
func (t *seats) keep(ctx context.Context) {
	tick := time.NewTicker(min(keepEvery, t.time.TTL/4))
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		t.mu.Lock()
		now := t.k.cfg.Now()
		for _, s := range t.here {
			t.checkLocked(s, now)
		}
		t.checkRemotesLocked(now)
		t.unlock()
	}
}

// checkLocked looks at one seat of this node.
func (t *seats) checkLocked(s *seat, now time.Time) {
	switch {
	case s.holder == nil && now.After(s.leased) && !t.heldLocked(s):
		t.removeLocked(s, "expired")
		return
	case !s.Context.IsZero() && t.k.cfg.Access.Current(s.Principal, s.Context) < kaijutsu.RightRead:
		t.removeLocked(s, "denied")
		return
	}
	if now.Sub(s.Since) >= decideWithin {
		t.decideLocked(s, nil) // NATS does not say
	}
	t.statusLocked(s, "", now)
	t.expirePresenceLocked(s, now)
	if now.Sub(s.written) >= t.time.TTL/3 {
		t.queueLocked(s)
	}
}

// heldLocked reports whether a connection holds another seat of the same
// principal and instance: it answers for this one, too.
func (t *seats) heldLocked(s *seat) bool {
	for o := range t.who[s.sitter()] {
		if o.holder != nil {
			return true
		}
	}
	return false
}

// checkRemotesLocked forgets seats of other nodes that nobody vouches for: all
// of them when NATS is away for longer than they last, and what was missing
// when it came back.
func (t *seats) checkRemotesLocked(now time.Time) {
	if t.k.cfg.Bus == nil {
		return
	}
	state := t.k.cfg.Bus.State()
	for _, r := range t.there {
		switch {
		case !state.Connected && now.Sub(r.heard) > t.time.TTL && now.Sub(state.Since) > t.time.TTL,
			!r.missing.IsZero() && now.Sub(r.missing) > graceAfterReplay:
			t.fellLocked(r)
		}
	}
}
