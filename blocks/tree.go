package blocks

import (
	"cmp"
	"slices"
)

// maxDepth is how deep the tree goes. A block that would stand deeper shows at
// the root.
const maxDepth = 512

// tree is how the blocks hang together. It holds all of them, deleted ones too.
type tree struct {
	children map[ID][]*blockMap // by parent as written; by order key, then id
	missing  map[ID]struct{}    // parents in children that do not exist
	cut      map[*blockMap]bool // blocks taken to the root: circles, too deep
	unsure   bool               // cut has to be computed again
	rows     []row              // what shows, in document order
	invalid  bool               // rows has to be computed again
}

// row is a block where it shows.
type row struct {
	block *blockMap
	depth int
}

func newTree() tree {
	return tree{children: make(map[ID][]*blockMap), missing: make(map[ID]struct{})}
}

// bySibling orders siblings.
func bySibling(a, b *blockMap) int {
	if c := cmp.Compare(a.order, b.order); c != 0 {
		return c
	}
	return cmp.Compare(a.key, b.key)
}

// place enters a block that exists into the tree.
func (m *Model) place(b *blockMap) {
	t := &m.tree
	t.invalid = true
	siblings := t.children[b.parent]
	i := len(siblings)
	if i > 0 && bySibling(siblings[i-1], b) > 0 {
		i, _ = slices.BinarySearchFunc(siblings, b, bySibling)
	}
	t.children[b.parent] = slices.Insert(siblings, i, b)
	if b.parent != "" && m.blocks[b.parent] == nil {
		t.missing[b.parent] = struct{}{}
	}
	delete(t.missing, b.key)
	// Only what hangs below it can close a circle or get too deep.
	above, ok := m.blocksAbove(b)
	if below := len(t.children[b.key]) > 0; !ok || below && (m.tracing == nil || len(t.cut) > 0 || m.tooDeep(b, above)) {
		t.unsure = true
	}
}

// unplace takes a block out of the tree. What hung below it hangs in the air
// until it comes back.
func (m *Model) unplace(b *blockMap) {
	t := &m.tree
	t.invalid = true
	siblings := t.children[b.parent]
	if i, ok := slices.BinarySearchFunc(siblings, b, bySibling); ok {
		siblings = slices.Delete(siblings, i, i+1)
	}
	if len(siblings) == 0 {
		delete(t.children, b.parent)
		delete(t.missing, b.parent)
	} else {
		t.children[b.parent] = siblings
	}
	if m.blocks[b.key] == nil && len(t.children[b.key]) > 0 {
		t.missing[b.key] = struct{}{}
	}
	if t.cut[b] || len(t.cut) > 0 && len(t.children[b.key]) > 0 {
		t.unsure = true
	}
}

// blocksAbove returns how many blocks are above one that is placed, as the cuts
// were before; false if they are too many.
func (m *Model) blocksAbove(b *blockMap) (int, bool) {
	for n := range maxDepth {
		if b.parent == "" || m.tree.cut[b] {
			return n, true
		}
		if b = m.blocks[b.parent]; b == nil {
			return n, true
		}
	}
	return 0, false
}

// tooDeep reports whether anything below a block that has so many above it has
// too many. It costs a look at all of that.
func (m *Model) tooDeep(b *blockMap, above int) bool {
	stack := []row{{b, above}}
	for len(stack) > 0 {
		m.Stop.Check()
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if r.depth >= maxDepth {
			return true
		}
		stack = pushRows(stack, m.tree.children[r.block.key], r.depth+1)
	}
	return false
}

// above returns the block below which b shows, nil at the root.
func (m *Model) above(b *blockMap) *blockMap {
	if b.parent == "" || m.cut()[b] {
		return nil
	}
	return m.blocks[b.parent]
}

// depth returns how many blocks are above b.
func (m *Model) depth(b *blockMap) int {
	n := 0
	for b = m.above(b); b != nil; b = m.above(b) {
		n++
	}
	return n
}

// siblings returns the blocks below a parent, or at the root, in order. The
// caller must not change it.
func (m *Model) siblings(parent ID) []*blockMap {
	cut, t := m.cut(), &m.tree
	if len(cut) == 0 && (parent != "" || len(t.missing) == 0) {
		return t.children[parent]
	}
	all := slices.DeleteFunc(slices.Clone(t.children[parent]), func(b *blockMap) bool { return cut[b] })
	if parent != "" {
		return all
	}
	for id := range t.missing {
		all = append(all, t.children[id]...)
	}
	for b := range cut {
		all = append(all, b)
	}
	slices.SortFunc(all, bySibling)
	return all
}

// arranged returns what shows, in document order.
func (m *Model) arranged() []row {
	t := &m.tree
	if !t.invalid {
		return t.rows
	}
	clear(t.rows)
	t.rows = t.rows[:0]
	stack := pushRows(nil, m.siblings(""), 0)
	for len(stack) > 0 {
		m.Stop.Check()
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if r.block.deleted {
			continue
		}
		t.rows = append(t.rows, r)
		if len(t.children[r.block.key]) > 0 {
			stack = pushRows(stack, m.siblings(r.block.key), r.depth+1)
		}
	}
	t.invalid = false
	return t.rows
}

// pushRows puts siblings on the stack, the first on top.
func pushRows(stack []row, siblings []*blockMap, depth int) []row {
	for _, b := range slices.Backward(siblings) {
		stack = append(stack, row{b, depth})
	}
	return stack
}

// cut returns the blocks that are taken to the root, so that the tree is one
// and not too deep: of each circle of parents the block with the lowest id,
// and then whatever would have maxDepth blocks above it.
func (m *Model) cut() map[*blockMap]bool {
	t := &m.tree
	if t.unsure {
		t.cut = make(map[*blockMap]bool)
		m.cutCircles()
		m.cutDeep()
		t.unsure = false
	}
	return t.cut
}

// cutCircles follows the parents of every block once.
func (m *Model) cutCircles() {
	walk := make(map[*blockMap]int, len(m.blocks)) // the number of the walk that came by
	n := 0
	for _, b := range m.blocks {
		m.Stop.Check()
		n++
		for ; b != nil && walk[b] == 0; b = m.blocks[b.parent] {
			walk[b] = n
		}
		if b == nil || walk[b] != n {
			continue
		}
		lowest := b
		for c := m.blocks[b.parent]; c != b; c = m.blocks[c.parent] {
			if c.key < lowest.key {
				lowest = c
			}
		}
		m.tree.cut[lowest] = true
	}
}

// cutDeep goes down from the root, the circles being cut.
func (m *Model) cutDeep() {
	t := &m.tree
	var stack []row
	for _, b := range m.blocks {
		if t.cut[b] || m.blocks[b.parent] == nil {
			stack = append(stack, row{b, 0})
		}
	}
	for len(stack) > 0 {
		m.Stop.Check()
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, c := range t.children[r.block.key] {
			switch {
			case t.cut[c]: // at the root already
			case r.depth+1 == maxDepth:
				t.cut[c] = true
				stack = append(stack, row{c, 0})
			default:
				stack = append(stack, row{c, r.depth + 1})
			}
		}
	}
}
