package search

import (
	"context"
	"runtime"
	"time"
)

// turnTime is how long a search goes on while others wait for their turn.
const turnTime = 5 * time.Millisecond

// turns are tokens of those who may compare: searches leave a processor to
// everything else, however many there are.
var turns = make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1))

// turn is a search's.
type turn struct{ since time.Time }

// take waits for a turn; the caller gives it back.
func (t *turn) take(ctx context.Context) error {
	select {
	case turns <- struct{}{}:
		t.since = time.Now()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *turn) give() { <-turns }

// pass lets the next one go on when this one had its time, and waits for
// another turn, which it has also when ctx has ended: the error says so.
func (t *turn) pass(ctx context.Context) error {
	if time.Since(t.since) < turnTime {
		return nil
	}
	t.give()
	err := t.take(ctx)
	if err != nil {
		turns <- struct{}{} // a moment: nobody has one for long
	}
	return err
}
