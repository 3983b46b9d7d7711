package bench

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// warmUp is how long a server is driven before anything is recorded.
const warmUp = 2 * time.Second

// pen is one writer at work.
type pen struct {
	rate  float64 // of write, per second on average
	write func(ctx context.Context) error
	late  []time.Duration // how late its timer fired; to be read when it is done
	made  int             // times that it has written; likewise
}

// drive lets the pens write, records for a while, and waits until what was
// recorded has arrived everywhere, or until late has gone by after the last edit.
// It returns what the processes used from the beginning of the recording on.
func drive(ctx context.Context, j *journal, pens []*pen, duration, late time.Duration, pids ...int) (cost, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := make(chan struct{})
	var writing sync.WaitGroup
	for _, p := range pens {
		writing.Go(func() {
			if err := p.run(ctx, stop); err != nil {
				cancel(err)
			}
		})
	}
	halt := sync.OnceFunc(func() { close(stop); writing.Wait() })
	defer halt()
	if err := pause(ctx, min(warmUp, duration)); err != nil {
		return cost{}, err
	}
	g, err := startGauge(pids...)
	if err != nil {
		return cost{}, err
	}
	j.record()
	if err := pause(ctx, duration); err != nil {
		return cost{}, err
	}
	halt()
	j.close()
	patience, stopLate := context.WithTimeout(ctx, late)
	defer stopLate()
	select {
	case <-j.complete:
	case <-patience.Done(): // what is missing is counted
	}
	if err := context.Cause(ctx); err != nil {
		return cost{}, err
	}
	return g.stop()
}

// run writes until told to stop, at intervals between half and one and a half
// of the average, so that no writer runs in step with a server's own timers.
func (p *pen) run(ctx context.Context, stop <-chan struct{}) error {
	interval := float64(time.Second) / p.rate
	timer := time.NewTimer(time.Duration(rand.Float64() * interval))
	defer timer.Stop()
	due := time.Now()
	for first := true; ; first = false {
		select {
		case <-stop:
			return nil
		case <-ctx.Done():
			return nil
		case <-timer.C:
		}
		now := time.Now()
		if first {
			due = now
		}
		p.late = append(p.late, now.Sub(due))
		if err := p.write(ctx); err != nil {
			return err
		}
		p.made++
		due = due.Add(time.Duration((0.5 + rand.Float64()) * interval))
		timer.Reset(time.Until(due))
	}
}

// pause waits, or returns why ctx ended.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
