package git

import (
	"fmt"

	"kaijutsu"
)

// NotesRef is where notes of the authorship format are.
const NotesRef = "refs/notes/ai"

// Note returns the note of a commit.
func (r *Repo) Note(ref string, commit Hash) ([]byte, error) {
	return nil, fmt.Errorf("note of %s: %w", commit, kaijutsu.ErrUnavailable)
}

// SetNotes writes notes; nil takes one away.
func (r *Repo) SetNotes(ref string, notes map[Hash][]byte, by Signature) error {
	return fmt.Errorf("notes: %w", kaijutsu.ErrUnavailable)
}
