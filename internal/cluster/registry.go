package cluster

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"kaijutsu/flowbus"
)

// registry is the table of the nodes that live.
type registry struct {
	wake chan struct{}

	mu      sync.Mutex
	nodes   map[string]Node
	gone    map[string]time.Time // vanished, and when
	silent  map[string]time.Time // until when it is not waited for
	lost    map[string]Node      // left without saying so, and have not come back
	synced  bool                 // all keys that are there have been told
	started time.Time
}

func newRegistry() *registry {
	return &registry{wake: make(chan struct{}, 1), nodes: make(map[string]Node), gone: make(map[string]time.Time), silent: make(map[string]time.Time), lost: make(map[string]Node)}
}

func (r *registry) poke() { signal(r.wake) }

// living returns the other nodes that live, and whether all are known.
func (r *registry) living() (nodes []string, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, n := range r.nodes {
		if n.Schema == flowbus.Schema {
			nodes = append(nodes, id)
		}
	}
	return nodes, r.synced
}

func (r *registry) list() []Node {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.SortedFunc(maps.Values(r.nodes), func(a, b Node) int { return cmp.Compare(a.ID, b.ID) })
}

func (r *registry) began(now time.Time) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.started.IsZero() {
		r.started = now.UTC()
	}
	return r.started
}

// put notes a node and reports whether it is new.
func (r *registry) put(n Node) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.gone, n.ID)
	delete(r.lost, n.ID)
	_, known := r.nodes[n.ID]
	if !known && len(r.nodes) >= maxNodes {
		return false
	}
	r.nodes[n.ID] = n
	return !known
}

func (r *registry) vanished(id string, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.nodes[id]; known {
		r.gone[id] = now
	}
}

func (r *registry) remove(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, known := r.nodes[id]
	delete(r.nodes, id)
	delete(r.silent, id)
	delete(r.gone, id)
	delete(r.lost, id)
	return known
}

// lose notes that a node left without saying so; r.mu is held.
func (r *registry) lose(n Node) {
	delete(r.nodes, n.ID)
	delete(r.silent, n.ID)
	delete(r.gone, n.ID)
	if len(r.lost) < maxNodes {
		r.lost[n.ID] = n
	}
}

// missing returns the nodes that left without saying so in the last day, by id.
func (r *registry) missing(now time.Time) []Node {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, n := range r.lost {
		if now.Sub(n.Seen).Abs() > lostFor {
			delete(r.lost, id)
		}
	}
	return slices.SortedFunc(maps.Values(r.lost), func(a, b Node) int { return strings.Compare(a.ID, b.ID) })
}
