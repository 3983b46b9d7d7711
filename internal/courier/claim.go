package courier

import (
	"context"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
)

// claim is the right to do something with one drift: to deliver it, to cancel
// it, to hold it. Who waits for one learns what became of the drift meanwhile.
type claim struct {
	done chan struct{} // closed when it ends
	came *Delivery     // what became of the drift; nil: nothing. Set before done is closed
}

// claim waits until nobody else does something with a drift. came is what
// the last of those that it waited for has done, or nil.
func (c *Courier) claim(ctx context.Context, id string) (release func(*Delivery), came *Delivery, err error) {
	for {
		c.mu.Lock()
		busy := c.claims[id]
		if busy == nil {
			own := &claim{done: make(chan struct{})}
			c.claims[id] = own
			c.mu.Unlock()
			return func(d *Delivery) { c.unclaim(id, own, d) }, came, nil
		}
		c.mu.Unlock()
		select {
		case <-busy.done:
			came = busy.came
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-c.life.Done():
			return nil, nil, errClosed
		}
	}
}

func (c *Courier) unclaim(id string, own *claim, d *Delivery) {
	c.mu.Lock()
	delete(c.claims, id)
	if d != nil && d.State == drift.StateDelivered {
		c.recent.add(id, d.Target, d.Block)
	}
	c.mu.Unlock()
	own.came = d
	close(own.done)
}

// receiptsKept is how many of the last deliveries a courier remembers, so that
// who cancels too late is told where it went.
const receiptsKept = 20_000

// receipts are the last deliveries. The zero value is none.
type receipts struct {
	by   map[string]receipt
	ring []string
	next int
}

type receipt struct {
	doc   kaijutsu.DocumentID
	block blocks.ID
}

func (r *receipts) add(id string, doc kaijutsu.DocumentID, block blocks.ID) {
	if r.by == nil {
		r.by = make(map[string]receipt)
	}
	if _, there := r.by[id]; !there {
		if len(r.ring) < receiptsKept {
			r.ring = append(r.ring, id)
		} else {
			delete(r.by, r.ring[r.next])
			r.ring[r.next] = id
			r.next = (r.next + 1) % receiptsKept
		}
	}
	r.by[id] = receipt{doc, block}
}

// receipt returns where a drift that somebody has pushed was delivered, as far as
// anybody knows. A copy in lost+found is no delivery.
func (c *Courier) receipt(id string, by kaijutsu.Principal, in kaijutsu.DocumentID) (receipt, bool) {
	c.mu.Lock()
	r, ok := c.recent.by[id]
	c.mu.Unlock()
	if ok || c.cfg.Receipt == nil {
		return r, ok
	}
	doc, block, ok := c.cfg.Receipt(id, by, in)
	return receipt{doc, block}, ok && !c.LostFound(doc)
}
