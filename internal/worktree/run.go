package worktree

import (
	"context"
	"strings"
	"time"

	"kaijutsu/blocks"
)

// maxTurn is how many files are looked at in one turn, so that requests never
// wait for many.
const maxTurn = 64

// poll is how often a paused overlay looks whether it may go on, and at least how
// often it looks whether a request is done.
const poll = 25 * time.Millisecond

// run is the owner: everything that decides about files happens in it, one
// thing after the other.
func (o *Overlay) run(ctx context.Context) {
	defer close(o.done)
	defer o.saveAll(context.WithoutCancel(ctx))
	defer o.refuseAll()
	timer := time.NewTimer(0)
	defer timer.Stop()
	events := o.cfg.Watch.Events()
	for {
		select {
		case <-ctx.Done():
			return
		case job := <-o.asks:
			job(ctx)
		case <-o.wake:
		case names, ok := <-events:
			if !ok {
				events = nil // the watcher is closed: blocks still go to the disk
				continue
			}
			o.stirred(names)
		case <-timer.C:
		}
		next := o.serveAll(o.turn(ctx, time.Now()))
		if next.IsZero() {
			timer.Stop()
			continue
		}
		timer.Reset(time.Until(next))
	}
}

// stirred notes which files may have changed on the disk.
func (o *Overlay) stirred(names []string) {
	now := time.Now()
	for _, name := range names {
		if rel, ok := strings.CutPrefix(name, o.own.root); ok {
			if f := o.own.paths[rel]; f != nil {
				f.stirred(now)
			}
		}
	}
}

// turn does what is due, but not too much of it, and returns when there is
// something to do again; zero: when something happens.
func (o *Overlay) turn(ctx context.Context, now time.Time) time.Time {
	defer o.tell()
	o.takeNoted(now)
	if o.own.held {
		return time.Time{}
	}
	if !o.follow(ctx, now) {
		return now.Add(poll)
	}
	batch, next := o.due(now)
	if len(batch) > 0 {
		o.work(ctx, now, batch)
		now = time.Now()
		if batch, next = o.due(now); len(batch) > 0 {
			return now
		}
	}
	if next.IsZero() {
		return o.saveSome(ctx)
	}
	return next
}

// due returns files whose time has come, at most maxTurn, and when the time of
// another comes.
func (o *Overlay) due(now time.Time) (batch []*file, next time.Time) {
	for _, f := range o.own.files {
		if f.due.IsZero() {
			continue
		}
		if !f.due.After(now) && len(batch) < maxTurn {
			batch = append(batch, f)
			continue
		}
		if next.IsZero() || f.due.Before(next) {
			next = f.due
		}
	}
	return batch, next
}

// takeNoted takes over what Note wrote down.
func (o *Overlay) takeNoted(now time.Time) {
	o.mu.Lock()
	noted, all := o.noted, o.all
	o.noted, o.all = map[blocks.ID]blocks.Touch{}, false
	o.mu.Unlock()
	for id, how := range noted {
		f := o.own.files[id]
		if f == nil {
			if f = o.own.aside[id]; f != nil && how&blocks.TouchDeleted != 0 {
				f.stale = true
				f.hurry(now)
			}
			continue
		}
		if how&(blocks.TouchMeta) != 0 {
			f.touched = true
		}
		f.typed(now)
	}
	if all {
		for _, f := range o.own.files {
			f.touched = true
			f.typed(now)
		}
	}
}

// tell shows what the turn came to.
func (o *Overlay) tell() {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := o.own.at
	o.state = State{Branch: p.Branch, Head: p.Head, Doc: p.Doc, Generation: p.Generation, Paused: o.own.paused != "", Reason: o.own.paused}
}

// present shows what is known of a file.
func (o *Overlay) present(f *file) {
	s := f.show()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.shown[f.rec.Block] = s
}
