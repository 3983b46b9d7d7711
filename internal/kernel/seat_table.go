package kernel

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/guard"
	"kaijutsu/internal/op"
)

// decideWithin is how long a seat waits to hear from NATS whether somebody else
// has it.
const decideWithin = 2 * time.Second

// seatKey is what tells seats apart.
type seatKey struct {
	nick, instance string
	context        kaijutsu.DocumentID
}

// sitter is somebody in one of the places from which they act.
type sitter struct {
	by       kaijutsu.Principal
	instance string
}

func (s *seat) sitter() sitter { return sitter{s.Principal, s.Instance} }

// seat is one that this node holds. Its fields are guarded by seats.mu, but for
// what does not change.
type seat struct {
	Seat
	id  string // of this taking of it
	key string // in NATS

	holder *Chair    // nil: it lasts until leased
	leased time.Time // until when, without a holder
	active time.Time // when its holder last did something
	fixed  bool      // the status does not follow that
	gone   bool      // it was left

	decided chan struct{} // closed when it is known whether the seat can be had
	refused error         // why not
	known   bool          // joined was told

	written time.Time // when NATS last heard of it
	rev     uint64    // its revision there; 0: it is not there
	queued  bool      // it is in seats.dirty

	presence presence
}

// seats is who is there now: the seats that this node holds, and what it hears
// of those of others.
type seats struct {
	k       *Kernel
	time    Seating
	process string // tells this process from those before it, on this node

	mu     sync.Mutex
	here   map[seatKey]*seat             // guarded by mu
	there  map[string]*remote            // guarded by mu; by key in NATS
	counts map[kaijutsu.Principal]int    // guarded by mu; of here
	dirty  []*seat                       // guarded by mu; to be written to NATS, in order
	fallen []*remote                     // guarded by mu; expired, to be told
	events []flowbus.Event               // guarded by mu; to be told, in order
	closed bool                          // guarded by mu
	who    map[sitter]map[*seat]struct{} // guarded by mu; here, by who sits

	refused    int       // guarded by mu; values in NATS that were no seats
	complained time.Time // guarded by mu; when that was last logged

	telling sync.Mutex // held while events are told: before mu

	stir    chan struct{} // holds a token when dirty or fallen is not empty
	stop    context.CancelFunc
	running sync.WaitGroup
}

// start begins to look after the seats.
func (t *seats) start(k *Kernel) {
	t.k, t.time = k, k.cfg.Seating.withDefaults()
	t.here, t.there = make(map[seatKey]*seat), make(map[string]*remote)
	t.counts, t.who = make(map[kaijutsu.Principal]int), make(map[sitter]map[*seat]struct{})
	t.process = newSeatID()
	t.stir = make(chan struct{}, 1)
	var ctx context.Context
	ctx, t.stop = context.WithCancel(context.Background())
	t.running.Go(guard.Keep(k.cfg.Log, "keeper of seats", ctx.Done(), func() { t.keep(ctx) }))
	if k.cfg.Bus != nil {
		t.running.Go(guard.Keep(k.cfg.Log, "writer of seats", ctx.Done(), func() { t.write(ctx) }))
		t.running.Go(guard.Keep(k.cfg.Log, "watcher of seats", ctx.Done(), func() { t.watch(ctx) }))
	}
}

// close leaves every seat of this node and tells the others.
func (t *seats) close() {
	t.leave(func(*seat) bool { return true })
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.stop()
	t.running.Wait()
	t.flush()
}

// add takes a seat, or takes over one of the same principal.
func (t *seats) add(c op.Call, spec SeatSpec, holder *Chair) (*seat, error) {
	spec = spec.withDefaults(c)
	if c.By.IsZero() {
		return nil, fmt.Errorf("nobody takes a seat: %w", kaijutsu.ErrDenied)
	}
	if err := spec.check(); err != nil {
		return nil, err
	}
	t.mu.Lock()
	s, err := t.addLocked(c, spec, holder)
	t.unlock()
	return s, err
}

func (t *seats) addLocked(c op.Call, spec SeatSpec, holder *Chair) (*seat, error) {
	now := t.k.cfg.Now()
	key := seatKey{spec.Nick, spec.Instance, spec.Context}
	s := t.here[key]
	if s == nil || s.Principal != c.By {
		if err := t.takenLocked(c.By, key); err != nil {
			return nil, err
		}
	}
	if s == nil {
		if err := t.roomLocked(c.By); err != nil {
			return nil, err
		}
		s = &seat{
			Seat: Seat{Principal: c.By, Nick: spec.Nick, Instance: spec.Instance, Context: spec.Context, Since: now.UTC(), Node: t.k.node()},
			id:   newSeatID(), key: keyOf(key), decided: make(chan struct{}), active: now,
		}
		s.Status = SeatActive
		t.here[key] = s
		t.counts[c.By]++
		if t.who[s.sitter()] == nil {
			t.who[s.sitter()] = make(map[*seat]struct{})
		}
		t.who[s.sitter()][s] = struct{}{}
		if t.k.cfg.Bus == nil {
			t.decideLocked(s, nil)
		}
		t.queueLocked(s)
	}
	s.Door = c.Door
	if holder != nil {
		s.holder = holder
	}
	s.leased = now.Add(t.time.Lease)
	s.fixed = spec.Status != ""
	s.active = now
	t.statusLocked(s, spec.Status, now)
	return s, nil
}

