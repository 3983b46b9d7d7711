package follow_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/follow"
)

// TestOnlyTheRecordsAreReadAsRecords where the nodes have another document of
// their own, live and from the journal.
func TestOnlyTheRecordsAreReadAsRecords(t *testing.T) {
	records, queue := kaijutsu.NewContextID(time.Now()), kaijutsu.NewContextID(time.Now())
	var mu sync.Mutex
	var asked []string // guarded by mu
	h := open(t, t.TempDir(), follow.Config{
		Records: records.Document(),
		Hidden: func(doc kaijutsu.DocumentID) bool {
			return doc == records.Document() || doc == queue.Document()
		},
		Recorded: func(_ context.Context, from, to uint64) ([]flowbus.Event, error) {
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, fmt.Sprint(from, "-", to))
			return nil, nil
		},
	})
	seed := h.newContext("seed")
	live := h.follow(">", "")
	hello := h.next(live)[0]
	for range 3 {
		h.insert(seed, "x") // the two begin at another version than they are asked about
	}
	for _, id := range []kaijutsu.ContextID{queue, records} {
		if err := h.repo.ForkAs(t.Context(), id, amy, seed.Document(), nil, "of the nodes"); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		h.insert(queue, "an item")
	}
	h.insert(records, "a record")
	plan := h.newContext("Plan")
	until := func(f *follow.Follower) {
		t.Helper()
		for {
			for _, i := range h.next(f) {
				if i.Name == follow.Hello {
					continue
				}
				switch e := h.decode(i); {
				case e.Context == queue || e.Context == records:
					t.Fatalf("told of a hidden document: %s", i.Data)
				case e.Context == plan && e.Kind == flowbus.ContextCreated:
					return
				}
			}
		}
	}
	until(live)
	check := func(when string) {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		if want := []string{"5-6", "6-7"}; !slices.Equal(asked, want) { // the fork, and what was written to it
			t.Errorf("%s: asked what changes %q recorded, want %q", when, asked, want)
		}
		asked = nil
	}
	check("live")
	h.restart() // nothing of it is in memory any more
	until(h.follow(">", hello.ID))
	check("from the journal")
}
