package follow

import (
	"time"

	"kaijutsu/internal/guard"
)

const (
	// crowd is how many followers a topic wakes for every event. More of them
	// are woken together: crowdEach apart for each of them, crowdMost at most,
	// so that waking and writing leave time for everything else.
	crowd     = 200
	crowdEach = 25 * time.Microsecond
	crowdMost = 50 * time.Millisecond

	// beatEvery is how long a follower that is told nothing waits for a sign of
	// life, in seconds.
	beatEvery = 15
	// lingers is how long a topic is kept that nobody follows.
	lingers = time.Minute
)

// wakeLocked lets the followers of a topic look, at once or soon.
func (h *Hub) wakeLocked(t *topic) {
	n := len(t.followers)
	if n <= crowd {
		t.wakeAll()
		return
	}
	if t.waiting {
		return
	}
	wait := min(time.Duration(n)*crowdEach, crowdMost) - time.Since(t.woken)
	if wait <= 0 {
		t.woken = time.Now()
		t.wakeAll()
		return
	}
	t.waiting = true
	time.AfterFunc(wait, guard.Func(h.cfg.Log, "waker of followers", func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		t.waiting, t.woken = false, time.Now()
		t.wakeAll()
	}))
}

// wakeAll lets every follower look now. The caller holds Hub.mu.
func (t *topic) wakeAll() {
	for f := range t.followers {
		f.stir()
	}
}

// beat has each follower that is told nothing say every now and then that it
// lives, and forgets topics that nobody follows.
func (h *Hub) beat() {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for turn := 0; ; turn = (turn + 1) % beatEvery {
		select {
		case <-h.ctx.Done():
			return
		case <-tick.C:
		}
		h.beatOnce(turn)
	}
}

// beatOnce looks at every topic; it is the turn of some followers.
func (h *Hub) beatOnce(turn int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range h.all() {
		for f := range t.followers {
			if f.turn == turn {
				f.beat.Store(true)
				f.stir()
			}
		}
		if len(t.followers) == 0 && !t.idle.IsZero() && h.cfg.Now().Sub(t.idle) > lingers {
			h.forgetLocked(t)
		}
	}
}

// forgetLocked ends a topic that nobody follows.
func (h *Hub) forgetLocked(t *topic) {
	if t == h.wide {
		h.restartLocked(errClosed)
		return
	}
	delete(h.topics, t.doc)
	h.ring.forget(t)
}
