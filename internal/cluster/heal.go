package cluster

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/repo"
)

const (
	maxPeers      = 1024            // whose announcements are kept
	peerAge       = 2 * time.Minute // after which they are not
	urgentFor     = 15 * time.Second
	feedPause     = 300 * time.Millisecond
	announceLeast = 200 * time.Millisecond
	fruitlessMax  = 1 << 16
)

// healer compares this node with the others and gets from them what it misses.
// Each node only ever gets: that both sides do it makes them equal.
type healer struct {
	wake     chan struct{} // there is something to compare
	announce chan struct{} // there is a reason to announce

	mu        sync.Mutex
	asks      bool // the next announcement asks for those of others
	peers     map[string]*peer
	urges     int       // how often urge was called
	urgedAt   time.Time // when last
	reset     bool      // and the feed does not help
	fruitless map[kaijutsu.DocumentID]fruitless
	lastHeal  Heal
	equalAt   map[string]time.Time // when a node last held the same
}

// peer is another node's last announcement and how it compares.
type peer struct {
	sums   [buckets]uint64
	at     time.Time
	fresh  bool // not compared yet
	urged  int  // urges that were answered by a comparison
	rounds [buckets]uint8
	since  [buckets]time.Time
	differ int       // buckets
	first  time.Time // since when some do; zero: none does
}

// fruitless is an attempt to get a document that brought nothing: it is not
// repeated soon while both sides hold what they held.
type fruitless struct {
	theirs, ours uint64
	until        time.Time
	wait         time.Duration
}

// Heal says what a comparison of digests brought.
type Heal struct {
	Node      string
	At        time.Time
	Took      time.Duration
	Documents int   // that differed
	Changes   int64 // that were taken
}

func newHealer() *healer {
	return &healer{
		wake: make(chan struct{}, 1), announce: make(chan struct{}, 1), asks: true, urges: 1,
		peers: make(map[string]*peer), fruitless: make(map[kaijutsu.DocumentID]fruitless), equalAt: make(map[string]time.Time),
	}
}

func signal(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// nudge has all nodes announce themselves: something may be missing.
func (h *healer) nudge() {
	h.mu.Lock()
	h.asks = true
	h.mu.Unlock()
	signal(h.announce)
}

// urge is nudge, and what differs then is got at once: the feed will not bring
// it.
func (h *healer) urge() {
	h.mu.Lock()
	h.asks, h.reset = true, true
	h.urges++
	h.urgedAt = time.Time{}
	h.mu.Unlock()
	signal(h.announce)
}

// differs reports whether some node holds something else.
func (h *healer) differs() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.peers {
		if p.differ > 0 {
			return true
		}
	}
	return false
}

