package follow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/guard"
	"kaijutsu/internal/repo"
)

// Config says what a hub works with. Log, Kernel, Node and Repo are required.
type Config struct {
	Log    *slog.Logger
	Kernel string
	Node   string // the id of this node
	Repo   *repo.Repo
	// Bus reaches the other nodes; nil: there are none.
	Bus *flowbus.Bus
	// Hidden reports documents that are nobody's business; nil: none are.
	Hidden func(kaijutsu.DocumentID) bool
	// Records is the hidden document that is the kernel's records. Recorded
	// returns what its changes from+1 to to say happened to contexts;
	// RecordedLast the last of it that is known of one. Nil: that is told by
	// Tell, to who follows then.
	Records      kaijutsu.DocumentID
	Recorded     func(ctx context.Context, from, to uint64) ([]flowbus.Event, error)
	RecordedLast func(kaijutsu.DocumentID) (flowbus.Event, bool)
	// Now is the clock; default time.Now.
	Now func() time.Time

	// RingEvents and RingBytes bound what is kept for followers, in all;
	// defaults 65,536 and 64 MiB.
	RingEvents int
	RingBytes  int
	// Followers bounds how many follow at a time; default 10,000. FollowersEach
	// bounds those of one principal, so that nobody takes all; default a quarter.
	Followers     int
	FollowersEach int
	// SnapshotBytes bounds the snapshots that followers have not read yet, in all;
	// default 256 MiB.
	SnapshotBytes int
	// Pending bounds the changes that wait to become events in memory; the rest
	// is read from disk when it is its turn. Default 32,768.
	Pending int
}

func (c Config) withDefaults() Config {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Hidden == nil {
		c.Hidden = func(kaijutsu.DocumentID) bool { return false }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	for _, d := range []struct {
		v   *int
		def int
	}{{&c.RingEvents, 65536}, {&c.RingBytes, 64 << 20}, {&c.Followers, 10000}, {&c.Pending, 32768}, {&c.SnapshotBytes, 256 << 20}} {
		if *d.v == 0 {
			*d.v = d.def
		}
	}
	if c.FollowersEach == 0 {
		c.FollowersEach = max(1, c.Followers/4)
	}
	return c
}

// errClosed is why streams end with the hub.
var errClosed = fmt.Errorf("the server is stopping: %w", kaijutsu.ErrUnavailable)

// Hub hands events to followers. It is safe for concurrent use.
type Hub struct {
	cfg     Config
	node    string // short, as ids of events begin
	queue   queue
	reviews atomic.Uint64 // counts changes of rights
	nodes   nodes
	shots   *shots
	held    held

	mu     sync.RWMutex // no I/O is made while it is held
	topics map[kaijutsu.DocumentID]*topic
	wide   *topic
	ring   ring
	pos    uint64                     // of the newest entry of any topic; it grows also over restarts
	count  int                        // of followers
	counts map[kaijutsu.Principal]int // of followers, by who follows
	closed bool

	ctx  context.Context // ends with the hub
	stop context.CancelFunc
	done sync.WaitGroup
}

// Start returns a hub and begins to listen to the other nodes. Close it before
// the repo and the bus.
func Start(cfg Config) (*Hub, error) {
	cfg = cfg.withDefaults()
	if err := flowbus.CheckKernel(cfg.Kernel); err != nil {
		return nil, err
	}
	if cfg.Repo == nil || cfg.Node == "" {
		return nil, errors.New("follow: Config needs Repo and Node")
	}
	h := &Hub{
		cfg: cfg, node: shortNode(cfg.Node), topics: make(map[kaijutsu.DocumentID]*topic), counts: make(map[kaijutsu.Principal]int),
		pos: uint64(cfg.Now().UnixMicro()), shots: newShots(),
	}
	h.ring = ring{maxEvents: cfg.RingEvents, maxBytes: cfg.RingBytes}
	h.queue = queue{most: cfg.Pending, wake: make(chan struct{}, 1)}
	h.wide = newTopic(kaijutsu.DocumentID{}, h.pos)
	h.ctx, h.stop = context.WithCancel(context.Background())
	if err := h.listen(); err != nil {
		h.stop()
		return nil, err
	}
	h.done.Add(2)
	go func() { defer h.done.Done(); guard.Keep(h.cfg.Log, "deriver of events", h.ctx.Done(), h.derive)() }()
	go func() { defer h.done.Done(); guard.Keep(h.cfg.Log, "beat of events", h.ctx.Done(), h.beat)() }()
	return h, nil
}

// Close ends every stream with a reason and waits for the hub's goroutines.
func (h *Hub) Close() error {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return nil
	}
	h.closed = true
	for _, t := range h.all() {
		t.endLocked(errClosed)
	}
	h.mu.Unlock()
	if h.nodes.stop != nil {
		h.nodes.stop()
	}
	h.stop()
	h.done.Wait()
	return nil
}

