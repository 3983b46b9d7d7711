package store

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// Stats counts since Open, but for Counter, Documents and Outbox.
type Stats struct {
	Commits   uint64 // Writes made durable
	Changes   uint64 // in them
	Bytes     uint64 // of those changes
	Snapshots uint64
	Refused   uint64 // parts of writes that found the disk full or failing
	Batches   uint64 // transactions, each with one wait for the disk
	// BatchSizes[i] counts the batches of 2^i to 2^(i+1)-1 parts of writes.
	BatchSizes [11]uint64
	// WriteTime is what all batches took on disk together, LongestWrite what the
	// longest of them took.
	WriteTime, LongestWrite time.Duration

	Counter   uint64 // transactions ever
	Documents uint64
	Outbox    uint64 // entries waiting

	DiskBytes int64 // that the store occupies
	FreeBytes int64 // left on the disk
	// Trouble is why writes are refused, nil when they are not.
	Trouble error
}

type counters struct {
	commits, changes, bytes, snapshots, refused, batches atomic.Uint64

	sizes              [11]atomic.Uint64
	writeTime, longest atomic.Int64 // nanoseconds
}

// wrote counts how long a batch took on disk. The committer alone calls it.
func (c *counters) wrote(took time.Duration) {
	c.writeTime.Add(int64(took))
	c.longest.Store(max(c.longest.Load(), int64(took)))
}

func (c *counters) batch(items int) {
	c.batches.Add(1)
	c.sizes[min(bits.Len(uint(items))-1, len(c.sizes)-1)].Add(1)
}

// Stats returns the counts of now. It looks at every file of the store.
func (s *Store) Stats() Stats {
	now := s.durable.Load()
	stats := Stats{
		Commits:   s.count.commits.Load(),
		Changes:   s.count.changes.Load(),
		Bytes:     s.count.bytes.Load(),
		Snapshots: s.count.snapshots.Load(),
		Refused:   s.count.refused.Load(),
		Batches:   s.count.batches.Load(),
		Counter:   now.counter,
		Documents: now.documents,
		Outbox:    now.outbox,
		DiskBytes: diskBytes(s.dir),

		WriteTime: time.Duration(s.count.writeTime.Load()), LongestWrite: time.Duration(s.count.longest.Load()),
	}
	for i := range stats.BatchSizes {
		stats.BatchSizes[i] = s.count.sizes[i].Load()
	}
	stats.FreeBytes, _ = freeBytes(s.dir) // 0 when unknown
	stats.Trouble = s.Trouble()
	return stats
}
