package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"kaijutsu"
	"kaijutsu/internal/follow"
	"kaijutsu/internal/op"
)

const (
	// goneAfter cuts a follower whose socket has taken nothing for so long. One
	// that takes something after streamWriteTimeout is cut too, and told why.
	goneAfter = 2 * time.Minute
	// deadlineEvery is how often the time is set by which the socket has to take
	// what is written; each write has most of goneAfter then.
	deadlineEvery = 5 * time.Second
	// pieceBytes is how much a reader on a slow line has so much time for.
	pieceBytes = 64 << 10
)

var errSlow = fmt.Errorf("this reader took nothing for %v, and is cut off so that nobody waits for it: %w", streamWriteTimeout, kaijutsu.ErrUnavailable)

// serveEvents streams events as server-sent events: what follow.Hub tells, from
// "hello" on. A pattern or a context, or both, say which: beside a context the
// pattern is of what is below it, as "block.>". Whoever comes again with
// Last-Event-ID, or since, gets what is newer. The last event is "end", with the
// reason and where to go on; comments in between show that the stream lives.
func (s *Server) serveEvents(w http.ResponseWriter, r *http.Request, c op.Call) error {
	want, err := s.wantOf(r, c)
	if err != nil {
		return err
	}
	leave, err := s.stream(c)
	if err != nil {
		return err
	}
	defer leave()
	f, err := s.hub.Follow(r.Context(), want)
	if err != nil {
		return err
	}
	defer f.Close()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	out := &eventStream{w: w, rc: http.NewResponseController(w), patience: streamWriteTimeout}
	defer eventWriter{w, out.rc}.unbounded()
	if out.write([]byte("retry: 1000\n\n")) != nil {
		return nil
	}
	out.run(r.Context(), f)
	return nil
}

// wantOf reads what is to be followed.
func (s *Server) wantOf(r *http.Request, c op.Call) (want follow.Want, err error) {
	q := r.URL.Query()
	for name := range q {
		switch name {
		case "pattern", "context", "since", "snapshot", "token":
		default:
			return want, &op.FieldError{Field: name, Reason: "there is no such parameter", Hint: "there are pattern, context, since and snapshot"}
		}
	}
	want = follow.Want{Since: q.Get("since"), By: c.By, Right: s.toldOf(c)}
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		want.Since = last // it is newer than the address
	}
	switch q.Get("snapshot") {
	case "", "false", "0":
	case "true", "1":
		want.Snapshot = true
	default:
		return want, &op.FieldError{Field: "snapshot", Reason: "it is neither true nor false"}
	}
	var doc kaijutsu.DocumentID
	if name := q.Get("context"); name != "" {
		if doc, err = s.kernel.Resolve(r.Context(), c, name, kaijutsu.RightRead); err != nil {
			return want, err
		}
	}
	want.Pattern, err = s.hub.Pattern(doc, q.Get("pattern"))
	return want, err
}

// eventStream writes what a follower is told.
type eventStream struct {
	w   http.ResponseWriter
	rc  *http.ResponseController
	at  time.Time // when the deadline was set
	buf []byte

	patience time.Duration // how long the socket may take nothing
}

// run writes until the stream is over.
func (o *eventStream) run(ctx context.Context, f *follow.Follower) {
	for {
		items, err := f.Next(ctx)
		switch {
		case err != nil:
			if ctx.Err() != nil {
				err = &follow.Ended{Reason: context.Cause(ctx), ID: f.ID()} // or the follower has gone, and will not read it
			}
			o.end(err)
			return
		case len(items) == 0:
			err = o.write([]byte(": still here\n\n"))
		case len(items) == 1 && items[0].Head == nil:
			err = o.write(items[0].Frame)
		default:
			err = o.writeAll(items)
		}
		if errors.Is(err, errSlow) {
			o.end(&follow.Ended{Reason: err, ID: f.ID()})
		}
		if err != nil {
			return // it is gone; it may come back
		}
	}
}

// writeAll writes items, what is small together.
func (o *eventStream) writeAll(items []follow.Item) error {
	var slow error
	o.buf = o.buf[:0]
	for _, i := range items {
		o.buf = append(o.buf, i.Head...)
		if len(i.Frame) <= pieceBytes {
			o.buf = append(o.buf, i.Frame...)
			continue
		}
		for _, b := range [][]byte{o.buf, i.Frame} { // a large one is shared by many: it is not copied
			if err := o.write(b); errors.Is(err, errSlow) {
				slow = err
			} else if err != nil {
				return err
			}
		}
		o.buf = o.buf[:0]
	}
	err := o.write(o.buf)
	if cap(o.buf) > 256<<10 {
		o.buf = nil // a burst is over some time
	}
	return cmp.Or(err, slow)
}

// write writes and flushes, all or nothing. It returns errSlow when all was
// taken, but some of it after too long.
func (o *eventStream) write(b []byte) error {
	var slow error
	for piece := range slices.Chunk(b, pieceBytes) {
		began := time.Now()
		if began.Sub(o.at) > deadlineEvery {
			if err := o.rc.SetWriteDeadline(began.Add(goneAfter)); err != nil && !errors.Is(err, http.ErrNotSupported) {
				return err
			}
			o.at = began
		}
		if _, err := o.w.Write(piece); err != nil {
			return err
		}
		if time.Since(began) > o.patience {
			slow = errSlow
		}
	}
	return cmp.Or(o.rc.Flush(), slow)
}

// end says why there is no more, and where to go on.
func (o *eventStream) end(err error) {
	out := struct {
		Kind   string `json:"kind"`
		Reason string `json:"reason"`
		Since  string `json:"since,omitempty"`
	}{}
	p := op.ProblemOf(err)
	out.Kind, out.Reason = p.Kind, p.Message
	var ended *follow.Ended
	if errors.As(err, &ended) {
		out.Since = ended.ID
		out.Reason = op.ProblemOf(ended.Reason).Message
	}
	e := eventWriter{o.w, o.rc}
	_ = e.send("end", out) // and the connection ends with it
	_ = e.flush()
}
