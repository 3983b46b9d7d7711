package repo

import (
	"context"
	"fmt"
	"runtime/metrics"
	"time"

	"kaijutsu"
	"kaijutsu/internal/halt"
	"kaijutsu/internal/quarantine"
)

// watchdog ends what takes too long or too much memory: a unit of work that goes
// on for StopAfter is told to stop at the next place where it looks. One that
// does not look either, for as long again, is given up: its document is opened
// anew, and what becomes of the old owner matters to nobody, as it may not
// commit any more.
func (r *Repo) watchdog() {
	tick := time.NewTicker(min(max(r.cfg.SlowAfter/4, 5*time.Millisecond), 500*time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-r.quit:
			return
		case now := <-tick.C:
			r.look(now)
		}
	}
}

// busyFrom is from when on a unit of work counts when memory is short.
const busyFrom = 100 * time.Millisecond

// look has a look at everything that is at work.
func (r *Repo) look(now time.Time) {
	var longest *task
	longestFor := busyFrom
	for _, b := range r.busy() {
		lasted := now.Sub(time.Unix(0, b.task.since.Load()))
		if lasted > longestFor && b.task.now().what != onDisk {
			longest, longestFor = b.task, lasted
		}
		switch {
		case lasted >= r.cfg.StopAfter:
			b.task.raise(r.cfg.StopAfter, halt.Stopped{Why: fmt.Sprintf("it took more than %v", r.cfg.StopAfter)})
			if b.doc != nil {
				r.abandon(b.doc, lasted)
			}
		case lasted >= r.cfg.SlowAfter:
			b.task.warn(r, lasted)
		}
	}
	if longest != nil && r.short() {
		longest.raise(busyFrom, halt.Stopped{Memory: true, Why: "it was at work when memory ran out"})
	}
}

// working is a task that is not idle, and the document whose owner it is.
type working struct {
	task *task
	doc  *document // nil: it is a job beside the owner
}

func (r *Repo) busy() []working {
	r.mu.Lock()
	defer r.mu.Unlock()
	var busy []working
	for _, d := range r.docs {
		if d.task.since.Load() != 0 {
			busy = append(busy, working{&d.task, d})
		}
	}
	for t := range r.jobs {
		if t.since.Load() != 0 {
			busy = append(busy, working{t, nil})
		}
	}
	return busy
}

func (t *task) warn(r *Repo, lasted time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.warned || t.at.what == "" {
		return
	}
	t.warned = true
	r.log.Warn("document is busy with one thing", "document", t.doc, "what", t.at.what, "change", t.at.change, "dur", lasted)
}

// raise ends a unit of work that has gone on for so long, unless it is over by
// now or cannot be ended.
func (t *task) raise(after time.Duration, why halt.Stopped) {
	t.mu.Lock()
	defer t.mu.Unlock()
	since := t.since.Load()
	if since == 0 || !t.raised.IsZero() || t.at.what == onDisk || time.Since(time.Unix(0, since)) < after {
		return
	}
	t.raised = time.Now()
	t.stop.Raise(why)
}

// abandon gives up an owner that does not end its work.
func (r *Repo) abandon(d *document, lasted time.Duration) {
	t := &d.task
	t.mu.Lock()
	since, at := t.since.Load(), t.at
	if since == 0 || t.gone || t.raised.IsZero() || at.what == onDisk || time.Since(t.raised) < r.cfg.StopAfter {
		t.mu.Unlock()
		return
	}
	t.gone = true
	t.mu.Unlock()
	why := fmt.Sprintf("it took more than %v and could not be ended", lasted.Round(time.Millisecond))
	r.log.Error("owner given up: it does not end its work", "document", d.id, "what", at.what, "change", at.change, "dur", lasted)
	r.mishaps.Add(1)
	if at.what == onChange || at.what == onModel {
		r.pin(context.Background(), d.id, at, quarantine.Time, why, at.what == onModel)
	}
	r.mu.Lock()
	if r.docs[d.id] == d {
		r.removeLocked(d)
	}
	r.mu.Unlock()
	d.finish()
}

// memorySample is what the heap holds, as the runtime counts it.
const memorySample = "/memory/classes/heap/objects:bytes"

// short reports whether memory runs out.
func (r *Repo) short() bool {
	if r.cfg.MemoryLimit <= 0 {
		return false
	}
	sample := []metrics.Sample{{Name: memorySample}}
	metrics.Read(sample)
	return sample[0].Value.Kind() == metrics.KindUint64 && int64(sample[0].Value.Uint64()) > r.cfg.MemoryLimit
}

// job runs f beside the owners, under the watchdog. A panic in it, or its end by
// the watchdog, is its error.
func (r *Repo) job(id kaijutsu.DocumentID, u unit, f func(*task) error) error {
	t := &task{doc: id}
	t.begin(u)
	r.mu.Lock()
	r.jobs[t] = struct{}{}
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		delete(r.jobs, t)
		r.mu.Unlock()
	}()
	return r.guarded(id, u.what, func() error { return f(t) })
}
