package store

import (
	"context"
	"fmt"

	"kaijutsu"
)

// Bounds of one transaction, below Badger's own for our memtable size.
const (
	maxBatchRows  = 1000
	maxBatchBytes = 448 << 10
	queueItems    = 1024
)

// item is one all-or-nothing part of a batch, and the promise of an answer.
type item struct {
	// rows and bytes are upper bounds of what stage adds.
	rows, bytes int
	// need is free disk space beyond the reserve without which not to start.
	need int64
	// stage adds rows to the batch. On an error it must have added none. The
	// committer calls it, perhaps twice.
	stage func(*batch) error
	// cancelled returns an error when nobody waits for the answer any more.
	cancelled func() error
	done      chan error
}

// submit queues an item and waits for its answer.
func (s *Store) submit(ctx context.Context, it *item) error {
	if err := s.send(ctx, it); err != nil {
		return err
	}
	return s.wait(it)
}

// send queues an item. It waits while the queue is full.
func (s *Store) send(ctx context.Context, it *item) error {
	it.done, it.cancelled = make(chan error, 1), ctx.Err
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case s.queue <- it:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-s.stop:
		return errClosed
	}
}

// wait returns the answer to an item that was sent.
func (s *Store) wait(it *item) error {
	select {
	case err := <-it.done:
		return err
	case <-s.committed: // the committer is gone; it may have answered before
		select {
		case err := <-it.done:
			return err
		default:
			return errClosed
		}
	}
}

var errClosed = fmt.Errorf("the store is closed: %w", kaijutsu.ErrUnavailable)
