package cluster

import (
	"context"
	"slices"
	"sync"
	"time"

	"kaijutsu"
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

func newHealer() *healer {
	return &healer{
		wake: make(chan struct{}, 1), announce: make(chan struct{}, 1), asks: true, urges: 1,
		peers: make(map[string]*peer), fruitless: make(map[kaijutsu.DocumentID]fruitless), equalAt: make(map[string]time.Time),
	}
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
		if c.first.wait(ctx) != nil {
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
