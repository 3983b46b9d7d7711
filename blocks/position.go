package blocks

import (
	"cmp"
	"fmt"
	"slices"

	"kaijutsu"
)

// Position says where among its siblings a block is inserted. The zero value
// is Last.
type Position struct {
	where  where
	anchor ID
}

type where uint8

const (
	lastOf where = iota
	first
	before
	after
)

// Last is the place behind all siblings.
func Last() Position { return Position{} }

// First is the place in front of all siblings.
func First() Position { return Position{where: first} }

// Before is the place right in front of a block, below the same parent.
func Before(id ID) Position { return Position{before, id} }

// After is the place right behind a block, below the same parent.
func After(id ID) Position { return Position{after, id} }

// sibling is a block as far as its place goes.
type sibling struct {
	id     ID
	parent ID
	order  string
	own    bool // made by the actor of the transaction
	depth  int
}

func (s sibling) compare(o sibling) int {
	if c := cmp.Compare(s.order, o.order); c != 0 {
		return c
	}
	return cmp.Compare(s.id, o.id)
}

// maxDisplaced is how many blocks whose keys leave no room an insert gives new
// keys.
const maxDisplaced = 256

// placing is where a block goes: its parent and key, and the blocks behind it
// that get new keys because theirs left no room.
type placing struct {
	parent    ID
	depth     int
	order     string
	displaced []sibling
}

// place finds the place for a new block.
func (tx *Tx) place(parent ID, pos Position) (placing, error) {
	parent, anchor, err := tx.parentOf(parent, pos)
	if err != nil {
		return placing{}, err
	}
	p := placing{parent: parent}
	if parent != "" {
		above, ok := tx.sibling(parent)
		if !ok {
			return placing{}, fmt.Errorf("parent %s: %w", parent, kaijutsu.ErrNotFound)
		}
		if p.depth = above.depth + 1; p.depth >= maxDepth {
			return placing{}, fmt.Errorf("parent %s is %d blocks deep: at most %d: %w", parent, p.depth, maxDepth, kaijutsu.ErrTooLarge)
		}
	}
	low, high, ok := tx.neighbours(parent, pos.where, anchor)
	g := gap{open: !ok, down: pos.where == first || pos.where == before}
	if low != nil {
		g.low, g.afterOwn = low.order, low.own
	}
	if ok {
		g.high, g.beforeOwn = high.order, high.own
	}
	if low == nil && !ok {
		p.order = firstKey()
		return p, nil
	}
	if key, ok := g.key(); ok {
		p.order = key
		return p, nil
	}
	return p, tx.displace(&p, g.low, high)
}

// parentOf returns the parent that a position implies, and the block it is
// relative to.
func (tx *Tx) parentOf(parent ID, pos Position) (ID, sibling, error) {
	if pos.where != before && pos.where != after {
		return parent, sibling{}, nil
	}
	anchor, ok := tx.sibling(pos.anchor)
	if !ok {
		return "", sibling{}, fmt.Errorf("block %s to insert next to: %w", pos.anchor, kaijutsu.ErrNotFound)
	}
	if parent != "" && parent != anchor.parent {
		return "", sibling{}, fmt.Errorf("block %s to insert next to is not below parent %s: %w", pos.anchor, parent, kaijutsu.ErrInvalid)
	}
	return anchor.parent, anchor, nil
}

// neighbours returns the siblings on both sides of a position; low is nil and
// ok false where there is none.
func (tx *Tx) neighbours(parent ID, w where, anchor sibling) (low *sibling, high sibling, ok bool) {
	switch w {
	case first:
		high, ok = tx.next(parent, nil)
	case before:
		if prev, ok := tx.prev(parent, &anchor); ok {
			low = &prev
		}
		return low, anchor, true
	case after:
		low = &anchor
		high, ok = tx.next(parent, &anchor)
	default:
		if prev, ok := tx.prev(parent, nil); ok {
			low = &prev
		}
	}
	return low, high, ok
}

// displace makes room above low: the blocks from high on get new keys until
// one is high enough.
func (tx *Tx) displace(p *placing, low string, high sibling) error {
	for s, ok := high, true; ; s, ok = tx.next(p.parent, &s) {
		if key, room := (gap{low: low, high: s.order, open: !ok}).key(); room {
			p.order = key
			for i := range p.displaced {
				if key, room = (gap{low: key, high: s.order, open: !ok, afterOwn: true}).key(); !room {
					return fmt.Errorf("no order key between %q and %q: %w", low, s.order, kaijutsu.ErrConflict)
				}
				p.displaced[i].order = key
			}
			return nil
		}
		if len(p.displaced) == maxDisplaced {
			return fmt.Errorf("more than %d blocks have the order key %q: there is no room between them: %w", maxDisplaced, s.order, kaijutsu.ErrConflict)
		}
		p.displaced = append(p.displaced, s)
	}
}

// sibling returns a block of the transaction or of the model.
func (tx *Tx) sibling(id ID) (sibling, bool) {
	for _, s := range tx.placed {
		if s.id == id {
			return s, true
		}
	}
	b := tx.model.blocks[id]
	if b == nil {
		return sibling{}, false
	}
	return tx.shown(b), true
}

// shown returns where a block of the model shows.
func (tx *Tx) shown(b *blockMap) sibling {
	s := sibling{id: b.key, order: b.order, own: tx.model.actors[b.id.actor] == tx.actor, depth: tx.model.depth(b)}
	if above := tx.model.above(b); above != nil {
		s.parent = above.key
	}
	return s
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
	for _, s := range tx.placed {
		if s.parent == parent && (than == nil || s.compare(*than) > 0) && (!found || s.compare(best) < 0) {
			best, found = s, true
		}
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
	for _, s := range tx.placed {
		if s.parent == parent && (than == nil || s.compare(*than) < 0) && (!found || s.compare(best) > 0) {
			best, found = s, true
		}
	}
	return best, found
}

func compareBlock(b *blockMap, s sibling) int { return sibling{id: b.key, order: b.order}.compare(s) }

// moved reports whether the transaction has given a block another place than
// the model knows.
func (tx *Tx) moved(id ID) bool {
	return slices.ContainsFunc(tx.placed, func(s sibling) bool { return s.id == id })
}
