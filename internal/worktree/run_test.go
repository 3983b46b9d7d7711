package worktree

import (
	"testing"
	"time"
)

// Who waits is served in time, and nothing that is due is left for the next event.
func TestEarlier(t *testing.T) {
	at := time.Unix(100, 0)
	for _, tt := range []struct{ a, b, want time.Time }{{time.Time{}, at, at}, {at, time.Time{}, at}, {at, at.Add(1), at}, {at.Add(1), at, at}, {}} {
		if got := earlier(tt.a, tt.b); !got.Equal(tt.want) {
			t.Errorf("earlier(%v, %v) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}
