package torture

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"kaijutsu"
)

// driftNodes has nodes flush, cancel and push drifts of one source at the same
// time, kills some of them meanwhile, and counts at the end. Each round has a
// source of its own: a node that was killed keeps the lease of the source until
// that has run out.
func driftNodes(ctx context.Context, s *stage, opt Options, r *Report) error {
	o, err := openOffice(ctx, s, r)
	if err != nil {
		return err
	}
	for i := range targetsEach {
		id, err := o.everywhere(ctx, fmt.Sprintf("Target %d", i+1))
		if err != nil {
			return err
		}
		o.targets = append(o.targets, id)
	}
	for round := range opt.Rounds {
		if err := o.nodesRound(ctx, round); err != nil {
			return fmt.Errorf("round %d: %w", round+1, err)
		}
		s.say("  round %d of %d: %d drifts, %d kills", round+1, opt.Rounds, len(o.parcels), o.d.Kills)
	}
	return o.auditNodes(ctx)
}

// everywhere makes a context at some node and waits until all have it.
func (o *office) everywhere(ctx context.Context, title string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, goOnTimeout)
	defer cancel()
	id, err := o.newContext(ctx, some(o, o.s.nodes), title)
	if err != nil {
		return "", err
	}
	for _, n := range o.s.nodes {
		if err := o.s.await(ctx, fmt.Sprintf("node %s has context %s", n.name, title), func() error {
			_, _, err := o.letters(ctx, n, id)
			return err
		}); err != nil {
			return "", err
		}
	}
	return id, nil
}

// nodesRound stages items at all nodes, and kills one or two of them while all
// flush, cancel and push. What was to be repeated is repeated at another node.
func (o *office) nodesRound(ctx context.Context, round int) error {
	source, err := o.everywhere(ctx, fmt.Sprintf("Source %d", round+1))
	if err != nil {
		return err
	}
	o.sources = append(o.sources, source)
	items := make([]*parcel, 6+o.s.random.IntN(15))
	for i := range items {
		items[i] = o.newParcel(round, source, some(o, o.targets), o.s.random.IntN(2) == 0)
	}
	send := func(n *node, p *parcel) { o.send(ctx, n, p) }
	o.spread(items, send)()
	if err := o.allWait(ctx, source, items); err != nil {
		return err
	}
	pushed := make([]*parcel, o.s.random.IntN(5))
	for i := range pushed {
		pushed[i] = o.newParcel(round, source, some(o, o.targets), true)
		pushed[i].now = true
	}
	works := []func(){
		o.spread(items[:o.s.random.IntN(len(items)/2+1)], func(n *node, p *parcel) { o.take(ctx, n, p) }),
		o.spread(pushed, send),
	}
	flushers := o.s.random.Perm(len(o.s.nodes))[:2+o.s.random.IntN(2)]
	for _, i := range flushers {
		name := o.someone()
		works = append(works, func() { o.flush(ctx, o.s.nodes[i], name, source) })
	}
	victims := []*node{o.s.nodes[flushers[0]]}
	if o.s.random.IntN(4) == 0 {
		victims = append(victims, o.s.nodes[flushers[1]])
	}
	if err := o.blowNodes(ctx, victims, works...); err != nil {
		return err
	}
	again := unacknowledged(append(items, pushed...))
	o.d.Repeated += len(again)
	o.spread(again, send)()
	for _, p := range unacknowledged(again) {
		o.problem("%s: it was not taken by nodes that nobody harmed", p)
	}
	return nil
}

// spread returns what runs f for every parcel, each at a node that is chosen now.
func (o *office) spread(parcels []*parcel, f func(*node, *parcel)) func() {
	at := make(map[*parcel]*node)
	for _, p := range parcels {
		at[p] = some(o, o.s.nodes)
	}
	return func() { each(parcels, func(p *parcel) { f(at[p], p) }) }
}

