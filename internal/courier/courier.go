package courier

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/flowbus"
	"kaijutsu/internal/access"
	"kaijutsu/internal/guard"
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
	// Table is the queue: a document of records of its own, whose MaxValue is
	// drift.MaxItemBytes.
	Table *records.Table
	Bus   *flowbus.Bus        // nil: there are no other nodes
	Emit  func(flowbus.Event) // must return at once; nil: nobody follows
	Name  string              // the kernel's; default "main"

	Distillers Distillers
	Carrier    Carrier // nil: there are no other kernels
	Gate       Gate    // nil: everything may pass, and what is foreign is held
	// Receipt finds the block of a drift that somebody has pushed: the one in a
	// context, if it is there, or else any. Nil: nobody knows.
	Receipt func(driftID string, by kaijutsu.Principal, in kaijutsu.DocumentID) (kaijutsu.DocumentID, blocks.ID, bool)
	Now     func() time.Time // default time.Now
}

// Courier carries drifts. It is safe for concurrent use.
type Courier struct {
	cfg   Config
	log   *slog.Logger
	queue queue
	jobs  chan *job
	room  budget
	lease leases

	unwatch []func()

	life    context.Context // of what outlasts the call that asked for it; Close ends it
	end     context.CancelFunc
	running sync.WaitGroup

	mu      sync.Mutex
	claims  map[string]*claim              // guarded by mu; by drift id
	runs    map[kaijutsu.DocumentID]*run   // guarded by mu; flushes under way, by source
	recent  receipts                       // guarded by mu
	copied  map[string]kaijutsu.DocumentID // guarded by mu; dead letters that lost+found holds, and which
	closing bool                           // guarded by mu
	finding chan struct{}                  // a token: one looks for lost+found at a time
}

// Open reads the queue, and goes on with the flushes that were under way when
// this node went. Whoever starts the Repo has it tell the Table of every commit.
// Close the Courier before the Table and the Kernel.
func Open(cfg Config) (*Courier, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Name == "" {
		cfg.Name = "main"
	}
	if cfg.Emit == nil {
		cfg.Emit = func(flowbus.Event) {}
	}
	if cfg.Distillers.Default == nil {
		cfg.Distillers.Default = drift.Extractive()
	}
	c := &Courier{
		cfg: cfg, log: cfg.Log,
		jobs:    make(chan *job, maxGroup),
		claims:  make(map[string]*claim),
		runs:    make(map[kaijutsu.DocumentID]*run),
		copied:  make(map[string]kaijutsu.DocumentID),
		finding: make(chan struct{}, 1),
	}
	c.life, c.end = context.WithCancel(context.Background())
	c.room.init()
	c.lease.init(c)
	c.queue.open(c)
	c.running.Go(guard.Keep(c.cfg.Log, "writer of the queue", c.life.Done(), c.writer))
	c.running.Go(guard.Keep(c.cfg.Log, "keeper of drifts", c.life.Done(), c.keep))
	c.resume(true)
	return c, nil
}

// Close ends what is under way and waits for it. Items that were not delivered
// stay in the queue; flushes go on at the next start.
func (c *Courier) Close() error {
	c.mu.Lock()
	c.closing = true
	c.mu.Unlock()
	for _, stop := range c.unwatch {
		stop()
	}
	c.end()
	c.running.Wait()
	return nil
}

// goes starts what outlasts the call that asked for it; false when the courier
// is closed.
func (c *Courier) goes(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closing {
		c.running.Go(guard.Func(c.cfg.Log, "courier", f))
	}
	return !c.closing
}

// Stats returns how many items there are.
func (c *Courier) Stats() Stats { return c.queue.stats() }

// Unread returns the ids of items whose records cannot be read here, sorted.
func (c *Courier) Unread() []string { return c.queue.illegible() }

// Distillers returns the names of those that may be asked, sorted.
func (c *Courier) Distillers() []string {
	return slices.Sorted(maps.Keys(c.cfg.Distillers.ByName))
}

// LostFound reports whether a document is the context that gets a copy of every
// dead letter.
func (c *Courier) LostFound(doc kaijutsu.DocumentID) bool {
	return !doc.IsZero() && doc == c.queue.lostFound()
}

// errClosed is what is said when the courier is closed meanwhile.
var errClosed = fmt.Errorf("the courier is closed: %w", kaijutsu.ErrUnavailable)

// authority is a call by the kernel itself.
func authority() op.Call { return op.Call{By: records.Mover, Right: kaijutsu.RightOwn} }

// now is the time, as records have it.
func (c *Courier) now() time.Time { return c.cfg.Now().UTC().Truncate(time.Millisecond) }

// emit tells what happened to a drift, as an event of a context.
func (c *Courier) emit(kind flowbus.Kind, by kaijutsu.Principal, doc kaijutsu.DocumentID, it *drift.Item, block blocks.ID, reason string) {
	e := flowbus.Event{
		Kernel: c.cfg.Name, Kind: kind, Block: string(block), Principal: by, Time: c.cfg.Now().UTC(), Node: c.node(),
		Data: &flowbus.Drift{
			ID: it.ID, From: c.origin(it), To: destination(it), Block: string(block), Number: it.Number,
			Kind: string(it.Meta.Kind), Reason: reason,
		},
	}
	b := doc.Bytes()
	if len(b) != len(e.Context) { // an editor's own kind of document, or none here
		return
	}
	e.Context = kaijutsu.ContextID(b)
	c.cfg.Emit(e)
}

// home returns the context whose events tell of an item until it is delivered.
func home(it *drift.Item) kaijutsu.DocumentID {
	if it.From.IsZero() {
		return it.Target
	}
	return it.From
}

// origin names where an item comes from.
func (c *Courier) origin(it *drift.Item) string {
	if it.Via != "" {
		return it.Via + ":" + it.Meta.SourceContext
	}
	return it.From.Name()
}

// destination names where an item goes to.
func destination(it *drift.Item) string {
	if it.ToKernel != "" {
		return it.ToKernel + ":" + it.To
	}
	return it.Target.Name()
}

// node is this node's id; empty when it is the only one.
func (c *Courier) node() string {
	if c.cfg.Bus == nil {
		return ""
	}
	return c.cfg.Bus.Node()
}
