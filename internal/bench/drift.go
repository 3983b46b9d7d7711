package bench

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"time"
)

const (
	// driftRate is how many drifts a second are pushed.
	driftRate = 50
	// driftItems is how many are staged and flushed.
	driftItems = 10_000
	// driftBytes is about how long one is.
	driftBytes = 200
	// driftStagers is how many stage at a time.
	driftStagers = 32
)

// courier is a way to hand messages on: ours, or a rival's.
type courier interface {
	name() string
	// push hands on driftRate messages a second for a while.
	push(ctx context.Context, d time.Duration) (*pushResult, error)
	// move makes driftItems messages wait, and moves them all to where they are
	// to go, each once.
	move(ctx context.Context) (took time.Duration, used cost, err error)
	close()
}

// pushResult is what pushing took.
type pushResult struct {
	sent      int
	durable   []time.Duration // until the sender was answered
	seen      []time.Duration // until the receiver had it
	confirmed []time.Duration // until the receiver's acknowledgement was confirmed
	late      []time.Duration // how late the generator's timer fired
	used      cost
}

// measureDrift measures the ways of a drift beside JetStream's, and citations
// beside git's.
func measureDrift(ctx context.Context, opt *ClusterOptions) (*Table, error) {
	ways := []func(context.Context, *ClusterOptions, string) (courier, error){openOurs, openSynced, openUnsynced}
	results := make(map[string]*driftResult)
	var names []string
	for round := range opt.Rounds {
		order := slices.Clone(ways)
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, open := range order {
			name, err := driftRound(ctx, opt, round, open, results)
			if err != nil {
				return nil, err
			}
			if round == 0 {
				names = append(names, name)
			}
		}
	}
	t := driftTable(names, results)
	var err error
	t.next, err = measureCitations(ctx, opt)
	return t, err
}

// driftResult is what a contestant did in all rounds.
type driftResult struct {
	push                pushResult
	moved               []float64 // s
	server, generator   []float64 // % of one core while pushing
	moveCPU, moveLoader []float64 // s, of one move
	others              []float64
}

