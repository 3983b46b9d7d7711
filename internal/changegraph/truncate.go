package changegraph

import "slices"

// Truncate forgets all but the first n changes, because the disk refused the
// rest. Waiting changes keep waiting; refusals are judged anew. Sync states
// that rest on what is forgotten start over, and ask their peer for it again.
func (g *Graph) Truncate(n int) {
	if n < 0 || n >= len(g.log) {
		return
	}
	for i := len(g.log) - 1; i >= n; i-- {
		g.forgetLast(int32(i))
	}
	first := g.log[n]
	g.deps = g.deps[:first.deps]
	g.raw.cut(first.raw)
	g.log = g.log[:n]
	g.index.rebuild(g.log)
	g.headsNow = nil
	if int(g.anchor) >= n {
		g.anchor = -1
	}
	g.maxOp = 0
	for i := range g.log {
		g.maxOp = max(g.maxOp, g.log[i].maxOp())
	}
	g.ops.cut(n)
	g.elements = elementIndex{}
	g.recent.clear()
	g.refusals.init()
	g.sent.clear()
	if g.snapshotCovers > n {
		g.snapshot, g.snapshotCovers = nil, 0
	}
	g.noteCut(n)
}

// noteCut tells the sync states that the log was shorter for a moment.
func (g *Graph) noteCut(n int) {
	g.cuts = append(g.cuts, n)
	if len(g.cuts) > maxCuts {
		g.cuts = slices.Delete(g.cuts, 0, 1)
		g.cutsForgotten++
	}
}

// Succeed has the graph take the place of another one that failed in the midst
// of something: it holds the first changes of that, as they were restored, and
// the sync states of that one's peers go on with it, as after Truncate. What had
// waited there is asked for again; nothing else is taken over.
func (g *Graph) Succeed(old *Graph) {
	g.cuts, g.cutsForgotten = slices.Clone(old.cuts), old.cutsForgotten
	g.noteCut(len(g.log))
}

// forgetLast undoes what append did to the rest of the graph for change i, the
// last one.
func (g *Graph) forgetLast(i int32) {
	g.heads = g.heads[:len(g.heads)-1] // the last change is the last head
	for _, d := range g.depsOf(i) {
		g.log[d].children--
		if g.log[d].children == 0 {
			k, _ := slices.BinarySearch(g.heads, d)
			g.heads = slices.Insert(g.heads, k, d)
		}
	}
	a := &g.authors[g.log[i].actor]
	a.changes = a.changes[:len(a.changes)-1]
	if len(a.changes) == 0 { // authors are listed by their first change
		delete(g.actors, a.id)
		g.authors = g.authors[:len(g.authors)-1]
	}
}

// epoch counts the truncations.
func (g *Graph) epoch() int { return g.cutsForgotten + len(g.cuts) }

// cutSince returns the shortest length that the log had since an epoch.
func (g *Graph) cutSince(epoch int) int {
	if epoch < g.cutsForgotten {
		return 0
	}
	return slices.Min(g.cuts[epoch-g.cutsForgotten:])
}
