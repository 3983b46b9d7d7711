package blocks

import (
	"fmt"

	"kaijutsu"
)

// InsertBlock makes a block. The error wraps kaijutsu.ErrInvalid when the spec
// is wrong, ErrNotFound when the parent or the block next to it does not
// exist, ErrConflict when the id is taken, also by a deleted block.
func (tx *Tx) InsertBlock(spec BlockSpec) error {
	doing := "insert block " + string(spec.ID)
	spec, err := spec.withDefaults()
	if err != nil {
		return fmt.Errorf("insert block: %w", err)
	}
	page, err := tx.page(spec.ID)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	taken, err := tx.engine.get(page, string(spec.ID))
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if taken.kind != engineNothing {
		return fmt.Errorf("%s: the id is taken: %w", doing, kaijutsu.ErrConflict)
	}
	at, err := tx.place(spec.Parent, spec.Position)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if err := tx.use(len(spec.Content)+len(spec.Meta), int(fieldCount)+len(at.displaced)+opsOf(spec.Form, spec.Content)); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if err := tx.wrote(doing, tx.insert(page, spec, at)); err != nil {
		return err
	}
	tx.placed = append(tx.placed, sibling{id: spec.ID, parent: at.parent, order: at.order, own: true, depth: at.depth})
	return nil
}

// insert writes a new block, and the new keys of those it displaces.
func (tx *Tx) insert(page engineObject, spec BlockSpec, at placing) error {
	for _, s := range at.displaced {
		b, err := tx.block(s.id)
		if err != nil {
			return err
		}
		if err := tx.engine.putString(b, fieldOrder.key(), s.order); err != nil {
			return err
		}
		tx.displacedTo(s)
	}
	b, err := tx.engine.putObject(page, string(spec.ID), engineMap)
	if err != nil {
		return err
	}
	for _, kv := range [...]struct {
		field field
		value string
	}{
		{fieldKind, string(spec.Kind)},
		{fieldRole, string(spec.Role)},
		{fieldParent, string(at.parent)},
		{fieldOrder, at.order},
		{fieldStatus, string(spec.Status)},
		{fieldMeta, spec.Meta},
	} {
		if kv.value == "" {
			continue
		}
		if err := tx.engine.putString(b, kv.field.key(), kv.value); err != nil {
			return err
		}
	}
	return tx.putContent(b, spec.Form, spec.Content)
}

// displacedTo notes the new place of a block that had to make room.
func (tx *Tx) displacedTo(s sibling) {
	for i := range tx.placed {
		if tx.placed[i].id == s.id {
			tx.placed[i] = s
			return
		}
	}
	tx.placed = append(tx.placed, s)
}

// putContent writes the content of a block that has none.
func (tx *Tx) putContent(b engineObject, form Form, s string) error {
	switch form {
	case FormBody:
		return tx.engine.putString(b, fieldBody.key(), s)
	case FormChunks:
		l, err := tx.engine.putObject(b, fieldChunks.key(), engineList)
		if err != nil || s == "" {
			return err
		}
		return tx.engine.push(l, s)
	}
	t, err := tx.engine.putObject(b, fieldText.key(), engineText)
	if err != nil || s == "" {
		return err
	}
	return tx.engine.splice(t, 0, 0, s)
}
