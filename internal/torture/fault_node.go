package torture

import (
	"context"
	"fmt"
	"time"

	"kaijutsu"
)

// killNode kills a node and starts it again, now at once, now later.
func killNode(ctx context.Context, s *stage, _ int, _ Options, r *Report) error {
	n := s.nodes[s.random.IntN(len(s.nodes))]
	if err := s.pause(ctx, s.somewhere(300*time.Millisecond, 1200*time.Millisecond)); err != nil {
		return err
	}
	n.kill()
	down := s.somewhere(0, 1500*time.Millisecond)
	s.say("  ✗ kill -9 of node %s, down for %s", n.name, down.Round(time.Millisecond))
	if err := s.pause(ctx, down); err != nil {
		return err
	}
	began := time.Now()
	if err := n.start(ctx); err != nil {
		return err
	}
	r.note("node %s served again %s after its start", n.name, time.Since(began).Round(time.Millisecond))
	return nil
}

// skewClock restarts the nodes that live in another time, so that what they
// stored in it is read again.
func skewClock(ctx context.Context, s *stage, _ int, opt Options, r *Report) error {
	if err := s.pause(ctx, opt.long(8*time.Second)); err != nil {
		return err
	}
	for _, n := range s.nodes[1:] {
		off, err := s.clockOf(ctx, n)
		if err != nil {
			return err
		}
		r.note("the clock of node %s is off by %s", n.name, off.Round(time.Minute))
		if off.Abs() < 50*time.Minute {
			r.problem("the clock of node %s is not off by an hour: this run shows nothing", n.name)
		}
	}
	for _, n := range s.nodes[1:] {
		s.say("  ✗ kill -9 of node %s, whose clock is wrong", n.name)
		n.kill()
		if err := n.start(ctx); err != nil {
			return err
		}
		if err := s.pause(ctx, opt.long(4*time.Second)); err != nil {
			return err
		}
	}
	// Right again, it has changes of a time that is not yet, or long ago.
	for _, n := range s.nodes[1:] {
		n.env = nil
		n.kill()
		if err := n.start(ctx); err != nil {
			return err
		}
		s.say("  node %s is back in our time", n.name)
	}
	return s.pause(ctx, opt.long(4*time.Second))
}

// clockOf lets a node make a change and returns by how much its time differs
// from ours.
func (s *stage) clockOf(ctx context.Context, n *node) (time.Duration, error) {
	a, t := n.api(), s.targets[0]
	var out written
	if err := a.call(ctx, "block_create", map[string]any{"context": t.id, "content": "What is the time?"}, &out); err != nil {
		return 0, err
	}
	changes, err := a.export(ctx, t.doc)
	if err != nil {
		return 0, err
	}
	for _, c := range changes {
		if c.Hash.String() == out.Change {
			return time.Until(time.Unix(c.Time, 0)), nil
		}
	}
	return 0, fmt.Errorf("node %s does not export change %s that it has made: %w", n.name, out.Change, kaijutsu.ErrNotFound)
}

// long is how long a fault waits that waits long.
func (opt Options) long(d time.Duration) time.Duration {
	if opt.Brief {
		return d / 3
	}
	return d
}
