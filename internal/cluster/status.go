package cluster

import (
	"fmt"
	"strconv"
	"time"

	"kaijutsu/flowbus"
)

// Status says how the cluster fares, as this node sees it.
type Status struct {
	Embedded  bool // the node is alone; of the rest only Journal is set
	Connected bool
	Nodes     []Node // this one first, then the others by id
	Streams   []Stream
	Outbox    Outbox
	Journal   Journal
	LastHeal  Heal // zero: nothing had to be got by comparison yet
	// Equal says when each other node was last seen to hold the same.
	Equal map[string]time.Time
	// Refused counts messages and changes of other nodes that were not taken,
	// by reason.
	Refused map[string]int64
	Counts  Counts
	// Problems say in plain words what is wrong now.
	Problems []string
}

// Stream is one shard of the feed.
type Stream struct {
	Shard    int
	Received uint64 // the last record read
	Stored   uint64 // the last one whose changes, and all before, are on disk
	End      uint64 // the last record there is, as far as is known
	Pending  int    // records read whose changes are not on disk yet
	CaughtUp bool   // everything there is has been read
	Resets   int    // how often it was read again from its first record
	Reason   string // of the last reset
}

// Outbox is what of this node NATS has not acknowledged.
type Outbox struct {
	Changes int
	Bytes   int64
	Oldest  time.Duration
	Skipped int64 // journal entries that were never put into the feed
}

// Journal is the store's list of what was committed.
type Journal struct{ First, Last, Relayed uint64 }

// Counts are totals since Start, in changes.
type Counts struct {
	LiveSent    int64 // live copies sent
	LiveDropped int64 // live copies that were not: the feed has them
	LiveLost    int64 // live copies of others that were not taken here
	Taken       int64 // changes of others put on disk
	Duplicates  int64 // changes of others that were here already
	Healed      int64 // changes got by comparison
}

// Status returns how the cluster fares now.
func (c *Cluster) Status() Status {
	first, last := c.repo.JournalEnds()
	s := Status{Embedded: c.bus.Embedded(), Connected: c.connected.Load(), Journal: Journal{First: first, Last: last, Relayed: c.marks.relayed()}}
	if s.Embedded {
		s.Journal.Relayed = last
		return s
	}
	s.Nodes = append([]Node{c.self()}, c.nodes.list()...)
	var end [flowbus.Shards]uint64
	known := false
	if s.Connected {
		end, known = c.ends.get(c.bus.Feed())
	}
	for i, shard := range c.shards {
		st := shard.status()
		st.Stored = c.marks.cursor(shard.number).Seq
		st.End = end[i]
		st.CaughtUp = known && st.Received >= st.End
		s.Streams = append(s.Streams, st)
	}
	s.Outbox.Changes, s.Outbox.Bytes, s.Outbox.Oldest = c.outbox.depth(c.now())
	s.Outbox.Skipped = c.relay.skipped.Load()
	s.Refused = c.refused.byReason()
	s.Counts = Counts{
		LiveSent: c.count.liveSent.Load(), LiveDropped: c.count.liveDropped.Load(), LiveLost: c.count.liveLost.Load(),
		Taken: c.count.taken.Load(), Duplicates: c.count.duplicates.Load(), Healed: c.count.healed.Load(),
	}
	s.LastHeal, s.Equal = c.healer.status()
	s.Problems = c.problems(s)
	return s
}

func (s *shard) status() Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Stream{Shard: s.number, Received: s.received, Pending: len(s.pending), Resets: s.resets, Reason: s.why}
}

func (h *healer) status() (Heal, map[string]time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	equal := make(map[string]time.Time, len(h.equalAt))
	for node, at := range h.equalAt {
		equal[node] = at.UTC()
	}
	return h.lastHeal, equal
}

// differLong is how long a difference lasts before it is called a problem.
const differLong = time.Minute

// oldAfter is how long a change may wait for NATS before it is one.
const oldAfter = 10 * time.Second

// problems are the sentences of Status.
func (c *Cluster) problems(s Status) []string {
	now := c.now()
	var out []string
	state := c.bus.State()
	if !s.Connected {
		out = append(out, fmt.Sprintf("NATS at %s has been away for %s: editing goes on, %s wait for it",
			state.Server, span(now.Sub(state.Since)), count(s.Outbox.Changes, "change", "changes")))
	} else if s.Outbox.Oldest > oldAfter {
		out = append(out, fmt.Sprintf("NATS takes changes slowly: %s wait for it, the oldest for %s",
			count(s.Outbox.Changes, "change", "changes"), span(s.Outbox.Oldest)))
	}
	out = append(out, state.Problems...)
	if s.Outbox.Skipped > 0 && !c.healer.agreed(c.relay.skippedAt.Load()) {
		out = append(out, fmt.Sprintf("%s were not put into the feed, because too many waited for NATS or the disk is nearly full: the other nodes get them by comparing",
			count(int(s.Outbox.Skipped), "batch of changes", "batches of changes")))
	}
	for _, n := range s.Nodes {
		if n.Schema != flowbus.Schema {
			out = append(out, fmt.Sprintf("node %s at %q speaks schema %d, this one %d: they do not exchange changes until both run the same release",
				n.ID, n.Addr, n.Schema, flowbus.Schema))
		}
	}
	for _, n := range c.nodes.missing(now) {
		out = append(out, fmt.Sprintf("node %s at %q went away without saying so, last seen %s ago: start it again; what only it had taken in is not here yet",
			n.called(), n.Addr, span(now.Sub(n.Seen))))
	}
	out = append(out, c.splitProblems(now, s.Equal)...)
	return append(out, c.healer.problems(now)...)
}

// called is how sentences call a node.
func (n Node) called() string {
	if n.Name == "" {
		return n.ID
	}
	return fmt.Sprintf("%s (%.8s)", n.Name, n.ID)
}

// agreed reports whether every known node was seen to hold the same after a
// time.
func (h *healer) agreed(after *time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for node := range h.peers {
		if !h.equalAt[node].After(*after) {
			return false
		}
	}
	return len(h.peers) > 0
}

func (h *healer) problems(now time.Time) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []string
	for node, p := range h.peers {
		if p.differ > 0 && !p.first.IsZero() && now.Sub(p.first) > differLong && now.Sub(p.at) < peerAge {
			out = append(out, fmt.Sprintf("node %s has held something else for %s, in %s of documents", node, span(now.Sub(p.first)), count(p.differ, "group", "groups")))
		}
	}
	return out
}

// span writes a duration as people say it.
func span(d time.Duration) string {
	if d = max(d, 0); d < 2*time.Minute {
		return strconv.Itoa(int(d.Seconds())) + " s"
	}
	return d.Round(time.Minute).String()
}

// count writes a number with its noun, thousands apart.
func count(n int, one, many string) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	if n == 1 {
		return digits + " " + one
	}
	return digits + " " + many
}
