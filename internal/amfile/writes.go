package amfile

import "slices"

// slot is where values live: a key of a map or an element of a sequence.
type slot struct {
	obj  OpID
	key  string
	elem OpID
	seq  bool
}

func (op *Op) slot() slot { return slot{op.Obj, op.Key, op.Elem, op.Seq} }

// writes remembers, for each slot, the last live value that the change itself
// has put there without inserting. Editors name every live value of a slot as
// a predecessor when they put the next; a change that does not piles up
// conflicts, on which engines spend quadratic time.
type writes struct {
	few  [8]int32 // operations, while they are few
	n    int
	many map[slot]int32
}

// check applies rule 23 to operation i.
func (w *writes) check(c *Change, i int) error {
	op := &c.Ops[i]
	if op.Insert || op.Action == Increment {
		return nil
	}
	puts := op.Action != Delete
	if w.n == 0 && !puts {
		return nil
	}
	s := op.slot()
	if last, ok := w.live(c, s); ok {
		if slices.Contains(op.Pred, OpID{c.StartOp + uint64(last), 0}) {
			w.forget(last, s)
		} else if puts {
			return broken(23, "second value for one slot that does not replace the first")
		}
	}
	if puts {
		w.remember(c, i, s)
	}
	return nil
}

func (w *writes) live(c *Change, s slot) (int32, bool) {
	if w.many != nil {
		i, ok := w.many[s]
		return i, ok
	}
	for _, i := range w.few[:w.n] {
		if c.Ops[i].slot() == s {
			return i, true
		}
	}
	return 0, false
}

func (w *writes) forget(i int32, s slot) {
	if w.many != nil {
		delete(w.many, s)
		return
	}
	at := slices.Index(w.few[:w.n], i)
	w.n--
	w.few[at] = w.few[w.n]
}

func (w *writes) remember(c *Change, i int, s slot) {
	if w.many == nil && w.n < len(w.few) {
		w.few[w.n] = int32(i)
		w.n++
		return
	}
	if w.many == nil {
		w.many = make(map[slot]int32, 4*len(w.few))
		for _, i := range w.few[:w.n] {
			w.many[c.Ops[i].slot()] = i
		}
	}
	w.many[s] = int32(i)
}
