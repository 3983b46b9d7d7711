package flowbus

// Seen returns the largest token that the bus knows of.
func (b *Bus) Seen() uint64 { return b.fence.Load() }
