package diskwatch

import (
	"fmt"
	"log/slog"
	"time"

	"kaijutsu"
)

// Config is what a Watcher needs. The zero value works.
type Config struct {
	// Log gets what somebody should know, such as that there is no watch left.
	// nil: slog.Default.
	Log *slog.Logger
	// Every is the time between rescans; 1 s where it is 0.
	Every time.Duration
	// Now is the clock of Stats; nil: time.Now.
	Now func() time.Time
}

// Watcher watches files. It is safe for concurrent use.
type Watcher struct{}

// Stats is what a watcher is doing.
type Stats struct {
	Files int // watched
	Dirs  int // that they are in
	// Polled counts the directories that the system does not watch for us, or
	// does not have: what changes there is found by rescanning only.
	Polled int
	// Overflows counts how often the system lost count of what changed.
	Overflows int
	// Found counts the changes that only a rescan found.
	Found    int
	Rescans  int
	Rescan   time.Time // the end of the last one; UTC
	Degraded string    // why directories are polled that are there; "" none
}

// Open starts a watcher without files. It must be closed.
func Open(c Config) (*Watcher, error) {
	return nil, fmt.Errorf("not there yet: %w", kaijutsu.ErrUnavailable)
}

// Add watches a file.
func (w *Watcher) Add(file string) error { return nil }

// Remove ends watching a file.
func (w *Watcher) Remove(file string) {}

// Events returns the channel of changed files.
func (w *Watcher) Events() <-chan []string { return nil }

// Poke rescans now.
func (w *Watcher) Poke() {}

// Stats returns what the watcher is doing.
func (w *Watcher) Stats() Stats { return Stats{} }

// Close ends the watcher.
func (w *Watcher) Close() error { return nil }
