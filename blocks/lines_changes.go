package blocks

import (
	"cmp"
	"fmt"
	"slices"

	"kaijutsu"
)

// changeOrder numbers the changes that a content was made by, as they are
// asked for, and then puts them into the order that is the same on every node
// and has each behind those it depends on: by the counter of the first
// operation, then the actor. A change is known by an operation of it.
type changeOrder struct {
	m      *Model
	log    Log
	number []int32 // by place in the log: the number, from 1
	used   []usedChange
	recent []int32 // by actor: the number, from 1, of the change asked for last
	looked found   // what was looked up last
}

// found is the place in the log of the change that holds an operation.
type found struct {
	id opID
	at int
	ok bool
}

// usedChange is a change whose operations are first to last.
type usedChange struct {
	at          int // in the log
	actor       uint32
	first, last uint32
}

func newChangeOrder(m *Model, log Log) *changeOrder {
	return &changeOrder{m: m, log: log, number: make([]int32, log.Len()), recent: make([]int32, len(m.actors))}
}

// of returns the number of the change that holds an operation.
func (o *changeOrder) of(id opID) (int32, error) {
	if k := o.recent[id.actor]; k > 0 && o.used[k-1].first <= id.counter && id.counter <= o.used[k-1].last {
		return k - 1, nil
	}
	at, ok := o.find(id)
	if !ok {
		return 0, fmt.Errorf("operation %d of actor %s is not in the log: %w", id.counter, o.m.actors[id.actor], kaijutsu.ErrNotFound)
	}
	if o.number[at] == 0 {
		o.used = append(o.used, o.bounds(at, id))
		o.number[at] = int32(len(o.used))
	}
	o.recent[id.actor] = o.number[at]
	return o.number[at] - 1, nil
}

// find returns the place in the log of the change that holds an operation.
func (o *changeOrder) find(id opID) (int, bool) {
	if o.looked.id != id {
		at, ok := o.m.findChange(o.log, id)
		o.looked = found{id, at, ok}
	}
	return o.looked.at, o.looked.ok
}

// bounds returns which operations are of the change that holds one. What an
// actor typed is mostly asked for from front to back: the operation in front is
// then known to be of another change, and the one behind is looked up last,
// because it is asked for next.
func (o *changeOrder) bounds(at int, id opID) usedChange {
	u := usedChange{at: at, actor: id.actor, first: id.counter}
	if k := o.recent[id.actor]; k == 0 || o.used[k-1].last+1 != id.counter {
		u.first -= o.reach(at, id, -1, id.counter-1)
	}
	u.last = id.counter + o.reach(at, id, 1, ^uint32(0)-id.counter)
	return u
}

// reach returns how many operations of a change are behind one of it, or in
// front, at most so many: in steps that double and then halve.
func (o *changeOrder) reach(at int, id opID, direction int32, most uint32) uint32 {
	within := func(n uint32) bool {
		k, ok := o.find(opID{id.counter + uint32(direction)*n, id.actor})
		return ok && k == at
	}
	in, step := uint32(0), uint32(1)
	for step <= most-in && within(in+step) {
		in += step
		step *= 2
	}
	for step /= 2; step > 0; step /= 2 {
		if step <= most-in && within(in+step) {
			in += step
		}
	}
	return in
}

// stretch returns the number of the change that holds an operation, and how
// many of n operations, whose counters go up from it, or down, are of it.
func (o *changeOrder) stretch(id opID, step int32, n int) (int32, int, error) {
	k, err := o.of(id)
	if err != nil {
		return 0, 0, err
	}
	switch u := &o.used[k]; {
	case step > 0:
		n = min(n, int(u.last-id.counter)+1)
	case step < 0:
		n = min(n, int(id.counter-u.first)+1)
	default:
		n = min(n, 1)
	}
	return k, n, nil
}

// compare says which of two changes comes first.
func (o *changeOrder) compare(a, b int32) int {
	x, y := &o.used[a], &o.used[b]
	if x.first != y.first || x.actor == y.actor {
		return cmp.Compare(x.first, y.first)
	}
	return cmp.Compare(o.m.actors[x.actor], o.m.actors[y.actor])
}

// sorted returns the changes in their order, and the place of each in it.
func (o *changeOrder) sorted() (order []usedChange, place []int32) {
	by := make([]int32, len(o.used))
	for k := range by {
		by[k] = int32(k)
	}
	slices.SortFunc(by, o.compare)
	order, place = make([]usedChange, len(by)), make([]int32, len(by))
	for at, k := range by {
		order[at], place[k] = o.used[k], int32(at)
	}
	return order, place
}
