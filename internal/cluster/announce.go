package cluster

import (
	"context"
	"maps"
	"time"

	"kaijutsu/flowbus"
)

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

// signalLater signals after a while; when the cluster was closed meanwhile
// nobody listens.
func signalLater(ch chan struct{}, d time.Duration) { time.AfterFunc(d, func() { signal(ch) }) }
