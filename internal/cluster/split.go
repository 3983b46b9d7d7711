package cluster

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"kaijutsu"
)

const (
	maxSplits = 256
	// splitFor is how long a split is told of that was not met again: longer
	// than the longest pause between attempts to mend it.
	splitFor = 25 * time.Minute
)

// splits are the documents that two nodes cannot make the same: a client has
// written one change at this node and another one under the same number at
// that one, or founded the document twice. Both were acknowledged before the
// nodes knew of each other's, no document may hold both, and what was written
// since depends on one or the other. Each node keeps its own; people choose.
type splits struct {
	mu   sync.Mutex
	docs map[kaijutsu.DocumentID]schism
}

type schism struct {
	node        string
	first, last time.Time
	met         int // how often
}

func newSplits() *splits { return &splits{docs: make(map[kaijutsu.DocumentID]schism)} }

// note notes that changes of a node contradict those that are here.
func (s *splits) note(doc kaijutsu.DocumentID, node string, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, known := s.docs[doc]
	if !known {
		if len(s.docs) >= maxSplits {
			return
		}
		d.first = now
	}
	d.node, d.last, d.met = node, now, d.met+1
	s.docs[doc] = d
}

// splitProblems are sentences on the documents that are still split.
func (c *Cluster) splitProblems(now time.Time, equal map[string]time.Time) []string {
	s := c.splits
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for doc, d := range s.docs {
		if c.digest.sum(doc) == 0 || now.Sub(d.last).Abs() > splitFor || equal[d.node].After(d.last) {
			delete(s.docs, doc)
			continue
		}
		if d.met > 1 { // once may be a change that came before what it is to be judged by
			out = append(out, fmt.Sprintf("context %s is split for %s: a client has written one thing here and another at node %s under the same number, so neither takes what the other has; nothing of either is lost: fork it on both nodes, and delete it",
				doc.Name(), span(now.Sub(d.first)), d.node))
		}
	}
	slices.Sort(out)
	return out
}
