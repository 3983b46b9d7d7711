package blocks

import (
	"fmt"

	"kaijutsu"
)

// AppendText adds s at the end of a block: to the characters of a text, or as
// one more chunk. The error wraps kaijutsu.ErrConflict when the block is a
// finished record, which has to be thawed first, or deleted.
func (tx *Tx) AppendText(id ID, s string) error {
	doing := "append to block " + string(id)
	d, err := tx.existing(id)
	if err != nil {
		return fmt.Errorf("append: %w", err)
	}
	form, e := tx.form(d)
	if form == FormBody {
		return fmt.Errorf("%s: it is a finished record; thaw it to edit its text: %w", doing, kaijutsu.ErrConflict)
	}
	if err := editable(d); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if err := checkContent(tx.kind(d), form, s); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if err := tx.useIn(tx.kind(d), len(s), opsOf(form, s)); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	switch {
	case s == "":
	case e != nil:
		tx.text(e.seq).append(tx, s)
	default:
		tx.putContent(d, FormText, s)
	}
	return nil
}

// editable refuses blocks whose content nobody sees.
func editable(d *draft) error {
	if d.flag(fieldDeleted) {
		return fmt.Errorf("it is deleted; restore it first: %w", kaijutsu.ErrConflict)
	}
	return nil
}