// all returns every topic; the caller holds mu.
func (h *Hub) all() []*topic {
	all := make([]*topic, 0, len(h.topics)+1)
	for _, t := range h.topics {
		all = append(all, t)
	}
	return append(all, h.wide)
}

// Traces reports whether somebody follows a document's blocks: its changes
// should be traced. It is for repo.Config.Trace and returns at once.
func (h *Hub) Traces(doc kaijutsu.DocumentID) bool {
	if _, ok := contextOf(doc); !ok || h.cfg.Hidden(doc) {
		return false
	}
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.topics[doc] != nil || h.wide.docs
}

// Note tells the hub what was committed. It is for repo.Config.Committed and
// returns at once.
func (h *Hub) Note(c repo.Committed) {
	id, ok := contextOf(c.Doc)
	if !ok && c.Seq == 0 || h.cfg.Hidden(c.Doc) && c.Seq == 0 {
		return
	}
	h.mu.RLock()
	interested := h.topics[c.Doc] != nil || h.wide.docs || c.Deleted && len(h.wide.followers) > 0 || h.held.any(c.Doc) ||
		len(h.topics) > 0 && h.records(c.Doc)
	h.mu.RUnlock()
	if interested {
		h.queue.push(noted{Committed: c, id: id, of: ok && !h.cfg.Hidden(c.Doc)})
	}
}

// Review has followers asked anew whether they may read a context, or, of the
// zero document, all of them. Call it when rights have changed.
func (h *Hub) Review(doc kaijutsu.DocumentID) {
	h.reviews.Add(1)
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, t := range h.all() {
		if doc.IsZero() || t == h.wide || t.doc == doc {
			t.wakeAll()
		}
	}
}

// Publish tells an event of no document to whoever follows here, at once, and
// to the other nodes. Kernel, Node and Time are filled in; only the time is
// kept when it is set. It never blocks. The error wraps kaijutsu.ErrInvalid
// when it is no such event, and ErrTooLarge above flowbus.MaxNodeEvent; nodes
// that cannot be reached now are not told.
func (h *Hub) Publish(e flowbus.Event) error {
	if s := e.Kind.Source(); s != flowbus.FromAnyone && s != flowbus.Fleeting {
		return fmt.Errorf("publish %.64q: %w: it is told by what is on record", e.Kind, kaijutsu.ErrInvalid)
	}
	b, err := h.tell(e)
	if err != nil {
		return err
	}
	h.send(b)
	return nil
}

// Tell is Publish, for this node's followers only: of what every node tells by
// itself, such as contexts that were archived.
func (h *Hub) Tell(e flowbus.Event) error {
	if e.Kind.Source() == flowbus.FromChanges {
		return fmt.Errorf("tell %.64q: %w: it is derived from changes", e.Kind, kaijutsu.ErrInvalid)
	}
	_, err := h.tell(e)
	return err
}

// tell encodes an event of this node and appends it.
func (h *Hub) tell(e flowbus.Event) ([]byte, error) {
	e.Kernel, e.Node = h.cfg.Kernel, h.cfg.Node
	if e.Time.IsZero() {
		e.Time = h.cfg.Now()
	}
	e.Time = e.Time.UTC().Truncate(time.Millisecond)
	b, err := flowbus.Encode(&e)
	if err != nil {
		return nil, err
	}
	if len(b) > flowbus.MaxNodeEvent {
		return nil, fmt.Errorf("event %s of %d bytes: %w: at most %d", e.Kind, len(b), kaijutsu.ErrTooLarge, flowbus.MaxNodeEvent)
	}
	h.append(&e, b)
	return b, nil
}

// Stats are counters of the hub, and what it holds now.
type Stats struct {
	Followers int
	Topics    int
	Events    int // in the ring
	Bytes     int // of them
	// Refused counts the events of other nodes that were not taken, by node.
	Refused map[string]int64
}

// Stats returns the counters.
func (h *Hub) Stats() Stats {
	h.mu.RLock()
	s := Stats{Followers: h.count, Topics: len(h.topics), Events: len(h.ring.entries) + len(h.ring.fleeting), Bytes: h.ring.bytes + h.ring.fleetingBytes}
	h.mu.RUnlock()
	s.Refused = h.nodes.refusals()
	return s
}

// contextOf returns the id of the context that a document may be.
func contextOf(doc kaijutsu.DocumentID) (kaijutsu.ContextID, bool) {
	b := doc.Bytes()
	if len(b) != len(kaijutsu.ContextID{}) {
		return kaijutsu.ContextID{}, false
	}
	return kaijutsu.ContextID(b), true
}