// allWait waits until every node has all items of a source in its queue.
func (o *office) allWait(ctx context.Context, source string, items []*parcel) error {
	ctx, cancel := context.WithTimeout(ctx, goOnTimeout)
	defer cancel()
	acked := 0
	for _, p := range items {
		if p.acked {
			acked++
		} else {
			o.problem("%s: it was not staged by a node that nobody harmed", p)
		}
	}
	for _, n := range o.s.nodes {
		if err := o.s.await(ctx, fmt.Sprintf("node %s has the queue", n.name), func() error {
			ids, err := o.waiting(ctx, n, source)
			if err == nil && len(ids) < acked {
				err = fmt.Errorf("%d of %d items: %w", len(ids), acked, kaijutsu.ErrNotFound)
			}
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// blowNodes kills nodes one after the other while the works are under way, and
// starts them again before they are over.
func (o *office) blowNodes(ctx context.Context, victims []*node, works ...func()) error {
	var waits []time.Duration
	for range victims {
		waits = append(waits, o.s.somewhere(0, 60*time.Millisecond))
	}
	down := o.s.somewhere(0, 500*time.Millisecond)
	var working sync.WaitGroup
	defer working.Wait()
	for _, w := range works {
		working.Go(w)
	}
	for i, n := range victims {
		if err := o.s.pause(ctx, waits[i]); err != nil {
			return err
		}
		n.kill()
		o.d.Kills++
	}
	if err := o.s.pause(ctx, down); err != nil {
		return err
	}
	for _, n := range victims {
		if err := o.restart(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// auditNodes flushes what is left, waits until all nodes have the same, and
// holds that against what the senders wrote down.
func (o *office) auditNodes(ctx context.Context) error {
	began := time.Now()
	if err := o.drain(ctx); err != nil {
		o.problem("%v", err)
	}
	o.s.say("  queues are empty after %s", time.Since(began).Round(100*time.Millisecond))
	converging, cancel := context.WithTimeout(ctx, convergeTimeout)
	defer cancel()
	var found []letter
	for _, id := range append(slices.Clone(o.targets), o.sources...) {
		var letters []letter
		err := o.s.await(converging, "all nodes have the same in "+id, func() (err error) {
			letters, err = o.same(converging, id)
			return err
		})
		if err != nil {
			o.problem("%v", err)
		}
		found = append(found, letters...)
	}
	copies, err := o.lostFound(ctx, o.s.nodes[0])
	if err != nil {
		return err
	}
	var left []string
	for _, n := range o.s.nodes {
		here, err := o.over(ctx, n)
		if err != nil {
			return err
		}
		left = append(left, here...)
	}
	o.conclude(found, copies, left)
	for _, n := range o.s.nodes {
		o.d.Resume += wentOn(n.log())
		checkLog(o.r, n.name, n.log())
	}
	return nil
}

// drain has some node flush each source until nothing waits anywhere. Leases of
// nodes that were killed run out meanwhile.
func (o *office) drain(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, convergeTimeout)
	defer cancel()
	return o.s.await(ctx, "every queue is empty", func() error {
		for _, n := range o.s.nodes {
			ids, err := o.waiting(ctx, n, "")
			if err != nil {
				return err
			}
			if len(ids) == 0 {
				continue
			}
			at := some(o, o.s.nodes)
			for _, source := range o.sources {
				o.d.Again++
				o.flush(ctx, at, "", source)
			}
			return fmt.Errorf("node %s has %d items: %w", n.name, len(ids), kaijutsu.ErrConflict)
		}
		return nil
	})
}

// same returns what a context holds when all nodes hold the same.
func (o *office) same(ctx context.Context, id string) (all []letter, err error) {
	var first []string
	for i, n := range o.s.nodes {
		letters, heads, err := o.letters(ctx, n, id)
		if err != nil {
			return nil, err
		}
		slices.Sort(heads)
		if i == 0 {
			all, first = letters, heads
		} else if !slices.Equal(heads, first) || !slices.Equal(letters, all) {
			return all, fmt.Errorf("context %s: node %s has %d drifts, node %s has %d, or other heads: %w", id, o.s.nodes[0].name, len(all), n.name, len(letters), kaijutsu.ErrConflict)
		}
	}
	return all, nil
}