// takenLocked refuses a nick and instance that somebody else has, wherever they
// sit.
func (t *seats) takenLocked(by kaijutsu.Principal, key seatKey) error {
	taken := func(s *Seat) bool {
		return s.Nick == key.nick && s.Instance == key.instance && s.Principal != by
	}
	for _, s := range t.here {
		if taken(&s.Seat) {
			return errTaken(&s.Seat)
		}
	}
	for _, r := range t.there {
		if taken(&r.Seat) {
			return errTaken(&r.Seat)
		}
	}
	return nil
}

func errTaken(s *Seat) error {
	return fmt.Errorf("seat %q: its instance %q is taken by %s: %w: name another instance", s.Nick, s.Instance, s.Principal.Name, kaijutsu.ErrConflict)
}

// roomLocked refuses one seat too many.
func (t *seats) roomLocked(by kaijutsu.Principal) error {
	switch {
	case t.closed:
		return fmt.Errorf("the server is stopping: %w", kaijutsu.ErrUnavailable)
	case t.counts[by] >= maxPrincipalSeats:
		return fmt.Errorf("%s has %d seats already: %w: leave one", by.Name, maxPrincipalSeats, kaijutsu.ErrUnavailable)
	case len(t.here) >= maxSeats:
		return fmt.Errorf("all %d seats are taken: %w: wait for one to be left", maxSeats, kaijutsu.ErrUnavailable)
	}
	return nil
}

// decided waits until it is known whether a seat can be had. When NATS does not
// say so in time, it can: what is wrong about it is found later.
func (t *seats) decided(ctx context.Context, s *seat) error {
	ctx, cancel := context.WithTimeout(ctx, decideWithin)
	defer cancel()
	select {
	case <-s.decided:
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.Canceled) {
			return ctx.Err()
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return s.refused
}

// decideLocked notes whether a seat can be had, the first time that it is
// known, and has it told.
func (t *seats) decideLocked(s *seat, err error) {
	if err != nil {
		s.refused = err
		t.removeLocked(s, "taken")
	}
	if !s.known && err == nil && !s.gone {
		s.known = true
		t.eventLocked(flowbus.SeatJoined, s, "")
	}
	select {
	case <-s.decided:
	default:
		close(s.decided)
	}
}

// leave gives seats back and returns how many.
func (t *seats) leave(which func(*seat) bool) int {
	t.mu.Lock()
	n := 0
	for _, s := range t.here {
		if which(s) {
			t.removeLocked(s, "left")
			n++
		}
	}
	t.unlock()
	return n
}

// removeLocked ends a seat for a reason.
func (t *seats) removeLocked(s *seat, reason string) {
	key := seatKey{s.Nick, s.Instance, s.Context}
	if s.gone || t.here[key] != s {
		return
	}
	s.gone = true
	s.presence.stop()
	delete(t.here, key)
	if delete(t.who[s.sitter()], s); len(t.who[s.sitter()]) == 0 {
		delete(t.who, s.sitter())
	}
	if t.counts[s.Principal]--; t.counts[s.Principal] == 0 {
		delete(t.counts, s.Principal)
	}
	if s.known && reason != replaced {
		t.eventLocked(flowbus.SeatLeft, s, reason)
	}
	t.queueLocked(s)
	select {
	case <-s.decided:
	default:
		close(s.decided)
	}
}

// replaced is why a seat ends that the same principal has at another node now:
// it goes on there, and nobody is told.
const replaced = "replaced"

// touch notes that the holder of a chair does something; false when it has no
// seat.
func (t *seats) touch(h *Chair) bool {
	t.mu.Lock()
	s := t.here[seatKey{h.spec.Nick, h.spec.Instance, h.spec.Context}]
	held := s != nil && s.holder == h
	if held {
		t.actLocked(s)
	}
	t.unlock()
	return held
}

// seen notes that somebody did something, wherever they sit.
func (t *seats) seen(by kaijutsu.Principal, instance string) {
	t.mu.Lock()
	for s := range t.who[sitter{by, instance}] {
		t.actLocked(s)
	}
	t.unlock()
}

// unlock unlocks mu and tells what was noted.
func (t *seats) unlock() {
	some := len(t.events) > 0
	t.mu.Unlock()
	if some {
		t.tell()
	}
}

func (t *seats) actLocked(s *seat) {
	s.active = t.k.cfg.Now()
	s.leased = s.active.Add(t.time.Lease)
	t.statusLocked(s, "", s.active)
}

// statusLocked gives a seat the status that fits, or the one that was asked
// for.
func (t *seats) statusLocked(s *seat, asked SeatStatus, now time.Time) {
	status := asked
	if status == "" {
		if s.fixed {
			return
		}
		status = SeatActive
		switch quiet := now.Sub(s.active); {
		case quiet >= t.time.Away:
			status = SeatAway
		case quiet >= t.time.Idle:
			status = SeatIdle
		}
	}
	if s.Status == status {
		return
	}
	s.Status = status
	if s.known {
		t.eventLocked(flowbus.SeatStatus, s, "")
	}
	t.queueLocked(s)
}

// list returns the seats of every node.
func (t *seats) list() []Seat {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]Seat, 0, len(t.here)+len(t.there))
	for _, s := range t.here {
		all = append(all, s.Seat)
	}
	for _, r := range t.there {
		if !t.shadowedLocked(r) {
			all = append(all, r.Seat)
		}
	}
	return all
}

// shadowedLocked reports whether this node holds the same seat.
func (t *seats) shadowedLocked(r *remote) bool {
	return t.here[seatKey{r.Nick, r.Instance, r.Context}] != nil
}

// show returns a seat as it is now.
func (t *seats) show(s *seat) Seat {
	t.mu.Lock()
	defer t.mu.Unlock()
	return s.Seat
}
