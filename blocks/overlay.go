package blocks

import (
	"slices"
)

// The tree as a transaction sees it: that of the model, without the blocks that
// the transaction has placed elsewhere, and with those.

// place enters a block where its parent and order say, after they were written.
func (tx *Tx) place(d *draft) {
	s := sibling{id: d.key, parent: ID(tx.str(d, fieldParent)), order: tx.str(d, fieldOrder), own: tx.owns(d)}
	if s.parent != "" && tx.draft(s.parent) == nil {
		s.parent = ""
	}
	if tx.placed == nil {
		tx.placed, tx.below = make(map[ID]sibling), make(map[ID][]sibling)
	}
	if old, ok := tx.placed[s.id]; ok {
		all := tx.below[old.parent]
		if i, ok := slices.BinarySearchFunc(all, old, sibling.compare); ok {
			tx.below[old.parent] = slices.Delete(all, i, i+1)
		}
	}
	tx.placed[s.id] = s
	all := tx.below[s.parent]
	i, _ := slices.BinarySearchFunc(all, s, sibling.compare)
	tx.below[s.parent] = slices.Insert(all, i, s)
}

// owns reports whether the author of the transaction made a block.
func (tx *Tx) owns(d *draft) bool { return d.id.actor == tx.me }

// sibling returns a block where it shows.
func (tx *Tx) sibling(id ID) (sibling, bool) {
	if s, ok := tx.placed[id]; ok {
		return s, true
	}
	b := tx.model.blocks[id]
	if b == nil {
		return sibling{}, false
	}
	return tx.shown(b), true
}

// shown returns where a block of the model shows.
func (tx *Tx) shown(b *blockMap) sibling {
	s := sibling{id: b.key, order: b.order, own: b.id.actor == tx.me}
	if above := tx.model.above(b); above != nil {
		s.parent = above.key
	}
	return s
}

// depth returns how many blocks are above one. It does not run in circles.
func (tx *Tx) depth(s sibling) int {
	n := 0
	for ok := true; ok && s.parent != "" && n <= maxDepth; n++ {
		s, ok = tx.sibling(s.parent)
	}
	return n
}

// height returns how many levels of blocks are below one, up to maxDepth.
func (tx *Tx) height(id ID) int {
	n := 0
	for level := []ID{id}; n < maxDepth; n++ {
		var next []ID
		for _, id := range level {
			for _, b := range tx.model.siblings(id) {
				if !tx.moved(b.key) {
					next = append(next, b.key)
				}
			}
			for _, s := range tx.below[id] {
				next = append(next, s.id)
			}
		}
		if len(next) == 0 {
			break
		}
		level = next
	}
	return n
}

// moved reports whether the model does not know where a block stands.
func (tx *Tx) moved(id ID) bool {
	if id == tx.moving {
		return true
	}
	_, ok := tx.placed[id]
	return ok
}

// next returns the first sibling behind one, or the first of all.
func (tx *Tx) next(parent ID, than *sibling) (best sibling, found bool) {
	all := tx.model.siblings(parent)
	i := 0
	if than != nil {
		i, _ = slices.BinarySearchFunc(all, *than, compareBlock)
	}
	for ; i < len(all); i++ {
		if (than == nil || compareBlock(all[i], *than) > 0) && !tx.moved(all[i].key) {
			best, found = tx.shown(all[i]), true
			break
		}
	}
	own, i := tx.below[parent], 0
	if than != nil {
		i, _ = slices.BinarySearchFunc(own, *than, sibling.compare)
	}
	for ; i < len(own); i++ {
		s := own[i]
		if s.id == tx.moving || than != nil && s.compare(*than) <= 0 {
			continue
		}
		if !found || s.compare(best) < 0 {
			best, found = s, true
		}
		break
	}
	return best, found
}

// prev returns the last sibling in front of one, or the last of all.
func (tx *Tx) prev(parent ID, than *sibling) (best sibling, found bool) {
	all := tx.model.siblings(parent)
	i := len(all)
	if than != nil {
		i, _ = slices.BinarySearchFunc(all, *than, compareBlock)
	}
	for i--; i >= 0; i-- {
		if !tx.moved(all[i].key) {
			best, found = tx.shown(all[i]), true
			break
		}
	}
	own := tx.below[parent]
	i = len(own)
	if than != nil {
		i, _ = slices.BinarySearchFunc(own, *than, sibling.compare)
	}
	for i--; i >= 0; i-- {
		if own[i].id == tx.moving {
			continue
		}
		if !found || own[i].compare(best) > 0 {
			best, found = own[i], true
		}
		break
	}
	return best, found
}

func compareBlock(b *blockMap, s sibling) int { return sibling{id: b.key, order: b.order}.compare(s) }
