package blocks

import (
	"fmt"
	"unicode/utf8"

	"kaijutsu"
)

// Thaw makes a text, which everybody may edit, of a finished record: the same
// characters, one operation each. Only a server does it, and once: two clients
// that did it at the same time would make two texts, and one would be lost. It
// does nothing to a text. The error wraps kaijutsu.ErrConflict when the block
// still streams or is deleted, ErrTooLarge when it holds more than one text
// should.
func (tx *Tx) Thaw(id ID) error {
	d, content, err := tx.editing(id)
	if err != nil {
		return fmt.Errorf("thaw: %w", err)
	}
	if form, _ := tx.form(d); form == FormText {
		return nil
	}
	err = thawable(tx.kind(d), content)
	if err == nil {
		err = tx.useIn(tx.kind(d), len(content), 2+utf8.RuneCountInString(content))
	}
	if err != nil {
		return fmt.Errorf("thaw block %s: %w", id, err)
	}
	tx.thaw(d, content)
	return nil
}

// thawable refuses records that are too large to be a text.
func thawable(kind Kind, content string) error {
	if n := utf8.RuneCountInString(content); n > kind.maxText() {
		return fmt.Errorf("record of %d characters: one of at most %d can become a text: %w", n, kind.maxText(), kaijutsu.ErrTooLarge)
	}
	return nil
}

// thaw makes a text of a block that holds content, and takes the record away.
func (tx *Tx) thaw(d *draft, content string) *textDraft {
	tx.remove(d, fieldBody)
	tx.remove(d, fieldChunks)
	t := tx.make(d, fieldText, false)
	if content != "" {
		t.append(tx, content)
	}
	return t
}
