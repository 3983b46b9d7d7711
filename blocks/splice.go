package blocks

import (
	"fmt"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/internal/textdiff"
)

// SpliceText replaces del code points at pos with ins. A finished record is
// thawed first, in the same change. The error wraps kaijutsu.ErrInvalid when
// pos or pos+del is past the end, ErrConflict when the block still streams or
// is deleted.
func (tx *Tx) SpliceText(id ID, pos, del int, ins string) error {
	d, err := tx.edited(id)
	if err != nil {
		return fmt.Errorf("splice: %w", err)
	}
	doing := "splice block " + string(id)
	content, n := "", 0
	if form, e := tx.form(d); form == FormText {
		n = tx.text(e.seq).size() // it may be long: it is not put together
	} else {
		content, _ = tx.contentOf(d)
		n = utf8.RuneCountInString(content)
	}
	if pos < 0 || del < 0 || pos > n || del > n-pos {
		return fmt.Errorf("%s: %d characters at position %d: the text has %d: %w", doing, del, pos, n, kaijutsu.ErrInvalid)
	}
	if err := tx.spliceAll(d, content, []textdiff.Splice{{Pos: pos, Del: del, Ins: ins}}); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// ReplaceText makes content the content of a block by splices of what differs.
// A finished record is thawed first, in the same change. The error wraps
// kaijutsu.ErrConflict when the block still streams or is deleted.
func (tx *Tx) ReplaceText(id ID, content string) error {
	d, now, err := tx.editing(id)
	if err != nil {
		return fmt.Errorf("replace text: %w", err)
	}
	doing := "replace text of block " + string(id)
	if !utf8.ValidString(content) {
		return fmt.Errorf("%s: content is not UTF-8: %w", doing, kaijutsu.ErrInvalid)
	}
	if err := tx.spliceAll(d, now, textdiff.Splices(now, content)); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// editing returns a block whose content is to be edited as a text, and the
// content.
func (tx *Tx) editing(id ID) (*draft, string, error) {
	d, err := tx.edited(id)
	if err != nil {
		return nil, "", err
	}
	content, _ := tx.contentOf(d)
	return d, content, nil
}

// edited returns a block whose content is to be edited as a text.
func (tx *Tx) edited(id ID) (*draft, error) {
	d, err := tx.existing(id)
	if err != nil {
		return nil, err
	}
	if err := editable(d); err != nil {
		return nil, fmt.Errorf("block %s: %w", id, err)
	}
	form, _ := tx.form(d)
	if status, _ := tx.status(d); form == FormChunks && status != "" && !status.Terminal() {
		return nil, fmt.Errorf("block %s: it still streams; append to it, or end it with a status first: %w", id, kaijutsu.ErrConflict)
	}
	return d, nil
}

// spliceAll carries out splices that are in range, one after the other, or
// none of them, on a block that holds content now, which is not read of one
// that is a text.
func (tx *Tx) spliceAll(d *draft, content string, splices []textdiff.Splice) error {
	bytes, runes, ops := 0, 0, 0
	for _, s := range splices {
		if !utf8.ValidString(s.Ins) {
			return kaijutsu.About("content", fmt.Errorf("content is not UTF-8: %w", kaijutsu.ErrInvalid))
		}
		n := utf8.RuneCountInString(s.Ins)
		bytes, runes, ops = bytes+len(s.Ins), runes+n, ops+n+s.Del
	}
	if ops == 0 {
		return nil
	}
	kind := tx.kind(d)
	if runes > kind.maxText() {
		return kaijutsu.About("content", fmt.Errorf("text of %d characters: at most %d at a time: %w", runes, kind.maxText(), kaijutsu.ErrTooLarge))
	}
	form, e := tx.form(d)
	if form != FormText {
		if err := thawable(kind, content); err != nil {
			return err
		}
		bytes, ops = bytes+len(content), ops+2+utf8.RuneCountInString(content)
	}
	if err := tx.useIn(kind, bytes, ops); err != nil {
		return err
	}
	var t *textDraft
	if form == FormText {
		t = tx.text(e.seq)
	} else {
		t = tx.thaw(d, content)
	}
	for _, s := range splices {
		t.splice(tx, s.Pos, s.Del, s.Ins)
	}
	return nil
}
