package repo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/guard"
	"kaijutsu/internal/halt"
	"kaijutsu/internal/quarantine"
	"kaijutsu/internal/store"
)

// ErrClosed says that the repo or the document was closed while waiting.
var ErrClosed = fmt.Errorf("document closed: %w", kaijutsu.ErrUnavailable)

// ErrRefused says that a session is over because something was refused.
var ErrRefused = fmt.Errorf("session refused: %w", kaijutsu.ErrInvalid)

// Config says what a Repo works with. Log and Store are required; the zero
// value of every other field is its default.
type Config struct {
	Log   *slog.Logger
	Store *store.Store
	// Now is the clock; default time.Now.
	Now func() time.Time
	// BudgetBytes is the memory estimate of open documents above which
	// documents nobody uses are closed at once; default 256 MiB.
	BudgetBytes int64
	// IdleAfter closes a document that nobody has used for so long;
	// default 2 minutes.
	IdleAfter time.Duration
	// SnapshotChanges is how many changes the log holds beyond the snapshot
	// before a new one is made; default 500.
	SnapshotChanges int
	// QuietAfter is how long after its last change a document that has grown by
	// an eighth is taken together, so that peers who open it are sent less;
	// default 10 s.
	QuietAfter time.Duration
	// Gather bounds how long a peer that was just sent something waits for more,
	// and gets all of it in one message; the fewer peers a document has, the
	// shorter it is. Default 10 ms, negative for never.
	Gather time.Duration
	// UnavailableAfter is how long an unknown document is waited for before
	// its askers are told that it is unavailable; default 250 ms.
	UnavailableAfter time.Duration
	// Committed is told what is on disk, in the order of each document's
	// changes. The owner calls it: it must return at once. Default: nobody is
	// told.
	Committed func(Committed)
	// Took is told of each batch that is on disk, before others see it. The
	// owner calls it: it must return at once. Default: nobody is told.
	Took func(Batch)
	// Trace reports whether somebody follows a document: its changes are traced
	// then, which opens the read model. The owner calls it for every batch: it
	// must return at once. Default: nobody does.
	Trace func(kaijutsu.DocumentID) bool
	// Fetch tries to get a document that is not here from elsewhere, and
	// reports whether it is here now. It is called outside of owners, once at a
	// time for a document, and is to return when ctx ends, after FetchTimeout.
	// Default: there is nowhere else.
	Fetch func(context.Context, kaijutsu.DocumentID) bool
	// Elsewhere reports whether another node holds a document, so that a damaged
	// one can be set aside and fetched. It is called outside of owners. Default:
	// there is nowhere else.
	Elsewhere func(context.Context, kaijutsu.DocumentID) bool
	// Refetch is Fetch of a document that was set aside. Default: Fetch.
	Refetch func(context.Context, kaijutsu.DocumentID) bool
	// ScrubEvery is how long after a scrub of the store the next one begins, in
	// the background; default 7 days, negative for never.
	ScrubEvery time.Duration
	// FetchTimeout bounds one call of Fetch; default 5 s.
	FetchTimeout time.Duration
	// Quarantine is which changes are not to be worked on. Default: an empty
	// one, lost with the process. Quarantined is told of each that comes into
	// it; it must return at once.
	Quarantine  *quarantine.List
	Quarantined func(quarantine.Entry)
	// SlowAfter is how long one thing may take in a document before it is
	// logged; default 2 s. After StopAfter it is ended; default 10 s.
	SlowAfter, StopAfter time.Duration
	// MemoryLimit is how much the heap may hold, in bytes, before the longest
	// work is ended; default 15/16 of the runtime's limit, if that has one.
	MemoryLimit int64
	// Working is a file for marks of the documents that are worked on, so that
	// those are known after the process died; default: there are none.
	Working string
	// Examiner does in a process of its own what would be done here. Default:
	// nothing is examined.
	Examiner Examiner

	trouble func(*amfile.Change, *halt.Flag) // called before a change goes into the read model: for tests
	// Admit is waited for before changes that are made here are staged; its
	// error refuses them. Changes of other nodes do not wait for it. It is
	// called outside of owners. Default: nothing waits.
	Admit func(context.Context) error
	// Quota is asked before a change of somebody is taken, synced or made here;
	// its error refuses it, as one that is not theirs to make. The owner calls it:
	// it must return at once. Default: nothing is refused.
	Quota func(Growth) error
}

