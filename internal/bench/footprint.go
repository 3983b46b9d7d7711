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
// keep edits.
func footprintScenario(ctx context.Context, s *stage) error {
	var disk, edits int64
	err := s.serve(ctx, func(p *kjproc.Process, ready time.Duration) (err error) {
		s.note("start on an empty directory → first join answered, ms", millis(ready))
		if err := s.noteAtRest(ctx, p, "at rest, empty"); err != nil {
			return err
		}
		if disk, err = diskUse(s.dir); err != nil {
			return err
		}
		edits, err = s.fill(ctx, p)
		if err != nil {
			return err
		}
		return s.noteDisk("bytes on the disk per edit, while running", disk, edits)
	})
	if err != nil {
		return err
	}
	return s.serve(ctx, func(p *kjproc.Process, ready time.Duration) error {
		s.note("start with those edits → first join answered, ms", millis(ready))
		if err := s.noteAtRest(ctx, p, "at rest after that start"); err != nil {
			return err
		}
		return s.noteDisk("bytes on the disk per edit, after that start", disk, edits)
	})
}

func (s *stage) noteAtRest(ctx context.Context, p *kjproc.Process, when string) error {
	if err := pause(ctx, rest); err != nil {
		return err
	}
	m, err := memoryOf(p.PID())
	if err != nil {
		return err
	}
	s.note("memory "+when+" (RSS), MB", megabytes(m.resident))
	s.note("memory "+when+", private (RssAnon), MB", megabytes(m.private))
	return nil
}

// noteDisk notes what each edit takes of the disk, as du counts it.
func (s *stage) noteDisk(metric string, before, edits int64) error {
	now, err := diskUse(s.dir)
	if err != nil {
		return err
	}
	s.note(metric, float64(now-before)/float64(edits))
	return nil
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
