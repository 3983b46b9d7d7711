package bench

import (
	"context"
	"time"

	"kaijutsu/internal/kjproc"
)

const (
	footprintDocuments = 4
	footprintTyping    = 10 * time.Second
	// rest is how long a server is left alone before its memory is read.
	rest = 3 * time.Second
)

// footprintScenario measures what a server takes to start, to rest and to
// keep edits. The data directory is measured with the server stopped.
func footprintScenario(ctx context.Context, s *stage) error {
	if err := s.startAndRest(ctx, "empty"); err != nil {
		return err
	}
	empty, err := diskUse(s.dir)
	if err != nil {
		return err
	}
	var edits int64
	if err := s.serve(ctx, func(p *kjproc.Process, _ time.Duration) (err error) {
		edits, err = s.fill(ctx, p)
		return err
	}); err != nil {
		return err
	}
	full, err := diskUse(s.dir)
	if err != nil {
		return err
	}
	s.note("bytes on the disk per edit", float64(full-empty)/float64(edits))
	return s.startAndRest(ctx, "with those edits")
}

func (s *stage) startAndRest(ctx context.Context, state string) error {
	return s.serve(ctx, func(p *kjproc.Process, ready time.Duration) error {
		if err := pause(ctx, rest); err != nil {
			return err
		}
		m, err := memoryOf(p.PID())
		if err != nil {
			return err
		}
		used, err := diskUse(s.dir)
		if err != nil {
			return err
		}
		s.note("start "+state+" → first join answered, ms", millis(ready))
		s.note("memory at rest "+state+" (RSS), MB", megabytes(m.resident))
		s.note("… of it private (RssAnon), MB, "+state, megabytes(m.private))
		s.note("data directory while running "+state+", MB", megabytes(used))
		return nil
	})
}

// fill lets some documents be typed into and returns the number of edits made.
func (s *stage) fill(ctx context.Context, p *kjproc.Process) (edits int64, err error) {
	before, err := s.counters(ctx, p)
	if err != nil {
		return 0, err
	}
	w := typing{documents: footprintDocuments, writers: 1, observers: 1, rate: 10, batch: 5}
	res, err := w.run(ctx, p, footprintTyping)
	if err != nil {
		return 0, err
	}
	if err := pause(ctx, rest); err != nil { // what is written late is written
		return 0, err
	}
	after, err := s.counters(ctx, p)
	if err != nil {
		return 0, err
	}
	if commits := after["commits"] - before["commits"]; commits > 0 {
		s.note("edits per commit (one fsync each)", (after["changes_stored"]-before["changes_stored"])/commits)
	}
	return res.made, nil
}

// counters asks the server what it has done; nothing when it cannot tell.
func (s *stage) counters(ctx context.Context, p *kjproc.Process) (map[string]float64, error) {
	if s.contestant.counters == nil {
		return nil, nil
	}
	return s.contestant.counters(ctx, p)
}
