package torture

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// lostTitle is the title of the context that gets a copy of each dead letter.
const lostTitle = "lost+found"

// driftAlone kills one server in the middle of what it does with drifts, round
// after round, and counts at the end.
func driftAlone(ctx context.Context, s *stage, opt Options, r *Report) error {
	o, err := openOffice(ctx, s, r)
	if err != nil {
		return err
	}
	n := s.nodes[0]
	for i := range 2 {
		id, err := o.newContext(ctx, n, fmt.Sprintf("Source %d", i+1))
		if err != nil {
			return err
		}
		o.sources = append(o.sources, id)
	}
	var all []string // contexts that were sent to
	for round := range opt.Rounds {
		if round%targetRounds == 0 {
			o.targets = nil
			for i := range targetsEach {
				id, err := o.newContext(ctx, n, fmt.Sprintf("Target %d of %d", i+1, round/targetRounds+1))
				if err != nil {
					return err
				}
				o.targets, all = append(o.targets, id), append(all, id)
			}
		}
		own, err := o.round(ctx, n, round)
		if err != nil {
			return fmt.Errorf("round %d: %w", round+1, err)
		}
		all = append(all, own...)
		if (round+1)%50 == 0 || round+1 == opt.Rounds {
			s.say("  round %d of %d: %d drifts, %d kills", round+1, opt.Rounds, len(o.parcels), o.d.Kills)
		}
	}
	return o.audit(ctx, n, all)
}

// round is one strike: the first ones of each sort, then of any. It returns
// contexts of its own.
func (o *office) round(ctx context.Context, n *node, round int) (own []string, err error) {
	what := o.s.random.IntN(100)
	if first := []int{0, 60, 72, 86, 93}; round < len(first) {
		what = first[round]
	}
	switch {
	case what < 60:
		return nil, o.flushRound(ctx, n, round)
	case what < 72:
		return nil, o.sendRound(ctx, n, round, false)
	case what < 86:
		return nil, o.sendRound(ctx, n, round, true)
	case what < 93:
		return o.replayRound(ctx, n, round)
	}
	return nil, o.consentRound(ctx, n, round)
}

// blow kills the node while the works are under way, at a random moment or
// when they are done, and starts it again.
func (o *office) blow(ctx context.Context, n *node, works ...func()) error {
	// Most is over after some milliseconds, so most kills are early.
	when := o.s.somewhere(0, 30*time.Millisecond)
	if o.s.random.IntN(2) == 0 {
		when /= 4
	}
	var working sync.WaitGroup
	for _, w := range works {
		working.Go(w)
	}
	done := make(chan struct{})
	go func() { working.Wait(); close(done) }()
	timer := time.NewTimer(when)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-done:
	case <-ctx.Done():
	}
	if err := n.alive(); err != nil {
		return err
	}
	n.kill()
	<-done
	o.d.Kills++
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return o.restart(ctx, n)
}

// flushRound stages some items, and kills the server while they are flushed and
// some are cancelled. Then the flush is asked for again, or has to go on by
// itself, or is left to a later round.
func (o *office) flushRound(ctx context.Context, n *node, round int) error {
	source := some(o, o.sources)
	items := make([]*parcel, 1+o.s.random.IntN(20))
	for i := range items {
		items[i] = o.newParcel(round, source, some(o, o.targets), o.s.random.IntN(2) == 0)
	}
	each(items, func(p *parcel) { o.send(ctx, n, p) })
	for _, p := range items {
		if !p.acked {
			o.problem("%s: it was not staged by a server that nobody harmed", p)
		}
	}
	works := []func(){}
	for range 1 + o.s.random.IntN(2) {
		name, after := o.someone(), o.s.somewhere(0, 2*time.Millisecond)
		works = append(works, func() {
			time.Sleep(after)
			o.flush(ctx, n, name, source)
		})
	}
	if o.s.random.IntN(2) == 0 { // those that a flush comes to last
		victims, after := items[len(items)/2:], o.s.somewhere(0, 2*time.Millisecond)
		works = append(works, func() {
			time.Sleep(after)
			each(victims, func(p *parcel) { o.take(ctx, n, p) })
		})
	}
	if err := o.blow(ctx, n, works...); err != nil {
		return err
	}
	switch o.s.random.IntN(3) {
	case 0:
		if err := o.goesOn(ctx, n, source, items); err != nil {
			o.problem("round %d: %v", round+1, err)
		}
		return context.Cause(ctx)
	case 1:
		o.d.Again++
		o.flush(ctx, n, o.someone(), source)
	}
	return nil
}

// goesOn waits until nothing of a flush is left, when a part of it is done: then
// it was on record, and goes on without being asked.
func (o *office) goesOn(ctx context.Context, n *node, source string, items []*parcel) error {
	of := make(map[string]bool)
	for _, p := range items {
		if p.acked && p.cancel == notCancelled {
			of[p.id] = true
		}
	}
	ctx, cancel := context.WithTimeout(ctx, goOnTimeout)
	defer cancel()
	return o.s.await(ctx, "a flush goes on by itself", func() error {
		ids, err := o.waiting(ctx, n, source)
		left := 0
		for _, id := range ids {
			if of[id] {
				left++
			}
		}
		if err == nil && left > 0 && left < len(of) {
			return fmt.Errorf("%d of %d items are left: %w", left, len(of), errStands)
		}
		return err
	})
}

