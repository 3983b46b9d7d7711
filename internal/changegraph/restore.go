package changegraph

import (
	"fmt"
	"math"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// Restore adds one change that was accepted before, from storage, without the
// rules. Changes are restored in their order; the error wraps
// kaijutsu.ErrInvalid when one is damaged, comes twice or lacks a dependency.
// The bytes are copied.
func (g *Graph) Restore(raw []byte) error {
	h, err := amfile.DecodeHeader(raw)
	if err != nil {
		return fmt.Errorf("restore change %d: %w", len(g.log), err)
	}
	return g.restore(entry{
		hash: h.Hash, author: h.Author, seq: h.Seq, startOp: h.StartOp, numOps: h.NumOps, raw: raw,
	}, h.Deps)
}

// RestoreChange is Restore for a change that is decoded already.
func (g *Graph) RestoreChange(c *amfile.Change) error {
	return g.restore(entry{
		hash: c.Hash, author: c.Author(), seq: c.Seq, startOp: c.StartOp, numOps: uint64(len(c.Ops)), raw: c.Raw,
	}, c.Deps)
}

func (g *Graph) restore(e entry, deps []kaijutsu.ChangeHash) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("restore change %d, %v: %s: %w", len(g.log), e.hash, fmt.Sprintf(format, args...), kaijutsu.ErrInvalid)
	}
	if g.Has(e.hash) {
		return fail("it is there already")
	}
	known, unknown := g.resolve(deps)
	switch next := g.NextSeq(e.author); {
	case len(unknown) > 0:
		return fail("dependency %v is missing", unknown[0])
	case len(deps) > math.MaxUint16:
		return fail("%d dependencies", len(deps))
	case e.seq != next:
		return fail("sequence number %d of actor %v, want %d", e.seq, e.author, next)
	case e.startOp == 0 || e.startOp > amfile.MaxCounter || e.numOps > amfile.MaxCounter-e.startOp+1:
		return fail("%d operations from counter %d", e.numOps, e.startOp)
	}
	for k := range known {
		for _, other := range known[:k] {
			if known[k] == other {
				return fail("dependency %v twice", deps[k])
			}
		}
	}
	e.deps = known
	g.append(e)
	return nil
}
