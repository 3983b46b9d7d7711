package blocks

import (
	"cmp"
	"fmt"

	"kaijutsu"
)

// Position says where among its siblings a block is put. The zero value is
// Last. Below a tool_call the results stand right behind the call: the last
// place of a result is behind the other results, the first place of anything
// else is behind them all.
type Position struct {
	where  where
	anchor ID
}

type where uint8

const (
	anywhere where = iota
	lastOf
	first
	before
	after
)

// Last is the place behind all siblings.
func Last() Position { return Position{where: lastOf} }

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
	order     string
	displaced []sibling
}

// findPlace finds the place for a block of a kind that has so many levels of blocks
// below it.
func (tx *Tx) findPlace(kind Kind, parent ID, pos Position, height int) (placing, error) {
	parent, anchor, err := tx.parentOf(parent, pos)
	if err != nil {
		return placing{}, err
	}
	if pos, err = tx.besideCall(kind, parent, pos); err != nil {
		return placing{}, err
	}
	if pos.anchor != anchor.id {
		if _, anchor, err = tx.parentOf(parent, pos); err != nil {
			return placing{}, err
		}
	}
	p := placing{parent: parent}
	if parent != "" {
		above, ok := tx.sibling(parent)
		if !ok {
			return placing{}, kaijutsu.About("parent", fmt.Errorf("parent %s: %w", parent, kaijutsu.ErrNotFound))
		}
		if depth := tx.depth(above) + 1; depth+height >= maxDepth {
			return placing{}, kaijutsu.About("parent", fmt.Errorf("below parent %s it would be %d blocks deep: at most %d: %w", parent, depth+height, maxDepth-1, kaijutsu.ErrTooLarge))
		}
	}
	low, high, ok := tx.neighbours(parent, pos.where, anchor)
	err = tx.between(&p, low, high, ok, pos.where == first || pos.where == before)
	return p, err
}

// between finds a key between two siblings; low is nil and ok false where
// there is none.
func (tx *Tx) between(p *placing, low *sibling, high sibling, ok, down bool) error {
	g := gap{open: !ok, down: down}
	if low != nil {
		g.low, g.afterOwn = low.order, low.own
	}
	if ok {
		g.high, g.beforeOwn = high.order, high.own
	}
	if low == nil && !ok {
		p.order = firstKey()
		return nil
	}
	if key, ok := g.key(); ok {
		p.order = key
		return nil
	}
	return tx.displace(p, g.low, high)
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
		return "", sibling{}, kaijutsu.About("parent", fmt.Errorf("block %s to insert next to is not below parent %s: %w", pos.anchor, parent, kaijutsu.ErrInvalid))
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

// makeRoom writes the new keys of the blocks that a placing displaces.
func (tx *Tx) makeRoom(at placing) {
	for _, s := range at.displaced {
		d := tx.draft(s.id)
		tx.setString(d, fieldOrder, s.order)
		tx.place(d)
	}
}
