package cluster

import "time"

const (
	// silentFor is how long a node that did not say in time whether it has a
	// document is not waited for: one that hangs would else delay whoever asks
	// for what there is not, one after the other.
	silentFor = 10 * time.Second
	// silentTime is what it gets to answer nevertheless.
	silentTime = 50 * time.Millisecond
)

// isSilent reports whether a node is not waited for.
func (r *registry) isSilent(node string, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return now.Before(r.silent[node])
}

// heard notes that a node has answered.
func (r *registry) heard(node string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.silent, node)
}

// silence notes nodes that did not answer.
func (r *registry) silence(nodes map[string]bool, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for node := range nodes {
		if _, known := r.nodes[node]; known {
			r.silent[node] = now.Add(silentFor)
		}
	}
}
