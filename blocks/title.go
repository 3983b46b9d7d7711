package blocks

import (
	"fmt"
	"unicode/utf8"

	"kaijutsu"
)

// SetTitle changes the title, touching only the characters that differ.
func (tx *Tx) SetTitle(title string) error {
	if tx.over {
		return fmt.Errorf("set title: %w", errOver)
	}
	if len(title) > maxTitleBytes {
		return fmt.Errorf("set title of %d bytes: at most %d: %w", len(title), maxTitleBytes, kaijutsu.ErrTooLarge)
	}
	if !utf8.ValidString(title) {
		return fmt.Errorf("set title: not UTF-8: %w", kaijutsu.ErrInvalid)
	}
	if err := tx.use(len(title), utf8.RuneCountInString(title)); err != nil {
		return fmt.Errorf("set title: %w", err)
	}
	return tx.wrote("set title", tx.setTitle(title))
}

func (tx *Tx) setTitle(title string) error {
	v, err := tx.engine.get(nil, keyTitle)
	if err != nil {
		return err
	}
	if v.kind != engineText {
		if v.obj, err = tx.engine.putObject(nil, keyTitle, engineText); err != nil {
			return err
		}
	}
	now, err := tx.engine.text(v.obj)
	if err != nil || now == title {
		return err
	}
	pos, del, ins := difference(now, title)
	return tx.engine.splice(v.obj, pos, del, ins)
}

// difference returns the splice, in code points, that turns a into b.
func difference(a, b string) (pos, del int, ins string) {
	x, y := []rune(a), []rune(b)
	for pos < len(x) && pos < len(y) && x[pos] == y[pos] {
		pos++
	}
	tail := 0
	for tail < len(x)-pos && tail < len(y)-pos && x[len(x)-1-tail] == y[len(y)-1-tail] {
		tail++
	}
	return pos, len(x) - pos - tail, string(y[pos : len(y)-tail])
}
