package repo

import (
	"context"
	"fmt"

	"kaijutsu/internal/amfile"
	"kaijutsu/internal/store"
)

// snapshotBytes is how many bytes of changes the log holds beyond the snapshot
// before a new one is made.
const snapshotBytes = 256 << 10

// maybeSnapshot starts a snapshot job when the log has grown enough: by a
// number of changes or bytes, and by a quarter of what the snapshot holds, so
// that the work stays proportional to the growth. Besides the disk it serves
// peers that join with nothing: a client loads a document chunk in half the
// time of the same changes.
func (d *document) maybeSnapshot() {
	n := d.graph.Len()
	grown := n-d.covered >= max(d.repo.cfg.SnapshotChanges, d.covered/4) ||
		d.tailBytes >= max(snapshotBytes, d.coveredBytes/4)
	if d.snapshotting || !grown || n < d.snapshotFrom {
		return
	}
	d.snapshotting = true
	bytes := d.tailBytes
	raws := d.raws()
	r := d.repo
	r.retain(d)
	r.running.Go(func() {
		defer r.release(d)
		select {
		case r.snapshot <- struct{}{}:
			defer func() { <-r.snapshot }()
		case <-r.quit:
			return
		}
		chunk, err := d.writeSnapshot(raws)
		_ = d.call(context.Background(), func(d *document) error { // closed: the next open reads it
			d.snapshotting = false
			if err != nil {
				d.snapshotFrom = len(raws) + max(r.cfg.SnapshotChanges, len(raws)/4) // not at every commit
			} else {
				d.covered = len(raws)
				d.coveredBytes, d.tailBytes = d.coveredBytes+bytes, d.tailBytes-bytes
				d.graph.SetSnapshot(chunk, len(raws))
				d.measure()
			}
			return nil
		})
		if err != nil {
			r.log.Error("snapshot not written; the log is kept", "document", d.id, "changes", len(raws), "err", err)
			return
		}
		r.snapshots.Add(1)
		r.log.Debug("snapshot written", "document", d.id, "changes", len(raws), "bytes", len(chunk))
	})
}

// writeSnapshot encodes the changes as a document chunk, takes it apart again
// to verify that it holds exactly them, and only then lets the store drop the
// log rows it covers.
func (d *document) writeSnapshot(raws [][]byte) ([]byte, error) {
	chunk, err := encodeVerified(raws)
	if err != nil {
		return nil, err
	}
	snap := store.Snapshot{Covers: uint64(len(raws)), Chunk: chunk}
	if err := d.repo.cfg.Store.PutSnapshot(context.Background(), d.id, snap); err != nil {
		return nil, fmt.Errorf("store snapshot: %w", err)
	}
	return chunk, nil
}

// encodeVerified returns the document chunk of the changes, verified by taking
// it apart: the same changes by hash, in the same order.
func encodeVerified(raws [][]byte) ([]byte, error) {
	changes := make([]*amfile.Change, len(raws))
	for i, raw := range raws {
		c, err := amfile.DecodeChange(raw)
		if err != nil {
			return nil, fmt.Errorf("decode change %d: %w", i, err)
		}
		changes[i] = c
	}
	chunk, err := amfile.EncodeDocument(changes)
	if err != nil {
		return nil, fmt.Errorf("encode document: %w", err)
	}
	again, err := amfile.DecodeDocument(chunk)
	if err != nil {
		return nil, fmt.Errorf("take the new document chunk apart: %w", err)
	}
	if len(again) != len(changes) {
		return nil, fmt.Errorf("the new document chunk holds %d changes of %d", len(again), len(changes))
	}
	for i := range again {
		if again[i].Hash != changes[i].Hash {
			return nil, fmt.Errorf("the new document chunk has change %v at %d instead of %v", again[i].Hash, i, changes[i].Hash)
		}
	}
	return chunk, nil
}
