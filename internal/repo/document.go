package repo

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
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
	st       *staged   // the batch that is being handled
	author   signer    // of the change that is being made here

	model      *blocks.Model // nil until somebody asks for blocks
	modelUsed  time.Time
	editActors map[signer]kaijutsu.ActorID

	pasts       []pastModel    // the last used is last
	decodedKept decodedChanges // the last used

	base       *store.Base   // what the document rests on; nil: nothing
	baseActors []store.Actor // whose changes are in it
	before     int           // changes before the document's own log
	depth      int           // documents below the base, and the base
	deleting   bool

	covered      int  // changes in the snapshot on disk, or in the base
	coveredBytes int  // their bytes
	tailBytes    int  // bytes of the changes behind it
	snapshotting bool // a snapshot job is under way
	snapshotFrom int  // after one that failed: the length from which to try again
}

// request is something the owner does. Those that only read are deferred to
// the end of a batch, when everything is on disk.
type request interface{ isRequest() }

type (
	receive struct {
		s       *Session
		m       *amfile.SyncMessage // nil: more of the message comes
		changes []*amfile.Change
		wants   bool
		handled chan<- error // nil: nobody waits
	}
	pull  struct{ s *Session }
	leave struct{ s *Session }
	// trim closes what nobody has used for long.
	trim struct{}
	// call runs f with everything before it on disk.
	call struct {
		f     func(*document) error
		reply chan<- error
	}
	// edit runs f, which stages changes; its reply waits for the disk.
	edit struct {
		f     func(*document, *staged) error
		reply chan<- error
	}
)

func (receive) isRequest() {}
func (pull) isRequest()    {}
func (leave) isRequest()   {}
func (trim) isRequest()    {}
func (call) isRequest()    {}
func (edit) isRequest()    {}

// staged is what a batch has accepted and not yet committed.
type staged struct {
	from    int // length of the graph before the batch
	anchor  kaijutsu.ChangeHash
	changes []*amfile.Change
	actors  []store.Actor
	// receivers are the sessions whose sync state this batch moved: it may
	// rest on changes that the disk has yet to take.
	receivers map[*Session]struct{}
	replies   []chan<- error
	handled   []receive // messages whose senders wait
	deltas    []Delta
	all       bool // deltas are not all
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
		delete(d.repo.docs, d.id)
	}
	d.repo.mu.Unlock()
}

// handle carries out a batch: first all that changes the document, then one
// commit, then all that reads it.
func (d *document) handle(batch []request) {
	st := &staged{from: d.graph.Len(), receivers: make(map[*Session]struct{})}
	d.st = st
	var reads []request
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
		case leave:
			d.leave(r.s)
		case trim:
			d.trim()
		default:
			reads = append(reads, r)
		}
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
}

// receive gives a sync message to the graph and notes what comes of it.
func (d *document) receive(r receive, st *staged) {
	s := r.s
	if d.failed != nil {
		if !s.broken {
			d.refuse(s, d.failed)
		}
		return
	}
	if s.broken {
		return
	}
	if r.m == nil {
		d.receivePart(r, st)
		return
	}
	right := d.review(s)
	if s.broken {
		return
	}
	asks := r.wants || !s.synced
	s.synced = true
	s.has = len(r.m.Heads) > 0
	st.receivers[s] = struct{}{}
	got := d.graph.Receive(s.state, r.m, r.changes, changegraph.ReceiveOptions{ReadOnly: right < kaijutsu.RightComment})
	for _, refusal := range got.Refused {
		d.refuseChange(s, refusal)
	}
	if d.graph.Len() == 0 && !s.has {
		if asks {
			s.wants, s.unavailable = true, false
			d.awaitDocument(s)
		}
	} else {
		s.wants = false
	}
	s.who.Notify()
}

// receivePart adds the first changes of a message whose rest is still to come.
func (d *document) receivePart(r receive, st *staged) {
	right := d.review(r.s)
	st.receivers[r.s] = struct{}{}
	for _, c := range r.changes {
		if r.s.broken {
			return
		}
		_, err := d.graph.AddFrom(r.s.state, c, changegraph.ReceiveOptions{ReadOnly: right < kaijutsu.RightComment})
		var refusal *changegraph.Refusal
		if errors.As(err, &refusal) {
			d.refuseChange(r.s, refusal)
		}
	}
}

// review asks what a peer may do now. One that may do nothing is not served
// any more; one that may do more than before may bring again what it was
// refused.
func (d *document) review(s *Session) kaijutsu.Right {
	right := s.right()
	if right == kaijutsu.RightNone && !s.broken {
		d.end(s, fmt.Errorf("access to it was taken away: %w", kaijutsu.ErrDenied))
	}
	if right > s.reviewed {
		s.state.Forgive()
	}
	s.reviewed = right
	return right
}

// refuseChange tells a session that a change of it was not taken. One that is
// well formed and merely not for this peer or this document ends nothing.
func (d *document) refuseChange(s *Session, r *changegraph.Refusal) {
	if !r.Judged {
		d.refuse(s, r)
		return
	}
	if s.denials++; len(s.denied) < maxDeniedTold {
		s.denied = append(s.denied, r)
	}
	s.who.Notify()
}

// maxDeniedTold is how many refused changes a peer is told of at a time; of
// the rest it is told how many.
const maxDeniedTold = 16

// signer is who an actor is, and through whom it came; zero when it came
// itself.
type signer struct{ by, via kaijutsu.Principal }

