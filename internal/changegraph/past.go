package changegraph

import (
	"iter"
	"slices"
	"sort"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// directRefs is how many references of a change are looked up one by one; more
// are sorted first, so that every change referred to is decoded at most once.
const directRefs = 64

// past is the causal past of a change under validation. It implements
// amfile.Past.
type past struct {
	g       *Graph
	all     bool  // everything known is in the past
	outside spans // otherwise what is not

	refs  []ref // sorted; nil when references are looked up one by one
	ops   []op  // what they refer to
	found []finding
}

// finding says where a reference leads.
type finding uint8

const (
	nowhere finding = iota
	within          // into the past
	beyond          // to an operation that is known and not in the past
)

// ref names an operation by its author's index.
type ref struct{ actor, counter uint32 }

func (r ref) compare(o ref) int {
	switch {
	case r.actor != o.actor:
		return int(r.actor) - int(o.actor)
	case r.counter < o.counter:
		return -1
	case r.counter > o.counter:
		return 1
	}
	return 0
}

// pastOf returns the causal past of c, whose dependencies these are.
func (g *Graph) pastOf(c *amfile.Change, deps []int32) *past {
	p := &past{g: g, all: g.coversHeads(deps)}
	if !p.all {
		p.outside = g.since(slices.Clone(deps))
	}
	p.gather(c)
	return p
}

// coversHeads reports whether all heads are among deps.
func (g *Graph) coversHeads(deps []int32) bool {
	if len(g.heads) > len(deps) {
		return false
	}
	for _, h := range g.heads {
		if !slices.Contains(deps, h) {
			return false
		}
	}
	return true
}

// holds reports whether change i is in the past.
func (p *past) holds(i int32) bool { return p.all || !p.outside.contains(i) }

// Op returns the operation with this id, if the past has it; one that is known
// all the same is marked as outside.
func (p *past) Op(id amfile.GlobalID) (amfile.PastOp, bool) {
	p.g.Stop.Check()
	actor, ok := p.g.actors[id.Actor]
	if !ok || id.Counter == 0 || id.Counter > amfile.MaxCounter {
		return amfile.PastOp{}, false
	}
	r := ref{actor, uint32(id.Counter)}
	if k, found := sort.Find(len(p.refs), func(k int) int { return r.compare(p.refs[k]) }); found {
		if p.found[k] == nowhere {
			return amfile.PastOp{}, false
		}
		return p.pastOp(&p.ops[k], p.found[k]), true
	}
	i, ok := p.g.changeOf(r)
	if !ok {
		return amfile.PastOp{}, false
	}
	ops := p.g.opsOf(i)
	k := r.counter - p.g.log[i].startOp
	if int(k) >= len(ops) {
		return amfile.PastOp{}, false
	}
	return p.pastOp(&ops[k], p.find(i)), true
}

// find says whether change i, which is known, is in the past.
func (p *past) find(i int32) finding {
	if p.holds(i) {
		return within
	}
	return beyond
}

func (p *past) pastOp(o *op, f finding) amfile.PastOp {
	found := p.g.pastOp(o)
	found.Outside = f == beyond
	return found
}

// Elements yields the insert operations of a sequence, parents first.
func (p *past) Elements(obj amfile.GlobalID) iter.Seq2[amfile.GlobalID, amfile.GlobalID] {
	return p.g.elementsOf(obj)
}

// gather looks up all that c refers to, if it is much.
func (p *past) gather(c *amfile.Change) {
	n := 0
	for k := range c.Ops {
		n += 2 + len(c.Ops[k].Pred)
	}
	if n <= directRefs {
		return
	}
	interned := p.g.lookupActors(c)
	var refs []ref
	var last ref
	note := func(id amfile.OpID) {
		if id.Counter == 0 || id.Counter > amfile.MaxCounter || id.Actor == 0 && id.Counter >= c.StartOp {
			return
		}
		r := ref{interned[id.Actor], uint32(id.Counter)}
		if r.actor != noActor && r != last {
			refs, last = append(refs, r), r
		}
	}
	for k := range c.Ops {
		o := &c.Ops[k]
		note(o.Obj)
		if o.Seq {
			note(o.Elem)
		}
		for _, pred := range o.Pred {
			note(pred)
		}
	}
	slices.SortFunc(refs, ref.compare)
	p.refs = slices.Compact(refs)
	p.ops = make([]op, len(p.refs))
	p.found = make([]finding, len(p.refs))
	at, ops := int32(-1), []op(nil)
	for k, r := range p.refs {
		i, ok := p.g.changeOf(r)
		if !ok {
			continue
		}
		if i != at {
			at, ops = i, p.g.opsOf(i)
		}
		if off := int(r.counter - p.g.log[i].startOp); off < len(ops) {
			p.ops[k], p.found[k] = ops[off], p.find(i)
		}
	}
}

// changeOf returns the change that holds this operation: the author's last one
// that does not start behind it.
func (g *Graph) changeOf(r ref) (int32, bool) {
	changes := g.authors[r.actor].changes
	k := sort.Search(len(changes), func(k int) bool { return g.log[changes[k]].startOp > r.counter })
	if k == 0 {
		return 0, false
	}
	n := &g.log[changes[k-1]]
	return changes[k-1], r.counter-n.startOp < n.numOps
}

// Find returns the number of the change that holds the operation of this actor
// with this counter.
func (g *Graph) Find(actor kaijutsu.ActorID, counter uint64) (int, bool) {
	a, ok := g.actors[actor]
	if !ok || counter == 0 || counter > amfile.MaxCounter {
		return 0, false
	}
	i, ok := g.changeOf(ref{a, uint32(counter)})
	return int(i), ok
}
