package cluster

import (
	"cmp"
	"maps"
	"slices"
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
	synced  bool                 // all keys that are there have been told
	started time.Time
}

func newRegistry() *registry {
	return &registry{wake: make(chan struct{}, 1), nodes: make(map[string]Node), gone: make(map[string]time.Time)}
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
	delete(r.gone, id)
	return known
}
