package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kaijutsu"
)

const (
	askIdle    = 15 * time.Second // an answer that brings nothing for so long has broken off
	whoTime    = time.Second      // to find out who has a document
	fetchTime  = 5 * time.Minute  // to get it
	baseDepth  = 16               // documents that a fork rests on
	maxMissing = 256              // documents of one answer that need more
)

// ask puts a question to a node and takes its answer apart.
func (c *Cluster) ask(ctx context.Context, node string, question []byte, u *unpacker) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(askIdle, func() {
		cancel(fmt.Errorf("node %s has sent nothing for %v: %w", node, askIdle, kaijutsu.ErrUnavailable))
	})
	defer idle.Stop()
	var bad error // what is wrong with the answer
	err := c.bus.Ask(ctx, "node.ask."+node, question, func(part []byte) error {
		idle.Stop()
		defer idle.Reset(askIdle)
		bad = u.part(part)
		return bad
	})
	if err == nil {
		bad = u.end()
		err = bad
	}
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	if errors.Is(bad, kaijutsu.ErrInvalid) {
		c.refused.note(node, bad)
	}
	return err
}
