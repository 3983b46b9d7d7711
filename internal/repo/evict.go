package repo

import (
	"slices"
	"time"
)

// janitor closes documents that nobody uses: those idle for long, and, when
// the open documents together pass the budget, the least recently used.
func (r *Repo) janitor() {
	tick := time.NewTicker(max(r.cfg.IdleAfter/4, 10*time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-r.quit:
			return
		case <-tick.C:
			r.trim()
			r.replays.trim(r.cfg.Now().Add(-r.cfg.IdleAfter))
		case <-r.kick:
		}
		r.evict(r.cfg.Now())
	}
}

// trim asks the documents in use to close what they can do without. One whose
// inbox is full is asked again at the next tick.
func (r *Repo) trim() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range r.docs {
		if !d.blocksOpen.Load() {
			continue
		}
		select {
		case d.inbox <- trim{}:
		default:
		}
	}
}

// evict stops the owners of the documents that may go.
func (r *Repo) evict(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var idle []*document
	total := int64(0)
	for _, d := range r.docs {
		switch {
		case d.uses > 0:
		case d.unusable.Load() || now.Sub(d.idleSince) >= r.cfg.IdleAfter:
			r.closeLocked(d)
			continue
		default:
			idle = append(idle, d)
		}
		total += d.bytes.Load()
	}
	if total > r.cfg.BudgetBytes {
		slices.SortFunc(idle, func(a, b *document) int { return a.idleSince.Compare(b.idleSince) })
	}
	for _, d := range idle {
		if total <= r.cfg.BudgetBytes {
			break
		}
		total -= d.bytes.Load()
		r.closeLocked(d)
	}
}

// closeLocked takes an unused document out of the table and ends its owner.
func (r *Repo) closeLocked(d *document) {
	r.removeLocked(d)
	d.stop()
	r.evicted.Add(1)
}

// removeLocked takes a document out of the table, and what it takes out of the
// estimate.
func (r *Repo) removeLocked(d *document) {
	delete(r.docs, d.id)
	r.bytes.Add(-d.bytes.Load())
}

// measured notes how much memory an open document takes. One that grew when
// nobody used it any more wakes the janitor, as release does.
func (r *Repo) measured(d *document, n int64) {
	r.mu.Lock()
	was := d.bytes.Swap(n)
	if r.docs[d.id] == d { // else it was closed, and counts no more
		r.bytes.Add(n - was)
	}
	idle := d.uses == 0
	r.mu.Unlock()
	if idle && n > was && r.bytes.Load() > r.cfg.BudgetBytes {
		r.wakeJanitor()
	}
}

func (r *Repo) wakeJanitor() {
	select {
	case r.kick <- struct{}{}:
	default:
	}
}
