package kernel

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
	"unicode"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// SeatStatus says how present somebody is.
type SeatStatus string

// The statuses of seats.
const (
	SeatActive SeatStatus = "active" // did something within Seating.Idle
	SeatIdle   SeatStatus = "idle"
	SeatAway   SeatStatus = "away" // did nothing for Seating.Away
)

// Limits of seats.
const (
	maxSeats          = 10_000 // on this node
	maxPrincipalSeats = 1000   // of one principal, on this node
	maxNodeSeats      = 50_000 // of all other nodes
	maxNickBytes      = 256
	maxInstanceBytes  = 256
)

// Seating is how long seats last without news. Zero fields are defaults.
type Seating struct {
	// TTL is how long other nodes believe in a seat that they do not hear of;
	// default 15 s, at least 1 s. It is said anew every third of it.
	TTL time.Duration
	// Lease is how long a seat lasts that no connection holds; default 15 s.
	Lease time.Duration
	// Idle and Away are after how long of doing nothing a seat has that status;
	// default 1 min and 10 min.
	Idle, Away time.Duration
	// Presence is how long a cursor shows that is not set again; default 30 s.
	Presence time.Duration
}

func (s Seating) withDefaults() Seating {
	for _, d := range []struct {
		value    *time.Duration
		standard time.Duration
	}{{&s.TTL, 15 * time.Second}, {&s.Lease, 15 * time.Second}, {&s.Idle, time.Minute}, {&s.Away, 10 * time.Minute}, {&s.Presence, 30 * time.Second}} {
		if *d.value == 0 {
			*d.value = d.standard
		}
	}
	return s
}

// Seat is who is there: somebody, on one of the devices or sessions they work
// with, perhaps at a context.
type Seat struct {
	Principal kaijutsu.Principal
	Nick      string // what they call themselves; may be the principal's name
	Instance  string // tells two seats of one nick apart: a session, a device
	Door      string // the door they came through: "mcp"
	// Context is the document they sit at; zero: none.
	Context kaijutsu.DocumentID
	Since   time.Time
	Status  SeatStatus
	Node    string // the node that they are connected to
}

// SeatSpec says who takes a seat, and where.
type SeatSpec struct {
	Nick     string // default the principal's name
	Instance string // default the call's session, or its door
	Context  kaijutsu.DocumentID
	// Status is what the seat shows whatever happens; "" follows what they do.
	Status SeatStatus
}

// InstanceOf returns the instance under which the seats of a caller go that
// names none.
func InstanceOf(c op.Call) string { return cmp.Or(c.Session, c.Door, "default") }

// JoinSeat takes a seat that lasts for Seating.Lease, and again as long each
// time that it is taken again, that the same principal and instance call an
// operation (Seen), or while they hold a seat by a connection (Sit). The error
// wraps kaijutsu.ErrConflict when somebody else has the nick and instance,
// ErrInvalid when one of them cannot be, ErrUnavailable when there are too many
// seats, and ErrNotFound when the caller may not read the context.
func (k *Kernel) JoinSeat(ctx context.Context, c op.Call, spec SeatSpec) (Seat, error) {
	if !spec.Context.IsZero() && !k.MayRead(c, spec.Context) {
		return Seat{}, unknown(spec.Context.Name())
	}
	if nick := spec.withDefaults(c).Nick; nick != c.By.Name {
		if _, known := k.cfg.Access.Member(nick); known {
			return Seat{}, fmt.Errorf("nick %q is the name of somebody else: %w: choose another", nick, kaijutsu.ErrConflict)
		}
	}
	s, err := k.seats.add(c, spec, nil)
	if err != nil {
		return Seat{}, err
	}
	if err := k.seats.decided(ctx, s); err != nil {
		return Seat{}, err
	}
	return k.seats.show(s), nil
}

// SeatLease returns how long a seat lasts that JoinSeat took.
func (k *Kernel) SeatLease() time.Duration { return k.seats.time.Lease }

