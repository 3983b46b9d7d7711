package records

import (
	"context"
	"fmt"
)

// Settle waits until the watchers have been told of what is on disk now.
func (t *Table) Settle(ctx context.Context) error {
	t.mu.RLock()
	at := t.told.changes
	t.mu.RUnlock()
	for {
		changes, err := t.repo.Changes(ctx, t.doc, uint64(at), readChanges)
		if err != nil {
			return fmt.Errorf("settle the records: %w", err)
		}
		if at += len(changes); len(changes) == 0 {
			return t.await(ctx, at)
		}
	}
}
