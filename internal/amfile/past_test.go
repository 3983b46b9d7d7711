package amfile

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"kaijutsu"
)

// history is a causally closed list of decoded changes, as a server holds them.
type history struct {
	changes map[kaijutsu.ChangeHash]*Change
	owners  map[GlobalID]ownedOp
	order   []*Change
}

type ownedOp struct {
	change *Change
	index  int
}

func newHistory() *history {
	return &history{map[kaijutsu.ChangeHash]*Change{}, map[GlobalID]ownedOp{}, nil}
}

// add applies the rules on c and adds it. With what the server must check of
// sequence numbers and counters, it is what stands between peer and document.
func (h *history) add(c *Change) error {
	if err := h.check(c); err != nil {
		return err
	}
	h.changes[c.Hash] = c
	h.order = append(h.order, c)
	for i := range c.Ops {
		h.owners[c.ID(i)] = ownedOp{c, i}
	}
	return nil
}

func (h *history) check(c *Change) error {
	past, seq, maxOp := h.closure(c.Deps), uint64(0), uint64(0)
	for _, dep := range c.Deps {
		if h.changes[dep] == nil {
			return fmt.Errorf("dependency %s: %w", dep, kaijutsu.ErrNotFound)
		}
	}
	for hash := range past {
		before := h.changes[hash]
		maxOp = max(maxOp, before.MaxOp())
		if before.Author() == c.Author() {
			seq = max(seq, before.Seq)
		}
	}
	if c.Seq != seq+1 {
		return broken(9, "change %d of its actor after %d", c.Seq, seq)
	}
	if c.StartOp <= maxOp {
		return broken(12, "operations start at %d, the past ends at %d", c.StartOp, maxOp)
	}
	return c.Check(&testPast{h, past})
}

func (h *history) closure(heads []kaijutsu.ChangeHash) map[kaijutsu.ChangeHash]bool {
	past, open := map[kaijutsu.ChangeHash]bool{}, slices.Clone(heads)
	for len(open) > 0 {
		hash := open[len(open)-1]
		open = open[:len(open)-1]
		if c := h.changes[hash]; c != nil && !past[hash] {
			past[hash] = true
			open = append(open, c.Deps...)
		}
	}
	return past
}

// testPast is the causal past of one change.
type testPast struct {
	*history
	past map[kaijutsu.ChangeHash]bool
}

func (p *testPast) Op(id GlobalID) (PastOp, bool) {
	owned, ok := p.owners[id]
	if !ok || !p.past[owned.change.Hash] {
		return PastOp{}, false
	}
	return owned.change.PastOp(owned.index), true
}

func (p *testPast) Elements(obj GlobalID) iter.Seq2[GlobalID, GlobalID] {
	return func(yield func(GlobalID, GlobalID) bool) {
		for _, id := range slices.SortedFunc(maps.Keys(p.owners), GlobalID.Compare) {
			owned := p.owners[id]
			op := owned.change.PastOp(owned.index)
			if op.Insert && op.Obj == obj && !yield(id, op.Elem) {
				return
			}
		}
	}
}
