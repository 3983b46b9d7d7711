package courier

import (
	"errors"
	"sync"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/guard"
	"kaijutsu/internal/kernel"
)

const (
	laneWidth = 256 // posts to one context at a time: as many as share one write
	maxLanes  = 32  // contexts posted to at a time
)

// deliverAll delivers items of one flush. Those of one target arrive in the
// order of their numbers: many posts are in flight, so that many share a write
// to the disk, and which item a post is, is decided when the document's owner
// comes to it.
func (c *Courier) deliverAll(r *run, items []*entry) {
	type key struct {
		doc    kaijutsu.DocumentID
		kernel string
	}
	var order []key
	lanes := make(map[key][]*entry)
	for _, e := range items {
		k := key{e.Target, e.ToKernel}
		if lanes[k] == nil {
			order = append(order, k)
		}
		lanes[k] = append(lanes[k], e)
	}
	var closings, running sync.WaitGroup
	slots := make(chan struct{}, maxLanes)
	for _, k := range order {
		slots <- struct{}{}
		running.Go(guard.Func(c.cfg.Log, "lane of drifts", func() {
			defer func() { <-slots }()
			l := &lane{c: c, r: r, closings: &closings}
			if k.kernel != "" {
				l.away(lanes[k])
			} else {
				l.here(k.doc, lanes[k])
			}
		}))
	}
	running.Wait()
	closings.Wait()
}

// lane delivers the items of one target.
type lane struct {
	c        *Courier
	r        *run
	closings *sync.WaitGroup

	mu    sync.Mutex
	ready []*parcel // guarded by mu; by number
}

// parcel is an item that is claimed and about to be delivered.
type parcel struct {
	drift.Item
	spec    blocks.BlockSpec
	release func(*Delivery)
	give    func() // the room that it takes
}

// take claims an item and reads it; nil: it is not there any more, or cannot be
// delivered, and that is noted.
func (l *lane) take(e *entry) *parcel {
	c := l.c
	release, came, err := c.claim(c.life, e.ID)
	if err != nil {
		return nil
	}
	now := c.queue.get(e.ID)
	if now == nil || !flushable(now) || now.Target != e.Target || now.ToKernel != e.ToKernel {
		d := Delivery{ID: e.ID, Number: e.Number, State: drift.StateCancelled, Target: e.Target}
		if came != nil {
			d = *came
		}
		release(nil)
		l.finish(d, nil)
		return nil
	}
	p := &parcel{release: release, give: func() {}}
	d := Delivery{ID: e.ID, Number: e.Number, Target: e.Target}
	if p.Item, err = c.queue.whole(e.ID); err != nil {
		release(nil)
		d.State, d.Reason = now.State, clip(err.Error())
		l.finish(d, err)
		return nil
	}
	if p.ToKernel == "" {
		p.spec, err = c.spec(&p.Item, p.Target)
	}
	if give, full := c.room.take(c.life, len(p.Content)); full == nil {
		p.give = give
	} else {
		err = full
	}
	if err != nil {
		l.settle(p, d, err)
		return nil
	}
	return p
}

// here delivers items to a context of this kernel: as many at a time as have one
// stager, since a post is by somebody.
func (l *lane) here(doc kaijutsu.DocumentID, items []*entry) {
	width := make(chan struct{}, laneWidth)
	var posts sync.WaitGroup
	for i, e := range items {
		if i > 0 && e.By != items[i-1].By {
			posts.Wait()
		}
		if l.c.life.Err() != nil {
			break
		}
		p := l.take(e)
		if p == nil {
			continue
		}
		l.mu.Lock()
		l.ready = append(l.ready, p)
		l.mu.Unlock()
		width <- struct{}{}
		posts.Go(guard.Func(l.c.cfg.Log, "post of drifts", func() {
			defer func() { <-width }()
			l.post(doc, e.By)
		}))
	}
	posts.Wait()
}

// turn is the item that one post is to deliver: whichever is next when the
// document's owner comes to the post. A post that was given up may still be come
// to, and finds nothing then.
type turn struct {
	mu   sync.Mutex
	p    *parcel // guarded by mu
	over bool    // guarded by mu
}

// next returns the item whose turn it is. There are as many as there are posts.
func (l *lane) next() *parcel {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.ready[0]
	l.ready[0], l.ready = nil, l.ready[1:]
	return p
}

// take is called by the document's owner.
func (t *turn) take(l *lane) (blocks.BlockSpec, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return blocks.BlockSpec{}, false
	}
	if t.p == nil {
		t.p = l.next()
	}
	return t.p.spec, true
}

// end returns the item, now that nobody waits for the post any more.
func (t *turn) end(l *lane) *parcel {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	if t.p == nil {
		t.p = l.next()
	}
	return t.p
}

// post delivers the item whose turn it is when its document's owner comes to it.
func (l *lane) post(doc kaijutsu.DocumentID, by kaijutsu.Principal) {
	c, t := l.c, &turn{}
	_, err := c.cfg.Kernel.Post(c.life, kernel.Posting{
		By: by, As: c.cfg.Kernel.CallOf(by), Doc: doc, Name: pushOp,
		Next: func() (blocks.BlockSpec, bool) { return t.take(l) },
	})
	p := t.end(l)
	d := Delivery{ID: p.ID, Number: p.Number, Target: doc, State: drift.StateDelivered, Block: p.spec.ID}
	if err != nil { // by itself: it may have been delivered before, to a context that is closed now
		d, _, err = c.carry(c.life, &p.Item, c.cfg.Kernel.CallOf(by))
	}
	l.settle(p, d, err)
}

// away offers items to another kernel, one after the other. When it does not
// answer, the rest fails with the first.
func (l *lane) away(items []*entry) {
	var gone error
	for _, e := range items {
		if l.c.life.Err() != nil {
			return
		}
		p := l.take(e)
		if p == nil {
			continue
		}
		d := Delivery{ID: p.ID, Number: p.Number}
		err := gone
		if err == nil {
			d, _, err = l.c.carry(l.c.life, &p.Item, l.c.cfg.Kernel.CallOf(p.By))
		}
		if errors.Is(err, kaijutsu.ErrUnavailable) {
			gone = err
		}
		l.settle(p, d, err)
	}
}

// settle has written what came of an item, and lets go of it. What fails because
// the courier is closed has not failed.
func (l *lane) settle(p *parcel, d Delivery, err error) {
	p.give()
	if err != nil && l.c.life.Err() != nil {
		p.release(nil)
		return
	}
	if err == nil && d.State == drift.StateOffered && p.State == drift.StateOffered && d.Reason == p.LastError {
		p.release(nil) // as it was
		l.finish(d, nil)
		return
	}
	l.closings.Add(1)
	l.c.settle(p.Item, d, err, func(d Delivery, err error) {
		defer l.closings.Done()
		p.release(&d)
		l.finish(d, err)
	})
}

// finish notes what became of an item.
func (l *lane) finish(d Delivery, err error) {
	finished, total := l.r.note(d, err)
	l.c.progress(l.r, finished, total)
}
