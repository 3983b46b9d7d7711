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
	b, err := tx.existing(id)
	if err != nil {
		return fmt.Errorf("append: %w", err)
	}
	form, target, err := tx.form(b)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if form == FormBody {
		return fmt.Errorf("%s: it is a finished record; thaw it to edit its text: %w", doing, kaijutsu.ErrConflict)
	}
	if m := tx.model.blocks[id]; m != nil && m.deleted {
		return fmt.Errorf("%s: it is deleted; restore it first: %w", doing, kaijutsu.ErrConflict)
	}
	if err := checkContent(form, s); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if err := tx.use(len(s), opsOf(form, s)); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if s == "" {
		return nil
	}
	switch form {
	case FormChunks:
		err = tx.engine.push(target, s)
	case FormText:
		err = tx.engine.splice(target, tx.engine.size(target), 0, s)
	default:
		err = tx.putContent(b, FormText, s)
	}
	return tx.wrote(doing, err)
}

// form returns the form of a block's content and the object that holds it.
func (tx *Tx) form(b engineObject) (Form, engineObject, error) {
	text, err := tx.engine.get(b, fieldText.key())
	if err != nil || text.kind == engineText {
		return FormText, text.obj, err
	}
	body, err := tx.engine.get(b, fieldBody.key())
	if err != nil || body.kind == engineString || body.kind == engineText {
		return FormBody, body.obj, err
	}
	chunks, err := tx.engine.get(b, fieldChunks.key())
	if err != nil || chunks.kind == engineList {
		return FormChunks, chunks.obj, err
	}
	return "", nil, nil
}
