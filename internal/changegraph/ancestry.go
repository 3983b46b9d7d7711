package changegraph

import (
	"sort"

	"kaijutsu"
)

// Ancestry is a set of changes: some heads and all their ancestors. It is good
// until the graph is truncated; changes added later are not in it. It is not
// safe for concurrent use with the graph.
type Ancestry struct {
	g       *Graph
	outside spans
	upTo    int32 // the length of the log then
}

// AncestryOf returns these heads and all their ancestors. Unknown heads are
// ignored. It takes the time of Since; questions about it take that of a few
// binary searches.
func (g *Graph) AncestryOf(heads []kaijutsu.ChangeHash) Ancestry {
	known, _ := g.resolve(heads)
	return Ancestry{g, g.since(known), int32(len(g.log))}
}

// Has reports whether change i is in the set.
func (a Ancestry) Has(i int) bool {
	return i >= 0 && int32(i) < a.upTo && !a.outside.contains(int32(i))
}

// UpTo returns the counter up to which the actor's operations are in the set,
// 0 when none is: each change of an actor depends on the one before.
func (a Ancestry) UpTo(actor kaijutsu.ActorID) uint64 {
	k, ok := a.g.actors[actor]
	if !ok {
		return 0
	}
	changes := a.g.authors[k].changes
	n := sort.Search(len(changes), func(n int) bool { return !a.Has(int(changes[n])) })
	if n == 0 {
		return 0
	}
	return a.g.log[changes[n-1]].maxOp()
}
