package mounts

import (
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/repo"
)

// What is committed to a mount's context while the mount is not open is no matter
// of its.
func TestNoteOfWhatIsNotOpen(t *testing.T) {
	doc := kaijutsu.ContextID{1}.Document()
	m := &Mounts{live: map[string]*live{"m": {tried: time.Now()}}}
	m.known.owners = map[kaijutsu.DocumentID]string{doc: "m"}
	m.Note(repo.Committed{Doc: doc})
}
