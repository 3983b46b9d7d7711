package blocks

import "slices"

// slot is one visible operation of a map key, as entry is of a block's field.
type slot[T any] struct {
	id    opID
	value T
}

// put adds a visible operation, keeping them ascending: the last one wins.
func put[T any](m *Model, slots []slot[T], id opID, value T) []slot[T] {
	at := len(slots)
	for at > 0 && m.less(id, slots[at-1].id) {
		at--
	}
	return slices.Insert(slots, at, slot[T]{id, value})
}

// supersede takes out the operations that preds name and hands each to gone.
func supersede[T any](slots []slot[T], preds []opID, gone func(T)) []slot[T] {
	return slices.DeleteFunc(slots, func(s slot[T]) bool {
		if !slices.Contains(preds, s.id) {
			return false
		}
		gone(s.value)
		return true
	})
}

// winner returns the value that shows, the zero value when there is none.
func winner[T any](slots []slot[T]) (value T) {
	if n := len(slots); n > 0 {
		value = slots[n-1].value
	}
	return value
}
