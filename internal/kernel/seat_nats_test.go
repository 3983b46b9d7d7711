package kernel

import (
	"fmt"
	"testing"
)

// TestSeatsAreWrittenTogether takes seats out of the queue: many at a time, and
// of one key one, in order.
func TestSeatsAreWrittenTogether(t *testing.T) {
	var table seats
	for i := range 40 {
		table.dirty = append(table.dirty, &seat{key: fmt.Sprint(i % 20), queued: true})
	}
	all := append([]*seat(nil), table.dirty...)
	for turns := 1; len(all) > 0; turns++ {
		keys := make(map[string]bool)
		some := table.nextLocked()
		if len(some) == 0 || turns > 4 {
			t.Fatalf("turn %d takes %d seats, want all 40 in 4 turns or less", turns, len(some))
		}
		for _, s := range some {
			if s != all[0] || s.queued || keys[s.key] {
				t.Errorf("turn %d takes %+v, want the next, and each key once", turns, s)
			}
			keys[s.key] = true
			all = all[1:]
		}
	}
}
