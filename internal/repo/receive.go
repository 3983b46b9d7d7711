package repo

import (
	"errors"
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/changegraph"
)

// receive gives a sync message to the graph and notes what comes of it.
func (d *document) receive(r receive, st *staged) {
	s := r.s
	st.since(r.at)
	if d.failed != nil {
		if !s.broken {
			d.refuse(s, d.failed)
		}
		return
	}
	if s.broken {
		return
	}
	if r.m == nil {
		d.receivePart(r, st)
		return
	}
	right := d.review(s)
	if s.broken {
		return
	}
	asks := r.wants || !s.synced
	s.synced = true
	s.has = len(r.m.Heads) > 0
	st.receivers[s] = struct{}{}
	if d.cover != nil {
		s.noteScript(r.m)
	} else {
		got := d.graph.Receive(s.state, r.m, r.changes, d.receiving(right))
		for _, refusal := range got.Refused {
			d.noteRefused(s, refusal)
			d.refuseChange(s, refusal)
		}
	}
	if d.empty() && !s.has {
		if asks {
			s.wants, s.unavailable = true, false
			d.awaitDocument(s)
		}
	} else {
		s.wants = false
	}
	d.stir(s)
}

// receivePart adds the first changes of a message whose rest is still to come.
func (d *document) receivePart(r receive, st *staged) {
	right := d.review(r.s)
	st.receivers[r.s] = struct{}{}
	for _, c := range r.changes {
		if r.s.broken {
			return
		}
		_, err := d.graph.AddFrom(r.s.state, c, d.receiving(right))
		var refusal *changegraph.Refusal
		if errors.As(err, &refusal) {
			d.noteRefused(r.s, refusal)
			d.refuseChange(r.s, refusal)
		}
	}
}

// receiving says what a peer with this right may do.
func (d *document) receiving(right kaijutsu.Right) changegraph.ReceiveOptions {
	return changegraph.ReceiveOptions{ReadOnly: right < kaijutsu.RightComment || d.readOnly != nil}
}

// review asks what a peer may do now. One that may do nothing is not served
// any more; one that may do more than before may bring again what it was
// refused.
func (d *document) review(s *Session) kaijutsu.Right {
	right := s.right()
	if right == kaijutsu.RightNone && !s.broken {
		d.end(s, fmt.Errorf("access to it was taken away: %w", kaijutsu.ErrDenied))
	}
	if right > s.reviewed {
		s.state.Forgive()
	}
	s.reviewed = right
	return right
}

// refuseChange tells a session that a change of it was not taken. One that is
// well formed and merely not for this peer or this document ends nothing.
func (d *document) refuseChange(s *Session, r *changegraph.Refusal) {
	if !r.Judged {
		d.refuse(s, r)
		return
	}
	if s.denials++; len(s.denied) < maxDeniedTold {
		s.denied = append(s.denied, r)
	}
	s.who.Notify()
}

// maxDeniedTold is how many refused changes a peer is told of at a time; of
// the rest it is told how many.
const maxDeniedTold = 16

// refuse tells a session why something of it was not taken and ends its sync.
func (d *document) refuse(s *Session, err error) {
	s.broken, s.has = true, false
	s.refused = append(s.refused, err)
	s.who.Notify()
	d.reviewWants()
}

// end ends the sync of a session that did nothing wrong.
func (d *document) end(s *Session, why error) {
	s.broken, s.has, s.ended = true, false, why
	s.who.Notify()
	d.reviewWants()
}
