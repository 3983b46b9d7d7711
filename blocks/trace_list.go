package blocks

import (
	"cmp"
	"maps"
	"slices"
)

// listTrace finds out how the list of rows changes. A row keeps its place among
// the others, and its depth, when neither it nor any block above it has come or
// gone, changed its place, or been deleted or restored; the other rows are those
// of the subtrees of the blocks that have. Of these, as they showed before and
// as they show after, some leave the list; the rest is put, in document order,
// right behind the row that stands in front of it when all is over, which by
// then is where it belongs.
type listTrace struct {
	changed []ID        // the blocks that have, as the change names them
	isIn    map[ID]bool // the same
	born    map[ID]bool // those of them that are new under their id
	rows    []row       // of their subtrees, as they showed before
	showed  map[ID]*blockMap

	cut     map[*blockMap]bool  // as it was
	cutRows map[*blockMap][]row // what showed below those, if it may get elsewhere

	// Of a single block that has changed: its row before, and what stood in
	// front of it.
	only *blockMap
	at   Step
}

// before looks at what the change is about to do to the tree, which is still as
// it was.
func (l *listTrace) before(m *Model) {
	l.cut = m.cut()
	for i := range m.delta.Blocks {
		l.look(m, &m.delta.Blocks[i])
	}
	parents := false // no others keep the circles and the depth as they are
	for _, id := range l.changed {
		m.Stop.Check()
		b := m.blocks[id]
		parents = parents || l.cut[b] || len(m.tree.children[id]) > 0
		if b != nil && !l.below(m, b) && m.visible(b) {
			l.rows = m.appendRows(l.rows, b, m.depth(b))
		}
	}
	if parents && len(l.cut) > 0 {
		l.cutRows = make(map[*blockMap][]row)
		for b := range l.cut {
			m.Stop.Check()
			l.cutRows[b] = m.appendRows(nil, b, 0)
		}
	}
	if len(l.changed) == 1 && len(l.rows) > 0 {
		r := l.rows[0]
		l.only, l.at = r.block, Step{After: m.predecessor(r.block), Parent: r.block.parent, Depth: r.depth}
	}
}

// look adds what changes of the tree with a block that the change touches.
func (l *listTrace) look(m *Model, t *Touched) {
	before := m.blocks[t.ID]
	if before != nil && m.shows(before) {
		if t.How&(TouchMoved|touchTombstone) != 0 && (before.misplaced() || before.deleted != before.flag(fieldDeleted)) {
			l.add(t.ID)
		}
		return
	}
	after := m.current(t.ID)
	if before == nil && after == nil {
		return
	}
	l.add(t.ID)
	if after != nil {
		if l.born == nil {
			l.born = make(map[ID]bool)
		}
		l.born[t.ID] = true
	}
	if before != nil && after != nil {
		return
	}
	for _, b := range m.tree.children[t.ID] {
		if !l.cut[b] {
			l.add(b.key) // it hung in the air, or will
		}
	}
}

func (l *listTrace) add(id ID) {
	if l.isIn[id] {
		return
	}
	if l.isIn == nil {
		l.isIn = make(map[ID]bool)
	}
	l.isIn[id] = true
	l.changed = append(l.changed, id)
}

// below reports whether a block above b has changed.
func (l *listTrace) below(m *Model, b *blockMap) bool {
	for b = m.above(b); b != nil; b = m.above(b) {
		if l.isIn[b.key] {
			return true
		}
	}
	return false
}

// recut adds the blocks that are taken to the root now and were not before, and
// the other way round. What shows below the former showed below a block that
// has changed, the latter counted.
func (l *listTrace) recut(m *Model) {
	now := m.cut()
	for _, b := range sortedByKey(l.cut) {
		if m.above(b) != nil && !l.isIn[b.key] {
			l.add(b.key)
			l.rows = append(l.rows, l.cutRows[b]...)
		}
	}
	for _, b := range sortedByKey(now) {
		if !l.cut[b] {
			l.add(b.key)
		}
	}
}

func sortedByKey(set map[*blockMap]bool) []*blockMap {
	return slices.SortedFunc(maps.Keys(set), func(a, b *blockMap) int { return cmp.Compare(a.key, b.key) })
}

// after says what has become of the rows, the tree being settled.
func (l *listTrace) after(m *Model, steps []Step) []Step {
	if len(l.changed) == 0 {
		return steps
	}
	l.recut(m)
	if len(l.changed) == 1 && l.only != nil && l.stays(m) {
		if l.at.Parent != l.only.parent {
			steps = append(steps, l.move(row{l.only, l.at.Depth}, l.at.After))
		}
		return steps
	}
	l.showed = make(map[ID]*blockMap, len(l.rows))
	for _, r := range l.rows {
		if b := r.block; l.showed[b.key] == nil {
			l.showed[b.key] = b
			if m.blocks[b.key] != b || !m.visible(b) {
				steps = append(steps, Step{Kind: StepDeleted, ID: b.key})
			}
		}
	}
	var tops []*blockMap
	for _, id := range l.changed {
		m.Stop.Check()
		if b := m.blocks[id]; b != nil && !l.below(m, b) && m.visible(b) {
			tops = append(tops, b)
		}
	}
	m.sortByPlace(tops)
	var rows []row
	for _, b := range tops {
		m.Stop.Check()
		front := m.predecessor(b)
		rows = m.appendRows(rows[:0], b, m.depth(b))
		for _, r := range rows {
			if l.showed[r.block.key] == r.block {
				steps = append(steps, l.move(r, front))
			} else {
				steps = append(steps, l.insert(m, r, front))
			}
			front = r.block.key
		}
	}
	return steps
}

// stays reports whether the single block that has changed is where it was.
func (l *listTrace) stays(m *Model) bool {
	b := l.only
	return m.blocks[b.key] == b && m.visible(b) && m.depth(b) == l.at.Depth && m.predecessor(b) == l.at.After
}

func (l *listTrace) move(r row, front ID) Step {
	return Step{Kind: StepMoved, ID: r.block.key, After: front, Parent: r.block.parent, Depth: r.depth}
}

func (l *listTrace) insert(m *Model, r row, front ID) Step {
	b := m.read(r.block, r.depth)
	return Step{Kind: StepInserted, ID: b.ID, After: front, Block: &b, Restored: !l.born[b.ID]}
}

// entered reports whether a block that shows entered the list.
func (l *listTrace) entered(m *Model, b *blockMap) bool {
	return len(l.changed) > 0 && l.showed[b.key] != b && (l.isIn[b.key] || l.below(m, b)) && l.showed != nil
}
