package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/internal/kjproc"
)

// stage is one contestant at one workload of one round.
type stage struct {
	contestant contestant
	dir        string        // its data directory
	quick      bool          // small, to see that it works
	duration   time.Duration // of recordings
	section    *section
	say        func(format string, args ...any)
}

// note notes a value of a row.
func (s *stage) note(row string, value float64) {
	s.section.note(s.contestant.name, row, value)
	s.say("    %-62s %s", row, number(value))
}

// latency notes the median and the 99th percentile of what was measured, and
// keeps its quantiles. It sorts took.
func (s *stage) latency(row string, took []time.Duration) {
	s.section.distribution(s.contestant.name, row, took)
	s.note(row+", p50, ms", quantile(took, 0.50))
	s.note(row+", p99, ms", quantile(took, 0.99))
}

// costs notes what the load generator took, at a part of the workload.
func (s *stage) costs(part string, c cost, late []time.Duration) {
	g := s.section.cost(s.contestant.name, part, c, late)
	s.say("    %s", g)
}

func (s *stage) warn(format string, args ...any) {
	text := fmt.Sprintf("%s, %s: %s", s.contestant.name, s.section.name, fmt.Sprintf(format, args...))
	s.section.warnings = append(s.section.warnings, text)
	s.say("    %s", text)
}

// pick returns full, or quick where it is only to be seen that it works.
func (s *stage) pick(full, quick int) int {
	if s.quick {
		return quick
	}
	return full
}

// rest leaves the server alone, so that what it does late is done.
func (s *stage) rest(ctx context.Context) error {
	if s.quick {
		return pause(ctx, rest/10)
	}
	return pause(ctx, rest)
}

// settle leaves the server alone for as long as it may take to put a document that
// was uploaded in order.
func (s *stage) settle(ctx context.Context) error {
	if s.quick {
		return s.rest(ctx)
	}
	return pause(ctx, settling)
}

// errDied is the end of a server that nobody stopped.
var errDied = fmt.Errorf("server died: %w", kaijutsu.ErrUnavailable)

// serve runs the server while f runs, on the data that it has.
func (s *stage) serve(ctx context.Context, f func(ctx context.Context, p *kjproc.Process) error) error {
	p, _, err := s.contestant.launch(ctx, s.dir)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-p.Done():
			cancel(errDied)
		case <-ctx.Done():
		}
	}()
	err = f(ctx, p)
	if errors.Is(context.Cause(ctx), errDied) {
		return fmt.Errorf("%w: %s", errDied, lastLines(p.Log()))
	}
	if err != nil {
		p.Kill()
		if log := lastLines(p.Log()); log != "" {
			s.say("    the server's log ends with: %s", log)
		}
		return err
	}
	if err := stopWithin(p, stopTimeout); err != nil {
		s.warn("the server was stopped and ended with: %v: %s", err, lastLines(p.Log()))
	}
	return nil
}

// stopTimeout is how long a server may take to stop.
const stopTimeout = 30 * time.Second

// stopWithin stops a server, and kills it when it does not end.
func stopWithin(p *kjproc.Process, d time.Duration) error {
	timer := time.AfterFunc(d, p.Kill)
	err := p.Stop()
	if !timer.Stop() {
		return fmt.Errorf("server did not stop within %v: %w", d, kaijutsu.ErrUnavailable)
	}
	return err
}

// lastLines returns the end of a log, in one line.
func lastLines(log string) string {
	log = strings.Join(strings.Fields(log), " ")
	return log[max(0, len(log)-300):]
}

// fresh gives the stage an empty data directory.
func (s *stage) fresh() error {
	if err := os.RemoveAll(s.dir); err != nil {
		return err
	}
	return os.MkdirAll(s.dir, 0o700)
}

// measure runs a workload with one contestant. What goes wrong with a server is
// part of the result; an error is that of the load generator's surroundings.
func (opt Options) measure(ctx context.Context, sec *section, w workload, c contestant, say func(string, ...any)) error {
	if c.missing != nil {
		sec.fail(c.name, "cannot be started: "+firstLine(c.missing.Error()))
		return nil
	}
	dir, err := os.MkdirTemp(opt.Dir, "kj-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s := &stage{contestant: c, dir: filepath.Join(dir, "data"), quick: opt.Quick, duration: opt.For, section: sec, say: say}
	if err := s.fresh(); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, w.limit)
	defer cancel()
	err = w.run(limited, s)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil && limited.Err() != nil:
		sec.fail(c.name, fmt.Sprintf("did not finish in %.0f s", w.limit.Seconds()))
	case err != nil:
		sec.fail(c.name, firstLine(err.Error()))
	default:
		return nil
	}
	say("    %s: %s: %v", c.name, w.name, err)
	return nil
}

// firstLine returns what fits into a cell.
func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	if r := []rune(s); len(r) > 160 {
		return string(r[:160]) + "…"
	}
	return s
}
