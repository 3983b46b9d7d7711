package flowbus

// LimitPending lowers how many messages may wait for a subscriber of those to
// come, so that a test can pass the limit soon.
func (b *Bus) LimitPending(n int) { b.pending = n }
