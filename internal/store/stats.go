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
	// WriteTimes[i] counts the batches that took up to WriteBounds[i] on disk
	// and more than the bound before; the last counts those that took longer.
	WriteTimes [len(WriteBounds) + 1]uint64
	// Failures counts what the disk did not take: a write or an fsync, also
	// of tables in the background. Each stops the writes until the database was
	// reopened, which Reopened counts.
	Failures, Reopened uint64

	Counter   uint64 // transactions ever
	Documents uint64
	Outbox    uint64 // entries waiting

	DiskBytes int64 // that the store occupies, without the ballast
	FreeBytes int64 // left on the disk
	// Trouble is why writes are refused, nil when they are not.
	Trouble error

	// BallastBytes is the size of the ballast file now, BallastWant what it is
	// to be; BallastGiven counts how often it was given back.
	BallastBytes, BallastWant int64
	BallastGiven              uint64

	Damaged  int            // documents, as Damaged lists them
	SetAside uint64         // documents
	Repaired uint64         // tables
	Scrub    *ScrubProgress // nil: none is under way
	Scrubbed LastScrub      // also before Open
}

// WriteBounds are the bounds of the histogram of how long batches take on disk.
var WriteBounds = [...]time.Duration{
	250 * time.Microsecond, 500 * time.Microsecond, time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond,
	10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond,
	500 * time.Millisecond, time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second,
}

type counters struct {
	commits, changes, bytes, snapshots, refused, batches atomic.Uint64

	failures, reopened, repaired atomic.Uint64
	times                        [len(WriteBounds) + 1]atomic.Uint64

	sizes              [11]atomic.Uint64
	writeTime, longest atomic.Int64 // nanoseconds
}

// wrote counts how long a batch took on disk. The committer alone calls it.
func (c *counters) wrote(took time.Duration) {
	c.writeTime.Add(int64(took))
	bound := 0
	for bound < len(WriteBounds) && took > WriteBounds[bound] {
		bound++
	}
	c.times[bound].Add(1)
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
		DiskBytes: diskBytes(s.dir) - s.ballast.have.Load(),

		WriteTime: time.Duration(s.count.writeTime.Load()), LongestWrite: time.Duration(s.count.longest.Load()),
	}
	for i := range stats.BatchSizes {
		stats.BatchSizes[i] = s.count.sizes[i].Load()
	}
	for i := range stats.WriteTimes {
		stats.WriteTimes[i] = s.count.times[i].Load()
	}
	stats.Failures, stats.Reopened, stats.Repaired = s.count.failures.Load(), s.count.reopened.Load(), s.count.repaired.Load()
	stats.BallastBytes, stats.BallastWant, stats.BallastGiven = s.ballast.have.Load(), s.ballast.want, s.ballast.used.Load()
	s.damages.mu.Lock()
	stats.Damaged, stats.SetAside = len(s.damages.docs), s.damages.aside
	s.damages.mu.Unlock()
	stats.Scrub, stats.Scrubbed = s.Scrubbing(), s.LastScrub()
	stats.FreeBytes, _ = freeBytes(s.dir) // 0 when unknown
	stats.Trouble = s.Trouble()
	return stats
}
