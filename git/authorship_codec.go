package git

import (
	"fmt"

	"kaijutsu"
)

// ParseAuthorship reads a note.
func ParseAuthorship(note []byte) (Authorship, error) {
	return Authorship{}, fmt.Errorf("authorship: %w", kaijutsu.ErrUnavailable)
}

// Encode returns the note.
func (a Authorship) Encode() []byte { return nil }
