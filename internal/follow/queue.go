package follow

import (
	"sync"

	"kaijutsu"
	"kaijutsu/internal/repo"
)

// noted is what was committed, and what of it is to become events.
type noted struct {
	repo.Committed
	id kaijutsu.ContextID
	of bool // the document may have events
	// look is not 0 when nothing was committed: events may be held for the
	// document that can be told.
	look int64
}

// queueBytes bounds what the changes that wait take, the steps among it.
const queueBytes = 64 << 20

// queue is what waits to become events. It never refuses anything: beyond most
// changes, or queueBytes of them, it keeps which there were, and they are read
// from disk.
type queue struct {
	wake chan struct{} // holds a token when there is something
	most int

	mu      sync.Mutex
	list    []noted // guarded by mu
	changes int     // in list; guarded by mu
	bytes   int     // that they take; guarded by mu
}

func (q *queue) push(c noted) {
	c.Deltas, c.Before = nil, nil
	bytes := 0
	if !c.Traced {
		c.Changes = nil // they are read anyhow
	}
	for _, change := range c.Changes {
		bytes += change.Bytes()
	}
	q.mu.Lock()
	if q.changes+len(c.Changes) > q.most || q.bytes+bytes > queueBytes && q.bytes > 0 {
		c.Changes, c.Traced, bytes = nil, false, 0
	}
	q.changes += len(c.Changes)
	q.bytes += bytes
	q.list = append(q.list, c)
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take empties the queue.
func (q *queue) take() []noted {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := q.list
	q.list, q.changes, q.bytes = nil, 0, 0
	return list
}
