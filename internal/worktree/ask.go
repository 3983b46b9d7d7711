package worktree

import (
	"context"
	"slices"
	"time"
)

// request is what somebody wants the owner to do: f, after each of its turns,
// until it reports that it is done.
type request struct {
	ctx   context.Context
	end   func()
	f     func(context.Context) (bool, error)
	reply chan error
}

// ask runs f in the owner's goroutine and waits for it. f gets a context that
// ends with the caller's and with the overlay.
func (o *Overlay) ask(ctx context.Context, f func(context.Context) error) error {
	return o.await(ctx, func(ctx context.Context) (bool, error) { return true, f(ctx) })
}

// await repeats f in the owner's goroutine, after each of its turns, until it
// reports that it is done. When it returns, f does not run any more.
func (o *Overlay) await(ctx context.Context, f func(context.Context) (bool, error)) error {
	reply := make(chan error, 1)
	job := func(own context.Context) {
		both, cancel := context.WithCancel(ctx)
		stop := context.AfterFunc(own, cancel)
		stopWaking := context.AfterFunc(ctx, o.wakeUp)
		r := &request{ctx: both, f: f, reply: reply, end: func() { stop(); stopWaking(); cancel() }}
		if !o.serve(r) {
			o.own.asked = append(o.own.asked, r)
		}
	}
	select {
	case o.asks <- job:
	case <-o.done:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	return <-reply // the owner finishes what it took
}

// serve does what is requested, and reports whether that is over.
func (o *Overlay) serve(r *request) bool {
	ok, err := false, r.ctx.Err()
	if err == nil {
		ok, err = r.f(r.ctx)
	}
	if !ok && err == nil {
		return false
	}
	r.end()
	r.reply <- err
	return true
}

// serveAll does what is requested after a turn, and returns when the next has to
// be, which without requests is at next.
func (o *Overlay) serveAll(next time.Time) time.Time {
	if len(o.own.asked) == 0 {
		return next
	}
	o.own.asked = slices.DeleteFunc(o.own.asked, o.serve)
	now := time.Now()
	if o.own.paused == "" && !o.own.held {
		batch, at := o.due(now)
		if len(batch) > 0 {
			at = now
		}
		next = earlier(next, at)
	}
	if len(o.own.asked) > 0 {
		next = earlier(next, now.Add(poll)) // some wait for a time
	}
	return next
}

// earlier returns the earlier of two times, of which zero is never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// refuseAll ends what is requested when the overlay is closed.
func (o *Overlay) refuseAll() {
	for _, r := range o.own.asked {
		r.end()
		r.reply <- errClosed
	}
	o.own.asked = nil
}
