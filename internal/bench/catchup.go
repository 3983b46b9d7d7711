package bench

import (
	"context"
	"fmt"
	"time"

	"kaijutsu"
)

const (
	catchUpDocuments = 20
	// catchUpBatch is how many changes a message holds while the others write.
	catchUpBatch = 100
	// catchUpWindow is how many changes of a document may wait for their
	// acknowledgement.
	catchUpWindow = 1000
	// catchUpTimeout bounds each part of the measurement.
	catchUpTimeout = 5 * time.Minute
)

// measureCatchUp takes a node down, lets the others write, and measures how
// long the node takes, back again, until it holds everything.
func measureCatchUp(ctx context.Context, opt *ClusterOptions) (*Table, error) {
	t := newTable(fmt.Sprintf("A node that missed %d changes of %d documents", opt.Changes, catchUpDocuments),
		"kj bench catchup", "", "median", "least", "greatest")
	var fromStart, fromServing, rates []float64
	for round := range opt.Rounds {
		opt.say("round %d of %d", round+1, opt.Rounds)
		ready, took, err := catchUpRound(ctx, opt, t)
		if err != nil {
			return nil, err
		}
		opt.say("  the node served after %s and held everything after %s", ready.Round(time.Millisecond), took.Round(time.Millisecond))
		fromStart, fromServing = append(fromStart, took.Seconds()), append(fromServing, (took-ready).Seconds())
		rates = append(rates, float64(opt.Changes)/took.Seconds())
	}
	for _, m := range []struct {
		name   string
		values []float64
	}{
		{"from the start of its process to everything, s", fromStart},
		{"from its serving to everything, s", fromServing},
		{"changes a second", rates},
	} {
		s, _ := spreadOf(m.values)
		t.add(m.name, number(s.median), number(s.least), number(s.greatest))
	}
	t.note("The node is asked every 20 ms for the version of a document that it does not hold all of, which opens the document.")
	return t, nil
}

// catchUpRound returns how long the node took to serve and to hold everything,
// from the start of its process.
func catchUpRound(ctx context.Context, opt *ClusterOptions, t *Table) (ready, took time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, catchUpTimeout)
	defer cancel()
	c := &cluster{opt: opt}
	defer c.close()
	if err := c.open(ctx, nodesCount); err != nil {
		return 0, 0, err
	}
	writers, err := c.beginDocuments(ctx)
	if err != nil {
		return 0, 0, err
	}
	away := len(c.nodes) - 1
	for _, w := range writers {
		if err := c.waitVersion(ctx, away, w); err != nil {
			return 0, 0, err
		}
	}
	if err := c.nodes[away].Stop(); err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if err := writeMany(ctx, writers, opt.Changes); err != nil {
		return 0, 0, err
	}
	for i := range away { // everybody else has it, and the feed
		for _, w := range writers {
			if err := c.waitVersion(ctx, i, w); err != nil {
				return 0, 0, err
			}
		}
	}
	opt.say("  %d changes written and at the other nodes in %s", opt.Changes, time.Since(began).Round(time.Millisecond))
	for _, w := range writers {
		if err := w.peer.close(); err != nil {
			return 0, 0, err
		}
	}
	if err := pause(ctx, rest); err != nil {
		return 0, 0, err
	}
	began = time.Now()
	if err := c.start(ctx, away); err != nil {
		return 0, 0, err
	}
	ready = time.Since(began)
	for _, w := range writers {
		if err := c.waitVersion(ctx, away, w); err != nil {
			return 0, 0, err
		}
	}
	return ready, time.Since(began), nil
}

// beginDocuments gives each document a writer at one of the nodes that stay.
func (c *cluster) beginDocuments(ctx context.Context) ([]*typist, error) {
	var writers []*typist
	for i := range catchUpDocuments {
		changes, text, err := textContext()
		if err != nil {
			return nil, err
		}
		peer, err := dial(ctx, c.nodes[i%(len(c.nodes)-1)].SyncURL())
		if err != nil {
			return nil, err
		}
		r := openReplica(peer, newDocumentID(), nil)
		if err := r.begin(ctx, changes...); err != nil {
			return nil, err
		}
		if err := r.waitAcked(ctx); err != nil {
			return nil, err
		}
		writers = append(writers, &typist{replica: r, text: text})
	}
	return writers, nil
}

// writeMany makes n changes, in turn, and returns when all are acknowledged.
func writeMany(ctx context.Context, writers []*typist, n int) error {
	for made := 0; made < n; {
		for _, w := range writers {
			batch := min(catchUpBatch, n-made)
			if batch == 0 {
				break
			}
			if err := w.edit(ctx, batch, w.typeChar(w.text)); err != nil {
				return err
			}
			made += batch
			if err := w.wait(ctx, "acknowledgements", func() bool { return w.seq-w.acked <= catchUpWindow }); err != nil {
				return err
			}
		}
	}
	for _, w := range writers {
		if err := w.waitAcked(ctx); err != nil {
			return err
		}
	}
	return nil
}

// waitVersion returns when a node holds all of a writer's document.
func (c *cluster) waitVersion(ctx context.Context, at int, w *typist) error {
	w.mu.Lock()
	want, heads := len(w.known), len(w.heads)
	w.mu.Unlock()
	id, err := contextOf(w.doc)
	if err != nil {
		return err
	}
	var last error
	for {
		var out struct {
			Version int      `json:"version"`
			Heads   []string `json:"heads"`
		}
		last = call(ctx, c.nodes[at], "block_list", map[string]any{"context": id, "limit": 1}, &out)
		if last == nil && out.Version >= want && len(out.Heads) == heads {
			return nil
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return fmt.Errorf("node %d has %d of %d changes of %s: %w: %w", at+1, out.Version, want, id, err, last)
		}
	}
}

// contextOf returns the id under which operations know a document.
func contextOf(doc string) (string, error) {
	id, err := kaijutsu.ParseDocumentID(doc)
	if err != nil {
		return "", err
	}
	return id.Name(), nil
}
