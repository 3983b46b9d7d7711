package torture

import (
	"context"
	"fmt"
	"time"
)

// partition cuts a machine with its node and its nats-server off.
func partition(ctx context.Context, s *stage, round int, opt Options, r *Report) error {
	return s.cutOff(ctx, round%len(s.nodes), opt.long(12*time.Second), opt, r)
}

// isolate cuts a node off that has no nats-server on its machine.
func isolate(ctx context.Context, s *stage, round int, opt Options, r *Report) error {
	return s.cutOff(ctx, 1+round%(len(s.nodes)-1), opt.long(5*time.Second), opt, r)
}

// cutOff takes the cable out of a machine for a while. Nothing is told: packets
// do not arrive. Writers and followers of its node stay with it.
func (s *stage) cutOff(ctx context.Context, i int, d time.Duration, opt Options, r *Report) error {
	m, n := s.machine(i), s.nodes[i]
	if err := m.cut(); err != nil {
		return err
	}
	from := time.Now()
	s.say("  ✗ the machine of node %s is cut off for %s", n.name, d)
	err := s.pause(ctx, d)
	s.editingGoesOn(r, fmt.Sprintf("node %s cut off", n.name), from)
	if joined := m.join(); err == nil {
		err = joined
	}
	if err != nil {
		return err
	}
	return s.pause(ctx, opt.long(6*time.Second))
}
