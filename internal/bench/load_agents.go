package bench

import (
	"context"
	"strings"
	"time"

	"kaijutsu/internal/kjproc"
)

const (
	streamTokens = 10_000
	streamShort  = 4_000 // for rivals
	streamRate   = 200   // tokens per second
	personRate   = 6     // keys per second
	flushAgents  = 200
	flushRate    = 0.5 // of each agent, per second
	paragraph    = 500 // characters
)

// workers are what agents do to a document beside a person: one step each, called
// again and again.
type workers func(ctx context.Context, p *kjproc.Process, doc docName, n int) (steps []func(ctx context.Context) error, end func() error, err error)

// stream is an agent that writes while a person types.
func stream() workload {
	const name = "stream"
	return workload{
		name: name, title: "A person types while an agent streams 10,000 tokens into the same document",
		about: "Tokens come 200 a second, for 50 seconds, with the rivals for 20; the person makes 6 edits a second, and measured is when an observer has these. With ours the agent calls `block_append` over HTTP, " +
			"one call after the other, as agents do; the rivals have no such thing, and there it is a client that inserts each token, as one edit.",
		who: asShipped, limit: 100 * time.Second,
		run: func(ctx context.Context, s *stage) error {
			tokens := s.pick(streamTokens, 400)
			if s.contestant.name != oursName {
				tokens = min(tokens, streamShort)
			}
			return s.beside(ctx, s.streamer(), 1, streamRate, time.Duration(tokens)*time.Second/streamRate, "tokens written per second")
		},
		targets: []target{{row: "person's edit → visible, p99, ms", atMost: 30}},
		charts:  latencyCharts(name, "A person types while an agent streams: person's edit → visible", "person's edit → visible", 30),
	}
}

// flushing is many agents that bring something while a person types.
func flushing() workload {
	const name = "flush"
	return workload{
		name: name, title: "A person types while 200 agents flush into the same document",
		about: "Each agent brings a paragraph of 500 characters every two seconds on average. With ours it stages it in a context of its own and calls `drift_flush`, both over HTTP; " +
			"the rivals have no such thing, and there agents are clients of the document, each of which inserts the paragraph as one edit, and is sent what the others insert.",
		limit: 100 * time.Second,
		run: func(ctx context.Context, s *stage) error {
			return s.beside(ctx, s.flusher(), s.pick(flushAgents, 20), flushRate, s.duration, "paragraphs brought per second")
		},
		targets: []target{{row: "person's edit → visible, p99, ms", atMost: 30}},
		charts:  latencyCharts(name, "A person types while 200 agents flush: person's edit → visible", "person's edit → visible", 30),
	}
}

// beside lets a person type while n agents do their work, and measures when an
// observer sees what the person types.
func (s *stage) beside(ctx context.Context, agents workers, n int, rate float64, duration time.Duration, done string) error {
	return s.serve(ctx, func(ctx context.Context, p *kjproc.Process) error {
		doc, err := s.seedOne(ctx, p)
		if err != nil {
			return err
		}
		steps, end, err := agents(ctx, p, doc, n)
		if err != nil {
			return err
		}
		j := newJournal(1)
		c, err := s.watch(ctx, p, doc, j, 1)
		if err != nil {
			return err
		}
		defer c.close()
		person, err := s.contestant.speech.enter(ctx, p, doc, j)
		if err != nil {
			return err
		}
		pens := []*pen{typistOf(person, personRate, 1)}
		for _, step := range steps {
			pens = append(pens, &pen{rate: rate, write: step})
		}
		r, err := s.record(ctx, p, "person's ", j, pens, duration)
		if err != nil {
			return err
		}
		work := 0
		for _, pen := range pens[1:] {
			work += pen.made
		}
		s.note(done, float64(work)/(duration+min(warmUp, duration)).Seconds())
		s.note("server CPU, % of one core", r.cost.percent(r.cost.server))
		s.note("person's edits lost on their way", float64(r.missing))
		if err := s.noteMemory(p, "server memory (RSS), MB"); err != nil {
			return err
		}
		if err := end(); err != nil {
			return err
		}
		return person.close()
	})
}

// streamer is the agent that writes tokens.
func (s *stage) streamer() workers {
	if s.contestant.name == oursName {
		return ourStreamer
	}
	tokens := strings.SplitAfter(prose(1)+prose(2), " ")
	return s.inserters(func(i int) string { return tokens[i%len(tokens)] })
}

// flusher is the agents that bring paragraphs.
func (s *stage) flusher() workers {
	if s.contestant.name == oursName {
		return ourFlushers
	}
	return s.inserters(proseOf(paragraph))
}

// inserters are agents that are clients of the document.
func (s *stage) inserters(text func(i int) string) workers {
	return func(ctx context.Context, p *kjproc.Process, doc docName, n int) ([]func(context.Context) error, func() error, error) {
		editors, err := s.enterAll(ctx, p, n, func(int) docName { return doc }, nil)
		if err != nil {
			return nil, nil, err
		}
		steps := make([]func(context.Context) error, n)
		for i, e := range editors {
			turn := i
			steps[i] = func(ctx context.Context) error {
				turn++
				piece := text(turn)
				if piece == "" {
					piece = " "
				}
				return e.insert(ctx, piece)
			}
		}
		return steps, editors.close, nil
	}
}
