package cluster

import (
	"errors"
	"log/slog"
	"maps"
	"sync"
	"time"

	"kaijutsu"
)

// refusals count what other nodes sent and was not taken, by reason.
type refusals struct {
	log *slog.Logger
	now func() time.Time

	mu     sync.Mutex
	counts map[string]int64
	logged time.Time
	silent int64 // refused since then
}

func newRefusals(log *slog.Logger, now func() time.Time) *refusals {
	return &refusals{log: log, now: now, counts: make(map[string]int64)}
}

// reasons are few and fixed: what comes from outside does not name them.
func reason(err error) string {
	switch {
	case errors.Is(err, errShard):
		return "wrong subject"
	case errors.Is(err, kaijutsu.ErrTooLarge):
		return "too large"
	case errors.Is(err, kaijutsu.ErrInvalid):
		return "malformed"
	case errors.Is(err, kaijutsu.ErrConflict), errors.Is(err, kaijutsu.ErrDenied):
		return "not for this document"
	}
	return "other"
}

// logEvery is how often refusals are logged.
const logEvery = 10 * time.Second

func (r *refusals) note(node string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	why := reason(err)
	r.counts[why]++
	now := r.now()
	if now.Sub(r.logged).Abs() < logEvery {
		r.silent++
		return
	}
	r.log.Warn("message of another node refused", "peer", node, "reason", why, "err", err, "more", r.silent)
	r.logged, r.silent = now, 0
}

func (r *refusals) byReason() map[string]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.counts)
}
