package store

import (
	"log/slog"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"

	"kaijutsu/internal/planted"
)

// Options say where a store lives and how careful it is.
type Options struct {
	// Dir is the store's directory; Open makes it, readable by its owner only.
	Dir string
	// Log receives what an operator should know. Nil discards it.
	Log *slog.Logger
	// MinFree is how many bytes of the disk are left alone; 0 means 64 MiB, or
	// a quarter of a disk that has less than four times as much.
	// Below the mark the store only reads. A smaller mark is raised to 8 MiB
	// and as much as the store holds, up to 64 MiB.
	MinFree int64
	// AcceptLoss opens a store that has lost durable writes, and keeps
	// writing to one in which the scrub finds damaged tables. Files that may
	// hold what was lost are kept in Dir/lost.
	AcceptLoss bool
	// Wrote is told of every batch that became durable: when its writing began,
	// how long that took, how many parts of writes it held and how many bytes at
	// most. The committer calls it: it must return at once. Default: nobody is
	// told.
	Wrote func(began time.Time, took time.Duration, writes, bytes int)
}

const (
	defaultMinFree = 64 << 20

	// memtableBytes must never shrink from one release to the next: Badger
	// replays a log into a memtable of the size configured now.
	memtableBytes = 4 << 20
	// maxFrameBytes is what every row stays below: Badger would put it into
	// its value log.
	maxFrameBytes = memtableBytes / 8
	// flushBytes is what it takes to write out every memtable and go on. It
	// is the least that is kept free.
	flushBytes = 2 * memtableBytes
	// compactionBytes is about the most that compactions write before they
	// delete what they read, given the sizes in badgerOptions.
	compactionBytes = defaultMinFree - flushBytes
)

// badgerOptions keeps every value inline (Badger's value log loses and
// confuses values when files are damaged, and its garbage collector frees
// nothing at our sizes), needs no caches because blocks are not compressed,
// and verifies each block as it is read.
func badgerOptions(dir string, log badgerLog) badger.Options {
	return badger.DefaultOptions(dir).
		WithLogger(log).
		WithSyncWrites(!planted.On("ack-before-fsync")).
		WithDetectConflicts(false).
		WithMetricsEnabled(false).
		WithCompression(options.None).
		WithBlockCacheSize(0).
		WithIndexCacheSize(0).
		WithChecksumVerificationMode(options.OnBlockRead).
		WithMemTableSize(memtableBytes).
		WithNumMemtables(2).
		WithValueThreshold(maxFrameBytes).
		WithValueLogFileSize(1 << 20).
		WithBaseTableSize(2 << 20).
		WithBaseLevelSize(8 << 20).
		WithNumLevelZeroTables(4).
		WithNumLevelZeroTablesStall(8).
		WithNumCompactors(2)
}
