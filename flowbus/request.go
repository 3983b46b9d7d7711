package flowbus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"kaijutsu"
)

const (
	askAllWait = time.Second // for nodes that were not heard before
	askTick    = 100 * time.Millisecond
	maxAsked   = 1024
)

// Ask asks the node that serves the subject and calls f with the parts of the
// answer, in order; f has 30 s for a part. It returns nil when the answer was
// complete. The parts that f saw before an error are an incomplete answer.
// ErrUnavailable: nobody serves the subject, or the answer broke off; other
// errors are those of the one who answered, or of f.
func (b *Bus) Ask(ctx context.Context, subject string, data []byte, f func(part []byte) error) error {
	_, err := b.ask(ctx, subject, data, false, f)
	if err != nil {
		return fmt.Errorf("ask %s: %w", subject, err)
	}
	return nil
}

// AskAll asks every node that serves the subject and takes the answer of the
// first that sends a part or completes without an error; the others are told to
// stop. It returns the node whose answer f saw. ErrNotFound: all refused (the
// text holds one of their errors); ErrUnavailable: nobody serves it.
//
// Nobody knows how many nodes there are: AskAll waits for those that were heard
// within the last 40 s, and for one second otherwise.
func (b *Bus) AskAll(ctx context.Context, subject string, data []byte, f func(part []byte) error) (node string, err error) {
	node, err = b.ask(ctx, subject, data, true, f)
	if err != nil {
		return node, fmt.Errorf("ask all of %s: %w", subject, err)
	}
	return node, nil
}

// asking is one question that is under way.
type asking struct {
	b       *Bus
	all     bool
	f       func([]byte) error
	started time.Time
	nodes   map[string]*asked
	winner  string // who answers
}

// asked is what one node said so far.
type asked struct {
	to    string // its inbox
	got   uint64 // parts
	heard time.Time
	over  bool
	err   error
}

var errOver = errors.New("the answer is complete")

func (b *Bus) ask(ctx context.Context, subject string, data []byte, all bool, f func([]byte) error) (string, error) {
	full, err := b.subject(subject, false)
	if err != nil {
		return "", err
	}
	if err := checkSize("question", data); err != nil {
		return "", err
	}
	up, changed := b.link.state()
	if !up {
		return "", fmt.Errorf("NATS is away: %w", kaijutsu.ErrUnavailable)
	}
	address, in := b.calls.start()
	defer b.calls.end(address)
	m := b.message(full, data)
	m.Reply = address
	if err := b.nc.PublishMsg(m); err != nil {
		return "", fmt.Errorf("%w: %v", kaijutsu.ErrUnavailable, err)
	}
	a := &asking{b: b, all: all, f: f, started: time.Now(), nodes: map[string]*asked{}}
	err = a.run(ctx, in, changed)
	if err == errOver {
		return a.winner, nil
	}
	a.stop("")
	return a.winner, err
}

func (a *asking) run(ctx context.Context, in <-chan *nats.Msg, changed <-chan struct{}) error {
	tick := time.NewTicker(askTick)
	defer tick.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-a.b.ctx.Done():
			return fmt.Errorf("the bus is closed: %w", kaijutsu.ErrUnavailable)
		case <-changed:
			return fmt.Errorf("the connection to NATS was interrupted: %w", kaijutsu.ErrUnavailable)
		case m := <-in:
			err = a.take(m)
		case <-tick.C:
			err = a.late()
		}
		if err != nil {
			return err
		}
	}
}

// take deals with one message of an answer. errOver: the answer is complete.
func (a *asking) take(m *nats.Msg) error {
	if first(m, headerStatus) != "" {
		return fmt.Errorf("no node answers there: %w", kaijutsu.ErrUnavailable)
	}
	node, ok := a.b.admit(m)
	if !ok {
		return nil
	}
	n, ok := count(m)
	if !ok {
		a.b.refuse(node, "", "a part of an answer without its number", m.Subject)
		return nil
	}
	s := a.nodes[node]
	if s == nil {
		if len(a.nodes) >= maxAsked {
			return nil
		}
		s = &asked{}
		a.nodes[node] = s
	}
	s.to, s.heard = m.Reply, time.Now()
	if a.winner == "" && !a.all {
		a.winner = node
	}
	if a.winner != "" && a.winner != node {
		a.tell(s, "stop")
		return nil
	}
	switch first(m, headerAnswer) {
	case "alive":
		return s.hole(n)
	case "part":
		return a.part(node, s, n, m.Data)
	case "end":
		return a.end(node, s, n, m)
	}
	return nil
}

func (s *asked) hole(n uint64) error {
	if n != s.got {
		return fmt.Errorf("the answer has a hole: %d parts of %d came: %w", s.got, n, kaijutsu.ErrUnavailable)
	}
	return nil
}

func (a *asking) part(node string, s *asked, n uint64, data []byte) error {
	s.got++
	if err := s.hole(n); err != nil {
		return err
	}
	if a.winner == "" {
		a.winner = node
		a.stop(node)
	}
	if err := a.f(data); err != nil {
		return err
	}
	s.heard = time.Now()
	if s.got%ackEvery == 0 {
		a.tell(s, "ack")
	}
	return nil
}

func (a *asking) end(node string, s *asked, n uint64, m *nats.Msg) error {
	if err := s.hole(n); err != nil {
		return err
	}
	s.over = true
	s.err = getError(m, node)
	switch {
	case s.err == nil:
		a.winner = node
		a.stop(node)
		return errOver
	case a.winner == node:
		return s.err
	}
	return a.late()
}

// late reports whether there is nobody left to wait for.
func (a *asking) late() error {
	if a.winner != "" || !a.all {
		s := a.nodes[a.winner]
		switch {
		case s == nil && time.Since(a.started) > acceptWithin:
			return fmt.Errorf("no answer within %v: %w", acceptWithin, kaijutsu.ErrUnavailable)
		case s != nil && time.Since(s.heard) > silentFor:
			return fmt.Errorf("node %s went silent: %w", a.winner, kaijutsu.ErrUnavailable)
		}
		return nil
	}
	if time.Since(a.started) < askAllWait && !a.allHeard() {
		return nil
	}
	var last error
	for _, s := range a.nodes {
		if !s.over && time.Since(s.heard) < silentFor {
			return nil
		}
		if s.err != nil {
			last = s.err
		}
	}
	switch {
	case last != nil:
		return fmt.Errorf("no node of %d has it: %w: %v", len(a.nodes), kaijutsu.ErrNotFound, last)
	case time.Since(a.started) > acceptWithin || len(a.nodes) > 0:
		return fmt.Errorf("no answer of %d nodes: %w", len(a.nodes), kaijutsu.ErrUnavailable)
	}
	return nil
}

// allHeard reports whether every node that was heard lately has answered.
func (a *asking) allHeard() bool {
	lately := a.b.peers.lately()
	return len(lately) > 0 && !slices.ContainsFunc(lately, func(node string) bool {
		s := a.nodes[node]
		return s == nil || !s.over
	})
}

// stop tells those who are still answering, except one, that nobody listens.
func (a *asking) stop(except string) {
	for node, s := range a.nodes {
		if node != except && !s.over {
			a.tell(s, "stop")
		}
	}
}

func (a *asking) tell(s *asked, what string) {
	if s.to != "" {
		a.b.nc.PublishMsg(a.b.word(s.to, what, s.got, nil))
	}
}
