package amfile

import (
	"fmt"
	"unicode/utf8"
)

// Check applies the rules that need the causal past of c: that it refers to
// objects, elements and predecessors that are there, fit, and are of the kind
// its operations demand. c must have passed DecodeChange or EncodeChange.
// Errors are *RuleError and wrap kaijutsu.ErrInvalid.
//
// The time is proportional to the operations and their predecessors; a change
// that ends marks may cost as much as ordering the elements of the marked
// objects.
func (c *Change) Check(past Past) error {
	k := checker{c: c, past: past}
	for i := range c.Ops {
		if err := k.op(i); err != nil {
			return at(fmt.Sprintf("change %s: operation %d", c.Hash, i), err)
		}
	}
	return nil
}

// checker holds what Check remembers from operation to operation.
type checker struct {
	c    *Change
	past Past

	obj   GlobalID // the object looked up last
	kind  Action
	known bool

	steps int // see after
	order map[GlobalID]map[GlobalID]int
}

func (k *checker) op(i int) error {
	op := &k.c.Ops[i]
	if err := k.object(op.Obj); err != nil {
		return err
	}
	if sequence := k.kind == MakeList || k.kind == MakeText; op.Seq != sequence {
		return broken(18, "slot does not fit an object made by action %d", k.kind)
	}
	if err := k.elem(op); err != nil {
		return err
	}
	if err := k.text(op); err != nil {
		return err
	}
	if err := k.preds(op); err != nil {
		return err
	}
	if op.Action == Mark && !op.MarkBegin {
		return k.mark(i)
	}
	return nil
}

// object looks up the object that the next operation is on.
func (k *checker) object(id OpID) error {
	obj := k.c.Global(id)
	if k.known && obj == k.obj {
		return nil
	}
	kind := MakeMap
	if id.Counter > 0 {
		made, ok := k.lookup(id)
		if !ok || made.Outside || !made.Action.makes() {
			return broken(17, "object was not made in the causal past")
		}
		kind = made.Action
	}
	k.obj, k.kind, k.known = obj, kind, true
	return nil
}

// elem demands that the element of an operation is an insertion into its
// object. After a mark, it may come from outside the causal past.
func (k *checker) elem(op *Op) error {
	if op.Elem.Counter == 0 {
		return nil
	}
	elem, ok := k.lookup(op.Elem)
	switch {
	case !ok:
		err := broken(19, "element is not in the causal past")
		if op.Insert {
			err.Awaits = k.c.Global(op.Elem)
		}
		return err
	case !elem.Insert || elem.Obj != k.obj:
		return broken(19, "element is not an insertion into the object")
	case elem.Outside && !(elem.Action == Mark && op.Insert):
		return broken(19, "element is known but not in the causal past")
	}
	return nil
}

// makes reports whether a makes an object.
func (a Action) makes() bool {
	return a == MakeMap || a == MakeList || a == MakeText
}

// lookup finds an operation of the change itself or of its past.
func (k *checker) lookup(id OpID) (PastOp, bool) {
	i, ok := k.c.own(id)
	if !ok {
		return k.past.Op(k.c.Global(id))
	}
	if i >= len(k.c.Ops) {
		return PastOp{}, false
	}
	return k.c.PastOp(i), true
}

// PastOp returns what the rules need to know of operation i when it is in the
// past of another change.
func (c *Change) PastOp(i int) PastOp {
	op := &c.Ops[i]
	return PastOp{
		Action: op.Action, Obj: c.Global(op.Obj),
		Seq: op.Seq, Key: op.Key, Elem: c.Global(op.Elem), Insert: op.Insert,
		Counter: op.Action == Put && op.Value.Type == Counter,
	}
}

// text applies what is special to texts: they hold characters, one each, block
// markers and marks.
func (k *checker) text(op *Op) error {
	if k.kind != MakeText {
		if op.Action == Mark {
			return broken(24, "mark outside a text")
		}
		return nil
	}
	switch op.Action {
	case MakeList, MakeText:
		return broken(25, "action %d in a text", op.Action)
	case Put:
		if op.Value.Type != String || utf8.RuneCount(op.Value.Raw) != 1 {
			return broken(25, "value in a text that is not one character")
		}
	}
	return nil
}

func (k *checker) preds(op *Op) error {
	counter := false
	for _, id := range op.Pred {
		pred, ok := k.lookup(id)
		if !ok || pred.Outside {
			return broken(21, "predecessor is not in the causal past")
		}
		if pred.Action != Put && !pred.Action.makes() {
			return broken(21, "predecessor with action %d", pred.Action)
		}
		if pred.Obj != k.obj || !k.sameSlot(op, id, pred) {
			return broken(21, "predecessor in another slot")
		}
		counter = counter || pred.Counter
	}
	// Editors name all live values of the slot, counters or not.
	if op.Action == Increment && !counter {
		return broken(22, "increment of what is no counter")
	}
	return nil
}

// sameSlot reports whether pred, whose id is id, is in the slot of op.
func (k *checker) sameSlot(op *Op, id OpID, pred PastOp) bool {
	switch {
	case pred.Seq != op.Seq:
		return false
	case !op.Seq:
		return pred.Key == op.Key
	case pred.Insert:
		return id == op.Elem
	}
	return pred.Elem == k.c.Global(op.Elem)
}

// mark demands that a mark's end, operation i, comes after its begin, the
// operation before, in the sequence.
func (k *checker) mark(i int) error {
	ok, err := k.after(k.c.ID(i), k.c.ID(i-1))
	if err == nil && !ok {
		err = broken(24, "mark ends before it begins")
	}
	return err
}
