package cluster

import (
	"context"
	"errors"
	"sync"

	"kaijutsu"
)

const (
	laneBytes    = 32 << 20 // what waits in all lanes; live copies take half at most
	laneSlots    = 64       // lanes that work at a time
	laneChanges  = 1024     // changes taken together
	laneTogether = 1 << 20  // and their bytes
	laneLarge    = 2        // portions of more than smallOps operations, decoded at a time
)

// source says how a parcel came, which decides what becomes of it when it
// cannot be taken at once.
type source uint8

const (
	fromLive source = iota // lossy: dropped when there is no room, or no disk
	fromFeed               // waits for room and for the disk
	fromAsk                // waits for room; told what is wrong
)

// parcel is some changes of another node on their way to the repo: a batch, or
// the notice of one.
type parcel struct {
	from   source
	node   string
	batch  *batch
	notice *notice
	bytes  int
	taken  int // changes that the document gained, of this parcel and those taken with it
	// done is called once, when everything in the parcel is on disk, or with
	// the reason why that will not come of it. It must not wait.
	done func(error)
}

func (p *parcel) doc() kaijutsu.DocumentID {
	if p.notice != nil {
		return p.notice.doc
	}
	return p.batch.doc
}

func (p *parcel) hashes() []kaijutsu.ChangeHash {
	if p.notice != nil {
		return p.notice.heads
	}
	return p.batch.hashes
}

func (p *parcel) changes() int { return len(p.hashes()) }

// lanes bring parcels to the repo: those of one document in order and several
// at once, those of different documents side by side, so that they share the
// waits for the disk.
type lanes struct {
	slots chan struct{}
	large chan struct{} // portions of many operations that are decoded at a time

	mu     sync.Mutex
	queues map[kaijutsu.DocumentID][]*parcel // a document with a queue has a goroutine
	bytes  int
	room   chan struct{} // closed when there is more room; nil when nobody waits
}

func newLanes() *lanes {
	return &lanes{slots: make(chan struct{}, laneSlots), large: make(chan struct{}, laneLarge), queues: make(map[kaijutsu.DocumentID][]*parcel)}
}

var errClosing = errors.New("the cluster is closing")

// offer takes a parcel if there is room.
func (l *lanes) offer(c *Cluster, p *parcel) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bytes+p.bytes > laneBytes/2 && l.bytes > 0 {
		return false
	}
	return l.putLocked(c, p)
}

// deliver waits until there is room. When it returns an error, p.done is not
// called.
func (l *lanes) deliver(ctx context.Context, c *Cluster, p *parcel) error {
	for {
		l.mu.Lock()
		if l.bytes == 0 || l.bytes+p.bytes <= laneBytes {
			ok := l.putLocked(c, p)
			l.mu.Unlock()
			if !ok {
				return errClosing
			}
			return nil
		}
		if l.room == nil {
			l.room = make(chan struct{})
		}
		room := l.room
		l.mu.Unlock()
		select {
		case <-room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (l *lanes) putLocked(c *Cluster, p *parcel) bool {
	doc := p.doc()
	queue, runs := l.queues[doc]
	if !runs && !c.spawn(func(ctx context.Context) { c.runLane(ctx, doc) }) {
		return false
	}
	l.queues[doc] = append(queue, p)
	l.bytes += p.bytes
	return true
}

// next takes parcels of a document that go together; none ends the lane.
func (l *lanes) next(doc kaijutsu.DocumentID) []*parcel {
	l.mu.Lock()
	defer l.mu.Unlock()
	queue := l.queues[doc]
	n, changes, bytes := 0, 0, 0
	for n < len(queue) {
		p := queue[n]
		changes += p.changes()
		bytes += p.bytes
		if n > 0 && (changes > laneChanges || bytes > laneTogether) {
			break
		}
		n++
	}
	if n == 0 {
		delete(l.queues, doc)
		return nil
	}
	l.queues[doc] = queue[n:]
	return queue[:n:n]
}

// leave gives back the room of parcels that are done.
func (l *lanes) leave(parcels []*parcel) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range parcels {
		l.bytes -= p.bytes
	}
	if l.room != nil {
		close(l.room)
		l.room = nil
	}
}

// idle reports whether nothing is under way.
func (l *lanes) idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bytes == 0
}

// runLane is the goroutine of one document's lane.
func (c *Cluster) runLane(ctx context.Context, doc kaijutsu.DocumentID) {
	for {
		parcels := c.lanes.next(doc)
		if len(parcels) == 0 {
			return
		}
		select {
		case c.lanes.slots <- struct{}{}:
			c.take(ctx, doc, parcels)
			<-c.lanes.slots
		case <-ctx.Done():
			for _, p := range parcels {
				p.done(ctx.Err())
			}
		}
		c.lanes.leave(parcels)
	}
}