// signerOf returns who the actors of a peer's changes are: those of a service
// are somebody's, but whose is not known.
func signerOf(p kaijutsu.Principal) signer {
	if p.Kind == kaijutsu.Service {
		return signer{via: p}
	}
	return signer{by: p}
}

// stage notes a change that the graph has taken, for the next commit, and lets
// the read model follow: later edits of the batch build on it.
func (d *document) stage(c *amfile.Change, by signer) {
	st := d.st
	st.changes = append(st.changes, c)
	actor := c.Author()
	if known, ok := d.actors[actor]; ok {
		by = known
	} else {
		d.actors[actor] = by
		st.actors = append(st.actors, store.Actor{ID: actor, Principal: by.by, Via: by.via, At: d.repo.cfg.Now().UTC()})
	}
	if d.model == nil {
		st.all = true
		return
	}
	st.deltas = append(st.deltas, Delta{d.model.Apply(c), by.by, by.via})
}

// refuse tells a session why something of it was not taken and ends its sync.
func (d *document) refuse(s *Session, err error) {
	s.broken, s.has = true, false
	s.refused = append(s.refused, err)
	s.who.Notify()
	d.reviewWants()
}

// end ends the sync of a session that did nothing wrong.
func (d *document) end(s *Session, why error) {
	s.broken, s.has, s.ended = true, false, why
	s.who.Notify()
	d.reviewWants()
}

// commit puts what is staged on disk and then makes it visible; or, when the
// disk refuses, forgets it and tells those who brought it.
func (d *document) commit(st *staged) {
	if len(st.changes) == 0 {
		st.answer(nil)
		return
	}
	w := store.Write{
		Doc: d.id, Heads: d.graph.Heads(), Anchor: st.anchor,
		Actors: st.actors, Changes: make([]store.Change, len(st.changes)),
	}
	for i := range w.Changes {
		w.Changes[i] = store.Change{Index: uint64(st.from - d.before + i), Hash: st.changes[i].Hash, Raw: st.changes[i].Raw}
	}
	if err := d.repo.cfg.Store.Commit(context.Background(), w); err != nil {
		d.rollback(st, storeError(err))
		return
	}
	d.headsAt = d.repo.cfg.Now()
	for _, c := range st.changes {
		d.tailBytes += len(c.Raw)
	}
	d.show(st)
	st.answer(nil)
	d.measure()
	d.maybeSnapshot()
}

// rollback forgets what the disk refused. The peers that sent it keep it and
// send it again when they reconnect.
func (d *document) rollback(st *staged, err error) {
	d.repo.log.Error("changes not stored", "document", d.id, "changes", len(st.changes), "err", err)
	d.forget(st, 0, 0)
	d.measure()
	for s := range st.receivers {
		d.refuse(s, err)
	}
	st.answer(err)
}

// show makes durable changes visible: peers and watchers are woken.
func (d *document) show(st *staged) {
	d.tell(st)
	for w := range d.watches {
		w.note(st.deltas)
	}
	for s := range d.sessions {
		s.wants, s.unavailable = false, false
		s.who.Notify()
	}
}

// answer replies to the edits of the batch.
func (st *staged) answer(err error) {
	for _, reply := range st.replies {
		reply <- err
	}
}

// outgoing composes what a session is to be sent now.
func (d *document) outgoing(s *Session) Outgoing {
	if s.synced && !s.broken {
		d.review(s)
	}
	out := Outgoing{Refused: s.refused, Denied: s.denied, Ended: s.ended, Unavailable: s.unavailable}
	out.MoreDenied = s.denials - len(s.denied)
	s.refused, s.denied, s.denials, s.ended, s.unavailable = nil, nil, 0, nil, false
	if s.broken || !s.synced || d.failed != nil {
		return out
	}
	if d.graph.Len() == 0 && !s.has {
		return out
	}
	if data, ok := d.graph.Generate(s.state); ok {
		out.Sync = data
	}
	if heads := d.graph.Heads(); len(heads) > 0 && (!s.told || !heads.Equal(s.toldHeads)) {
		s.told, s.toldHeads = true, heads
		out.Heads, out.HeadsAt = heads, d.headsAt
	}
	return out
}

// leave lets go of a session and ends its use of the document.
func (d *document) leave(s *Session) {
	if _, joined := d.sessions[s]; !joined {
		return
	}
	delete(d.sessions, s)
	d.reviewWants()
	d.repo.release(d)
}

// awaitDocument gives an unknown document a moment to arrive before its asker
// is told that it is unavailable: another client may be about to send it.
func (d *document) awaitDocument(s *Session) {
	if s.patient {
		d.reviewWants()
		return
	}
	if s.waiting {
		return
	}
	s.waiting = true
	d.repo.retain(d)
	time.AfterFunc(d.repo.cfg.UnavailableAfter, func() {
		defer d.repo.release(d)
		_ = d.call(context.Background(), func(d *document) error { // closed: nobody is left to tell
			s.patient = true
			d.reviewWants()
			return nil
		})
	})
}

// reviewWants tells the askers of a document that nobody has that it is
// unavailable, once per ask. While a connected peer says it holds changes, the
// document may still come.
func (d *document) reviewWants() {
	if d.graph.Len() > 0 {
		return
	}
	for s := range d.sessions {
		if s.has {
			return
		}
	}
	for s := range d.sessions {
		if s.wants && s.patient {
			s.wants, s.unavailable = false, true
			s.who.Notify()
		}
	}
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
	d.bytes.Store(n)
	d.blocksOpen.Store(d.model != nil)
}
