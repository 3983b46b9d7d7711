package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/kjproc"
)

const (
	openBlocks  = 1000
	openTimes   = 20 // times that the document is opened again
	uploadBatch = 50 // changes in one message of the upload
)

// openScenario uploads a document, starts the server again, and lets new peers
// open it one after the other: the first one from disk.
func openScenario(ctx context.Context, s *stage) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	doc := newDocumentID()
	if err := s.serve(ctx, func(p *kjproc.Process, _ time.Duration) error { return upload(ctx, p, doc) }); err != nil {
		return err
	}
	return s.serve(ctx, func(p *kjproc.Process, _ time.Duration) error {
		first, err := openOnce(ctx, p, doc)
		if err != nil {
			return err
		}
		s.note("first opening after a start, request → last byte, ms", millis(first.took))
		g, err := startGauge(p.PID())
		if err != nil {
			return err
		}
		var took []time.Duration
		for range openTimes {
			again, err := openOnce(ctx, p, doc)
			if err != nil {
				return err
			}
			took = append(took, again.took)
		}
		c, err := g.stop()
		if err != nil {
			return err
		}
		m, err := memoryOf(p.PID())
		if err != nil {
			return err
		}
		s.note("later openings, request → last byte, p50, ms", quantile(took, 0.5))
		s.note("bytes on the wire, kB", float64(first.bytes)/1e3)
		s.note("server CPU per opening, ms", millis(c.server)/openTimes)
		s.note("server memory after 21 openings (RSS), MB", megabytes(m.resident))
		s.note(metricPrivate, megabytes(m.private))
		s.costs(c, nil)
		return nil
	})
}

// upload sends the document, a few changes at a time.
func upload(ctx context.Context, p *kjproc.Process, doc kaijutsu.DocumentID) error {
	peer, err := dial(ctx, p.SyncURL())
	if err != nil {
		return err
	}
	changes, err := manyBlocks(openBlocks)
	if err != nil {
		return err
	}
	r := openReplica(peer, doc, nil)
	for part := range slices.Chunk(changes, uploadBatch) {
		if err := r.begin(ctx, part...); err != nil {
			return err
		}
		if err := r.waitAcked(ctx); err != nil {
			return err
		}
	}
	return peer.close()
}

// manyBlocks returns the changes of a context of n blocks, one after the other.
func manyBlocks(n int) ([]*amfile.Change, error) {
	genesis := blocks.Genesis()
	changes := []*amfile.Change{genesis}
	last := genesis
	for i := range n {
		c, _, err := newBlock(genesis, []kaijutsu.ChangeHash{last.Hash}, "bench-block-writer", uint64(i+1), last.MaxOp()+1, i, prose(i))
		if err != nil {
			return nil, err
		}
		changes, last = append(changes, c), c
	}
	return changes, nil
}

// openOnce connects a new peer and lets it fetch the document.
func openOnce(ctx context.Context, p *kjproc.Process, doc kaijutsu.DocumentID) (opening, error) {
	peer, err := dial(ctx, p.SyncURL())
	if err != nil {
		return opening{}, err
	}
	r := openReplica(peer, doc, nil)
	before, began := peer.read.Load(), time.Now()
	if err := r.request(ctx); err != nil {
		return opening{}, err
	}
	if err := r.wait(ctx, fmt.Sprintf("%d changes", openBlocks+1), func() bool { return len(r.known) == openBlocks+1 }); err != nil {
		return opening{}, err
	}
	if err := r.waitAcked(ctx); err != nil {
		return opening{}, err
	}
	r.mu.Lock()
	o := opening{took: r.grown.at.Sub(began), bytes: r.grown.bytes - before}
	r.mu.Unlock()
	return o, peer.close()
}
