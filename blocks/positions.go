package blocks

import (
	"fmt"
	"unicode/utf8"

	"kaijutsu"
)

// Positions in a text are code points everywhere in this module. JavaScript
// and browsers count UTF-16 units, of which a code point beyond U+FFFF takes
// two, and Go counts bytes. These convert. A position is between characters, 0
// to the length of the text; one that is out of range, or inside of a code
// point, is an error that wraps kaijutsu.ErrInvalid. They cost time in
// proportion to the position. Of a text that is not UTF-8, each wrong byte
// counts as one code point, U+FFFD.

// BytesToRunes returns the code points in front of a position in bytes.
func BytesToRunes(s string, pos int) (int, error) {
	if pos < 0 || pos > len(s) {
		return 0, fmt.Errorf("byte position %d: the text has %d bytes: %w", pos, len(s), kaijutsu.ErrInvalid)
	}
	n, at := 0, 0
	for at < pos {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
		n++
	}
	if at != pos {
		return 0, fmt.Errorf("byte position %d is inside of the character at %d: %w", pos, n-1, kaijutsu.ErrInvalid)
	}
	return n, nil
}

// RunesToBytes returns the bytes in front of a position in code points.
func RunesToBytes(s string, pos int) (int, error) {
	bytes, _, err := measure(s, pos)
	return bytes, err
}

// UTF16ToRunes returns the code points in front of a position in UTF-16 units.
func UTF16ToRunes(s string, pos int) (int, error) {
	n, units := 0, 0
	if pos >= 0 {
		for _, r := range s {
			if units >= pos {
				break
			}
			units += unitsOf(r)
			n++
		}
	}
	switch {
	case pos < 0 || units < pos:
		return 0, fmt.Errorf("UTF-16 position %d: the text has %d units: %w", pos, units, kaijutsu.ErrInvalid)
	case units > pos:
		return 0, fmt.Errorf("UTF-16 position %d is inside of the surrogate pair at character %d: %w", pos, n-1, kaijutsu.ErrInvalid)
	}
	return n, nil
}

// RunesToUTF16 returns the UTF-16 units in front of a position in code points.
func RunesToUTF16(s string, pos int) (int, error) {
	_, units, err := measure(s, pos)
	return units, err
}

// measure returns the bytes and UTF-16 units in front of a position in code
// points.
func measure(s string, pos int) (bytes, units int, err error) {
	n := 0
	for at, r := range s {
		if n == pos {
			return at, units, nil
		}
		units += unitsOf(r)
		n++
	}
	if n != pos {
		return 0, 0, fmt.Errorf("position %d: the text has %d characters: %w", pos, n, kaijutsu.ErrInvalid)
	}
	return len(s), units, nil
}

// unitsOf returns the UTF-16 units that a code point takes.
func unitsOf(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}
