package cluster

import (
	"context"
	"slices"
	"testing"

	"kaijutsu/internal/repo"
)

// TestFeedKeepsWhatTwoNodesShare has two nodes put as many changes with the
// same last one into the feed, as they do when a client brings its changes to
// both: the feed is to have what only one of them says.
func TestFeedKeepsWhatTwoNodesShare(t *testing.T) {
	s := newStreet(t)
	a, b := s.house("a"), s.house("b")
	together(a, b)
	doc, changes := testChanges(t, 3)
	put := func(h *house, changes []repo.Change) *send {
		t.Helper()
		sends := h.cluster.sendsOf(liveItem{doc: doc, changes: changes})
		if len(sends) != 1 {
			t.Fatalf("%d messages of %d changes, want 1", len(sends), len(changes))
		}
		h.cluster.append(context.Background(), sends[0])
		if err := sends[0].ack.Err(); err != nil {
			t.Fatal(err)
		}
		return sends[0]
	}
	put(a, slices.Concat(changes[:1], changes[2:]))
	if other := put(b, changes[1:]); other.ack.Duplicate() {
		t.Error("the feed took other changes for the same")
	}
	if again := put(b, changes[1:]); !again.ack.Duplicate() {
		t.Error("the feed holds the same message twice")
	}
}
