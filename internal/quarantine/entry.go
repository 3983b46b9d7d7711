package quarantine

import (
	"time"

	"kaijutsu"
)

// The kinds of entries: what went wrong.
const (
	Panic   = "panic"   // the code that worked on it failed
	Time    = "time"    // it took too long
	Memory  = "memory"  // it took too much memory
	Death   = "death"   // the process that worked on it ended
	Refused = "refused" // a validator refused it: listed in memory, and not kept
)

// Entry is one change in quarantine, or one that was refused.
type Entry struct {
	Document kaijutsu.DocumentID
	// Change is zero when the document as a whole is meant.
	Change kaijutsu.ChangeHash
	// Bytes is the size of the change; as much as 1 MiB of it is kept.
	Bytes int
	// By brought it; zero when that is not known.
	By kaijutsu.Principal
	At time.Time
	// Why is for people, without text of blocks. Kind is one of those above.
	Why, Kind string
	// ReadOnly says that the change is on disk: its document is served to peers
	// and not changed.
	ReadOnly bool
	// Closed says that the document is not served at all: to read it from the
	// disk goes wrong.
	Closed bool
}

// Limits.
const (
	// maxKept bounds the bytes kept of one change, maxPart those of one record.
	maxKept = 1 << 20
	maxPart = 60 << 10
	// maxEntries bounds the entries with a record, maxBytes the bytes kept of
	// all of them: what comes behind is refused until the process ends, and
	// not kept.
	maxEntries = 4096
	maxBytes   = 64 << 20
	// maxRefused bounds the refusals listed; perMinute those of one principal.
	maxRefused = 256
	perMinute  = 20
	// maxWhy bounds a reason, in bytes.
	maxWhy = 1 << 10
)
