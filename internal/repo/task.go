package repo

import (
	"sync"
	"sync/atomic"
	"time"

	"kaijutsu"
	"kaijutsu/internal/halt"
)

// The kinds of work that a task is at.
const (
	onOpening = "opening" // reading the document from the disk
	onChange  = "change"  // one change: its rules, and the read model
	onMessage = "message" // a sync message, besides its changes
	onEdit    = "edit"    // an edit that is made here
	onRead    = "read"    // what reads blocks or changes
	onModel   = "model"   // making the read model, one change of it
	onPast    = "past"    // likewise, of the document as it was
	onDisk    = "disk"    // waiting for the store: nothing to be ended
)

// unit is one thing that a task is at: what is ended, and pinned on a change,
// when it fails or takes too much.
type unit struct {
	what   string
	change kaijutsu.ChangeHash // zero: none
	raw    []byte              // of the change
	by     kaijutsu.Principal  // who brought it, or asked
}

// task is a goroutine that works on a document, as the watchdog sees it.
type task struct {
	doc   kaijutsu.DocumentID
	stop  halt.Flag
	since atomic.Int64 // Unix nanoseconds when the unit began; 0: idle

	mu     sync.Mutex
	at     unit      // guarded by mu
	warned bool      // of this unit; guarded by mu
	raised time.Time // when it was told to stop; zero: it was not; guarded by mu
	gone   bool      // given up: it may not commit any more; guarded by mu
}

// begin notes what the task is at now, and returns what it was at.
func (t *task) begin(u unit) unit {
	t.mu.Lock()
	defer t.mu.Unlock()
	was := t.at
	t.at, t.warned, t.raised = u, false, time.Time{}
	t.stop.Lower()
	t.since.Store(time.Now().UnixNano())
	return was
}

// end notes that the task is idle.
func (t *task) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at, t.warned, t.raised = unit{}, false, time.Time{}
	t.stop.Lower()
	t.since.Store(0)
}

// now returns what the task is at.
func (t *task) now() unit {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.at
}

// commits enters the disk, from where nobody calls it back; false when the task
// was given up.
func (t *task) commits() bool {
	t.begin(unit{what: onDisk})
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.gone
}

// givenUp reports whether nobody waits for the task any more.
func (t *task) givenUp() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.gone
}
