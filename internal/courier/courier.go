package courier

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/flowbus"
	"kaijutsu/internal/access"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
	"kaijutsu/internal/records"
)

// Distillers are those that may be asked.
type Distillers struct {
	// Default is asked where none is named; nil: the extractive one.
	Default drift.Distiller
	ByName  map[string]drift.Distiller
}

// Config says what a Courier works with. Log, Kernel, Access and Table are
// required.
type Config struct {
	Log    *slog.Logger
	Kernel *kernel.Kernel
	Access *access.Table
	// Table is the queue: a document of records of its own.
	Table *records.Table
	Bus   *flowbus.Bus        // nil: there are no other nodes
	Emit  func(flowbus.Event) // must return at once; nil: nobody follows
	Name  string              // the kernel's; default "main"

	Distillers Distillers
	Carrier    Carrier // nil: there are no other kernels
	Gate       Gate    // nil: everything may pass, and what is foreign is held
	// Receipt finds where a drift was delivered; nil: nobody knows.
	Receipt func(driftID string) (kaijutsu.DocumentID, blocks.ID, bool)
	Now     func() time.Time // default time.Now
}

// Courier carries drifts. It is safe for concurrent use.
type Courier struct{ cfg Config }

var errNotYet = errors.ErrUnsupported

func Open(cfg Config) (*Courier, error) { return &Courier{cfg}, nil }
func (c *Courier) Close() error         { return nil }
func (c *Courier) Stats() Stats         { return Stats{} }
func (c *Courier) Distillers() []string { return nil }
func (c *Courier) Push(ctx context.Context, call op.Call, p Push) (Outcome, error) {
	return Outcome{}, errNotYet
}
func (c *Courier) Pull(ctx context.Context, call op.Call, p PullSpec) (Outcome, error) {
	return Outcome{}, errNotYet
}
func (c *Courier) Merge(ctx context.Context, call op.Call, p MergeSpec) (Outcome, error) {
	return Outcome{}, errNotYet
}
func (c *Courier) Queue(ctx context.Context, call op.Call, f Filter) ([]Shown, error) {
	return nil, errNotYet
}
func (c *Courier) Show(ctx context.Context, call op.Call, ref string) (Shown, error) {
	return Shown{}, errNotYet
}
func (c *Courier) Cancel(ctx context.Context, call op.Call, ref string) (Shown, error) {
	return Shown{}, errNotYet
}
func (c *Courier) Flush(ctx context.Context, call op.Call, from string) (Flushed, error) {
	return Flushed{}, errNotYet
}
func (c *Courier) DeadLetters(ctx context.Context, call op.Call) ([]Shown, error) {
	return nil, errNotYet
}
func (c *Courier) Replay(ctx context.Context, call op.Call, ref, to string) ([]Outcome, error) {
	return nil, errNotYet
}
func (c *Courier) Offer(ctx context.Context, call op.Call, it drift.Item) (Receipt, error) {
	return Receipt{}, errNotYet
}
func (c *Courier) Consent(ctx context.Context, call op.Call, ref string, accept bool, reason string) (Outcome, error) {
	return Outcome{}, errNotYet
}
