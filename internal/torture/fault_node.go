package torture

import (
	"context"
	"time"
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
func skewClock(ctx context.Context, s *stage, _ int, opt Options, _ *Report) error {
	if err := s.pause(ctx, opt.long(8*time.Second)); err != nil {
		return err
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

// long is how long a fault waits that waits long.
func (opt Options) long(d time.Duration) time.Duration {
	if opt.Brief {
		return d / 3
	}
	return d
}