func (c Config) withDefaults() Config {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.BudgetBytes == 0 {
		c.BudgetBytes = 256 << 20
	}
	if c.IdleAfter == 0 {
		c.IdleAfter = 2 * time.Minute
	}
	if c.SnapshotChanges == 0 {
		c.SnapshotChanges = 500
	}
	if c.QuietAfter == 0 {
		c.QuietAfter = 10 * time.Second
	}
	if c.Gather == 0 {
		c.Gather = 10 * time.Millisecond
	}
	if c.UnavailableAfter == 0 {
		c.UnavailableAfter = 250 * time.Millisecond
	}
	if c.SlowAfter == 0 {
		c.SlowAfter = 2 * time.Second
	}
	if c.StopAfter == 0 {
		c.StopAfter = 10 * time.Second
	}
	if c.MemoryLimit == 0 {
		if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
			c.MemoryLimit = limit - limit/16
		}
	}
	if c.Quarantine == nil {
		c.Quarantine, _ = quarantine.Open(c.Log, nil, c.Now) // which reads nothing
	}
	if c.ScrubEvery == 0 {
		c.ScrubEvery = scrubEvery
	}
	if c.FetchTimeout == 0 {
		c.FetchTimeout = 5 * time.Second
	}
	return c
}

// Repo is the set of open documents over one store. It is safe for concurrent
// use.
type Repo struct {
	cfg      Config
	log      *slog.Logger
	snapshot chan struct{} // a token: one snapshot or export at a time
	loading  chan struct{} // two tokens: documents being taken apart

	recalling chan struct{} // two tokens: pasts being made outside of owners
	fetches   fetches
	replays   replays
	healing   healing

	life context.Context // of what runs beside the owners; Close ends it
	end  context.CancelFunc

	kick    chan struct{} // wakes the janitor
	quit    chan struct{}
	running sync.WaitGroup

	opened, evicted, snapshots atomic.Int64

	bytes atomic.Int64 // memory estimate of the open documents; changed under mu

	mishaps  atomic.Int64
	marks    *marks
	suspects suspects

	mu     sync.Mutex
	jobs   map[*task]struct{} // work beside the owners
	docs   map[kaijutsu.DocumentID]*document
	closed bool
}

// Start returns a Repo over the store and starts its janitor. The caller
// closes the Repo before the store.
func Start(cfg Config) *Repo {
	cfg = cfg.withDefaults()
	r := &Repo{
		cfg:      cfg,
		log:      cfg.Log,
		snapshot: make(chan struct{}, 1),
		loading:  make(chan struct{}, 2),

		recalling: make(chan struct{}, 2),

		kick: make(chan struct{}, 1),
		quit: make(chan struct{}),
		docs: make(map[kaijutsu.DocumentID]*document),
		jobs: make(map[*task]struct{}),
	}
	r.marks = openMarks(r.log, cfg.Working)
	r.suspect(r.marks.found)
	r.life, r.end = context.WithCancel(context.Background())
	r.running.Go(guard.Keep(r.log, "janitor of documents", r.quit, r.janitor))
	r.running.Go(guard.Keep(r.log, "watchdog of documents", r.quit, r.watchdog))
	r.healing.wake = make(chan struct{}, 1)
	r.running.Go(guard.Keep(r.log, "healer of documents", r.quit, r.heal))
	if cfg.ScrubEvery > 0 {
		r.running.Go(guard.Keep(r.log, "scrubber", r.quit, r.scrubNowAndThen))
	}
	return r
}

// Close stops every owner and waits for them. Requests under way end with
// ErrClosed. What was acknowledged is on disk already.
func (r *Repo) Close() error {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil
	}
	r.closed = true
	close(r.quit)
	r.end()
	for id, d := range r.docs {
		delete(r.docs, id)
		d.stop()
	}
	r.mu.Unlock()
	r.running.Wait()
	r.marks.close()
	return nil
}

// run starts a goroutine that Close waits for; false when the repo is closed.
func (r *Repo) run(f func()) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.running.Go(guard.Func(r.log, "documents", f))
	}
	return !r.closed
}

