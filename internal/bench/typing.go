package bench

import (
	"context"
	"slices"
	"time"

	"kaijutsu/internal/amfile"
	"kaijutsu/internal/kjproc"
)

// lateness is how long edits may take to arrive after the last was made.
const lateness = 20 * time.Second

// typing is a workload: writers that type into the texts of documents. All of
// a document's peers see what the others type.
type typing struct {
	documents int
	writers   int     // of each document
	observers int     // of each document: peers that only read
	rate      float64 // messages per second of each writer
	batch     int     // changes in each message, a character each
}

// typist is one writer at work.
type typist struct {
	*replica
	text amfile.GlobalID
	late []time.Duration // how late its timer fired
}

// typingResult is what a workload did to a server.
type typingResult struct {
	edits           int             // recorded
	missing         []time.Duration // how long the edits that did not arrive have waited
	visible, stored []time.Duration
}

// assemble makes the documents and connects everybody, each with a connection
// of its own.
func (w typing) assemble(ctx context.Context, p *kjproc.Process, j *journal) (all []*replica, typists []*typist, err error) {
	ctxSetUp, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for range w.documents {
		doc := newDocumentID()
		changes, text, err := textContext()
		if err != nil {
			return nil, nil, err
		}
		for i := range w.writers + w.observers {
			peer, err := dial(ctx, p.SyncURL())
			if err != nil {
				return nil, nil, err
			}
			r := openReplica(peer, doc, j)
			if i == 0 {
				err = r.begin(ctx, changes...)
			} else {
				err = r.request(ctx)
			}
			if err != nil {
				return nil, nil, err
			}
			if err := r.wait(ctxSetUp, "the first changes", func() bool {
				return len(r.known) == len(changes) && slices.Equal(r.theirs, r.heads)
			}); err != nil {
				return nil, nil, err
			}
			all = append(all, r)
			if i < w.writers {
				typists = append(typists, &typist{replica: r, text: text})
			}
		}
	}
	return all, typists, nil
}

// drive lets the typists type, records for a while, and waits until what was
// recorded has arrived everywhere or is late. It returns what the processes used
// from the beginning of the recording on.
func (w typing) drive(ctx context.Context, j *journal, typists []*typist, duration time.Duration, pids ...int) (cost, error) {
	pens := make([]*pen, len(typists))
	for i, t := range typists {
		e := &automergeEditor{replica: t.replica, text: t.text}
		pens[i] = &pen{rate: w.rate, write: func(ctx context.Context) error { return e.edit(ctx, w.batch) }}
	}
	used, err := drive(ctx, j, pens, duration, lateness, pids...)
	for i, t := range typists {
		t.late = append(t.late, pens[i].late...)
	}
	return used, err
}
