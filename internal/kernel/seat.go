package kernel

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"kaijutsu"
)

// Seat is who is there: somebody, on one of the devices or sessions they work
// with, perhaps at a context.
type Seat struct {
	Principal kaijutsu.Principal
	Nick      string // what they call themselves; may be the principal's name
	Instance  string // tells two seats of one nick apart: a session, a device
	Door      string // the door they came through: "mcp"
	Context   string // where they sit, as a context's id; may be empty
	Since     time.Time
}

// seats is who is there now.
type seats struct {
	mu  sync.Mutex
	all map[*Seat]struct{} // guarded by mu
}

// Join takes a seat. The caller leaves it when it goes, once or more often.
func (k *Kernel) Join(s Seat) (leave func()) {
	if s.Since.IsZero() {
		s.Since = k.cfg.Now().UTC()
	}
	k.seats.mu.Lock()
	k.seats.all[&s] = struct{}{}
	k.seats.mu.Unlock()
	return func() {
		k.seats.mu.Lock()
		delete(k.seats.all, &s)
		k.seats.mu.Unlock()
	}
}

// Seats returns who is there, by the time they came.
func (k *Kernel) Seats() []Seat {
	k.seats.mu.Lock()
	all := make([]Seat, 0, len(k.seats.all))
	for s := range k.seats.all {
		all = append(all, *s)
	}
	k.seats.mu.Unlock()
	slices.SortFunc(all, func(a, b Seat) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Nick, b.Nick), cmp.Compare(a.Instance, b.Instance))
	})
	return all
}
