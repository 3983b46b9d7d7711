package bench

import (
	"context"
	"time"

	"kaijutsu/internal/kjproc"
)

// laterJoins is how many clients fetch a document after the first.
const laterJoins = 5

// joinBlocks is opening a large document.
func joinBlocks() workload {
	return joining(workload{
		name: "join-blocks", title: "Opening a document of 10,000 blocks and 2 million characters",
		about: "A client that has nothing fetches it: from the request to the last byte of the last change. Each block of 200 characters was made by one change. " +
			"The server is left alone for 15 seconds after the upload and started again; first means the first client then.",
	}, func(s *stage) history { return manyTexts("blocks of prose", s.pick(10_000, 500), proseOf(200)) })
}

// joinTrace is opening a document with a long history.
func joinTrace() workload {
	w := joining(workload{
		name: "join-trace", title: "Opening a document of 259,778 changes",
		about: "As above, of a text in which 182,315 characters were put in and 77,463 taken out, a change each: as many as in the editing trace of a paper " +
			"that is customary for this (automerge-perf), which npm does not have. This one is generated: runs of 12 edits of a kind on average, and a jump of the cursor before 15 % of them, " +
			"of up to 400 characters, and one time in ten to anywhere; always the same.",
		targets: []target{
			{row: "first join, request → last byte, ms", atMost: 150}, {row: "later joins, request → last byte, p50, ms", atMost: 150},
			{row: "bytes on the wire / saved size", atMost: 1.2}, {row: "round trips", atMost: 1},
		},
	}, func(s *stage) history {
		if s.quick {
			return grown(10_000)
		}
		return editingTrace()
	})
	w.charts[0].atMost = 150
	return w
}

// joining completes a workload that opens a document of a history.
func joining(w workload, h func(s *stage) history) workload {
	w.who, w.limit = withStorage, 2*time.Minute
	w.charts = []chart{{
		file: w.name, title: w.title, unit: "ms until the last byte",
		rows: []string{"later joins, request → last byte, p50, ms", "first join, request → last byte, ms"}, labels: []string{"later joins", "first after a start"},
	}}
	w.run = func(ctx context.Context, s *stage) error {
		doc := newDocName()
		if err := s.serve(ctx, func(ctx context.Context, p *kjproc.Process) error {
			made := h(s)
			if _, err := encoded.make(doc, made); err != nil { // beforehand: it is nobody's time
				return err
			}
			began := time.Now()
			if err := s.contestant.speech.seed(ctx, p, doc, made); err != nil {
				return err
			}
			s.note("making it: upload until the server has it, s", time.Since(began).Seconds())
			return s.settle(ctx)
		}); err != nil {
			return err
		}
		return s.serve(ctx, func(ctx context.Context, p *kjproc.Process) error { return s.joins(ctx, p, doc) })
	}
	return w
}

// joins fetches a document, once and then some times.
func (s *stage) joins(ctx context.Context, p *kjproc.Process, doc docName) error {
	defer encoded.forget(doc)
	first, err := s.contestant.speech.coldJoin(ctx, p, doc)
	if err != nil {
		return err
	}
	s.note("first join, request → last byte, ms", millis(first.took))
	g, err := startGauge(p.PID())
	if err != nil {
		return err
	}
	var took []time.Duration
	var later opening
	for range laterJoins {
		if later, err = s.contestant.speech.coldJoin(ctx, p, doc); err != nil {
			return err
		}
		took = append(took, later.took)
	}
	c, err := g.stop()
	if err != nil {
		return err
	}
	s.section.distribution(s.contestant.name, "later joins, request → last byte", took)
	s.note("later joins, request → last byte, p50, ms", quantile(took, 0.5))
	s.note("server CPU per later join, ms", millis(c.server)/laterJoins)
	s.note("bytes on the wire, kB", float64(first.bytes)/1e3)
	if err := s.noteSaved(doc, "bytes on the wire / saved size", float64(first.bytes)); err != nil {
		return err
	}
	s.note("round trips", float64(first.turns))
	s.costs("", c, nil)
	return s.noteMemory(p, "server memory after them (RSS), MB")
}

