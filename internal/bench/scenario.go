package bench

import (
	"context"
	"fmt"
	"strings"
	"time"

	"kaijutsu/internal/kjproc"
)

// scenario is one thing to measure, on a fresh server.
type scenario struct {
	name  string // for --only
	title string // in the report
	run   func(ctx context.Context, s *stage) error
}

// scenarios are all there is to measure, in the order of the report.
func scenarios(duration time.Duration) []scenario {
	return []scenario{
		{
			"one-writer", "One writer, about 10 edits a second, one observer",
			typingScenario(typing{documents: 1, writers: 1, observers: 1, rate: 10, batch: 1}, duration),
		},
		{
			"eight-writers", "Eight writers in one document, 6 edits a second each, one observer",
			typingScenario(typing{documents: 1, writers: 8, observers: 1, rate: 6, batch: 1}, duration),
		},
		{
			"twenty-documents", "20 documents, 2 editors each, 10 messages a second of 5 edits each: 2,000 edits a second",
			typingScenario(typing{documents: 20, writers: 2, rate: 10, batch: 5}, duration),
		},
		{
			"open", fmt.Sprintf("Opening a document of %d blocks, one change of %d operations each", openBlocks, blockChars+6),
			openScenario,
		},
		{
			"footprint", fmt.Sprintf("Start, rest and disk; %d documents, one writer each, 10 messages a second of 5 edits", footprintDocuments),
			footprintScenario,
		},
	}
}

// stage is one contestant in one scenario of one round.
type stage struct {
	contestant contestant
	dir        string // its data directory
	note       func(metric string, value float64)
	costs      func(cost, []time.Duration)
	warn       func(format string, args ...any)
}

// serve runs the server while f runs. Ready is how long its start took.
func (s *stage) serve(ctx context.Context, f func(p *kjproc.Process, ready time.Duration) error) error {
	p, ready, err := s.contestant.launch(ctx, s.dir)
	if err != nil {
		return err
	}
	if err := f(p, ready); err != nil {
		p.Kill()
		if log := strings.TrimSpace(p.Log()); log != "" {
			err = fmt.Errorf("%w; the server's log ends with %s", err, log[max(0, len(log)-2000):])
		}
		return err
	}
	return p.Stop()
}

const (
	metricVisible50 = "edit → visible to another peer, p50, ms"
	metricVisible99 = "edit → visible to another peer, p99, ms"
	metricStored50  = "edit → acknowledged to its writer, p50, ms"
	metricStored99  = "edit → acknowledged to its writer, p99, ms"
	metricMissing   = "deliveries that did not happen"
	metricCPU       = "server CPU, % of one core"
	metricCPUPer    = "server CPU per 1,000 edits, ms"
	metricMemory    = "server memory (RSS), MB"
	metricPrivate   = "… of it private (RssAnon), MB"
)

// typingScenario measures a workload of typing.
func typingScenario(w typing, duration time.Duration) func(context.Context, *stage) error {
	return func(ctx context.Context, s *stage) error {
		return s.serve(ctx, func(p *kjproc.Process, _ time.Duration) error {
			res, err := w.run(ctx, p, duration)
			if err != nil {
				return err
			}
			// What did not arrive took at least as long as it has waited.
			res.visible = append(res.visible, res.missing...)
			s.note(metricVisible50, quantile(res.visible, 0.50))
			s.note(metricVisible99, quantile(res.visible, 0.99))
			s.note(metricStored50, quantile(res.stored, 0.50))
			s.note(metricStored99, quantile(res.stored, 0.99))
			s.noteCost(res)
			s.costs(res.cost, res.late)
			if n := len(res.missing); n > 0 {
				s.warn("%d of %d deliveries had not happened %v after the last edit; their latency counts as what they had waited by then", n, len(res.visible), lateness)
			}
			return nil
		})
	}
}

func (s *stage) noteCost(res typingResult) {
	s.note(metricCPU, res.cost.percent(res.cost.server))
	s.note(metricCPUPer, 1000*millis(res.cost.server)/float64(res.edits))
	s.note(metricMemory, megabytes(res.memory.resident))
	s.note(metricPrivate, megabytes(res.memory.private))
	s.note(metricMissing, float64(len(res.missing)))
}

func megabytes(n int64) float64 { return float64(n) / 1e6 }
