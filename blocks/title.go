package blocks

import (
	"fmt"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/internal/textdiff"
)

// SetTitle changes the title, touching only the characters that differ.
func (tx *Tx) SetTitle(title string) error {
	if tx.over {
		return fmt.Errorf("set title: %w", errOver)
	}
	if len(title) > maxTitleBytes {
		return kaijutsu.About("title", fmt.Errorf("set title of %d bytes: at most %d: %w", len(title), maxTitleBytes, kaijutsu.ErrTooLarge))
	}
	if !utf8.ValidString(title) {
		return fmt.Errorf("set title: not UTF-8: %w", kaijutsu.ErrInvalid)
	}
	d := tx.rootDraft()
	var t *textDraft
	now := ""
	if e := last(d.fields, fieldText); e != nil && e.seq != nil {
		t = tx.text(e.seq)
		now = t.content()
	}
	if t != nil && now == title {
		return nil
	}
	if err := tx.use(len(title), 1+utf8.RuneCountInString(now)+utf8.RuneCountInString(title)); err != nil {
		return fmt.Errorf("set title: %w", err)
	}
	if t == nil {
		t = tx.make(d, fieldText, false)
	}
	for _, s := range textdiff.Splices(now, title) {
		t.splice(tx, s.Pos, s.Del, s.Ins)
	}
	return nil
}

// SetContext writes the id of the context into the document. The anchor does
// it: the first change that a context has of its own, be it new or a fork.
func (tx *Tx) SetContext(id kaijutsu.ContextID) error {
	if tx.over {
		return fmt.Errorf("set context: %w", errOver)
	}
	d := tx.rootDraft()
	if e := last(d.fields, fieldBody); e != nil && e.str == id.String() {
		return nil
	}
	if err := tx.use(len(id.String()), 1); err != nil {
		return fmt.Errorf("set context: %w", err)
	}
	tx.setString(d, fieldBody, id.String())
	return nil
}