// runAnnouncer tells the others what this node holds.
func (c *Cluster) runAnnouncer(ctx context.Context) {
	var last [buckets]uint64
	period := c.tune.announce
	for {
		if c.connected.Load() {
			c.healer.mu.Lock()
			a := announce{asks: c.healer.asks}
			c.healer.asks = false
			c.healer.mu.Unlock()
			a.sums, _ = c.digest.sums()
			_ = c.bus.Publish("node.ae", a.encode()) // told again
			if a.sums != last || c.healer.differs() {
				period = c.tune.announce
			} else {
				period = min(2*period, c.tune.announceMax)
			}
			last = a.sums
		}
		if !sleep(ctx, min(announceLeast, period)) {
			return
		}
		timer := time.NewTimer(period)
		select {
		case <-c.healer.announce:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// hearAnnounce takes the announcement of another node.
func (c *Cluster) hearAnnounce(m flowbus.Message) {
	a, err := decodeAnnounce(m.Data)
	if err != nil {
		c.refused.note(m.Node, err)
		return
	}
	h := c.healer
	now := c.now()
	h.mu.Lock()
	p := h.peers[m.Node]
	if p == nil {
		h.forgetLocked(now)
		if len(h.peers) < maxPeers {
			p = &peer{}
			h.peers[m.Node] = p
		}
	}
	if p != nil {
		p.sums, p.at, p.fresh = a.sums, now, true
	}
	h.mu.Unlock()
	if a.asks {
		signal(h.announce)
	}
	signal(h.wake)
}

// forgetLocked drops those who have been silent for long.
func (h *healer) forgetLocked(now time.Time) {
	maps.DeleteFunc(h.peers, func(node string, p *peer) bool {
		old := now.Sub(p.at).Abs() > peerAge
		if old {
			delete(h.equalAt, node)
		}
		return old
	})
}

// runHealer compares and gets, one node at a time.
func (c *Cluster) runHealer(ctx context.Context) {
	for {
		timer := time.NewTimer(c.tune.announce)
		select {
		case <-c.healer.wake:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			return
		}
		for _, node := range c.healer.fresh() {
			if ready, urgent := c.compare(node); !ready.empty() && c.connected.Load() {
				c.heal(ctx, node, ready, urgent)
			}
		}
	}
}

func (h *healer) fresh() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var nodes []string
	for node, p := range h.peers {
		if p.fresh {
			nodes = append(nodes, node)
		}
	}
	slices.Sort(nodes)
	return nodes
}

// compare returns the buckets in which a node differs and which are worth
// asking for. What is merely under way differs as well, so a difference has to
// outlive some quiet, or several announcements, unless there is an urge.
func (c *Cluster) compare(node string) (ready which, urgent bool) {
	own, _ := c.digest.sums()
	now := c.now()
	quietFeed := c.feedQuiet(feedPause) && c.lanes.idle()
	h := c.healer
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.peers[node]
	if p == nil {
		return ready, false
	}
	if h.urgedAt.IsZero() {
		h.urgedAt = now
	}
	age := now.Sub(h.urgedAt).Abs()
	urgent = p.urged < h.urges && age < urgentFor
	if urgent && !h.reset && (!quietFeed || age < feedPause) {
		signalLater(h.wake, feedPause/2)
		return ready, false // the feed is bringing it
	}
	p.fresh, p.urged, p.differ = false, h.urges, 0
	for i := range buckets {
		if own[i] == p.sums[i] {
			p.rounds[i] = 0
			continue
		}
		p.differ++
		if p.rounds[i] == 0 {
			p.since[i] = now
		}
		p.rounds[i] = min(p.rounds[i]+1, 100)
		lasts := now.Sub(p.since[i]).Abs()
		quiet := now.Sub(c.digest.moved(i)).Abs() >= c.tune.quiet && lasts >= c.tune.quiet
		if urgent || quiet && p.rounds[i] > 1 || p.rounds[i] > 2 && lasts >= 2*c.tune.announce {
			ready.set(i)
		}
	}
	switch {
	case p.differ == 0:
		h.equalAt[node], p.first = now, time.Time{}
	case p.first.IsZero():
		p.first = now
	}
	if p.differ > 0 && ready.empty() {
		h.asks = true
		signalLater(h.announce, c.tune.quiet+c.tune.quiet/8)
	}
	return ready, urgent
}

// signalLater signals after a while; when the cluster was closed meanwhile
// nobody listens.
func signalLater(ch chan struct{}, d time.Duration) { time.AfterFunc(d, func() { signal(ch) }) }

// heal gets what a node has in some buckets and this one does not.
func (c *Cluster) heal(ctx context.Context, node string, ready which, urgent bool) {
	begun := c.now()
	result := Heal{Node: node, At: begun.UTC()}
	docs, err := c.differing(ctx, node, ready)
	docs = c.behind(ctx, docs)
	if len(docs) > 0 && !urgent { // what is on its way arrives meanwhile
		if !sleep(ctx, c.tune.quiet) {
			return
		}
		docs = c.behind(ctx, docs)
	}
	if err == nil && len(docs) > 0 {
		result.Documents = len(docs)
		result.Changes, err = c.getAll(ctx, node, docs)
	}
	result.Took = c.now().Sub(begun)
	if err != nil && ctx.Err() == nil {
		c.log.Debug("comparison broke off", "peer", node, "err", err) // it is repeated
	}
	c.count.healed.Add(result.Changes)
	c.healer.mu.Lock()
	if result.Documents > 0 {
		c.healer.lastHeal = result
	}
	c.healer.mu.Unlock()
	if result.Changes > 0 {
		c.log.Info("changes got by comparison", "peer", node, "documents", result.Documents, "changes", result.Changes, "dur", result.Took)
		c.healer.nudge()
	}
}

// side is how many documents are looked at, and questions asked, side by side.
const side = 4

// behind returns the documents of whose heads some are not here.
func (c *Cluster) behind(ctx context.Context, docs []listed) []listed {
	lacks := make([]bool, len(docs))
	var running sync.WaitGroup
	for w := range side {
		running.Go(func() {
			for i := w; i < len(docs) && ctx.Err() == nil; i += side {
				has, err := c.repo.Has(ctx, docs[i].doc, docs[i].heads)
				lacks[i] = err == nil && slices.Contains(has, false)
			}
		})
	}
	running.Wait()
	var found []listed
	for i, d := range docs {
		if lacks[i] {
			found = append(found, d)
		}
	}
	return found
}

// getAll gets documents, several at a time, and returns how many changes it
// was.
func (c *Cluster) getAll(ctx context.Context, node string, docs []listed) (int64, error) {
	portions := make(chan []listed)
	var running sync.WaitGroup
	var mu sync.Mutex
	var taken int64
	var failed error
	for range side {
		running.Go(func() {
			for part := range portions {
				n, err := c.getSome(ctx, node, part)
				mu.Lock()
				taken += n
				if err != nil {
					failed = err
				}
				mu.Unlock()
			}
		})
	}
	size := min(max(len(docs)/(2*side), 1), maxAskDocs)
	for part := range slices.Chunk(docs, size) {
		portions <- part
	}
	close(portions)
	running.Wait()
	return taken, failed
}

// getSome asks for documents, with as few questions as hold them.
func (c *Cluster) getSome(ctx context.Context, node string, docs []listed) (taken int64, err error) {
	var ask []wanted
	size := 0
	for i, d := range docs {
		c.healer.attempt(d.doc, sumOf(d.doc, d.heads), c.digest.sum(d.doc), c.now())
		have := c.haveOf(ctx, d.doc)
		ask = append(ask, wanted{doc: d.doc, have: have})
		if size += 64 + 32*len(have); size < partBytes && i < len(docs)-1 {
			continue
		}
		n, err := c.pull(ctx, node, ask)
		taken += n
		if err != nil {
			return taken, err
		}
		ask, size = nil, 0
	}
	return taken, nil
}

// differing asks a node for its documents in some buckets, and returns those of
// which it may have what is not here.
func (c *Cluster) differing(ctx context.Context, node string, of which) ([]listed, error) {
	var found []listed
	u := unpacker{f: func(item []byte) error {
		docs, err := decodeListed(item)
		for _, d := range docs {
			own, theirs := c.digest.sum(d.doc), sumOf(d.doc, d.heads)
			if own == theirs || c.healer.vain(d.doc, theirs, own, c.now()) || own == 0 && c.deleted(ctx, d.doc) {
				continue
			}
			found = append(found, d)
		}
		return err
	}}
	err := c.ask(ctx, node, encodeList(of), &u)
	return found, err
}

// deleted reports whether a document was deleted here for good.
func (c *Cluster) deleted(ctx context.Context, doc kaijutsu.DocumentID) bool {
	_, err := c.store.Info(ctx, doc)
	return errors.Is(err, repo.ErrDeleted)
}

// attempt notes that a document is asked for. Unless something changes, the
// next time is later.
func (h *healer) attempt(doc kaijutsu.DocumentID, theirs, own uint64, now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.fruitless) >= fruitlessMax {
		clear(h.fruitless)
	}
	f := h.fruitless[doc]
	if f.theirs != theirs || f.ours != own {
		f = fruitless{theirs: theirs, ours: own}
	}
	f.wait = min(max(2*f.wait, 2*time.Second), 10*time.Minute)
	f.until = now.Add(f.wait)
	h.fruitless[doc] = f
}

// vain reports whether asking for a document has just brought nothing.
func (h *healer) vain(doc kaijutsu.DocumentID, theirs, own uint64, now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	f, ok := h.fruitless[doc]
	return ok && f.theirs == theirs && f.ours == own && now.Before(f.until)
}
