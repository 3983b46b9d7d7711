package flowbus

import "time"

// LimitPending lowers how many messages may wait for a subscriber of those to
// come, so that a test can pass the limit soon.
func (b *Bus) LimitPending(n int) { b.pending = n }

// Settled has the connection be an hour old.
func (b *Bus) Settled() {
	b.link.mu.Lock()
	defer b.link.mu.Unlock()
	b.link.at = time.Now().Add(-time.Hour)
}
