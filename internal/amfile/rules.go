package amfile

import (
	"math"
	"unicode/utf8"
)

// opRules applies the rules that need nothing but the change itself, to one
// operation after the other.
type opRules struct {
	c      *Change
	writes writes
}

// check applies the rules to operation i; those before it have passed.
func (r *opRules) check(i int) error {
	c := r.c
	op, ctr := &c.Ops[i], c.StartOp+uint64(i)
	if op.Obj.Counter >= ctr {
		return broken(17, "object made by this or a later operation")
	}
	if op.Seq && op.Obj == (OpID{}) {
		return broken(18, "element of the root map")
	}
	if op.Seq && op.Elem.Counter >= ctr {
		return broken(19, "element made by this or a later operation")
	}
	if !op.Seq && op.Insert {
		return broken(18, "insertion under a map key")
	}
	if op.Seq && op.Elem.Counter == 0 && !op.Insert {
		return broken(19, "update of the head of a sequence")
	}
	if len(op.Key) > MaxKeyBytes || len(op.MarkName) > MaxKeyBytes {
		return tooLarge(14, "key or mark name of more than %d bytes", MaxKeyBytes)
	}
	if err := op.checkAction(); err != nil {
		return err
	}
	if err := c.checkPreds(op, ctr); err != nil {
		return err
	}
	if op.Action == Mark {
		return c.checkMark(i)
	}
	return r.writes.check(c, i)
}

// checkAction applies what each action demands of the other fields.
func (op *Op) checkAction() error {
	if err := op.Value.check(); err != nil {
		return err
	}
	if op.Insert && len(op.Pred) > 0 {
		return broken(20, "insertion with predecessors")
	}
	if op.Action != Mark && (op.MarkBegin || op.Expand) {
		return broken(24, "mark fields on another action")
	}
	switch op.Action {
	case MakeMap, MakeList, MakeText:
		return op.wantNoValue()
	case Put:
	case Delete:
		if op.Insert {
			return broken(20, "insertion that deletes")
		}
		if len(op.Pred) == 0 {
			return broken(22, "deletion without predecessors")
		}
		return op.wantNoValue()
	case Increment:
		switch {
		case op.Insert:
			return broken(20, "insertion that increments")
		case len(op.Pred) == 0:
			return broken(22, "increment without predecessors")
		case op.Value.Type != Int && op.Value.Type != Uint:
			return broken(16, "increment by a value of type %d", op.Value.Type)
		}
	case Mark:
		if !op.Insert || !op.Seq {
			return broken(24, "mark that is not inserted in a text")
		}
	default: // tables too: no editor makes them any more, and JavaScript shows them as lists
		return broken(15, "action %d is not accepted", op.Action)
	}
	return nil
}

func (op *Op) wantNoValue() error {
	if op.Value.Type != Null || len(op.Value.Raw) > 0 {
		return broken(16, "action %d with a value", op.Action)
	}
	return nil
}

// check applies the rules on scalars: known type, exact length, shortest form.
func (v Value) check() error {
	size := len(v.Raw)
	if size > MaxValueBytes {
		return tooLarge(14, "value of %d bytes: want at most %d", size, MaxValueBytes)
	}
	ok := true
	switch v.Type {
	case Null, False, True:
		ok = size == 0
	case Uint:
		_, n := uleb(v.Raw)
		ok = n > 0 && n == size
	case Int, Counter, Timestamp:
		_, n := sleb(v.Raw)
		ok = n > 0 && n == size
	case Float:
		ok = size == 8
	case String:
		if !utf8.Valid(v.Raw) {
			return broken(14, "string value is not UTF-8")
		}
	case Bytes:
	default:
		return broken(16, "unknown value type %d", v.Type)
	}
	if !ok {
		return broken(16, "value of type %d in %d bytes is not in its one form", v.Type, size)
	}
	return nil
}

// checkPreds demands that predecessors are older than ctr and ascend.
func (c *Change) checkPreds(op *Op, ctr uint64) error {
	if len(op.Pred) > MaxPreds {
		return tooLarge(21, "%d predecessors: want at most %d", len(op.Pred), MaxPreds)
	}
	for i, pred := range op.Pred {
		if pred.Counter < 1 || pred.Counter >= ctr {
			return broken(21, "predecessor is this or a later operation")
		}
		if i > 0 && c.compare(op.Pred[i-1], pred) >= 0 {
			return broken(21, "predecessors do not ascend")
		}
	}
	return nil
}

// compare orders two ids of the change as GlobalID.Compare does, without
// looking at the actors when the counters differ.
func (c *Change) compare(a, b OpID) int {
	if a.Counter != b.Counter {
		if a.Counter < b.Counter {
			return -1
		}
		return 1
	}
	return c.Global(a).Compare(c.Global(b))
}

// checkMark demands that a mark's end directly follows its begin, in the same
// object, and has no value.
func (c *Change) checkMark(i int) error {
	op := &c.Ops[i]
	if op.MarkBegin {
		return nil
	}
	if op.Value.Type != Null {
		return broken(24, "mark end with a value")
	}
	if i == 0 || c.Ops[i-1].Action != Mark || !c.Ops[i-1].MarkBegin || c.Ops[i-1].Obj != op.Obj {
		return broken(24, "mark end without its begin before it")
	}
	return nil
}

// own reports whether id names an operation of the change itself, and which.
func (c *Change) own(id OpID) (int, bool) {
	if id.Actor != 0 || id.Counter < c.StartOp || id.Counter-c.StartOp > math.MaxInt32 {
		return 0, false
	}
	return int(id.Counter - c.StartOp), true
}
