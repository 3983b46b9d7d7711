package flowbus

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	maxRefusedNodes = 64 // more than so many senders are counted as one, "others"
	logEvery        = 10 * time.Second
	twinFor         = time.Minute
	refusedFor      = 10 * time.Minute // so long a refusal is a problem
)

// refusals counts what was dropped, by sender.
type refusals struct {
	mu     sync.Mutex
	nodes  map[string]*refusal
	logged time.Time
	twin   time.Time // when a message of another process with our id came
}

type refusal struct {
	count  int64
	schema string // the schema it speaks, when that is why; "" otherwise
	why    string // the last reason
	at     time.Time
}

// admit is check of a message that was sent just now, by another process.
func (b *Bus) admit(m *nats.Msg) (node string, ok bool) {
	node, ok = b.check(m)
	switch {
	case !ok:
	case node == b.cfg.Node:
		b.noteTwin()
	default:
		b.peers.heard(node)
	}
	return node, ok
}

// check checks the headers and the size of a message that came in, and returns
// who sent it. A message that is not what a node of this version sends is
// counted, logged at a limited rate, and false is returned.
func (b *Bus) check(m *nats.Msg) (node string, ok bool) {
	node = first(m, headerNode)
	schema := first(m, headerSchema)
	switch {
	case schema != strconv.Itoa(Schema):
		if schema == "" {
			b.refuse(node, "", "no schema header", m.Subject)
		} else {
			b.refuse(node, schema, "another schema", m.Subject)
		}
	case !name(node):
		b.refuse("", "", "no node header", m.Subject)
	case len(m.Data) > MaxMessage:
		b.refuse(node, "", fmt.Sprintf("%d bytes of data", len(m.Data)), m.Subject)
	default:
		return node, true
	}
	return "", false
}

// refuse counts a message that is dropped.
func (b *Bus) refuse(node, schema, why, subject string) {
	if !name(node) {
		node = ""
	}
	if !name(schema) {
		schema = schema[:0]
	}
	r := &b.refused
	r.mu.Lock()
	if r.nodes == nil {
		r.nodes = map[string]*refusal{}
	}
	n := r.nodes[node]
	if n == nil {
		if len(r.nodes) >= maxRefusedNodes {
			node = "others"
		}
		if n = r.nodes[node]; n == nil {
			n = &refusal{}
			r.nodes[node] = n
		}
	}
	fresh := n.count == 0 || n.schema != schema
	n.count++
	n.schema, n.why, n.at = schema, why, time.Now()
	tell := time.Since(r.logged) > logEvery
	if tell {
		r.logged = time.Now()
	}
	count := n.count
	r.mu.Unlock()
	if tell {
		b.log.Warn("refused a message", "peer", node, "why", why, "subject", clip(subject), "count", count)
	}
	if fresh {
		b.wake()
	}
}

// noteTwin notes that somebody else sends with our id. The server does not
// echo; only around a reconnect may an own message come back.
func (b *Bus) noteTwin() {
	if !b.link.steady(10 * time.Second) {
		return
	}
	b.refused.mu.Lock()
	b.refused.twin = time.Now()
	b.refused.mu.Unlock()
}

func (r *refusals) counts() map[string]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make(map[string]int64, len(r.nodes))
	for node, n := range r.nodes {
		out[node] = n.count
	}
	return out
}

func (r *refusals) problems() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, node := range slices.Sorted(maps.Keys(r.nodes)) {
		n := r.nodes[node]
		switch {
		case time.Since(n.at) > refusedFor:
		case n.schema != "":
			out = append(out, fmt.Sprintf("node %s speaks schema %s and this node speaks %d: %d of its messages were refused; run the same version of kaijutsu on both", node, n.schema, Schema, n.count))
		case node == "":
			out = append(out, fmt.Sprintf("something that is not a kaijutsu node publishes on this kernel's subjects: %d messages were refused (%s)", n.count, n.why))
		default:
			out = append(out, fmt.Sprintf("node %s sent %d messages that were refused (%s)", node, n.count, n.why))
		}
	}
	if !r.twin.IsZero() && time.Since(r.twin) < twinFor {
		out = append(out, "another server uses this node's id: was the data directory copied? Stop one of them, and give it an empty data directory")
	}
	return out
}

func clip(s string) string {
	if len(s) > maxSubjectChars {
		return s[:maxSubjectChars]
	}
	return s
}

const (
	maxPeers   = 1024
	peerMemory = 40 * time.Second
)

// peers are the nodes that were heard lately.
type peers struct {
	mu   sync.Mutex
	seen map[string]time.Time
}

func (p *peers) heard(node string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen == nil {
		p.seen = map[string]time.Time{}
	}
	if len(p.seen) >= maxPeers {
		clear(p.seen)
	}
	p.seen[node] = time.Now()
}

// lately returns the nodes that were heard within the last 40 s.
func (p *peers) lately() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for node, at := range p.seen {
		if time.Since(at) > peerMemory {
			delete(p.seen, node)
			continue
		}
		out = append(out, node)
	}
	return out
}
