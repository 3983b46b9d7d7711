package blocks

import (
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// Revert takes back what the changes of a unit of work did, as far as it still
// shows. What others did since stays. It is an edit like any other and can be
// reverted in its turn; the message of its change begins with UndoMessage and
// names the changes.
//
//   - Characters and chunks that the unit wrote and that still show go.
//   - Those that it alone deleted come back where they were.
//   - A field that still shows what the unit put goes back to what it was; where
//     others put something at the same time, theirs shows.
//   - A record goes back to what it was before it became a text, or the other
//     way round, unless others have written into what it is now.
//   - A block that the unit made is deleted, unless others wrote into it or put
//     blocks below it: then only what the unit wrote into it goes.
//   - Tombstones that it set are lifted, and the other way round.
//
// Nothing else may be written by a transaction before it. Several units that it
// takes back are taken back as one: what the one wrote and the other deleted
// does not come back.
//
// A block that was taken out of its page, which no client should do, does not
// come back, and the id of the context stays.
//
// The error wraps kaijutsu.ErrConflict when nothing of the unit shows any more
// or it was taken back already, and kaijutsu.ErrNotFound when the log does not
// hold it. A unit that was taken back and done again is what did it again.
func (tx *Tx) Revert(log Log, unit []kaijutsu.ChangeHash) error {
	if tx.over {
		return fmt.Errorf("undo: %w", errOver)
	}
	r := &reverting{
		tx: tx, m: tx.model, origins: origins{m: tx.model, log: keep(log), scans: maxScanned},
		writes: make(map[slotKey]*slotWrite), texts: make(map[*sequence]*textWrite), made: make(map[*blockMap]fate), stays: make(map[*blockMap]bool),
	}
	unit, err := r.standing(unit)
	if err == nil {
		err = tx.beginRevert()
	}
	if err != nil {
		return fmt.Errorf("undo: %w", err)
	}
	unit = append(unit, tx.reverted...)
	for _, step := range []func() error{func() error { return r.read(unit) }, r.readOthers, r.blocks, r.fields, r.sequences} {
		if err := step(); err != nil {
			return fmt.Errorf("undo: %w", err)
		}
	}
	if len(tx.ops) == 0 && len(tx.reverted) == 0 {
		return fmt.Errorf("undo: nothing of it shows any more: %w", kaijutsu.ErrConflict)
	}
	tx.reverted, tx.revertedOps = unit, len(tx.ops)
	return nil
}

// beginRevert lets go of what Revert wrote before in this transaction: all that
// is to be taken back is taken back at once.
func (tx *Tx) beginRevert() error {
	if len(tx.ops) != tx.revertedOps {
		return fmt.Errorf("the change holds other work already: %w", kaijutsu.ErrInvalid)
	}
	if tx.revertedOps > 0 {
		tx.end()
		*tx = Tx{
			model: tx.model, me: tx.me, deps: tx.deps, start: tx.start,
			actors: tx.actors[:1], table: map[uint32]uint32{tx.me: 0}, reverted: tx.reverted,
		}
	}
	return nil
}

// reverting is a unit of work that is taken back.
type reverting struct {
	tx *Tx
	m  *Model
	origins
	unit
	others

	made      map[*blockMap]fate // the blocks that the unit made and that show
	madeOrder []*blockMap
	writes    map[slotKey]*slotWrite // what it wrote into fields
	slots     []slotKey              // in order
	texts     map[*sequence]*textWrite
	edited    []*sequence // in order
	stays     map[*blockMap]bool
}

// fate is what becomes of a block that the unit made.
type fate uint8

const (
	fateUnknown fate = iota
	fateGone         // deleted
	fateKept         // others have a part in it
)

// slotKey names a field of a block by the block's map; of the root map, which
// is the zero id, fieldText is the title.
type slotKey struct {
	obj   opID
	field field
}

// slotWrite is what the unit wrote into a field.
type slotWrite struct {
	block  *blockMap      // nil: the root map
	before opID           // the last of what was there before, zero if nothing was
	all    []opID         // all of it
	by     *amfile.Change // that took it away
}

// textWrite is what the unit did to elements of a text or list: of each that
// it deleted or overwrote, the operation whose value showed before.
type textWrite struct {
	before map[opID]opID
	whole  bool // it goes, or went, as a whole
}

// blocks deletes the blocks that the unit made.
func (r *reverting) blocks() error {
	for _, b := range r.madeOrder {
		kept := r.keeps(b)
		d := r.tx.draft(b.key)
		body := last(b.fields, fieldBody)
		switch {
		case !kept && !d.flag(fieldDeleted):
			if err := r.tx.use(0, 1); err != nil {
				return err
			}
			r.tx.set(d, fieldDeleted, amfile.BoolValue(true))
		case kept && body != nil && body.str != "" && r.holds(body.id):
			if err := r.tx.use(0, 1); err != nil {
				return err
			}
			r.tx.setString(d, fieldBody, "")
		}
	}
	return nil
}

// keeps reports whether others have a part in a block that the unit made: they
// wrote into it, or something of theirs hangs below it.
func (r *reverting) keeps(b *blockMap) bool {
	if f := r.made[b]; f != fateUnknown {
		return f == fateKept
	}
	r.made[b] = fateGone // should parents run in a circle
	kept := r.wroteInto(b)
	for _, child := range r.m.tree.children[b.key] {
		if kept {
			break
		}
		_, own := r.made[child]
		kept = !child.deleted && (!own || r.keeps(child))
	}
	if kept {
		r.made[b] = fateKept
	}
	return kept
}

// wroteInto reports whether others wrote into a block: its content, or what it
// says of it. Where it stands and its flags do not count.
func (r *reverting) wroteInto(b *blockMap) bool {
	for _, f := range [...]field{fieldKind, fieldRole, fieldStatus, fieldText, fieldBody, fieldChunks, fieldMeta} {
		if r.others.slots[slotKey{b.id, f}] {
			return true
		}
	}
	for i := range b.fields {
		if s := b.fields[i].seq; s != nil && r.others.objects[s.id] {
			return true
		}
	}
	return false
}
