package amfile

import (
	"errors"
	"fmt"
	"iter"
	"maps"

	"kaijutsu"
)

// history is a causally closed list of decoded changes, as a server holds them.
type history struct {
	clocks   map[kaijutsu.ChangeHash]clock // of every change: what it and its past hold
	ops      map[GlobalID]PastOp
	elements map[GlobalID][][2]GlobalID // by object, in the order of arrival
}

// clock is a causally closed set of changes: the last change and operation of
// each actor in it.
type clock map[kaijutsu.ActorID]tip

type tip struct{ seq, maxOp uint64 }

// with returns the union of c and the pasts of changes.
func (c clock) with(h *history, changes []kaijutsu.ChangeHash) clock {
	all := maps.Clone(c)
	for _, hash := range changes {
		for actor, t := range h.clocks[hash] {
			if t.seq > all[actor].seq {
				all[actor] = t
			}
		}
	}
	return all
}

func newHistory() *history {
	return &history{map[kaijutsu.ChangeHash]clock{}, map[GlobalID]PastOp{}, map[GlobalID][][2]GlobalID{}}
}

// addAll adds the changes, those that await an operation of a later one after
// it, and returns the first refusal.
func (h *history) addAll(changes []*Change) error {
	var waiting []*Change
	for _, c := range changes {
		err := h.add(c)
		var rule *RuleError
		if errors.As(err, &rule) && rule.Awaits.Counter > 0 || errors.Is(err, kaijutsu.ErrNotFound) {
			waiting = append(waiting, c)
			continue
		}
		if err != nil {
			return err
		}
	}
	switch len(waiting) {
	case 0:
		return nil
	case len(changes):
		return h.add(waiting[0])
	}
	return h.addAll(waiting)
}

// add applies the rules on c and adds it. With what is checked here of
// sequence numbers and counters, it is what stands between peer and document.
func (h *history) add(c *Change) error {
	for _, dep := range c.Deps {
		if h.clocks[dep] == nil {
			return fmt.Errorf("dependency %s: %w", dep, kaijutsu.ErrNotFound)
		}
	}
	past := clock{}.with(h, c.Deps)
	if seq := past[c.Author()].seq; c.Seq != seq+1 {
		return broken(9, "change %d of its actor after %d", c.Seq, seq)
	}
	for _, t := range past {
		if c.StartOp <= t.maxOp {
			return broken(12, "operations start at %d, the past ends at %d", c.StartOp, t.maxOp)
		}
	}
	if err := c.Check(testPast{h, past}); err != nil {
		return err
	}
	for i := range c.Ops {
		op := c.PastOp(i)
		h.ops[c.ID(i)] = op
		if op.Insert {
			h.elements[op.Obj] = append(h.elements[op.Obj], [2]GlobalID{c.ID(i), op.Elem})
		}
	}
	past[c.Author()] = tip{c.Seq, c.MaxOp()}
	h.clocks[c.Hash] = past
	return nil
}

// testPast is the causal past of one change.
type testPast struct {
	h    *history
	past clock
}

func (p testPast) Op(id GlobalID) (PastOp, bool) {
	op, ok := p.h.ops[id]
	op.Outside = id.Counter > p.past[id.Actor].maxOp
	return op, ok
}

func (p testPast) Elements(obj GlobalID) iter.Seq2[GlobalID, GlobalID] {
	return func(yield func(GlobalID, GlobalID) bool) {
		for _, e := range p.h.elements[obj] {
			if !yield(e[0], e[1]) {
				return
			}
		}
	}
}
