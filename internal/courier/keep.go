package courier

import (
	"slices"
	"time"

	"kaijutsu"
	"kaijutsu/drift"
)

const (
	// keepEvery is how often the courier looks for flushes that nobody carries
	// out, and asks other kernels what became of what they hold.
	keepEvery = time.Minute
	// askedAtOnce is how many offers are asked about then.
	askedAtOnce = 50
	// heldFor is how long an offer waits for somebody's consent.
	heldFor = 30 * 24 * time.Hour
	// expiredAtOnce is how many offers are given up then.
	expiredAtOnce = 100
)

// keep looks after what nobody waits for.
func (c *Courier) keep() {
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	asked := make(map[string]int) // rounds in which an offer was asked about
	for round := 1; ; round++ {
		select {
		case <-tick.C:
		case <-c.life.Done():
			return
		}
		c.resume(false)
		c.ask(asked, round)
		c.expire()
	}
}

// ask asks other kernels about the offers that were not asked about for longest.
func (c *Courier) ask(asked map[string]int, round int) {
	if c.cfg.Carrier == nil {
		return
	}
	items := c.queue.all(func(e *entry) bool { return e.State == drift.StateOffered })
	slices.SortStableFunc(items, func(a, b *entry) int { return asked[a.ID] - asked[b.ID] })
	bySource := make(map[kaijutsu.DocumentID]map[string]bool)
	for _, e := range items[:min(len(items), askedAtOnce)] {
		asked[e.ID] = round
		if bySource[e.From] == nil {
			bySource[e.From] = make(map[string]bool)
		}
		bySource[e.From][e.ID] = true
	}
	for id := range asked {
		if c.queue.get(id) == nil {
			delete(asked, id)
		}
	}
	for source, ids := range bySource {
		_, err := c.flushSource(c.life, source, func(e *entry) bool { return ids[e.ID] && e.State == drift.StateOffered })
		if err != nil && c.life.Err() == nil {
			c.log.Debug("offers were not asked about", "context", source.Name(), "err", err)
		}
	}
}

// expire declines offers that nobody has decided on.
func (c *Courier) expire() {
	before := c.now().Add(-heldFor)
	old := c.queue.all(func(e *entry) bool { return e.State == drift.StateHeld && e.At.Before(before) })
	for _, e := range old[:min(len(old), expiredAtOnce)] {
		_, err := c.Consent(c.life, authority(), e.ID, false, "nobody has decided on it in 30 days")
		if err != nil && c.life.Err() == nil {
			c.log.Debug("an offer that nobody decides on is not given up", "drift", e.ID, "err", err)
		}
	}
}

// idle reports whether nobody here carries out the flush of a source.
func (c *Courier) idle(source kaijutsu.DocumentID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.runs[source] == nil
}
