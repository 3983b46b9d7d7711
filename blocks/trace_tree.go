package blocks

import (
	"slices"
)

// Places in document order, found through the tree without listing it.

// visible reports whether a block that exists shows: it is not deleted, and no
// block above it is.
func (m *Model) visible(b *blockMap) bool {
	for ; b != nil; b = m.above(b) {
		if b.deleted {
			return false
		}
	}
	return true
}

// predecessor returns the block that stands right in front of one that shows, ""
// if it is the first: the last one that shows below its sibling in front of it,
// or the block above it.
func (m *Model) predecessor(b *blockMap) ID {
	above := m.above(b)
	var front *blockMap
	if above != nil {
		front = m.lastShown(m.tree.children[above.key], b)
	} else {
		front = m.lastShownAtRoot(b)
	}
	if front == nil {
		if above == nil {
			return ""
		}
		return above.key
	}
	for last := front; last != nil; last = m.lastShown(m.tree.children[front.key], nil) {
		front = last
	}
	return front.key
}

// lastShown returns the last of some siblings, or the last in front of one, that
// shows among them; nil if there is none.
func (m *Model) lastShown(siblings []*blockMap, than *blockMap) *blockMap {
	i := len(siblings)
	if than != nil {
		i, _ = slices.BinarySearchFunc(siblings, than, bySibling)
	}
	for i--; i >= 0; i-- {
		if b := siblings[i]; !b.deleted && !m.tree.cut[b] {
			return b
		}
	}
	return nil
}

// lastShownAtRoot looks among those of the root, those whose parents do not
// exist, and those that are taken to the root.
func (m *Model) lastShownAtRoot(than *blockMap) *blockMap {
	best := m.lastShown(m.tree.children[""], than)
	try := func(b *blockMap) {
		if b != nil && (best == nil || bySibling(best, b) < 0) {
			best = b
		}
	}
	for id := range m.tree.missing {
		m.Stop.Check()
		try(m.lastShown(m.tree.children[id], than))
	}
	for b := range m.tree.cut {
		if !b.deleted && bySibling(b, than) < 0 {
			try(b)
		}
	}
	return best
}

// appendRows adds the rows of a block and what shows below it. The blocks above
// it show.
func (m *Model) appendRows(rows []row, b *blockMap, depth int) []row {
	stack := []row{{b, depth}}
	for len(stack) > 0 {
		m.Stop.Check()
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if r.block.deleted {
			continue
		}
		rows = append(rows, r)
		if len(m.tree.children[r.block.key]) > 0 {
			stack = pushRows(stack, m.siblings(r.block.key), r.depth+1)
		}
	}
	return rows
}

// sortByPlace brings blocks of which none is above another into document order.
func (m *Model) sortByPlace(all []*blockMap) {
	if len(all) < 2 {
		return
	}
	ways := make(map[*blockMap][]*blockMap, len(all))
	for _, b := range all {
		m.Stop.Check()
		var way []*blockMap
		for at := b; at != nil; at = m.above(at) {
			way = append(way, at)
		}
		slices.Reverse(way)
		ways[b] = way
	}
	slices.SortFunc(all, func(a, b *blockMap) int { return slices.CompareFunc(ways[a], ways[b], bySibling) })
}
