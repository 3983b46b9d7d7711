package follow

import (
	"testing"

	"kaijutsu"
)

// TestForgettingNothing has a topic go in which nothing is, with a ring that
// must not be looked through for it.
func TestForgettingNothing(t *testing.T) {
	r := ring{entries: []*entry{nil, nil}} // who looks at one panics
	r.forget(newTopic(kaijutsu.DocumentID{}, 7))
	if len(r.entries) != 2 {
		t.Errorf("the ring holds %d entries, want 2", len(r.entries))
	}
}
