package bench

import (
	"context"
	"fmt"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/internal/kjproc"
)

// patience is how long edits of a workload may take to arrive after the last was
// made, and a chorus to have a document.
const patience = 10 * time.Second

// entering is how long it may take until editors have opened their documents.
const entering = 40 * time.Second

// recorded is what pens did to a server.
type recorded struct {
	edits, arrivals int
	missing         int
	cost            cost
}

// record lets pens write and notes what came of it, in rows whose names begin
// with label. The latency of what did not arrive is what it had waited.
func (s *stage) record(ctx context.Context, p *kjproc.Process, label string, j *journal, pens []*pen, duration time.Duration) (recorded, error) {
	used, err := drive(ctx, j, pens, duration, patience, p.PID())
	if err != nil {
		return recorded{}, err
	}
	edits, missing := j.seal(time.Now())
	visible, stored := j.samples()
	r := recorded{edits: edits, arrivals: len(visible), missing: len(missing), cost: used}
	s.latency(label+"edit → visible", append(visible, missing...))
	if len(stored) > 0 && s.contestant.name != relayName { // which tells nobody
		s.latency(label+"edit → acknowledged", stored)
	}
	var late []time.Duration
	for _, pen := range pens {
		late = append(late, pen.late...)
	}
	s.costs(label, used, late)
	if r.missing > 0 {
		s.warn("%s%d of %d arrivals had not happened %v after the last edit; their latency counts as what they had waited by then", label, r.missing, r.missing+r.arrivals, patience)
	}
	return r, nil
}

// noteMemory notes what the server has in memory.
func (s *stage) noteMemory(p *kjproc.Process, name string) error {
	m, err := memoryOf(p.PID())
	if err != nil {
		return err
	}
	s.note(name, megabytes(m.resident))
	return nil
}

// typistOf returns a pen that makes edits of one character, so many in a message.
func typistOf(e editor, rate float64, batch int) *pen {
	return &pen{rate: rate, write: func(ctx context.Context) error { return e.edit(ctx, batch) }}
}

// watch opens a document with n listeners, and returns when each has it.
func (s *stage) watch(ctx context.Context, p *kjproc.Process, doc docName, j *journal, n int) (*chorus, error) {
	c, err := openChorus()
	if err != nil {
		return nil, err
	}
	url, next := s.contestant.speech.listeners(p, doc, j)
	err = c.join(ctx, url, n, dialers, next)
	if err == nil {
		err = c.all(ctx, n)
	}
	if err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// all returns when n listeners have their document, within a time.
func (c *chorus) all(ctx context.Context, n int) error {
	ctx, cancel := context.WithTimeout(ctx, 3*patience)
	defer cancel()
	_, err := c.await(ctx, n)
	return err
}

// seedOne makes a document with one empty text.
func (s *stage) seedOne(ctx context.Context, p *kjproc.Process) (docName, error) {
	doc := newDocName()
	if err := s.contestant.speech.seed(ctx, p, doc, emptyText()); err != nil {
		return "", fmt.Errorf("make a document: %w", err)
	}
	return doc, nil
}

// crew is editors that are closed together.
type crew []editor

// enterAll lets n editors enter, a few at a time: each the document of its number.
func (s *stage) enterAll(ctx context.Context, p *kjproc.Process, n int, doc func(i int) docName, j *journal) (crew, error) {
	editors := make(crew, n)
	ctx, cancel := context.WithCancelCause(ctx) // their connections last as long
	late := time.AfterFunc(entering, func() {
		cancel(fmt.Errorf("not done after %v: %w", entering, kaijutsu.ErrUnavailable))
	})
	defer late.Stop()
	err := inParallel(ctx, n, func(ctx context.Context, i int) (err error) {
		editors[i], err = s.contestant.speech.enter(ctx, p, doc(i), j)
		return err
	})
	if err != nil {
		if why := context.Cause(ctx); why != nil {
			err = why
		}
		cancel(err)
		_ = editors.close() // the error says more
		return nil, fmt.Errorf("let %d editors enter: %w", n, err)
	}
	return editors, nil
}

// close closes all, and returns the first failure.
func (c crew) close() (err error) {
	for _, e := range c {
		if e == nil {
			continue
		}
		if lost := e.close(); lost != nil && err == nil {
			err = fmt.Errorf("an editor lost its connection: %w", lost)
		}
	}
	return err
}

// inParallel calls f with the numbers below n, a few at a time, until one fails.
func inParallel(parent context.Context, n int, f func(ctx context.Context, i int) error) error {
	const atOnce = 8
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	next := make(chan int)
	var running sync.WaitGroup
	for range min(n, atOnce) {
		running.Go(func() {
			for i := range next {
				if err := f(parent, i); err != nil { // whose connections stay
					cancel(err)
				}
			}
		})
	}
	for i := range n {
		select {
		case next <- i:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	running.Wait()
	return context.Cause(ctx)
}
