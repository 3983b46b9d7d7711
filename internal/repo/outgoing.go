package repo

import (
	"context"
	"time"

	"kaijutsu/internal/guard"
)

// outgoing composes what a session is to be sent now.
func (d *document) outgoing(s *Session) Outgoing {
	s.stirred = false
	if s.synced && !s.broken {
		d.review(s)
	}
	out := Outgoing{Refused: s.refused, Denied: s.denied, Ended: s.ended, Unavailable: s.unavailable}
	out.MoreDenied = s.denials - len(s.denied)
	s.refused, s.denied, s.denials, s.ended, s.unavailable = nil, nil, 0, nil, false
	if s.broken || !s.synced || d.failed != nil {
		return out
	}
	if d.empty() && !s.has {
		return out
	}
	if data, ok := d.answer(s); ok {
		out.Sync = data
		d.said(s)
	}
	if heads := d.heads(); len(heads) > 0 && (!s.told || !heads.Equal(s.toldHeads)) {
		s.told, s.toldHeads = true, heads
		out.Heads, out.HeadsAt = heads, d.headsAt
	}
	return out
}

// leave lets go of a session and ends its use of the document.
func (d *document) leave(s *Session) {
	if _, joined := d.sessions[s]; !joined {
		return
	}
	delete(d.sessions, s)
	d.reviewWants()
	d.repo.release(d)
}

// awaitDocument gives an unknown document a moment to arrive before its asker
// is told that it is unavailable: another client may be about to send it. Then
// other nodes are asked.
func (d *document) awaitDocument(s *Session) {
	if s.patient {
		d.reviewWants()
		return
	}
	if s.waiting {
		return
	}
	s.waiting = true
	d.repo.retain(d)
	time.AfterFunc(d.repo.cfg.UnavailableAfter, guard.Func(d.repo.log, "unavailable", func() {
		defer d.repo.release(d)
		d.repo.fetchForPeer(d)
		_ = d.call(context.Background(), func(d *document) error { // closed: nobody is left to tell
			s.patient = true
			d.reviewWants()
			return nil
		})
	}))
}

// reviewWants tells the askers of a document that nobody has that it is
// unavailable, once per ask. While a connected peer says it holds changes, the
// document may still come.
func (d *document) reviewWants() {
	if !d.empty() {
		return
	}
	for s := range d.sessions {
		if s.has {
			return
		}
	}
	for s := range d.sessions {
		if s.wants && s.patient {
			s.wants, s.unavailable = false, true
			s.who.Notify()
		}
	}
}
