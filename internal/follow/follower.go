package follow

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/repo"
)

// Want says what somebody follows.
type Want struct {
	// Pattern is as flowbus.ParsePattern reads it.
	Pattern string
	// Since is where to go on: the id of an event, or, for a pattern of one
	// context, a version of it on this node. "": with what comes now.
	Since string
	// Snapshot begins with the whole context, when Since is empty; the pattern
	// is of one context then.
	Snapshot bool
	// By is who follows: one principal can have only so many followers. Zero: the
	// server itself.
	By kaijutsu.Principal
	// Right is what the follower may do with a document now, and, of the zero
	// document, with the kernel. It must be cheap. Required.
	Right func(kaijutsu.DocumentID) kaijutsu.Right
}

// Ended is why a stream is over.
type Ended struct {
	Reason error
	ID     string // where to go on, when that makes sense again
}

// Error says why, and how to go on.
func (e *Ended) Error() string { return e.Reason.Error() + "; go on with since=" + e.ID }

// Unwrap returns the reason.
func (e *Ended) Unwrap() error { return e.Reason }

// Follower is somebody who follows. Its methods are for one goroutine at a
// time. Close it.
type Follower struct {
	h       *Hub
	want    Want
	pattern flowbus.Pattern
	id      kaijutsu.ContextID // of the one context
	one     bool
	kinds   uint64          // the bits of those that the pattern may match
	docs    bool            // one of them is of documents
	turn    int             // when it beats
	ctx     context.Context // ends with it: replays run in it
	cancel  context.CancelFunc

	t    *topic
	wake chan struct{} // holds a token when there may be something
	beat atomic.Bool   // a sign of life is due

	pos     uint64 // of the last entry of the topic that it saw
	at      place  // of the last event of a document
	first   []Item // to be told before everything else
	shot    *shot  // the snapshot that it has not read yet
	past    past
	ended   error                        // why there is no more
	reviews uint64                       // those that may knows of
	may     map[kaijutsu.DocumentID]bool // which it may read
	out     []Item
	seen    []*entry
}

