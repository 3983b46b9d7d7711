package repo

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/changegraph"
	"kaijutsu/internal/guard"
	"kaijutsu/internal/store"
)

const (
	inboxSize = 128 // requests; a full inbox stops reading the sockets behind it
	batchSize = 256 // requests handled with one commit

	// sessionTurns is how many messages of one session wait in the inbox: a
	// peer that sends without pause, or whose messages are much work, delays
	// the others by as many and no more.
	sessionTurns = 2

	// openBytes is what an open document takes with nothing in it, as
	// measured with 40,000 of them.
	openBytes = 20 << 10
)

// document is one open document. Fields below "The owner's" are touched only
// by the goroutine that runs own.
type document struct {
	repo  *Repo
	id    kaijutsu.DocumentID
	inbox chan request
	quit  chan struct{} // closed by stop
	done  chan struct{} // closed when the owner has returned
	bytes atomic.Int64  // memory estimate

	blocksOpen atomic.Bool // the read model is open
	isCovered  atomic.Bool // its changes are not in memory

	unusable atomic.Bool // could not be opened: closed as soon as nobody uses it, so that the next use tries again

	uses      int       // guarded by repo.mu
	stays     bool      // guarded by repo.mu: it stays open for a while when nobody uses it
	idleSince time.Time // guarded by repo.mu; set when uses falls to 0

	finished sync.Once
	task     task // what the owner is at

	relayMu sync.RWMutex
	relays  []*Session // guarded by relayMu

	// The owner's.
	parked      []request // has waited until the document is open
	cover       *cover    // stands for it while nobody needs its changes; nil once it is open
	failed      error     // why the document could not be opened
	readOnly    error     // why it is not changed, and its blocks are not read
	around      unit      // what the change at hand is part of
	pins        []pinned
	slot        int // of the marks; -1: none
	graph       *changegraph.Graph
	actors      map[kaijutsu.ActorID]signer // actors with a row on disk
	actorCounts map[kaijutsu.Principal]int  // how many of them are whose; nil until somebody asks
	sessions    map[*Session]struct{}
	gathering   gathering
	watches     map[*Watch]struct{}
	headsAt     time.Time // when the heads last moved
	st          *staged   // the batch that is being handled; nil between batches
	author      signer    // of the change that is being made here

	model      *blocks.Model // nil until somebody asks for blocks
	modelUsed  time.Time
	editActors map[signer]kaijutsu.ActorID

	pasts       []pastModel    // the last used is last
	decodedKept decodedChanges // the last used

	newBase    *store.Base   // what the document is to rest on; it is not on disk yet
	lent       int           // forks of this document that are being made elsewhere
	base       *store.Base   // what the document rests on; nil: nothing
	baseActors []store.Actor // whose changes are in it
	before     int           // changes before the document's own log
	depth      int           // documents below the base, and the base
	deleting   bool
	bulk       bool // its changes are not those of people: they come by Add

	covered      int       // changes in the snapshot on disk, or in the base
	coveredBytes int       // their bytes
	tailBytes    int       // bytes of the changes behind it
	snapshotting bool      // a snapshot job is under way
	snapshotAt   time.Time // when the last one began
	awaiting     bool      // a snapshot is due when the document is quiet
	snapshotFrom int       // after one that failed: the length from which to try again
}

func newDocument(r *Repo, id kaijutsu.DocumentID) *document {
	d := &document{
		repo:     r,
		id:       id,
		inbox:    make(chan request, inboxSize),
		quit:     make(chan struct{}),
		done:     make(chan struct{}),
		graph:    changegraph.New(),
		actors:   make(map[kaijutsu.ActorID]signer),
		sessions: make(map[*Session]struct{}),
		watches:  make(map[*Watch]struct{}),

		editActors: make(map[signer]kaijutsu.ActorID),
	}
	d.task.doc, d.slot = id, -1
	d.hooks(d.graph)
	return d
}

// stop ends the owner. It is called once, by whoever takes the document out of
// the table.
func (d *document) stop() { close(d.quit) }

// stopped reports whether the owner is to end.
func (d *document) stopped() bool {
	select {
	case <-d.quit:
		return true
	default:
		return false
	}
}

// send puts a request into the inbox, waiting while it is full.
func (d *document) send(ctx context.Context, r request) error {
	select {
	case d.inbox <- r:
		return nil
	case <-d.done:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// call runs f in the owner and returns its error.
func (d *document) call(ctx context.Context, f func(*document) error) error {
	reply := make(chan error, 1)
	return d.await(ctx, call{f, reply}, reply)
}

// await sends a request and waits for its reply. A request that was taken is
// carried out even when ctx ends first.
func (d *document) await(ctx context.Context, r request, reply <-chan error) error {
	if err := d.send(ctx, r); err != nil {
		return err
	}
	select {
	case err := <-reply:
		return err
	case <-d.done:
		select { // the owner may have answered just before it ended
		case err := <-reply:
			return err
		default:
			return ErrClosed
		}
	case <-ctx.Done():
		return ctx.Err()
	}
}

// own is the owner goroutine: open, or put a cover on, then batches until stopped.
func (d *document) own() {
	defer d.finish()
	defer d.collapse()
	defer d.task.end()
	d.begin()
	batch := make([]request, 0, batchSize)
	for {
		select {
		case <-d.quit:
			return
		case r := <-d.inbox:
			batch = append(batch[:0], r)
		}
		for more := true; more && len(batch) < batchSize; {
			select {
			case r := <-d.inbox:
				batch = append(batch, r)
			default:
				more = false
			}
		}
		d.handle(batch)
		for len(d.parked) > 0 && !d.task.givenUp() {
			d.handle(d.unpark())
		}
		if d.task.givenUp() {
			return
		}
		clear(batch)
	}
}

// collapse ends this document, and only this one, when the owner fails at what
// cannot be tried again. Those who use it get ErrClosed; the next use opens it
// from disk.
func (d *document) collapse() {
	p := recover()
	if p == nil || p == errGivenUp {
		return
	}
	d.repo.mishaps.Add(1)
	guard.Recovered("document", p).Log(d.repo.log, "document", d.id, "document_is", "closed")
	d.repo.mu.Lock()
	if d.repo.docs[d.id] == d {
		d.repo.removeLocked(d)
	}
	d.repo.mu.Unlock()
}

// errGivenUp ends an owner that was given up: another one has the document.
var errGivenUp = errors.New("owner was given up")

// finish tells everybody that the owner is no more; more than once does nothing.
func (d *document) finish() {
	d.finished.Do(func() {
		close(d.done)
		d.repo.running.Done()
	})
}

// measure updates the memory estimate that eviction goes by.
func (d *document) measure() {
	n := openBytes + d.graph.Bytes()
	if d.model != nil {
		n += d.model.Bytes()
	}
	for _, p := range d.pasts {
		n += p.model.Bytes()
	}
	n += d.decodedKept.bytes()
	if d.cover != nil {
		n += d.cover.bytes()
	}
	d.blocksOpen.Store(d.model != nil)
	d.isCovered.Store(d.cover != nil)
	d.repo.measured(d, n)
}
