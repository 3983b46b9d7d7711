package blocks

import (
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// InsertBlock makes a block. The error wraps kaijutsu.ErrInvalid when the spec
// is wrong, ErrNotFound when the parent or the block next to it does not
// exist, ErrConflict when the id is taken, also by a deleted block.
func (tx *Tx) InsertBlock(spec BlockSpec) error {
	doing := "insert block " + string(spec.ID)
	spec, err := tx.pair(spec)
	if err != nil {
		return fmt.Errorf("insert block: %w", err)
	}
	if spec, err = spec.withDefaults(); err != nil {
		return fmt.Errorf("insert block: %w", err)
	}
	page, err := tx.page(spec.ID)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if tx.drafts[spec.ID] != nil || page.blocks[spec.ID] != nil {
		return kaijutsu.About("id", fmt.Errorf("%s: the id is taken: %w", doing, kaijutsu.ErrConflict))
	}
	at, err := tx.findPlace(spec.Kind, spec.Parent, spec.Position, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if err := tx.useIn(spec.Kind, len(spec.Content)+len(spec.Meta), int(fieldCount)+len(at.displaced)+opsOf(spec.Form, spec.Content)); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	tx.insert(page, spec, at)
	return nil
}

// insert writes a new block, and the new keys of those it displaces.
func (tx *Tx) insert(page *pageMap, spec BlockSpec, at placing) {
	tx.makeRoom(at)
	d := tx.makeBlock(page, spec.ID)
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
		if kv.value != "" {
			tx.setString(d, kv.field, kv.value)
		}
	}
	for _, flag := range [...]struct {
		field field
		on    bool
	}{{fieldCollapsed, spec.Collapsed}, {fieldExcluded, spec.Excluded}, {fieldEphemeral, spec.Ephemeral}} {
		if flag.on {
			tx.set(d, flag.field, amfile.BoolValue(true))
		}
	}
	tx.putContent(d, spec.Form, spec.Content)
	tx.place(d)
}

// putContent writes the content of a block that has none.
func (tx *Tx) putContent(d *draft, form Form, s string) {
	switch form {
	case FormBody:
		tx.setString(d, fieldBody, s)
		return
	case FormChunks:
		if t := tx.make(d, fieldChunks, true); s != "" {
			t.append(tx, s)
		}
		return
	}
	if t := tx.make(d, fieldText, false); s != "" {
		t.append(tx, s)
	}
}
