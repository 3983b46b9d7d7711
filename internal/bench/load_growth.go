package bench

import (
	"context"
	"fmt"
	"time"

	"kaijutsu/internal/kjproc"
)

// growth is typing in documents with longer and longer histories.
func growth() workload {
	sizes := []int{1_000, 10_000, 100_000, 1_000_000}
	w := workload{
		name: "growth", title: "The cost of an edit as the history grows",
		about: "One writer makes 100 edits a second in 20 messages, with one observer, in documents whose text was typed by 1,000 to 1,000,000 changes, seven of ten of which put a character in, and which was left alone for half a minute after the upload. y-websocket has the same engine as Hocuspocus.",
		who:   func(c contestant) bool { return asShipped(c) && !c.fleeting }, limit: 5 * time.Minute,
		run: func(ctx context.Context, s *stage) error {
			var first, last float64
			err := s.serve(ctx, func(ctx context.Context, p *kjproc.Process) (err error) {
				for _, n := range sizes {
					if last, err = s.grownTo(ctx, p, n); err != nil {
						return err
					}
					if first == 0 {
						first = last
					}
				}
				return s.noteMemory(p, "server memory in the end (RSS), MB")
			})
			if err == nil {
				s.note(rowGrowth, last/first)
			}
			return err
		},
		targets: []target{{row: rowGrowth, atMost: 1.5}},
	}
	cpu := chart{file: "growth-cpu", title: "Processor time of the server for an edit, as the history grows", unit: "µs", across: "changes of history"}
	p99 := chart{file: "growth-p99", title: "Edit → visible, 99th percentile, as the history grows", unit: "ms", across: "changes of history"}
	for _, n := range sizes {
		cpu.rows, cpu.labels = append(cpu.rows, changesOf(n)+"server CPU per edit, µs"), append(cpu.labels, tickText(float64(n)))
		p99.rows, p99.labels = append(p99.rows, changesOf(n)+"edit → visible, p99, ms"), append(p99.labels, tickText(float64(n)))
	}
	w.charts = []chart{cpu, p99}
	return w
}

const rowGrowth = "server CPU per edit at 1M changes / at 1k"

func changesOf(n int) string { return fmt.Sprintf("%s changes: ", tickText(float64(n))) }

// grownTo measures typing in a document of n changes and returns what an edit
// took, in microseconds of processor time.
func (s *stage) grownTo(ctx context.Context, p *kjproc.Process, n int) (float64, error) {
	made := grown(n)
	if s.quick {
		made = grown(n / 20)
	}
	doc := newDocName()
	if _, err := encoded.make(doc, made); err != nil { // beforehand: it is nobody's time
		return 0, err
	}
	began := time.Now()
	if err := s.contestant.speech.seed(ctx, p, doc, made); err != nil {
		return 0, fmt.Errorf("upload %d changes: %w", made.changes, err)
	}
	s.note(changesOf(n)+"upload, s", time.Since(began).Seconds())
	for range 2 { // what is written late is written
		if err := s.settle(ctx); err != nil {
			return 0, err
		}
	}
	j := newJournal(1)
	writer, err := s.contestant.speech.enter(ctx, p, doc, j)
	if err != nil {
		return 0, err
	}
	observer, err := s.contestant.speech.enter(ctx, p, doc, j)
	if err != nil {
		return 0, err
	}
	const messages, batch = 20, 5
	r, err := s.record(ctx, p, changesOf(n), j, []*pen{typistOf(writer, messages, batch)}, s.duration)
	if err != nil {
		return 0, err
	}
	each := 1000 * millis(r.cost.server) / float64(max(1, r.edits))
	s.note(changesOf(n)+"server CPU per edit, µs", each)
	return each, crew{writer, observer}.close()
}
