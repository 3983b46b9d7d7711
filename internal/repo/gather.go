package repo

import (
	"context"
	"time"

	"kaijutsu/internal/guard"
)

const (
	// gatherEach is how much longer a document gathers for each session that it
	// has: about what it takes to write to one and to read its answer.
	gatherEach = 160 * time.Microsecond
	// gatherLeast is what is not worth a timer.
	gatherLeast = time.Millisecond
)

// gathering is which sessions of a document may have something to say, and when
// it is said. What happens after a rest is said at once. A session that was
// sent a message less than the window ago waits for the others, and gets
// everything since in one: so that what many write at once costs one message for
// each who reads it, and not one for each pair. The owner's.
type gathering struct {
	stirred []*Session  // to be looked at when the batch is done
	waiting []*Session  // to be looked at when the timer fires
	due     bool        // it has
	runs    bool        // the timer does
	timer   *time.Timer // nil until it is needed
	saidAt  time.Time   // when a session was last sent a sync message
}

// stir notes that a session may have something to say.
func (d *document) stir(s *Session) {
	if !s.stirred {
		s.stirred = true
		d.gathering.stirred = append(d.gathering.stirred, s)
	}
}

// window is how long a session waits for more.
func (d *document) window() time.Duration {
	w := min(d.repo.cfg.Gather, time.Duration(len(d.sessions))*gatherEach)
	if w < gatherLeast {
		return 0
	}
	return w
}

// said notes that a session is being sent a sync message.
func (d *document) said(s *Session) {
	s.saidAt = time.Now()
	d.gathering.saidAt = s.saidAt
}

// gathered has the sessions looked at that waited.
func (d *document) gathered() {
	g := &d.gathering
	g.stirred, g.due, g.runs = append(g.stirred, g.waiting...), true, false
	clear(g.waiting)
	g.waiting = g.waiting[:0]
}

// speak says what there is to say to the sessions that were stirred, as far as
// they do not wait for more. Everything is on disk.
func (d *document) speak() {
	g := &d.gathering
	if len(g.stirred) == 0 {
		return
	}
	window, now := d.window(), time.Now()
	for i := 0; i < len(g.stirred); i++ { // it may grow
		s := g.stirred[i]
		switch {
		case !s.stirred: // it has pulled meanwhile
		case d.quiet(s):
			s.stirred = false
		case !g.due && now.Sub(s.saidAt) < window:
			g.waiting = append(g.waiting, s)
		default:
			d.say(s)
		}
	}
	clear(g.stirred)
	g.stirred = g.stirred[:0]
	g.due = false
	if len(g.waiting) > 0 && !g.runs {
		d.wait(max(0, window-now.Sub(g.saidAt)))
	}
}

// wait has the sessions that wait looked at after t.
func (d *document) wait(t time.Duration) {
	g := &d.gathering
	g.runs = true
	if g.timer != nil {
		g.timer.Reset(t)
		return
	}
	g.timer = time.AfterFunc(t, guard.Func(d.repo.log, "gathering", func() {
		_ = d.send(context.Background(), gather{}) // closed: there are no sessions
	}))
}

// say hands a session what there is to say, or tells it to ask when its
// connection is busy.
func (d *document) say(s *Session) {
	s.stirred = false
	if s.who.Ready == nil || !s.who.Ready() {
		s.who.Notify()
		return
	}
	if out, something := d.compose(s); something {
		s.who.Deliver(out)
	}
}

// compose is outgoing for a request or a message of its own: when it fails, the
// session is told so, and the document read anew.
func (d *document) compose(s *Session) (out Outgoing, something bool) {
	d.task.begin(unit{what: onMessage, by: s.who.Principal})
	err := d.repo.guarded(d.id, "message", func() error { out = d.outgoing(s); return nil })
	if d.failing(err) {
		out = Outgoing{Refused: []error{d.explain(err)}}
	}
	return out, len(out.Refused) > 0 || len(out.Denied) > 0 || out.Ended != nil || out.Unavailable || out.Sync != nil || len(out.Heads) > 0
}

// quiet reports whether a session has nothing to say, as after most messages
// that acknowledge: then it is not even asked.
func (d *document) quiet(s *Session) bool {
	return d.cover == nil && d.failed == nil && !s.broken && !s.unavailable && s.denials == 0 && s.told && d.graph.Idle(s.state)
}
