package blocks

import (
	"maps"
	"slices"
)

// touchTombstone marks a block whose deleted field was written, until it is
// settled whether it is deleted.
const touchTombstone Touch = 1 << 15

// manyTouched is from how many blocks on that a change touches.
const manyTouched = 256

// touch notes that the change at hand touches a block.
func (m *Model) touch(id ID, how Touch) {
	i, ok := m.touched[id]
	if !ok {
		i = len(m.delta.Blocks)
		m.touched[id] = i
		m.delta.Blocks = append(m.delta.Blocks, Touched{ID: id})
	}
	m.delta.Blocks[i].How |= how
}

// touchSequence notes that a text or list has changed.
func (m *Model) touchSequence(s *sequence) {
	for p := s; p != nil; p = p.parent {
		p.clean, p.counted = false, false
	}
	switch {
	case s.owner == nil:
		m.delta.Title = true
	case m.showsOrDid(s.owner):
		m.touch(s.owner.key, fieldTouches[s.field])
	}
}

// touchPages and touchPage note that all blocks of a page came or went.
func (m *Model) touchPages(p *pagesMap) {
	if p == nil {
		return
	}
	for _, slots := range p.pages {
		m.touchPage(winner(slots))
	}
}

func (m *Model) touchPage(p *pageMap) {
	if p == nil {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(p.blocks)) {
		m.touch(id, 0)
	}
}

// settle brings the set of blocks and the tree up to date with what the
// change at hand touched, and says of each block how.
func (m *Model) settle() {
	if m.tracing != nil {
		m.tracing.list.before(m)
	}
	for i := range m.delta.Blocks {
		m.Stop.Check()
		t := &m.delta.Blocks[i]
		t.How = m.settleBlock(t.ID, t.How)
	}
	m.delta.Blocks = slices.DeleteFunc(m.delta.Blocks, func(t Touched) bool { return t.How == 0 })
	if clear(m.touched); len(m.delta.Blocks) > manyTouched {
		m.touched = make(map[ID]int) // clearing a map that was large costs as much every time
	}
}

func (m *Model) settleBlock(id ID, how Touch) Touch {
	before, after := m.blocks[id], m.current(id)
	switch {
	case before == nil && after == nil:
		return 0
	case before == nil:
		m.show(after)
		return TouchInserted
	case after == nil:
		m.hide(before)
		return TouchDeleted
	case before != after:
		m.hide(before)
		m.show(after)
		return touchReplaced | tombstone(before.deleted, after.deleted)
	}
	if how&(TouchMoved|touchTombstone) == 0 {
		return how
	}
	wasDeleted := after.deleted
	if after.misplaced() {
		m.unplace(after)
		after.refresh()
		m.place(after)
	} else if after.refresh(); after.deleted != wasDeleted {
		m.tree.invalid = true
	}
	return how&^touchTombstone | tombstone(wasDeleted, after.deleted)
}

// current returns the block that is to show under an id by what pages hold, nil
// if there is none.
func (m *Model) current(id ID) *blockMap {
	p := m.shownPage(pageOf(string(id)))
	if p == nil {
		return nil
	}
	if b := p.blocks[id]; b != nil && !b.scalar {
		return b
	}
	return nil
}

func tombstone(before, after bool) Touch {
	switch {
	case after && !before:
		return TouchDeleted
	case before && !after:
		return TouchRestored
	}
	return 0
}

// show adds a block to those that exist.
func (m *Model) show(b *blockMap) {
	b.refresh()
	m.blocks[b.key] = b
	m.place(b)
}

// hide takes a block away from those that exist.
func (m *Model) hide(b *blockMap) {
	delete(m.blocks, b.key)
	m.unplace(b)
}

// misplaced reports whether a block does not stand where its fields say.
func (b *blockMap) misplaced() bool {
	return b.parent != ID(b.str(fieldParent)) || b.order != b.str(fieldOrder)
}

// refresh fills the caches of a block.
func (b *blockMap) refresh() {
	b.deleted = b.flag(fieldDeleted)
	b.parent = ID(b.str(fieldParent))
	b.order = b.str(fieldOrder)
}