func driftRound(ctx context.Context, opt *ClusterOptions, round int, open func(context.Context, *ClusterOptions, string) (courier, error), results map[string]*driftResult) (string, error) {
	dir, err := os.MkdirTemp(opt.Dir, "kj-bench-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	c, err := open(ctx, opt, dir)
	if err != nil {
		return "", err
	}
	defer c.close()
	name := c.name()
	opt.say("round %d of %d: %s (load %s)", round+1, opt.Rounds, name, loadAverage())
	r := results[name]
	if r == nil {
		r = &driftResult{}
		results[name] = r
	}
	if _, err := c.push(ctx, warmUp); err != nil {
		return "", fmt.Errorf("%s: warm up: %w", name, err)
	}
	p, err := c.push(ctx, opt.For)
	if err != nil {
		return "", fmt.Errorf("%s: push: %w", name, err)
	}
	opt.say("  durable p50 %s ms, p99 %s ms; seen p50 %s ms, p99 %s ms", number(quantile(p.durable, 0.5)), number(quantile(p.durable, 0.99)), number(quantile(p.seen, 0.5)), number(quantile(p.seen, 0.99)))
	took, used, err := c.move(ctx)
	if err != nil {
		return "", fmt.Errorf("%s: move: %w", name, err)
	}
	opt.say("  %d moved in %s", driftItems, took.Round(time.Millisecond))
	r.push.sent += p.sent
	r.push.durable, r.push.seen = append(r.push.durable, p.durable...), append(r.push.seen, p.seen...)
	r.push.confirmed, r.push.late = append(r.push.confirmed, p.confirmed...), append(r.push.late, p.late...)
	r.server, r.generator = append(r.server, p.used.percent(p.used.server)), append(r.generator, p.used.percent(p.used.self))
	r.others = append(r.others, p.used.percent(p.used.others))
	r.moved = append(r.moved, took.Seconds())
	r.moveCPU, r.moveLoader = append(r.moveCPU, used.server.Seconds()), append(r.moveLoader, used.self.Seconds())
	return name, nil
}

// driftTable holds the contestants, ours first, side by side.
func driftTable(names []string, results map[string]*driftResult) *Table {
	t := newTable(fmt.Sprintf("Drifts of %d bytes, %d a second, and %d at once, beside NATS JetStream as exactly-once", driftBytes, driftRate, driftItems), "kj bench drift", "")
	t.columns = append(t.columns, names...)
	for _, rival := range names[1:] {
		t.columns = append(t.columns, rival+" / "+names[0])
	}
	row := func(what string, of func(*driftResult) float64) {
		var cells []string
		ours := of(results[names[0]])
		for _, name := range names {
			cells = append(cells, known(of(results[name])))
		}
		for _, name := range names[1:] {
			cells = append(cells, ratioOf(of(results[name]), ours))
		}
		t.add(what, cells...)
	}
	for _, m := range []struct {
		what string
		of   func(*driftResult) []time.Duration
	}{
		{"pushed → on disk where it goes, and the sender told", func(r *driftResult) []time.Duration { return r.push.durable }},
		{"pushed → there for a receiver that follows", func(r *driftResult) []time.Duration { return r.push.seen }},
		{"pushed → the receiver's acknowledgement confirmed", func(r *driftResult) []time.Duration { return r.push.confirmed }},
	} {
		row(m.what+", p50, ms", func(r *driftResult) float64 { return quantile(m.of(r), 0.5) })
		row("… p99, ms", func(r *driftResult) float64 { return quantile(m.of(r), 0.99) })
	}
	median := func(of func(*driftResult) []float64) func(*driftResult) float64 {
		return func(r *driftResult) float64 { s, _ := spreadOf(of(r)); return s.median }
	}
	row(fmt.Sprintf("%d that wait → all where they go, each once, s", driftItems), median(func(r *driftResult) []float64 { return r.moved }))
	row("server CPU while pushing, % of one core", median(func(r *driftResult) []float64 { return r.server }))
	row("load generator CPU while pushing, % of one core", median(func(r *driftResult) []float64 { return r.generator }))
	row("server CPU of moving them all, s", median(func(r *driftResult) []float64 { return r.moveCPU }))
	row("load generator CPU of moving them all, s", median(func(r *driftResult) []float64 { return r.moveLoader }))
	for _, name := range names {
		r := results[name]
		t.note("%s: %d pushed, %d of them seen; timers late by %s ms, p99; everybody else on the machine %s %% of one core.",
			name, r.push.sent, len(r.push.seen), number(quantile(r.push.late, 0.99)), known(median(func(r *driftResult) []float64 { return r.others })(r)))
	}
	t.note("What JetStream does: it keeps a message under its id once, for the two minutes of its window, and hands it to the consumer until the consumer's acknowledgement is confirmed. What it does not do: it makes no block, checks no right of a sender in source and target, and forgets the id after its window.")
	t.note("To move messages the rival's mover has up to %d under way: it publishes each under its id to the other stream and, when that has stored it, acknowledges it at the first and waits until that is confirmed; a mover that is killed does it again. Ours is one request; the server moves, and goes on with it after a kill.", movePending)
	t.note("Load average at the end: %s.", loadAverage())
	return t
}

// known writes a number, or that there is none.
func known(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return number(v)
}

func ratioOf(theirs, ours float64) string {
	if math.IsNaN(theirs) || math.IsNaN(ours) || ours == 0 {
		return "–"
	}
	return number(theirs/ours) + "×"
}

// paced calls f at the drifts' rate for a while, whether or not the last call
// has returned, and returns when all have, with how late the timer fired.
func paced(ctx context.Context, d time.Duration, f func(i int, at time.Time) error) (n int, late []time.Duration, err error) {
	errs := make(chan error, 1)
	began, every := time.Now(), time.Second/driftRate
	running := make(chan struct{}, 1024)
	for ; time.Duration(n)*every < d; n++ {
		due := began.Add(time.Duration(n) * every)
		if err := pause(ctx, time.Until(due)); err != nil {
			return n, late, err
		}
		at := time.Now()
		late = append(late, at.Sub(due))
		running <- struct{}{}
		go func(i int) {
			defer func() { <-running }()
			if err := f(i, at); err != nil {
				select {
				case errs <- err:
				default:
				}
			}
		}(n)
	}
	for range cap(running) { // all have returned
		running <- struct{}{}
	}
	select {
	case err = <-errs:
	default:
	}
	return n, late, err
}
