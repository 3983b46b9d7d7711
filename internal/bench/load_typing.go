package bench

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"kaijutsu/internal/kjproc"
)

// fanOut is one writer and more and more observers.
func fanOut() workload {
	sizes := []int{1, 10, 100, 1000}
	w := workload{
		name: "observers", title: "One writer, 1 to 1,000 observers",
		about: "One writer makes 5 edits a second, 2 with 1,000 observers. Edit → visible: from handing in the edit to the moment an observer has read the frame that holds it.",
		who:   everybody, limit: 3 * time.Minute,
		run: func(ctx context.Context, s *stage) error {
			return s.serve(ctx, func(ctx context.Context, p *kjproc.Process) error {
				for _, n := range sizes {
					if s.skips(n) {
						continue
					}
					if err := s.fanOutTo(ctx, p, n); err != nil {
						return err
					}
				}
				return s.noteMemory(p, "server memory in the end (RSS), MB")
			})
		},
	}
	p99 := chart{file: "observers-p99", title: "Edit → visible to all observers, 99th percentile", unit: "ms", across: "observers of one document"}
	cpu := chart{file: "observers-cpu", title: "Processor time of the server for each edit delivered", unit: "µs", across: "observers of one document"}
	for _, n := range sizes {
		p99.rows, p99.labels = append(p99.rows, observers(n)+"edit → visible, p99, ms"), append(p99.labels, strconv.Itoa(n))
		cpu.rows, cpu.labels = append(cpu.rows, observers(n)+"server CPU per delivery, µs"), append(cpu.labels, strconv.Itoa(n))
	}
	w.charts = []chart{p99, cpu}
	for n, atMost := range map[int]float64{1: 5, 100: 12, 1000: 40} {
		row := observers(n) + "edit → visible, p99, ms"
		w.targets = append(w.targets, target{row: row, atMost: atMost}, target{row: row, rival: "npm", times: 10}, target{row: row, rival: "hocuspocus", times: 1})
	}
	return w
}

// skips reports whether so many observers are left out with a contestant: what
// is sure on a rival's disk matters little beyond one and 100.
func (s *stage) skips(n int) bool {
	switch {
	case s.quick:
		return n > 100
	case s.contestant.durable():
		return n != 1 && n != 100
	}
	return n == 10 && s.contestant.name != oursName && s.contestant.name != relayName
}

func observers(n int) string {
	if n == 1 {
		return "1 observer: "
	}
	return fmt.Sprintf("%d observers: ", n)
}

// fanOutTo measures with n observers, on a document of their own.
func (s *stage) fanOutTo(ctx context.Context, p *kjproc.Process, n int) error {
	doc, err := s.seedOne(ctx, p)
	if err != nil {
		return err
	}
	j := newJournal(n)
	c, err := s.watch(ctx, p, doc, j, n)
	if err != nil {
		return err
	}
	defer c.close()
	writer, err := s.contestant.speech.enter(ctx, p, doc, j)
	if err != nil {
		return err
	}
	rate := 5.0
	if n >= 1000 {
		rate = 2
	}
	r, err := s.record(ctx, p, observers(n), j, []*pen{typistOf(writer, rate, 1)}, s.duration)
	if err != nil {
		return err
	}
	s.note(observers(n)+"server CPU per delivery, µs", 1000*millis(r.cost.server)/float64(max(1, r.arrivals)))
	s.note(observers(n)+"deliveries that did not happen", float64(r.missing))
	if lost, err := c.wrong(); err != nil {
		s.warn("%s%d were cut off: %v", observers(n), lost, err)
	}
	return writer.close()
}

// gathering is many writers in one document.
func gathering() workload {
	const name = "writers"
	return workload{
		name: name, title: "64 writers in one document, 6 edits a second each",
		about: "Each writer sees what the 63 others type: 24,192 deliveries a second.",
		who:   everybody, limit: 90 * time.Second,
		run: func(ctx context.Context, s *stage) error {
			n := s.pick(64, 16)
			return s.serve(ctx, func(ctx context.Context, p *kjproc.Process) error {
				doc, err := s.seedOne(ctx, p)
				if err != nil {
					return err
				}
				return s.company(ctx, p, n, func(int) docName { return doc }, n-1, 6)
			})
		},
		targets: []target{{row: "edit → visible, p99, ms", atMost: 25}, {row: "edits lost on their way", atMost: noneOfIt}},
		charts:  latencyCharts(name, "64 writers in one document: edit → visible", "edit → visible", 25),
	}
}

// manyDocuments is many documents with two editors each.
func manyDocuments() workload {
	const name = "documents"
	return workload{
		name: name, title: "500 documents, 2 editors each, one edit a second each",
		about: "1,000 connections; each edit is seen by the other editor of its document.",
		who:   everybody, limit: 90 * time.Second,
		run: func(ctx context.Context, s *stage) error {
			n := s.pick(500, 50)
			return s.serve(ctx, func(ctx context.Context, p *kjproc.Process) error {
				docs, err := s.seedMany(ctx, p, n)
				if err != nil {
					return err
				}
				return s.company(ctx, p, 2*n, func(i int) docName { return docs[i/2] }, 1, 1)
			})
		},
		charts: latencyCharts(name, "500 documents, 2 editors each: edit → visible", "edit → visible", 0),
	}
}

// seedMany makes n documents with an empty text each.
func (s *stage) seedMany(ctx context.Context, p *kjproc.Process, n int) ([]docName, error) {
	docs := make([]docName, n)
	err := inParallel(ctx, n, func(ctx context.Context, i int) (err error) {
		docs[i], err = s.seedOne(ctx, p)
		return err
	})
	return docs, err
}

// company lets n editors type, each seen by so many others.
func (s *stage) company(ctx context.Context, p *kjproc.Process, n int, doc func(i int) docName, seenBy int, rate float64) error {
	j := newJournal(seenBy)
	editors, err := s.enterAll(ctx, p, n, doc, j)
	if err != nil {
		return err
	}
	pens := make([]*pen, n)
	for i, e := range editors {
		pens[i] = typistOf(e, rate, 1)
	}
	r, err := s.record(ctx, p, "", j, pens, s.duration)
	if err != nil {
		_ = editors.close() // the error says more
		return err
	}
	s.note("server CPU, % of one core", r.cost.percent(r.cost.server))
	s.note("server CPU per 1,000 edits, ms", 1000*millis(r.cost.server)/float64(max(1, r.edits)))
	s.note("edits lost on their way", float64(r.missing))
	if err := s.noteMemory(p, "server memory (RSS), MB"); err != nil {
		return err
	}
	return editors.close()
}

// latencyCharts is a chart of the median and the 99th percentile of a row.
func latencyCharts(file, title, row string, atMost float64) []chart {
	return []chart{{
		file: file, title: title, unit: "ms", atMost: atMost,
		rows: []string{row + ", p50, ms", row + ", p99, ms"}, labels: []string{"median", "99th percentile"},
	}}
}
