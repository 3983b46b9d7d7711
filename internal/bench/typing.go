package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"kaijutsu/internal/amfile"
	"kaijutsu/internal/kjproc"
)

const (
	// warmUp is how long a server is driven before anything is recorded.
	warmUp = 2 * time.Second
	// lateness is how long edits may take to arrive after the last was made.
	lateness = 20 * time.Second
)

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
	made            int64           // in all, those of the warm-up included
	missing         []time.Duration // how long the edits that did not arrive have waited
	visible, stored []time.Duration
	late            []time.Duration
	cost            cost
	memory          memory
}

// run drives a server for a while.
func (w typing) run(ctx context.Context, p *kjproc.Process, duration time.Duration) (typingResult, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	j := newJournal(w.writers + w.observers - 1)
	replicas, typists, err := w.assemble(ctx, p, j)
	if err != nil {
		return typingResult{}, err
	}
	res, err := w.measure(ctx, p, j, typists, duration)
	if err != nil {
		return typingResult{}, err
	}
	for _, r := range replicas {
		if err := r.peer.close(); err != nil {
			return typingResult{}, fmt.Errorf("a peer lost its connection: %w", err)
		}
		res.visible = append(res.visible, r.visible...)
		res.stored = append(res.stored, r.stored...)
	}
	return res, nil
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

// measure lets the typists type and waits until everything has arrived.
func (w typing) measure(ctx context.Context, p *kjproc.Process, j *journal, typists []*typist, duration time.Duration) (res typingResult, err error) {
	if res.cost, err = w.drive(ctx, j, typists, duration, p.PID()); err != nil {
		return res, err
	}
	if res.memory, err = memoryOf(p.PID()); err != nil {
		return res, err
	}
	res.edits, res.missing = j.seal(time.Now())
	for _, t := range typists {
		res.late = append(res.late, t.late...)
		res.made += int64(t.seq)
	}
	return res, nil
}

// drive lets the typists type, records for a while, and waits until what was
// recorded has arrived everywhere or is late. It returns what the processes used
// from the beginning of the recording on.
func (w typing) drive(ctx context.Context, j *journal, typists []*typist, duration time.Duration, pids ...int) (cost, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := make(chan struct{})
	var writing sync.WaitGroup
	for _, t := range typists {
		writing.Go(func() {
			if err := t.write(ctx, stop, w); err != nil {
				cancel(err)
			}
		})
	}
	halt := sync.OnceFunc(func() { close(stop); writing.Wait() })
	defer halt()
	if err := pause(ctx, warmUp); err != nil {
		return cost{}, err
	}
	g, err := startGauge(pids...)
	if err != nil {
		return cost{}, err
	}
	j.record()
	if err := pause(ctx, duration); err != nil {
		return cost{}, err
	}
	halt()
	j.close()
	late, stopLate := context.WithTimeout(ctx, lateness)
	defer stopLate()
	select {
	case <-j.complete:
	case <-late.Done(): // what is missing is counted
	}
	if err := context.Cause(ctx); err != nil {
		return cost{}, err
	}
	return g.stop()
}

// write types until told to stop, at intervals between half and one and a half
// of the average, so that no writer runs in step with a server's own timers.
func (t *typist) write(ctx context.Context, stop <-chan struct{}, w typing) error {
	interval := float64(time.Second) / w.rate
	timer := time.NewTimer(time.Duration(rand.Float64() * interval))
	defer timer.Stop()
	due := time.Now()
	for first := true; ; first = false {
		select {
		case <-stop:
			return nil
		case <-ctx.Done():
			return nil
		case <-timer.C:
		}
		now := time.Now()
		if first {
			due = now
		}
		t.late = append(t.late, now.Sub(due))
		if err := t.edit(ctx, w.batch, t.typeChar(t.text)); err != nil {
			return err
		}
		due = due.Add(time.Duration((0.5 + rand.Float64()) * interval))
		timer.Reset(time.Until(due))
	}
}

// pause waits, or returns why ctx ended.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
