package changegraph

import (
	"slices"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/planted"
)

// Add takes one change that amfile has decoded or encoded. It returns the changes that the document has
// gained, in order: c and those that waited for it. None and no error means
// that c is known already or waits: for dependencies, or because it starts far
// beyond the highest counter known.
//
// The error is a *Refusal. A change that waits is checked when its
// dependencies are there; the refusal of one that a peer brought is told in
// that peer's next Received.
func (g *Graph) Add(c *amfile.Change) (added []*amfile.Change, err error) {
	return g.AddFrom(nil, c, ReceiveOptions{})
}

// AddFrom is Add of a change that a peer brought, outside of a message.
func (g *Graph) AddFrom(s *SyncState, c *amfile.Change, opt ReceiveOptions) (added []*amfile.Change, err error) {
	if s != nil {
		s.readOnly = opt.ReadOnly
	}
	added, refusal := g.add(c, s)
	if refusal != nil {
		return nil, refusal
	}
	return added, nil
}

// candidate is a change to be tried, and the peer who brought it.
type candidate struct {
	change *amfile.Change
	from   *SyncState
}

// add tries c and then whatever that sets free.
func (g *Graph) add(c *amfile.Change, from *SyncState) (added []*amfile.Change, refusal *Refusal) {
	queue := []candidate{{c, from}}
	for k := 0; k < len(queue); k++ {
		g.Stop.Check()
		next := queue[k]
		ok, r := g.try(next.change, next.from)
		switch {
		case r != nil && k == 0:
			refusal = r
			g.dropDependents(r, next.from)
		case r != nil:
			next.from.tell(r)
			g.dropDependents(r, next.from)
		case ok:
			added = append(added, next.change)
			queue = g.release(queue, next.change)
		}
	}
	if g.Tried != nil {
		g.Tried()
	}
	return added, refusal
}

// release appends the orphans that the addition of c sets free.
func (g *Graph) release(queue []candidate, c *amfile.Change) []candidate {
	if len(g.waiting.byHash) == 0 {
		return queue
	}
	freed := append(g.waiting.takeOn(c.Hash), g.waiting.takeLate(g.maxOp+1+CounterSlack)...)
	for _, o := range freed {
		again, err := amfile.DecodeChange(o.raw)
		if err != nil {
			continue // it was decoded from the same bytes before it was queued
		}
		queue = append(queue, candidate{again, o.from})
	}
	return queue
}

// dropDependents refuses the orphans that can never be added because r was.
func (g *Graph) dropDependents(r *Refusal, from *SyncState) {
	if r.denied {
		from.deny(r)
		g.dropDenied(r, from)
		return
	}
	g.refusals.add(r)
	if r.passing {
		return
	}
	for lost := []*Refusal{r}; len(lost) > 0; {
		on := lost[len(lost)-1]
		lost = lost[:len(lost)-1]
		for _, o := range g.waiting.takeOn(on.Hash) {
			d, err := amfile.DecodeChange(o.raw)
			if err != nil {
				continue
			}
			next := dependent(d, on)
			g.refusals.add(next)
			o.from.tell(next)
			lost = append(lost, next)
		}
	}
}

// try adds one change, or queues it, or refuses it. Rules are those of package
// amfile; the stateless ones have been checked by decoding.
func (g *Graph) try(c *amfile.Change, from *SyncState) (added bool, _ *Refusal) {
	if _, known := g.index.find(g.log, &c.Hash); known || g.waiting.byHash[c.Hash] != nil {
		return false, nil
	}
	if r := g.refusals.find(c.Hash); r != nil {
		return false, r
	}
	if from != nil && from.denied.find(c.Hash) != nil {
		return false, nil // it was told
	}
	if r := said(g.Admit, c, from); r != nil {
		return false, r
	}
	if from != nil && from.readOnly {
		return false, readsOnly(c)
	}
	if r := g.checkSeq(c); r != nil {
		return false, r
	}
	deps, unknown := g.resolve(c.Deps)
	for _, h := range unknown {
		if r := g.refusals.find(h); r != nil {
			return false, dependent(c, r)
		}
		if from == nil {
			continue
		}
		if r := from.denied.find(h); r != nil {
			return false, dependent(c, r)
		}
	}
	if len(unknown) > 0 && planted.On("dropped-orphan") {
		return false, nil
	}
	if len(unknown) > 0 {
		g.waiting.put(c, unknown[0], from)
		return false, nil
	}
	if r := g.checkAnchor(c, deps); r != nil {
		return false, r
	}
	past := g.pastOf(c, deps)
	if r := g.checkOrder(c, deps, past); r != nil {
		return false, r
	}
	if c.StartOp > g.maxOp+1+CounterSlack {
		g.waiting.put(c, kaijutsu.ChangeHash{}, from)
		return false, nil
	}
	if r := g.checkHeads(c, deps); r != nil {
		return false, r
	}
	if err := c.Check(past); err != nil {
		return false, refuseFor(c, err)
	}
	if r := g.judge(c, from); r != nil {
		return false, r
	}
	i := g.append(entry{
		hash: c.Hash, author: c.Author(), deps: deps, seq: c.Seq,
		startOp: c.StartOp, numOps: uint64(len(c.Ops)), raw: c.Raw,
	})
	g.ops.of(g.log[i].numOps).put(i, g.compact(c))
	if !past.all {
		g.recent.follow(i, past.outside)
	}
	if g.Took != nil {
		g.Took(c, from)
	}
	return true, nil
}

// checkSeq holds rule 9 as far as it can be judged without the dependencies:
// another change with this actor and sequence number makes every client stop.
func (g *Graph) checkSeq(c *amfile.Change) *Refusal {
	a, ok := g.actors[c.Author()]
	if !ok || c.Seq > uint64(len(g.authors[a].changes)) {
		return nil
	}
	r := refuse(c, 9, "the actor has another change with this sequence number: %v", g.log[g.authors[a].changes[c.Seq-1]].hash)
	r.kind = kaijutsu.ErrConflict
	return r
}

// checkOrder holds rules 9, 11 and 12 for a change whose dependencies are known.
func (g *Graph) checkOrder(c *amfile.Change, deps []int32, past *past) *Refusal {
	if next := g.NextSeq(c.Author()); c.Seq != next {
		return refuse(c, 9, "the actor's next sequence number is %d", next)
	}
	if c.Seq > 1 {
		changes := g.authors[g.actors[c.Author()]].changes
		if previous := changes[len(changes)-1]; !past.holds(previous) {
			return refuse(c, 11, "does not depend on the actor's previous change %v", g.log[previous].hash)
		}
	}
	var maxOp uint64
	for _, d := range deps {
		maxOp = max(maxOp, g.log[d].maxOp())
	}
	if c.StartOp <= maxOp {
		return refuse(c, 12, "starts at operation %d, its dependencies reach %d", c.StartOp, maxOp)
	}
	return nil
}

// checkHeads holds rule 27 for open heads: many of them make every later edit
// and every sync message slow.
func (g *Graph) checkHeads(c *amfile.Change, deps []int32) *Refusal {
	if len(g.heads) < MaxHeads {
		return nil
	}
	for _, d := range deps {
		if _, is := slices.BinarySearch(g.heads, d); is {
			return nil
		}
	}
	r := refuse(c, 27, "the document has %d open heads", len(g.heads))
	r.kind, r.passing = kaijutsu.ErrTooLarge, true
	return r
}
