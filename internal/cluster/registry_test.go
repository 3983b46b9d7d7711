package cluster

import (
	"testing"
	"time"
)

// Who leaves without saying so is missed until it comes back or says so, for a
// day at most.
func TestNodesAreMissed(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	lost := func(r *registry) {
		r.put(Node{ID: "b", Seen: now})
		r.mu.Lock()
		r.lose(r.nodes["b"])
		r.mu.Unlock()
	}
	tests := []struct {
		name string
		then func(*registry)
		at   time.Time
		want int
	}{
		{"gone", func(*registry) {}, now.Add(time.Minute), 1},
		{"back", func(r *registry) { r.put(Node{ID: "b", Seen: now}) }, now.Add(time.Minute), 0},
		{"said so", func(r *registry) { r.remove("b") }, now.Add(time.Minute), 0},
		{"long ago", func(*registry) {}, now.Add(25 * time.Hour), 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRegistry()
			lost(r)
			tt.then(r)
			if got := len(r.missing(tt.at)); got != tt.want {
				t.Errorf("missed: %d, want %d", got, tt.want)
			}
		})
	}
}
