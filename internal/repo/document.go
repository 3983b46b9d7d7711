package repo

import (
	"context"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/changegraph"
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

	unusable atomic.Bool // could not be opened: closed as soon as nobody uses it, so that the next use tries again

	uses      int       // guarded by repo.mu
	idleSince time.Time // guarded by repo.mu; set when uses falls to 0

	relayMu sync.RWMutex
	relays  []*Session // guarded by relayMu

	// The owner's.
	failed   error // why the document could not be opened
	graph    *changegraph.Graph
	actors   map[kaijutsu.ActorID]signer // actors with a row on disk
	sessions map[*Session]struct{}
	watches  map[*Watch]struct{}
	headsAt  time.Time // when the heads last moved
	st       *staged   // the batch that is being handled; nil between batches
	author   signer    // of the change that is being made here

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
	d.graph.Judge, d.graph.Took = d.judge, d.took
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

// own is the owner goroutine: open, then batches until stopped.
func (d *document) own() {
	defer close(d.done)
	defer d.recover()
	d.open()
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
		clear(batch)
	}
}

// recover ends this document, and only this one, when the owner panics. Those
// who use it get ErrClosed; the next use opens it from disk.
func (d *document) recover() {
	p := recover()
	if p == nil {
		return
	}
	d.repo.log.Error("document closed after a panic", "document", d.id, "panic", p, "stack", string(debug.Stack()))
	d.repo.mu.Lock()
	if d.repo.docs[d.id] == d {
		d.repo.removeLocked(d)
	}
	d.repo.mu.Unlock()
}

// handle carries out a batch: first all that changes the document, then one
// commit, then all that reads it.
func (d *document) handle(batch []request) {
	st := &staged{from: d.graph.Len(), before: d.graph.Heads(), receivers: make(map[*Session]struct{})}
	d.st = st
	d.beginTrace(batch)
	var reads []request
	var absorbs []absorb // behind the rest: what is local and what is not is told apart
	for _, r := range batch {
		if d.stopped() {
			return // nothing of the batch was answered: all of it ends with ErrClosed
		}
		switch r := r.(type) {
		case receive:
			d.receive(r, st)
			<-r.s.turns
			if r.handled != nil {
				st.handled = append(st.handled, r)
			}
		case edit:
			d.edit(r, st)
		case absorb:
			absorbs = append(absorbs, r)
		case leave:
			d.leave(r.s)
		case trim:
			d.trim()
		default:
			reads = append(reads, r)
		}
	}
	for _, r := range absorbs {
		d.absorb(r, st)
	}
	d.commit(st)
	for _, r := range st.handled {
		if r.s.broken {
			r.handled <- ErrRefused
		} else {
			r.handled <- nil
		}
	}
	for _, r := range reads {
		switch r := r.(type) {
		case pull:
			r.s.reply <- d.outgoing(r.s)
		case call:
			if d.failed != nil {
				r.reply <- d.failed
				continue
			}
			r.reply <- r.f(d)
		}
	}
	d.st = nil // it holds what was brought, decoded
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
	d.blocksOpen.Store(d.model != nil)
	d.repo.measured(d, n)
}
