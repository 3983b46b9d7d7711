package kernel

import (
	"encoding/json"
	"fmt"
	"time"

	"kaijutsu/blocks"
	"kaijutsu/flowbus"
	"kaijutsu/internal/guard"
	"kaijutsu/internal/op"
)

const (
	// presenceEvery is how often the presence of one seat is told, at most.
	presenceEvery = 75 * time.Millisecond
	// presenceEach is how often presences of one principal are told, at most: who
	// has many seats shows less often where each is.
	presenceEach = 5 * time.Millisecond
)

// Presence is what somebody is doing. It is told and forgotten; positions are
// in code points, and nobody checks that they are there.
type Presence struct {
	Cursor    *CursorAt    `json:"cursor,omitempty"`
	Selection *SelectionAt `json:"selection,omitempty"`
	Typing    bool         `json:"typing,omitempty"`
}

// CursorAt is a place in a block.
type CursorAt struct {
	Block blocks.ID `json:"block"`
	Pos   int       `json:"pos"`
}

// SelectionAt is a part of a block.
type SelectionAt struct {
	Block blocks.ID `json:"block"`
	Start int       `json:"start"`
	End   int       `json:"end"`
}

// presence is that of a seat. Its fields are guarded by seats.mu.
type presence struct {
	state json.RawMessage // nil: none
	set   time.Time       // when it was last set
	told  time.Time       // when it was last told
	timer *time.Timer     // tells it; nil: it is told
}

// stop ends what is still to be told.
func (p *presence) stop() {
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
}

// SetPresence says what the caller is doing at a context, where a seat is
// taken if need be (JoinSeat): the zero Presence is nothing. It is told at most
// once in 75 ms, less often for who has more than 15 seats, and the last one
// wins; it ends with the seat, and when it is not set again for
// Seating.Presence. The errors are those of JoinSeat.
func (k *Kernel) SetPresence(c op.Call, spec SeatSpec, p Presence) (Seat, error) {
	if !k.MayRead(c, spec.Context) {
		return Seat{}, unknown(spec.Context.Name())
	}
	if err := p.check(); err != nil {
		return Seat{}, err
	}
	state, err := json.Marshal(p)
	if err != nil {
		return Seat{}, fmt.Errorf("presence: %w", err)
	}
	s, err := k.seats.add(c, spec, nil)
	if err != nil {
		return Seat{}, err
	}
	k.seats.setPresence(s, state)
	return k.seats.show(s), nil
}

func (p Presence) check() error {
	for _, at := range []struct {
		field string
		block blocks.ID
		set   bool
	}{{"cursor.block", p.at(), p.Cursor != nil}, {"selection.block", p.selected(), p.Selection != nil}} {
		if _, err := blocks.ParseID(string(at.block)); at.set && err != nil {
			return &op.FieldError{Field: at.field, Reason: fmt.Sprintf("%.64q is no block", at.block), Hint: "want a UUID of 36 characters"}
		}
	}
	return nil
}

func (p Presence) at() blocks.ID {
	if p.Cursor == nil {
		return ""
	}
	return p.Cursor.Block
}

func (p Presence) selected() blocks.ID {
	if p.Selection == nil {
		return ""
	}
	return p.Selection.Block
}

// setPresence notes what a seat is doing and has it told: at once when it was
// quiet, else when its time has come.
func (t *seats) setPresence(s *seat, state json.RawMessage) {
	t.mu.Lock()
	p, now := &s.presence, t.k.cfg.Now()
	p.state, p.set = state, now
	every := max(presenceEvery, presenceEach*time.Duration(t.counts[s.Principal]))
	switch wait := every - now.Sub(p.told); {
	case s.gone || p.timer != nil:
	case wait <= 0:
		t.tellPresenceLocked(s, now)
	default:
		p.timer = time.AfterFunc(wait, guard.Func(t.k.cfg.Log, "presence", func() { t.tellPresence(s) }))
	}
	t.unlock()
}

// tellPresence tells what a seat is doing now.
func (t *seats) tellPresence(s *seat) {
	t.mu.Lock()
	if !s.gone && s.presence.timer != nil {
		s.presence.timer = nil
		t.tellPresenceLocked(s, t.k.cfg.Now())
	}
	t.unlock()
}

func (t *seats) tellPresenceLocked(s *seat, now time.Time) {
	p := &s.presence
	p.told = now
	state := p.state
	if state == nil {
		state = json.RawMessage("{}")
	}
	t.events = append(t.events, t.k.event(flowbus.SeatPresence, s.Principal, s.Context,
		&flowbus.Presence{Nick: s.Nick, Instance: s.Instance, Door: s.Door, State: state}))
}

// expirePresenceLocked takes back what a seat has not said again for long.
func (t *seats) expirePresenceLocked(s *seat, now time.Time) {
	p := &s.presence
	if p.state == nil || now.Sub(p.set) < t.time.Presence {
		return
	}
	p.state = nil
	if p.stop(); !s.Context.IsZero() {
		t.tellPresenceLocked(s, now)
	}
}
