package changegraph

import (
	"iter"

	"kaijutsu/internal/amfile"
)

// element is one insert operation of a sequence and what it was inserted after.
type element struct{ counter, actor, afterCounter, afterActor uint32 }

const elementBytes = 16

// elementIndex lists the elements of every sequence of the document in log
// order. It is built when a mark first asks for one and follows the log from
// then on; a document that outgrows it is read anew for each mark.
type elementIndex struct {
	bySequence map[ref][]element
	upTo       int // changes it covers
	held       int
	outgrown   bool
}

func (x *elementIndex) bytes() int64 {
	return int64(x.held)*elementBytes*5/4 + int64(len(x.bySequence))*64
}

// elementsOf yields the elements of a sequence, each as its id and the id of
// the element before, parents before children.
func (g *Graph) elementsOf(obj amfile.GlobalID) iter.Seq2[amfile.GlobalID, amfile.GlobalID] {
	return func(yield func(amfile.GlobalID, amfile.GlobalID) bool) {
		actor, ok := g.actors[obj.Actor]
		if !ok || obj.Counter == 0 || obj.Counter > amfile.MaxCounter {
			return
		}
		sequence := ref{actor, uint32(obj.Counter)}
		give := func(e element) bool {
			return yield(g.global(e.counter, e.actor), g.global(e.afterCounter, e.afterActor))
		}
		g.extendElements()
		if !g.elements.outgrown {
			for _, e := range g.elements.bySequence[sequence] {
				if !give(e) {
					return
				}
			}
			return
		}
		for i := range g.log {
			g.Stop.Check()
			for of, e := range g.insertsOf(int32(i)) {
				if of == sequence && !give(e) {
					return
				}
			}
		}
	}
}

// extendElements reads the changes that the index does not cover yet.
func (g *Graph) extendElements() {
	x := &g.elements
	if x.bySequence == nil && !x.outgrown {
		x.bySequence = make(map[ref][]element)
	}
	for ; !x.outgrown && x.upTo < len(g.log); x.upTo++ {
		g.Stop.Check()
		for of, e := range g.insertsOf(int32(x.upTo)) {
			x.bySequence[of] = append(x.bySequence[of], e)
			x.held++
		}
		if x.held > maxCachedElements {
			*x = elementIndex{outgrown: true}
		}
	}
}

// insertsOf yields the elements that change i inserts, with their sequence.
func (g *Graph) insertsOf(i int32) iter.Seq2[ref, element] {
	return func(yield func(ref, element) bool) {
		ops, ok := g.ops.of(g.log[i].numOps).get(i)
		if !ok {
			ops = g.decodeOps(i) // once for all: not worth a place in the cache
		}
		n := &g.log[i]
		for k := range ops {
			o := &ops[k]
			if !o.insert {
				continue
			}
			e := element{n.startOp + uint32(k), n.actor, o.elemCounter, o.elemActor}
			if !yield(ref{o.objActor, o.objCounter}, e) {
				return
			}
		}
	}
}
