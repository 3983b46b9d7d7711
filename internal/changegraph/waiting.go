package changegraph

import (
	"bytes"
	"slices"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// orphan is a valid change that cannot be added yet. Its operations are
// dropped, being many times larger than its bytes, and decoded again.
type orphan struct {
	hash    kaijutsu.ChangeHash
	deps    []kaijutsu.ChangeHash
	startOp uint64
	ops     int // how many it has
	raw     []byte
	from    *SyncState // who brought it; nil if nobody did over sync

	waitsFor     kaijutsu.ChangeHash // a missing dependency; zero when it waits for the counter
	older, newer *orphan
}

func (o *orphan) bytes() int { return len(o.raw) + len(o.deps)*32 + 256 }

// waiting is the queue of orphans. When it is full the oldest makes place:
// whoever still has it is asked for it again when something needs it.
type waiting struct {
	byHash map[kaijutsu.ChangeHash]*orphan
	onDep  map[kaijutsu.ChangeHash][]*orphan // by missing dependency
	late   []*orphan                         // waiting for the counter
	oldest *orphan
	newest *orphan
	bytes  int
	ops    int // of all of them: they may be freed together, and are decoded then
}

func (w *waiting) init() {
	*w = waiting{byHash: make(map[kaijutsu.ChangeHash]*orphan), onDep: make(map[kaijutsu.ChangeHash][]*orphan)}
}

// put makes c wait for a dependency, or for the counter when dep is zero.
func (w *waiting) put(c *amfile.Change, dep kaijutsu.ChangeHash, from *SyncState) {
	o := &orphan{
		hash: c.Hash, deps: slices.Clone(c.Deps), startOp: c.StartOp, ops: len(c.Ops), raw: bytes.Clone(c.Raw),
		from: from, waitsFor: dep, older: w.newest,
	}
	if w.newest != nil {
		w.newest.newer = o
	} else {
		w.oldest = o
	}
	w.newest = o
	w.byHash[o.hash] = o
	if from != nil {
		from.waits++
	}
	if dep == (kaijutsu.ChangeHash{}) {
		w.late = append(w.late, o)
	} else {
		w.onDep[dep] = append(w.onDep[dep], o)
	}
	w.bytes += o.bytes()
	w.ops += o.ops
	for len(w.byHash) > MaxWaiting || w.bytes > MaxWaitingBytes || w.ops > MaxWaitingOps {
		w.drop(w.oldest)
	}
}

// drop takes o out of the queue.
func (w *waiting) drop(o *orphan) {
	w.unlink(o)
	without := func(list []*orphan) []*orphan { // the oldest, which is what is dropped, comes first
		k := slices.Index(list, o)
		list[k] = nil
		if k == 0 {
			return list[1:]
		}
		return slices.Delete(list, k, k+1)
	}
	if o.waitsFor == (kaijutsu.ChangeHash{}) {
		w.late = without(w.late)
		return
	}
	if rest := without(w.onDep[o.waitsFor]); len(rest) > 0 {
		w.onDep[o.waitsFor] = rest
	} else {
		delete(w.onDep, o.waitsFor)
	}
}

// unlink takes o out of all but the list of those that wait for the same.
func (w *waiting) unlink(o *orphan) {
	if o.older != nil {
		o.older.newer = o.newer
	} else {
		w.oldest = o.newer
	}
	if o.newer != nil {
		o.newer.older = o.older
	} else {
		w.newest = o.older
	}
	delete(w.byHash, o.hash)
	if o.from != nil {
		o.from.waits--
	}
	w.bytes -= o.bytes()
	w.ops -= o.ops
}

// takeOn takes out the orphans that wait for this change, oldest first.
func (w *waiting) takeOn(h kaijutsu.ChangeHash) []*orphan {
	freed := w.onDep[h]
	delete(w.onDep, h)
	for _, o := range freed {
		w.unlink(o)
	}
	return freed
}

// takeLate takes out the orphans that may start at or below counter.
func (w *waiting) takeLate(counter uint64) []*orphan {
	var freed []*orphan
	w.late = slices.DeleteFunc(w.late, func(o *orphan) bool {
		due := o.startOp <= counter
		if due {
			w.unlink(o)
			freed = append(freed, o)
		}
		return due
	})
	return freed
}

// Missing returns the changes, ascending, that are to be got before all of
// these heads can be held: unknown heads, or where a head waits for
// dependencies, those. Changes that were refused are not asked for. Of very
// many it returns some: changes that wait can be made to name a million.
func (g *Graph) Missing(heads []kaijutsu.ChangeHash) []kaijutsu.ChangeHash {
	return g.missing(heads, nil)
}

// missing is Missing without what the peer was denied.
func (g *Graph) missing(heads []kaijutsu.ChangeHash, s *SyncState) []kaijutsu.ChangeHash {
	var missing []kaijutsu.ChangeHash
	var seen map[kaijutsu.ChangeHash]struct{}
	stack, work := slices.Clone(heads), 0
	for len(stack) > 0 {
		h := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if _, again := seen[h]; again || g.Has(h) || g.refusals.find(h) != nil || s != nil && s.denied.find(h) != nil {
			work++
			continue
		}
		if seen == nil {
			seen = make(map[kaijutsu.ChangeHash]struct{})
		}
		seen[h] = struct{}{}
		if o := g.waiting.byHash[h]; o != nil {
			stack = append(stack, o.deps...)
		} else {
			missing = append(missing, h)
		}
		if work++; len(missing) == maxNeed || work > maxNeedWork && len(missing) > 0 {
			break // the rest is asked for when these have come
		}
	}
	slices.SortFunc(missing, kaijutsu.ChangeHash.Compare)
	return missing
}

// Waiting returns the number of changes that wait for others.
func (g *Graph) Waiting() int { return len(g.waiting.byHash) }