// Follow begins to follow. The first item is a Hello. The error wraps
// kaijutsu.ErrInvalid when the wishes make no sense, ErrNotFound when there is
// no such context for the follower, and ErrUnavailable when too many follow, in
// all or of one principal.
func (h *Hub) Follow(ctx context.Context, w Want) (*Follower, error) {
	p, err := flowbus.ParsePattern(h.cfg.Kernel, w.Pattern)
	if err != nil {
		return nil, err
	}
	f := &Follower{h: h, want: w, pattern: p, wake: make(chan struct{}, 1), may: make(map[kaijutsu.DocumentID]bool)}
	f.id, f.one = p.Context()
	for _, k := range flowbus.Kinds() {
		if p.May(k) {
			f.kinds |= bitOf[k]
			f.docs = f.docs || k.Source() == flowbus.FromChanges || k.Source() == flowbus.FromRecords && h.cfg.Recorded != nil
		}
	}
	f.reviews = h.reviews.Load()
	switch {
	case w.Snapshot && !f.one:
		return nil, fmt.Errorf("snapshot: %w: name one context", kaijutsu.ErrInvalid)
	case f.one && !f.mayRead(f.id.Document()):
		return nil, unknown(f.id)
	}
	if _, _, err := f.since(); err != nil {
		return nil, err
	}
	joined, err := h.join(f)
	if err != nil {
		return nil, err
	}
	f.ctx, f.cancel = context.WithCancel(h.ctx)
	if f.one {
		err = f.beginOne(ctx, joined)
	} else {
		err = f.beginAll(joined)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func unknown(id kaijutsu.ContextID) error {
	return fmt.Errorf("context %s: %w on this server", id, kaijutsu.ErrNotFound)
}

// join puts a follower into its topic, and returns the pos of then.
func (h *Hub) join(f *Follower) (uint64, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return 0, errClosed
	case h.count >= h.cfg.Followers:
		return 0, fmt.Errorf("%d follow already: %w: come back later", h.count, kaijutsu.ErrUnavailable)
	case !f.want.By.IsZero() && h.counts[f.want.By] >= h.cfg.FollowersEach:
		return 0, fmt.Errorf("%s follows with %d streams already: %w: end some of them", f.want.By.Name, h.cfg.FollowersEach, kaijutsu.ErrUnavailable)
	}
	t := h.wide
	if f.one {
		doc := f.id.Document()
		if h.cfg.Hidden(doc) {
			return 0, unknown(f.id)
		}
		if t = h.topics[doc]; t == nil {
			t = newTopic(doc, h.pos)
			h.topics[doc] = t
		}
	}
	h.count++
	h.counts[f.want.By]++
	f.turn, f.t, f.pos = h.count%beatEvery, t, h.pos
	t.followers[f] = struct{}{}
	t.docs = t.docs || f.docs
	return h.pos, nil
}

// Close ends it.
func (f *Follower) Close() {
	if f.cancel != nil {
		f.cancel()
	}
	f.past.close()
	h, t := f.h, f.t
	f.first = nil
	f.leaveShot()
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := t.followers[f]; !ok {
		return
	}
	delete(t.followers, f)
	h.count--
	if h.counts[f.want.By]--; h.counts[f.want.By] == 0 {
		delete(h.counts, f.want.By)
	}
	if len(t.followers) > 0 {
		return
	}
	t.idle = h.cfg.Now()
	if !t.begun && t != h.wide && h.topics[t.doc] == t {
		h.forgetLocked(t)
	}
}

// beginOne finds the place in one context. joined is the pos of when the
// follower came: everything behind it will be in the ring.
func (f *Follower) beginOne(ctx context.Context, joined uint64) error {
	h, doc := f.h, f.id.Document()
	m, since, err := f.since()
	if err != nil {
		return err
	}
	s, err := h.look(ctx, doc, false)
	if err != nil {
		return err
	}
	h.mu.Lock()
	if !f.t.begun {
		f.t.begun, f.t.start, f.t.tail = true, wholeVersion(s.version), wholeVersion(s.version)
	}
	h.mu.Unlock()
	h.queue.push(noted{Committed: repo.Committed{Doc: doc}, id: f.id}) // what came meanwhile is taken up

	f.at = wholeVersion(s.version)
	why := ""
	switch {
	case !since:
		f.pos = joined
	case m.node != "" && m.node != h.node:
		why = "the id is of another node: versions are numbered by each for itself"
	case m.topic == letterWide:
		why = "the id is of a stream of many contexts"
	case m.version > s.version:
		why = fmt.Sprintf("version %d is not here: the newest is %d", m.version, s.version)
	default:
		f.at = place{0, m.version, m.part}
		f.seek(m.pos)
	}
	if why != "" {
		f.pos = joined
	}
	whole, id := why != "" || f.want.Snapshot && !since, f.ID()
	if whole {
		if f.shot, err = h.shots.take(ctx, h, f.want.By, f.id, s.version); err != nil {
			return err
		}
		f.at = wholeVersion(f.shot.version)
		id = "" // who has not got the snapshot has nothing to go on from
	}
	f.first = append(f.first, itemOf(Hello, id, hello{h.cfg.Node, h.cfg.Kernel, f.id.String(), max(s.version, f.at.version), f.ID()}))
	if why != "" {
		f.first = append(f.first, itemOf(Reset, "", reset{Reason: why, Since: f.want.Since}))
	}
	if since {
		f.last()
	}
	if whole {
		f.first = append(f.first, f.shot.itemFor(f.ID()))
	}
	return nil
}

// look reads a context.
func (h *Hub) look(ctx context.Context, doc kaijutsu.DocumentID, rows bool) (s state, err error) {
	err = h.cfg.Repo.View(ctx, doc, func(v repo.View) error {
		if !v.IsContext() {
			return fmt.Errorf("it is no context: %w", kaijutsu.ErrNotFound)
		}
		s = state{version: v.Version(), heads: v.Heads, title: v.Title()}
		if rows {
			s.rows = v.Blocks()
		}
		return nil
	})
	if errors.Is(err, kaijutsu.ErrNotFound) {
		id, _ := contextOf(doc)
		return s, unknown(id)
	}
	return s, err
}

// beginAll finds the place among all contexts.
func (f *Follower) beginAll(joined uint64) error {
	h := f.h
	m, since, err := f.since()
	if err != nil {
		return err
	}
	first, last := uint64(0), uint64(0)
	if f.docs {
		first, last = h.cfg.Repo.JournalEnds()
	}
	h.mu.Lock()
	t := f.t
	if f.docs && !t.begun {
		t.begun, t.start, t.tail = true, wholeEntry(last), wholeEntry(last)
		h.aheadLocked(t)
	}
	h.mu.Unlock()

	f.at = wholeEntry(last)
	why := ""
	switch {
	case !since:
		f.pos = joined
	case m.node != h.node:
		why = "the id is of another node: each numbers events for itself"
	case m.topic == letterContext || f.docs && m.topic == 0 && m.seq == 0:
		why = "the id is of a stream of one context"
	case f.docs && m.seq > last:
		why = "the id is not of this server's data"
	case f.docs && (m.seq+1 < first || m.version != 0 && m.seq < first):
		why = "it is too long ago: what came then is not listed any more"
	default:
		if f.at = (place{m.seq, m.version, m.part}); m.version == 0 {
			f.at = wholeEntry(m.seq)
		}
		f.seek(m.pos)
	}
	if why != "" {
		f.pos = joined
	}
	f.first = append(f.first, itemOf(Hello, f.ID(), hello{Node: h.cfg.Node, Kernel: h.cfg.Kernel, ID: f.ID()}))
	if why != "" {
		f.first = append(f.first, itemOf(Reset, f.ID(), reset{Reason: why, Since: f.want.Since}))
	}
	return nil
}

// since reads where to go on; false when the follower does not say.
func (f *Follower) since() (m mark, ok bool, err error) {
	s := f.want.Since
	if s == "" {
		return m, false, nil
	}
	if v, err := strconv.ParseUint(s, 10, 63); err == nil {
		if !f.one {
			return m, false, fmt.Errorf("since %s: %w: a version is of one context; give the id of an event", s, kaijutsu.ErrInvalid)
		}
		m.place = wholeVersion(v)
		return m, true, nil
	}
	m, err = parseMark(s)
	return m, true, err
}

// ID returns where to go on behind what Next has returned.
func (f *Follower) ID() string {
	m := mark{node: f.h.node, place: f.at}
	if f.past.next == nil { // in the ring
		m.topic, m.pos = f.t.letter(), f.pos
	}
	return m.String()
}

// mayRead asks whether the follower may read a document.
func (f *Follower) mayRead(doc kaijutsu.DocumentID) bool {
	ok, known := f.may[doc]
	if !known {
		ok = f.want.Right(doc) >= kaijutsu.RightRead
		f.may[doc] = ok
	}
	return ok
}

// stir lets the follower look.
func (f *Follower) stir() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Pattern returns the pattern for what somebody asks for: everything, all of a
// context, a pattern, or, of both, what matches the pattern in the context:
// "block.>" is "ctx.<context>.block.>" then. The error wraps kaijutsu.ErrInvalid.
func (h *Hub) Pattern(doc kaijutsu.DocumentID, pattern string) (string, error) {
	if pattern == "" {
		pattern = ">"
	}
	if doc.IsZero() {
		return pattern, nil
	}
	id, ok := contextOf(doc)
	if !ok {
		return "", fmt.Errorf("document %s: %w: it is no context", doc, kaijutsu.ErrInvalid)
	}
	return "ctx." + id.String() + "." + pattern, nil
}