// sendRound kills the server while drifts are pushed or staged. Those with an id
// are sent again, and so are some that were acknowledged.
func (o *office) sendRound(ctx context.Context, n *node, round int, now bool) error {
	items := make([]*parcel, 1+o.s.random.IntN(20))
	for i := range items {
		items[i] = o.newParcel(round, some(o, o.sources), some(o, o.targets), o.s.random.IntN(2) == 0)
		items[i].now = now
	}
	if err := o.blow(ctx, n, func() { each(items, func(p *parcel) { o.send(ctx, n, p) }) }); err != nil {
		return err
	}
	again := unacknowledged(items)
	for _, p := range items {
		if p.given && p.acked && o.s.random.IntN(3) == 0 {
			again = append(again, p)
		}
	}
	o.d.Repeated += len(again)
	each(again, func(p *parcel) { o.send(ctx, n, p) })
	for _, p := range unacknowledged(items) {
		o.problem("%s: it was not taken by a server that nobody harmed", p)
	}
	return nil
}

// replayRound lets items die of an archived target, and kills the server while
// they are replayed.
func (o *office) replayRound(ctx context.Context, n *node, round int) (own []string, err error) {
	source := some(o, o.sources)
	to, err := o.newContext(ctx, n, fmt.Sprintf("Dead end %d", round+1))
	if err != nil {
		return nil, err
	}
	items := make([]*parcel, 1+o.s.random.IntN(5))
	for i := range items {
		items[i] = o.newParcel(round, source, to, o.s.random.IntN(2) == 0)
		items[i].died = true
	}
	each(items, func(p *parcel) { o.send(ctx, n, p) })
	owner := o.at(n, "")
	if err := owner.call(ctx, "context_archive", map[string]any{"context": to}, nil); err != nil {
		return nil, err
	}
	const failures = 5
	for range failures {
		if err := owner.call(ctx, "drift_flush", map[string]any{"context": source}, nil); err != nil {
			return nil, err
		}
	}
	if err := owner.call(ctx, "context_archive", map[string]any{"context": to, "archived": false}, nil); err != nil {
		return nil, err
	}
	work := func() { _ = o.ask(ctx, n, "", "drift_replay", map[string]any{"item": "all"}, nil) }
	if o.s.random.IntN(2) == 0 {
		work = func() {
			each(items, func(p *parcel) { _ = o.ask(ctx, n, p.by, "drift_replay", map[string]any{"item": p.id}, nil) })
		}
	}
	if err := o.blow(ctx, n, work); err != nil {
		return nil, err
	}
	_ = o.ask(ctx, n, "", "drift_replay", map[string]any{"item": "all"}, nil)
	return []string{to}, nil
}

// audit kills the server once more, flushes what is left, and holds everything
// against what the senders wrote down.
func (o *office) audit(ctx context.Context, n *node, targets []string) error {
	if err := o.blow(ctx, n); err != nil {
		return err
	}
	for _, source := range o.sources {
		o.flush(ctx, n, "", source)
	}
	left, err := o.over(ctx, n)
	if err != nil {
		return err
	}
	var found, copies []letter
	for _, id := range append(append([]string(nil), targets...), o.sources...) {
		letters, _, err := o.letters(ctx, n, id)
		if err != nil {
			return err
		}
		found = append(found, letters...)
	}
	if copies, err = o.lostFound(ctx, n); err != nil {
		return err
	}
	o.conclude(found, copies, left)
	o.d.Resume = wentOn(n.log())
	checkLog(o.r, n.name, n.log())
	return nil
}

// lostFound returns what is in lost+found.
func (o *office) lostFound(ctx context.Context, n *node) (all []letter, err error) {
	var out struct {
		Contexts []struct{ ID, Title string }
	}
	if err := o.at(n, "").call(ctx, "context_list", map[string]any{}, &out); err != nil {
		return nil, err
	}
	for _, c := range out.Contexts {
		if c.Title == lostTitle {
			letters, _, err := o.letters(ctx, n, c.ID)
			if err != nil {
				return nil, err
			}
			all = append(all, letters...)
		}
	}
	return all, nil
}

// conclude fills in the report.
func (o *office) conclude(found, copies []letter, left []string) {
	for _, p := range checkParcels(o.d, o.parcels, found, copies, left) {
		o.problem("%s", p)
	}
	if o.d.Delivered == 0 || o.d.Kills == 0 {
		o.problem("%d drifts were delivered and there were %d kills: this run shows nothing", o.d.Delivered, o.d.Kills)
	}
	o.r.Nodes = len(o.s.nodes)
	o.r.latencies(o.s.ledger)
	o.r.note("answered in %s median, %s p99, %s at most", ms(o.r.AckMedian), ms(o.r.Ack99), ms(o.r.AckMost))
	for _, what := range sortedKeys(o.odd) {
		o.r.note("%d times %s", o.odd[what], what)
	}
}

// wentOn counts the flushes that went on after a restart and had something left
// to do.
func wentOn(log string) (n int) {
	for line := range strings.Lines(log) {
		if strings.Contains(line, "a flush went on after a restart") && !strings.Contains(line, "delivered=0 ") {
			n++
		}
	}
	return n
}