// LeaveSeats gives back the seats of the caller's nick and instance: the one at
// a context, or all of them when the spec names none. It returns how many there
// were.
func (k *Kernel) LeaveSeats(c op.Call, spec SeatSpec) int {
	spec = spec.withDefaults(c)
	return k.seats.leave(func(s *seat) bool {
		return s.Principal == c.By && s.Nick == spec.Nick && s.Instance == spec.Instance &&
			(spec.Context.IsZero() || s.Context == spec.Context)
	})
}

// Seats returns who is there, on every node, as far as the caller may know: at
// one context, or anywhere when it is zero; seats at none are for those who may
// read the kernel. Those who came first come first.
func (k *Kernel) Seats(c op.Call, only kaijutsu.DocumentID) []Seat {
	all := slices.DeleteFunc(k.seats.list(), func(s Seat) bool {
		switch {
		case !only.IsZero() && s.Context != only:
			return true
		case s.Context.IsZero():
			return c.Right < kaijutsu.RightRead && s.Principal != c.By
		}
		return !k.MayRead(c, s.Context) || !k.shelf.has(s.Context)
	})
	slices.SortFunc(all, func(a, b Seat) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Nick, b.Nick), cmp.Compare(a.Instance, b.Instance),
			a.Context.Compare(b.Context))
	})
	return all
}

// UnreadAt returns how many drift blocks of a seat's context its principal has not
// read; 0 where nobody counts.
func (k *Kernel) UnreadAt(s Seat) int {
	if k.cfg.Unread == nil || s.Context.IsZero() {
		return 0
	}
	return k.cfg.Unread(s.Principal, s.Context)
}

// Seen notes that somebody called an operation: their seats last, and are
// active.
func (k *Kernel) Seen(c op.Call) { k.seats.seen(c.By, InstanceOf(c)) }

// Chair is a seat that a connection holds. The zero value and nil hold none.
// It is safe for concurrent use.
type Chair struct {
	k    *Kernel
	call op.Call
	spec SeatSpec
}

// Sit takes a seat for a connection, until Leave. It returns at once; when the
// seat cannot be had (see JoinSeat), the connection has none. One at a document
// that is not there yet is taken at the first Touch at which it is.
func (k *Kernel) Sit(c op.Call, spec SeatSpec) *Chair {
	h := &Chair{k, c, spec.withDefaults(c)}
	h.sit()
	return h
}

func (h *Chair) sit() {
	at := h.spec.Context
	if !at.IsZero() && (!h.k.shelf.has(at) || h.call.Bounds.Document(at, h.k.cfg.Access.Current(h.call.By, at)) < kaijutsu.RightRead) {
		return
	}
	if _, err := h.k.seats.add(h.call, h.spec, h); err != nil {
		h.k.log.Debug("no seat for a connection", "principal", h.call.By, "context", at.Name(), "err", err)
	}
}

// Touch says that its holder does something.
func (h *Chair) Touch() {
	if h != nil && h.k != nil && !h.k.seats.touch(h) {
		h.sit()
	}
}

// Leave gives the seat back.
func (h *Chair) Leave() {
	if h != nil && h.k != nil {
		h.k.seats.leave(func(s *seat) bool { return s.holder == h })
	}
}

func (s SeatSpec) withDefaults(c op.Call) SeatSpec {
	s.Nick = cmp.Or(s.Nick, c.By.Name)
	s.Instance = cmp.Or(s.Instance, InstanceOf(c))
	return s
}

// check refuses names that cannot be shown, and statuses that are none.
func (s SeatSpec) check() error {
	switch s.Status {
	case "", SeatActive, SeatIdle, SeatAway:
	default:
		return &op.FieldError{Field: "status", Reason: fmt.Sprintf("%.64q is none", s.Status), Hint: "want active, idle or away"}
	}
	for _, f := range []struct {
		field, value string
		most         int
	}{{"nick", s.Nick, maxNickBytes}, {"instance", s.Instance, maxInstanceBytes}} {
		if !shows(f.value, f.most) {
			return &op.FieldError{Field: f.field, Reason: fmt.Sprintf("%.64q cannot be shown", f.value), Hint: fmt.Sprintf("want 1 to %d bytes that print", f.most)}
		}
	}
	return nil
}

// shows reports whether a text is of 1 to most bytes that print.
func shows(s string, most int) bool {
	if s == "" || len(s) > most || !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}