// noteSaved notes how large the document is when it is saved, and how many times
// that so many bytes are.
func (s *stage) noteSaved(doc docName, row string, bytes float64) error {
	sv, ok := s.contestant.speech.(saver)
	if !ok {
		return nil
	}
	size, err := sv.saved(doc)
	if err != nil {
		return err
	}
	s.note("saved size of the document, kB", float64(size)/1e3)
	s.note(row, bytes/float64(size))
	return nil
}

// rushers is how many join at once.
const rushers = 500

// rush is many clients that open one document at the same time.
func rush() workload {
	return workload{
		name: "rush", title: "500 joiners at once of a document of 4 MB",
		about: "The server was left alone for 15 seconds, started again, and nobody has opened the document yet. All connect at once: from the first connection's beginning to the last byte of each. " +
			"The text is 1.84 million ideographs drawn at random, which hardly compress, in blocks of 200, one change each: about 4 MB saved by Automerge, 5.5 MB as UTF-8. " +
			"Clients are of few threads and do not offer compression.",
		who: withStorage, limit: 2 * time.Minute,
		run: func(ctx context.Context, s *stage) error {
			doc := newDocName()
			if err := s.serve(ctx, func(ctx context.Context, p *kjproc.Process) error {
				if err := s.contestant.speech.seed(ctx, p, doc, manyTexts("blocks of noise", s.pick(9200, 500), noiseOf(200))); err != nil {
					return err
				}
				return s.settle(ctx)
			}); err != nil {
				return err
			}
			return s.serve(ctx, func(ctx context.Context, p *kjproc.Process) error { return s.rushOn(ctx, p, doc) })
		},
		targets: []target{{row: "join, p99, ms", atMost: 1500}, {row: "server memory, the most there was (RSS), MB", atMost: 400}},
		charts: []chart{
			{file: "rush", title: "500 joiners at once of a document of 4 MB", unit: "ms until the last byte", atMost: 1500,
				rows: []string{"join, p50, ms", "join, the last, ms", "join, p99, ms"}, labels: []string{"median", "last", "99th percentile"}},
			{file: "rush-memory", title: "500 joiners at once: the most memory that the server had", unit: "MB", atMost: 400,
				rows: []string{"server memory, the most there was (RSS), MB"}, labels: []string{"RSS"}},
		},
	}
}

// rushOn lets many clients open a document at once.
func (s *stage) rushOn(ctx context.Context, p *kjproc.Process, doc docName) error {
	c, err := openChorus()
	if err != nil {
		return err
	}
	defer c.close()
	n := s.pick(rushers, 50)
	url, next := s.contestant.speech.listeners(p, doc, nil)
	g, err := startGauge(p.PID())
	if err != nil {
		return err
	}
	began := time.Now()
	if err := c.join(ctx, url, n, n, next); err != nil {
		return err
	}
	whole, err := c.await(ctx, n)
	var took []time.Duration
	for _, at := range whole {
		took = append(took, at.Sub(began))
	}
	if err != nil {
		s.note("joiners that have it, when it failed", float64(len(whole)))
		return err
	}
	used, err := g.stop()
	if err != nil {
		return err
	}
	s.latency("join", took)
	s.note("join, the last, ms", quantile(took, 1))
	m, err := memoryOf(p.PID())
	if err != nil {
		return err
	}
	s.note("server memory, the most there was (RSS), MB", megabytes(m.peak))
	s.note("server CPU, ms", millis(used.server))
	each := float64(c.read.Load()) / float64(n)
	s.note("bytes for each joiner, kB", each/1e3)
	if err := s.noteSaved(doc, "bytes for each joiner / saved size", each); err != nil {
		return err
	}
	s.costs("", used, nil)
	return nil
}
