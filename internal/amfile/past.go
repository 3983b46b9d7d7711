package amfile

import "iter"

// PastOp is what the rules need to know of an operation in the causal past.
type PastOp struct {
	Action  Action
	Obj     GlobalID
	Seq     bool
	Key     string
	Elem    GlobalID
	Insert  bool
	Counter bool // puts a counter
	// Outside says that the operation is known but not in the causal past.
	Outside bool
}

// Past is the causal past of a change under validation: the operations of the
// changes it depends on, directly or not. Nothing else the server holds may be
// referred to (a reference outside looks fine here and breaks the peer that
// receives this change without the other).
type Past interface {
	// Op returns the operation with this id, if the causal past has it. One
	// that is known but lies outside may be returned too, marked so: editors
	// that edit an earlier state (automerge 3.5.0, changeAt) insert after
	// marks of a later one, and only that is allowed.
	Op(id GlobalID) (PastOp, bool)
	// Elements yields the insert operations of a sequence object, each as
	// (its id, the element it was inserted after), parents before children.
	// It may yield elements outside the causal past: the order of elements
	// never changes. It is asked for only when a change ends a mark.
	Elements(obj GlobalID) iter.Seq2[GlobalID, GlobalID]
}
