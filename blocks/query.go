package blocks

// Roots returns the blocks at the root, in order, without deleted ones.
func (m *Model) Roots() []ID { return m.Children("") }

// Children returns the blocks that show right below a block, in order. Deleted
// ones are left out. Of a deleted block it returns what would show if it were
// not; of one that does not exist, nothing.
func (m *Model) Children(id ID) []ID {
	if id != "" && m.blocks[id] == nil {
		return nil
	}
	var out []ID
	for _, b := range m.siblings(id) {
		if !b.deleted {
			out = append(out, b.key)
		}
	}
	return out
}

// Ancestors returns the blocks above a block where it shows: its parent, that
// one's parent, up to the root. There are fewer than 512.
func (m *Model) Ancestors(id ID) []ID {
	b := m.blocks[id]
	if b == nil {
		return nil
	}
	var out []ID
	for b = m.above(b); b != nil; b = m.above(b) {
		out = append(out, b.key)
	}
	return out
}

// Subtree returns a block and everything that shows below it, in document
// order. Of a deleted block it returns what would show if it were not; of one
// that does not exist, nothing.
func (m *Model) Subtree(id ID) []ID {
	b := m.blocks[id]
	if b == nil {
		return nil
	}
	out := []ID{id}
	if len(m.tree.children[id]) == 0 {
		return out
	}
	stack := pushRows(nil, m.siblings(id), 0)
	for len(stack) > 0 {
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if r.block.deleted {
			continue
		}
		out = append(out, r.block.key)
		if len(m.tree.children[r.block.key]) > 0 {
			stack = pushRows(stack, m.siblings(r.block.key), 0)
		}
	}
	return out
}
