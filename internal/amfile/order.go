package amfile

import "slices"

// maxClimb is how many elements one change's marks may be compared by, before
// the elements of their objects are ordered as a whole.
const maxClimb = 10_000

// The elements of a sequence form a tree: each is a child of the one it was
// inserted after, and they are read depth first, children by descending id.

// after reports whether element a comes after element b of the object looked
// up last. It climbs from both to where their paths meet: parents have smaller
// ids than their children, so the larger one climbs.
func (k *checker) after(a, b GlobalID) (bool, error) {
	if k.steps > maxClimb {
		return k.ordered(a, b)
	}
	var fromA, fromB GlobalID // the children met on the way up
	for ; a != b; k.steps++ {
		lower, from := &a, &fromA
		if a.Compare(b) < 0 {
			lower, from = &b, &fromB
		}
		parent, ok := k.parent(*lower)
		if !ok || parent.Compare(*lower) >= 0 {
			return false, broken(19, "element is not in the causal past")
		}
		*from, *lower = *lower, parent
	}
	switch (GlobalID{}) {
	case fromA:
		return false, nil // a is on the path of b
	case fromB:
		return true, nil
	}
	return fromA.Compare(fromB) < 0, nil
}

// parent returns what an element was inserted after.
func (k *checker) parent(id GlobalID) (GlobalID, bool) {
	op, ok := k.lookupGlobal(id)
	return op.Elem, ok && op.Insert && op.Obj == k.obj
}

func (k *checker) lookupGlobal(id GlobalID) (PastOp, bool) {
	if id.Actor == k.c.Actors[0] && id.Counter >= k.c.StartOp {
		return k.lookup(OpID{Counter: id.Counter})
	}
	return k.past.Op(id)
}

// ordered answers after from the positions of all elements of the object.
func (k *checker) ordered(a, b GlobalID) (bool, error) {
	positions, ok := k.order[k.obj]
	if !ok {
		positions = k.positions()
		if k.order == nil {
			k.order = make(map[GlobalID]map[GlobalID]int)
		}
		k.order[k.obj] = positions
	}
	at, okA := positions[a]
	bt, okB := positions[b]
	if !okA || !okB {
		return false, broken(19, "element is not in the causal past")
	}
	return at > bt, nil
}

// positions orders the elements of the object looked up last, those that the
// change inserts included.
func (k *checker) positions() map[GlobalID]int {
	children := make(map[GlobalID][]GlobalID)
	for id, parent := range k.past.Elements(k.obj) {
		children[parent] = append(children[parent], id)
	}
	for i := range k.c.Ops {
		if op := &k.c.Ops[i]; op.Insert && k.c.Global(op.Obj) == k.obj {
			parent := k.c.Global(op.Elem)
			children[parent] = append(children[parent], k.c.ID(i))
		}
	}
	positions := make(map[GlobalID]int)
	open := []GlobalID{{}}
	for len(open) > 0 {
		id := open[len(open)-1]
		open = open[:len(open)-1]
		positions[id] = len(positions)
		next := children[id]
		slices.SortFunc(next, GlobalID.Compare)
		open = append(open, next...) // the highest is taken first
	}
	return positions
}
