package blocks

import (
	"fmt"

	"kaijutsu"
)

// Move puts a block, and what hangs below it, below another parent, "" for the
// root, or elsewhere among its siblings. Before and After imply the parent. A
// block that stands there already is left alone. The error wraps
// kaijutsu.ErrNotFound when one of them does not exist, ErrInvalid when the
// block would hang below itself, ErrTooLarge when something would hang too
// deep, ErrConflict when the block is deleted.
func (tx *Tx) Move(id, parent ID, pos Position) error {
	d, err := tx.existing(id)
	if err != nil {
		return fmt.Errorf("move: %w", err)
	}
	if err := tx.move(d, parent, pos); err != nil {
		return fmt.Errorf("move block %s: %w", id, err)
	}
	return nil
}

func (tx *Tx) move(d *draft, parent ID, pos Position) error {
	if err := editable(d); err != nil {
		return err
	}
	if pos.anchor == d.key {
		return fmt.Errorf("it cannot stand next to itself: %w", kaijutsu.ErrInvalid)
	}
	if parent != "" {
		if _, err := ParseID(string(parent)); err != nil {
			return kaijutsu.About("parent", fmt.Errorf("parent: %w", err))
		}
	}
	parent, _, err := tx.parentOf(parent, pos)
	if err != nil {
		return err
	}
	if tx.hangsBelow(parent, d.key) {
		return kaijutsu.About("parent", fmt.Errorf("parent %s is the block itself or hangs below it: %w", parent, kaijutsu.ErrInvalid))
	}
	if err := tx.staysAtCall(d, parent); err != nil {
		return err
	}
	tx.moving = d.key
	defer func() { tx.moving = "" }()
	if pos, err = tx.besideCall(tx.kind(d), parent, pos); err != nil {
		return err
	}
	_, anchor, err := tx.parentOf(parent, pos)
	if err != nil {
		return err
	}
	if tx.standsThere(d, parent, pos, anchor) {
		return nil
	}
	at, err := tx.findPlace(tx.kind(d), parent, pos, tx.height(d.key))
	if err != nil {
		return err
	}
	if err := tx.use(len(at.order), 2+len(at.displaced)); err != nil {
		return err
	}
	tx.makeRoom(at)
	switch written := ID(tx.str(d, fieldParent)); {
	case written == parent:
	case parent == "":
		tx.remove(d, fieldParent)
	default:
		tx.setString(d, fieldParent, string(parent))
	}
	tx.setString(d, fieldOrder, at.order)
	tx.place(d)
	return nil
}

// hangsBelow reports whether a block is another one or hangs below it, as the
// parents are written: what is cut out of a circle hangs in it still.
func (tx *Tx) hangsBelow(id, other ID) bool {
	for range len(tx.model.blocks) + len(tx.placed) + 1 {
		if id == other {
			return true
		}
		d := tx.draft(id)
		if d == nil {
			return false
		}
		id = ID(tx.str(d, fieldParent))
	}
	return false // a circle, without the other one
}

// standsThere reports whether a block stands already where it is to go.
func (tx *Tx) standsThere(d *draft, parent ID, pos Position, anchor sibling) bool {
	if ID(tx.str(d, fieldParent)) != parent {
		return false
	}
	s := sibling{id: d.key, order: tx.str(d, fieldOrder)}
	low, high, ok := tx.neighbours(parent, pos.where, anchor)
	return (low == nil || low.compare(s) < 0) && (!ok || s.compare(high) < 0)
}
