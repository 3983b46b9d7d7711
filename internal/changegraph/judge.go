package changegraph

import (
	"errors"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// SetAnchor makes change i, which the graph holds, the document's anchor: what
// is added from now on must descend from it. Two documents with different
// anchors never mix, however much history they share.
func (g *Graph) SetAnchor(i int) {
	g.anchor = int32(i)
	for k := range g.log {
		g.log[k].descends = g.descends(int32(k), g.depsOf(int32(k)))
	}
}

// Anchor returns the number of the anchor, false when the document has none.
func (g *Graph) Anchor() (int, bool) { return int(g.anchor), g.anchor >= 0 }

// descends reports whether change i, which has these dependencies, is the
// anchor or descends from it.
func (g *Graph) descends(i int32, deps []int32) bool {
	if g.anchor < 0 || i <= g.anchor {
		return i == g.anchor
	}
	for _, d := range deps {
		if g.log[d].descends {
			return true
		}
	}
	return false
}

// checkAnchor holds that a change descends from the anchor.
func (g *Graph) checkAnchor(c *amfile.Change, deps []int32) *Refusal {
	if g.anchor < 0 || g.descends(int32(len(g.log)), deps) {
		return nil
	}
	r := refuse(c, 0, "it does not descend from change %v, as all changes of this document do; it was made in another one", g.log[g.anchor].hash)
	r.Judged, r.kind = true, kaijutsu.ErrConflict
	return r
}

// judge asks Judge.
func (g *Graph) judge(c *amfile.Change, from *SyncState) *Refusal {
	return said(g.Judge, c, from)
}

// said is the refusal of a change for what a hook says, nil when it says nothing.
func said(ask func(*amfile.Change, *SyncState) error, c *amfile.Change, from *SyncState) *Refusal {
	if ask == nil {
		return nil
	}
	err := ask(c, from)
	if err == nil {
		return nil
	}
	r := refuse(c, 0, "%v", err)
	r.Judged, r.kind, r.said = true, err, true
	r.denied = from != nil && errors.Is(err, kaijutsu.ErrDenied)
	var p passing
	r.passing = errors.As(err, &p)
	return r
}

// Passing returns an error for Judge which says that the same change may be
// taken at another time: the refusal is not remembered.
func Passing(err error) error { return passing{err} }

type passing struct{ error }

// Unwrap returns what Passing was given.
func (p passing) Unwrap() error { return p.error }

// readsOnly is the refusal of a change of a peer that may not write.
func readsOnly(c *amfile.Change) *Refusal {
	r := refuse(c, 0, "the peer may only read")
	r.Judged, r.kind, r.denied = true, kaijutsu.ErrDenied, true
	return r
}

// dependent is the refusal of a change that depends on a refused one.
func dependent(c *amfile.Change, on *Refusal) *Refusal {
	r := refuse(c, 10, "depends on the refused change %v", on.Hash)
	r.Judged, r.denied = on.Judged, on.denied
	if on.denied {
		r.kind = kaijutsu.ErrDenied
	}
	return r
}

// deny notes that the peer is refused a change that somebody else may bring.
func (s *SyncState) deny(r *Refusal) { s.denied.add(r) }

// Forgive lets a peer that may do more now bring again what it was denied.
func (s *SyncState) Forgive() {
	if s.denied.len() == 0 {
		return
	}
	s.denied = refusals{}
	s.forgot = s.heard && !s.exact
}

// dropDenied refuses the orphans of a peer that depend on what it was denied.
func (g *Graph) dropDenied(r *Refusal, from *SyncState) {
	for lost := []*Refusal{r}; len(lost) > 0; {
		on := lost[len(lost)-1]
		lost = lost[:len(lost)-1]
		for _, o := range append([]*orphan(nil), g.waiting.onDep[on.Hash]...) {
			if o.from != from {
				continue
			}
			g.waiting.drop(o)
			d, err := amfile.DecodeChange(o.raw)
			if err != nil {
				continue // it was decoded from the same bytes before it was queued
			}
			next := dependent(d, on)
			from.deny(next)
			from.tell(next)
			lost = append(lost, next)
		}
	}
}

// dropStrays gives up, in a document with an anchor, the orphans of a peer that
// holds nothing we lack, and so nothing that they depend on either: they were
// made in another document.
func (g *Graph) dropStrays(s *SyncState) []*Refusal {
	if g.anchor < 0 || s.waits == 0 || !s.exact || len(s.theirHeads) == 0 {
		return nil
	}
	var refused []*Refusal
	for o := g.waiting.oldest; o != nil; {
		next := o.newer
		if o.from == s {
			g.waiting.drop(o)
			if c, err := amfile.DecodeChange(o.raw); err == nil {
				r := refuse(c, 10, "the peer does not hold what it depends on; it was made in another one")
				r.Judged, r.passing = true, true
				refused = append(refused, r)
			}
		}
		o = next
	}
	return refused
}
