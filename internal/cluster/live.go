package cluster

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/repo"
)

const (
	liveItems = 4096     // commits that wait to be sent
	liveBytes = 16 << 20 // and their bytes
	liveTurn  = 512      // commits sent in one turn
)

// live holds the commits of this node that are to be sent to whoever listens.
type live struct {
	queue chan liveItem
	bytes atomic.Int64
}

type liveItem struct {
	doc     kaijutsu.DocumentID
	origin  repo.Origin
	changes []repo.Change
}

// bytes is the memory that keeping the item takes.
func (i liveItem) bytes() (n int) {
	for _, change := range i.changes {
		n += change.Bytes()
	}
	return n
}

// bare returns changes as other nodes want them, without what they did to the
// blocks, which may be far more than they are.
func bare(changes []repo.Change) []repo.Change {
	out := make([]repo.Change, len(changes))
	for i, change := range changes {
		out[i] = change.Bare()
	}
	return out
}

func newLive() *live { return &live{queue: make(chan liveItem, liveItems)} }

// offer puts a commit into the queue. One that finds it full is not sent: the
// feed brings it.
func (l *live) offer(c *Cluster, item liveItem) {
	n := int64(item.bytes())
	if l.bytes.Add(n) <= liveBytes {
		select {
		case l.queue <- item:
			return
		default:
		}
	}
	l.bytes.Add(-n)
	c.count.liveDropped.Add(int64(len(item.changes)))
}

// sendLive drains the queue: what piled up while the last turn was sent goes in
// one message for each document.
func (c *Cluster) sendLive(ctx context.Context) {
	for {
		var first liveItem
		select {
		case first = <-c.live.queue:
		case <-ctx.Done():
			return
		}
		items := []liveItem{first}
		for more := true; more && len(items) < liveTurn; {
			select {
			case item := <-c.live.queue:
				items = append(items, item)
			default:
				more = false
			}
		}
		for _, item := range items {
			c.live.bytes.Add(-int64(item.bytes()))
		}
		for _, item := range byDocument(items) {
			c.publish(item)
		}
	}
}

// byDocument joins the items of each document, in the order of their first.
func byDocument(items []liveItem) []liveItem {
	if len(items) == 1 {
		return items
	}
	at := make(map[kaijutsu.DocumentID]int, len(items))
	var joined []liveItem
	for _, item := range items {
		i, ok := at[item.doc]
		if !ok {
			at[item.doc] = len(joined)
			item.changes = item.changes[:len(item.changes):len(item.changes)] // not ours to append to
			joined = append(joined, item)
			continue
		}
		if joined[i].origin == (repo.Origin{}) {
			joined[i].origin = item.origin
		}
		joined[i].changes = append(joined[i].changes, item.changes...)
	}
	return joined
}

func (c *Cluster) publish(item liveItem) {
	subject := "node.live." + strconv.Itoa(flowbus.Shard(item.doc))
	for _, m := range c.messages(item.doc, item.origin, item.changes) {
		if err := c.bus.Publish(subject, m.data); err != nil {
			c.count.liveDropped.Add(int64(m.changes))
			continue
		}
		c.count.liveSent.Add(int64(m.changes))
	}
}

// message is some changes of a document as they travel.
type message struct {
	data    []byte
	last    kaijutsu.ChangeHash
	changes int
}

// messages encodes changes: batches, and notices of those that fit none.
func (c *Cluster) messages(doc kaijutsu.DocumentID, origin repo.Origin, changes []repo.Change) []message {
	var out []message
	for _, b := range split(doc, origin, changes) {
		n := len(b.hashes)
		m := message{last: b.hashes[n-1], changes: n}
		if n == 1 && changeBytes(len(b.raws[0])) > noticeBytes {
			m.data = notice{doc, kaijutsu.Heads{m.last}, c.bus.Node()}.encode()
		} else {
			m.data = b.encode()
		}
		out = append(out, m)
	}
	return out
}

// hearLive takes a live copy of another node. It must not wait: the messages
// behind it are of other documents.
func (c *Cluster) hearLive(m flowbus.Message) {
	p, err := c.open(m.Node, m.Data)
	if err == nil && m.Subject != "node.live."+strconv.Itoa(flowbus.Shard(p.doc())) {
		err = errShard
	}
	if err != nil {
		c.refused.note(m.Node, err)
		return
	}
	p.from = fromLive
	p.done = func(error) {}
	if c.first.holds(p.doc()) || !c.lanes.offer(c, p) {
		c.count.liveLost.Add(int64(p.changes()))
	}
}

// lostLive is told that messages were dropped.
func (c *Cluster) lostLive(n int) {
	c.count.liveLost.Add(int64(n))
	c.healer.nudge()
}

var errShard = errors.New("it came under a subject that is not its document's")

// open takes apart what came live or from the feed.
func (c *Cluster) open(node string, data []byte) (*parcel, error) {
	p := &parcel{node: node, bytes: len(data) + 256}
	var err error
	switch kindOf(data) {
	case kindBatch:
		p.batch, err = decodeBatch(data)
	case kindNotice:
		var n notice
		if n, err = decodeNotice(data); err == nil && n.node != node {
			err = fmt.Errorf("notice of node %.64q: %w", n.node, kaijutsu.ErrInvalid)
		}
		p.notice = &n
	default:
		err = fmt.Errorf("message of kind %d: %w", kindOf(data), kaijutsu.ErrInvalid)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}
