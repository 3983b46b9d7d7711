package bench

import (
	"context"
	"fmt"
	"time"

	"kaijutsu/internal/kjproc"
)

const (
	idleConnections = 2000
	openDocuments   = 1000
	keptDocuments   = 10_000
	hotDocuments    = 100
	// rest is how long a server is left alone before its memory is read.
	rest = 3 * time.Second
	// settling is how long one is that was given a large document.
	settling = 15 * time.Second
)

const (
	rowIdle   = "an idle connection, no document, kB"
	rowShared = "an idle connection with one document that all have, kB"
	rowOpen   = "an open document, with the connection that has it open, kB"
	rowHot    = "10,000 documents, 100 hot: memory (RSS), MB"
)

// footprint is what connections and documents take of memory.
func footprint() workload {
	return workload{
		name: "memory", title: "Memory: idle connections, open documents, 10,000 documents",
		about: "Resident memory after three seconds of rest, less what it was before: 2,000 connections that joined and opened nothing (Yjs has no such connections); 2,000 with the same small document open; " +
			"1,000 small documents open, each on one connection. Then 10,000 small documents are made, the server is started again, and two editors of each of 100 of them type, an edit a second each.",
		who: withStorage, limit: 3 * time.Minute,
		run: func(ctx context.Context, s *stage) error {
			for _, part := range []func(context.Context, *stage) error{idlers, sharers, keepers} {
				if err := s.fresh(); err != nil {
					return err
				}
				if err := part(ctx, s); err != nil {
					return err
				}
			}
			return nil
		},
		targets: []target{{row: rowIdle, atMost: 12}, {row: rowHot, atMost: 400}},
		charts: []chart{
			{file: "memory-connection", title: "Memory of an idle connection", unit: "kB", rows: []string{rowIdle, rowShared}, labels: []string{"no document", "one shared document"}, atMost: 12},
			{file: "memory-documents", title: "Memory with 10,000 documents, 100 of them hot", unit: "MB", rows: []string{rowHot}, labels: []string{"RSS"}, atMost: 400},
		},
	}
}

// idlers connects clients that open nothing.
func idlers(ctx context.Context, s *stage) error {
	return s.serve(ctx, func(ctx context.Context, p *kjproc.Process) error {
		url, next := s.contestant.speech.listeners(p, "", nil)
		if next == nil {
			return nil // there is no such connection
		}
		return s.eachTakes(ctx, p, rowIdle, s.pick(idleConnections, 100), func(int) (string, func() listener) { return url, next })
	})
}

// sharers connects clients that open the same document.
func sharers(ctx context.Context, s *stage) error {
	return s.serve(ctx, func(ctx context.Context, p *kjproc.Process) error {
		doc, err := s.seedOne(ctx, p)
		if err != nil {
			return err
		}
		url, next := s.contestant.speech.listeners(p, doc, nil)
		return s.eachTakes(ctx, p, rowShared, s.pick(idleConnections, 100), func(int) (string, func() listener) { return url, next })
	})
}

// keepers fills a server with documents, opens some, and has some typed into.
func keepers(ctx context.Context, s *stage) error {
	n, open, hot := s.pick(keptDocuments, 300), s.pick(openDocuments, 100), s.pick(hotDocuments, 10)
	var docs []docName
	if err := s.serve(ctx, func(ctx context.Context, p *kjproc.Process) (err error) {
		began := time.Now()
		if docs, err = s.seedMany(ctx, p, n); err != nil {
			return fmt.Errorf("make %d documents: %w", n, err)
		}
		s.note("making 10,000 documents, s", time.Since(began).Seconds())
		return s.rest(ctx)
	}); err != nil {
		return err
	}
	if err := s.serve(ctx, func(ctx context.Context, p *kjproc.Process) error {
		return s.eachTakes(ctx, p, rowOpen, open, func(i int) (string, func() listener) {
			return s.contestant.speech.listeners(p, docs[i], nil)
		})
	}); err != nil {
		return err
	}
	return s.serve(ctx, func(ctx context.Context, p *kjproc.Process) error {
		j := newJournal(1)
		editors, err := s.enterAll(ctx, p, 2*hot, func(i int) docName { return docs[i/2*(n/hot)] }, j)
		if err != nil {
			return err
		}
		pens := make([]*pen, len(editors))
		for i, e := range editors {
			pens[i] = typistOf(e, 1, 1)
		}
		if _, err := s.record(ctx, p, "100 hot: ", j, pens, s.duration); err != nil {
			_ = editors.close() // the error says more
			return err
		}
		if err := s.noteMemory(p, rowHot); err != nil {
			return err
		}
		return editors.close()
	})
}

// eachTakes connects n listeners and notes what each of them takes of the server's
// memory.
func (s *stage) eachTakes(ctx context.Context, p *kjproc.Process, row string, n int, listeners func(i int) (string, func() listener)) error {
	if err := s.rest(ctx); err != nil {
		return err
	}
	before, err := memoryOf(p.PID())
	if err != nil {
		return err
	}
	c, err := openChorus()
	if err != nil {
		return err
	}
	defer c.close()
	for i := range n {
		url, next := listeners(i)
		if err := c.join(ctx, url, 1, 1, next); err != nil {
			return err
		}
	}
	if err := c.all(ctx, n); err != nil {
		return err
	}
	if err := s.rest(ctx); err != nil {
		return err
	}
	after, err := memoryOf(p.PID())
	if err != nil {
		return err
	}
	s.note(row, float64(after.resident-before.resident)/1e3/float64(n))
	return nil
}