// acquire returns the open document, opening it if need be, and counts one
// use of it. Each acquire is paired with one release.
func (r *Repo) acquire(id kaijutsu.DocumentID) (*document, error) {
	return r.acquireIn(context.Background(), id)
}

// acquireIn is acquire for a call, which may be one in passing.
func (r *Repo) acquireIn(ctx context.Context, id kaijutsu.DocumentID) (*document, error) {
	if id.IsZero() {
		return nil, fmt.Errorf("open document: empty id: %w", kaijutsu.ErrInvalid)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, ErrClosed
	}
	d := r.docs[id]
	if d == nil {
		d = newDocument(r, id)
		r.docs[id] = d
		r.opened.Add(1)
		r.running.Add(1)
		go d.own() // it recovers, and finish tells when it ends
	}
	d.uses++
	d.stays = d.stays || !passing(ctx)
	return d, nil
}

// acquireOpen is acquire of a document that is open already, nil when it is not.
func (r *Repo) acquireOpen(id kaijutsu.DocumentID) *document {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := r.docs[id]
	if d != nil {
		d.uses++
	}
	return d
}

// retain counts one more use of a document that is in use already.
func (r *Repo) retain(d *document) {
	r.mu.Lock()
	d.uses++
	r.mu.Unlock()
}

// release ends one use. The last one leaves the document to the janitor, which
// is woken when it has something to do at once.
func (r *Repo) release(d *document) {
	r.mu.Lock()
	d.uses--
	idle := d.uses == 0
	if idle {
		d.idleSince = r.cfg.Now()
		if !d.stays && r.docs[d.id] == d {
			r.closeLocked(d)
		}
	}
	r.mu.Unlock()
	if idle && (d.unusable.Load() || r.bytes.Load() > r.cfg.BudgetBytes) {
		r.wakeJanitor()
	}
}

// with runs f in the owner of the document and waits for it. f sees a state
// that is wholly on disk.
func (r *Repo) with(ctx context.Context, id kaijutsu.DocumentID, f func(*document) error) error {
	d, err := r.acquireIn(ctx, id)
	if err != nil {
		return err
	}
	defer r.release(d)
	return d.call(ctx, f)
}

// Exists reports whether the document holds any change.
func (r *Repo) Exists(ctx context.Context, id kaijutsu.DocumentID) (bool, error) {
	exists := false
	err := r.with(ctx, id, func(d *document) error {
		exists = d.graph.Len() > 0
		return nil
	})
	return exists, err
}

// Heads returns the durable heads of the document; none when it is unknown.
func (r *Repo) Heads(ctx context.Context, id kaijutsu.DocumentID) (kaijutsu.Heads, error) {
	var heads kaijutsu.Heads
	err := r.with(ctx, id, func(d *document) error {
		heads = d.graph.Heads()
		return nil
	})
	return heads, err
}

// Stats are counters since Start, and what is open now.
type Stats struct {
	Open      int   // documents open now
	Covered   int   // of them those that are served from their stored bytes
	Bytes     int64 // memory estimate of the open documents
	Opened    int64 // documents opened since Start
	Evicted   int64 // documents closed by the janitor
	Snapshots int64 // snapshots written
	Mishaps   int64 // panics, and work that was ended for taking too much
	Healed    int64 // damaged documents that were filled again
	Unhealed  int64 // attempts to that failed
}

// Stats returns the counters.
func (r *Repo) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := Stats{Open: len(r.docs), Opened: r.opened.Load(), Evicted: r.evicted.Load(), Snapshots: r.snapshots.Load(), Mishaps: r.mishaps.Load()}
	s.Healed, s.Unhealed = r.healing.healed.Load(), r.healing.unhealed.Load()
	for _, d := range r.docs {
		s.Bytes += d.bytes.Load()
		if d.isCovered.Load() {
			s.Covered++
		}
	}
	return s
}

// storeError says what a failed commit means to the people whose changes were
// in it.
func storeError(err error) error {
	if errors.Is(err, kaijutsu.ErrUnavailable) {
		return fmt.Errorf("changes not stored: %w", err)
	}
	return fmt.Errorf("changes not stored: %w: %w", kaijutsu.ErrUnavailable, err)
}
