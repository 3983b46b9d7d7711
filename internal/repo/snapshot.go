package repo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/guard"
	"kaijutsu/internal/store"
)

// snapshotBytes is how many bytes of changes the log holds beyond the snapshot
// before a new one is made.
const snapshotBytes = 256 << 10

// bulkTimes is how many times as much comes in bulk before a snapshot is made of
// it: a node that catches up would spend half its time on snapshots.
const bulkTimes = 4

// snapshotRest is how long a document that grows fast rests between snapshots:
// one that thousands of changes come to within seconds is taken together a few
// times, and again when it has become quiet.
const snapshotRest = 5 * time.Second

// maxDepth is how many forks rest on each other before one is made whole:
// opening the last reads them all.
const maxDepth = 8

// maybeSnapshot starts a snapshot job when the log has grown enough: by a
// number of changes or bytes, and by a quarter of what the snapshot holds, or
// what the document rests on, so that the work stays proportional to the
// growth. Besides the disk it serves peers that join with nothing: a client
// loads a document chunk in half the time of the same changes. In bulk, while
// another node brings a lot or of a document that no client loads, or right after
// another snapshot, it waits for more, and until the document has doubled.
func (d *document) maybeSnapshot(bulk bool) {
	n, part, times := d.graph.Len(), 4, 1
	if bulk || d.covered > 0 && d.repo.cfg.Now().Sub(d.snapshotAt) < snapshotRest {
		part, times = 1, bulkTimes
	}
	grown := n-d.covered >= max(times*d.repo.cfg.SnapshotChanges, d.covered/part) ||
		d.tailBytes >= max(times*snapshotBytes, d.coveredBytes/part) ||
		d.base != nil && d.depth >= maxDepth
	if d.snapshotting || !grown || n < d.snapshotFrom {
		return
	}
	d.startSnapshot()
}

// startSnapshot starts a snapshot job. None is under way.
func (d *document) startSnapshot() {
	d.snapshotting, d.snapshotAt = true, d.repo.cfg.Now()
	job := d.newSnapshot()
	r := d.repo
	r.retain(d)
	r.running.Go(guard.Func(r.log, "snapshot", func() {
		defer r.release(d)
		select {
		case r.snapshot <- struct{}{}:
			defer func() { <-r.snapshot }()
		case <-r.quit:
			return
		}
		err := job.guarded()
		_ = d.call(context.Background(), func(d *document) error { // closed: the next open reads it
			d.snapshotting = false
			if err != nil {
				d.snapshotFrom = len(job.raws) + max(r.cfg.SnapshotChanges, len(job.raws)/4) // not at every commit
			} else {
				d.adopt(job)
			}
			d.awaitQuiet() // for what came meanwhile
			return nil
		})
		if err != nil && !errors.Is(err, ErrDeleted) {
			r.log.Error("snapshot not written; the log is kept", "document", d.id, "changes", len(job.raws), "err", err)
		}
	}))
}

// snapshotJob writes a snapshot, outside of the owner.
type snapshotJob struct {
	repo   *Repo
	id     kaijutsu.DocumentID
	raws   [][]byte      // all changes
	before int           // of which this many come before the log
	actors []store.Actor // of the base, which the document is to keep itself

	chunk []byte // what was written
}

// newSnapshot returns a job for the document as it is.
func (d *document) newSnapshot() *snapshotJob {
	job := &snapshotJob{repo: d.repo, id: d.id, raws: d.raws(), before: d.before}
	if d.base != nil {
		job.actors = d.baseActors
	}
	return job
}

// guarded is run under the watchdog.
func (j *snapshotJob) guarded() error {
	return j.repo.job(j.id, unit{what: onPast}, func(t *task) error { return j.run(t) })
}

// run encodes the changes as a document chunk, takes it apart again to verify
// that it holds exactly them, and only then lets the store drop the log rows it
// covers, and what the document rests on.
func (j *snapshotJob) run(t *task) error {
	chunk, err := encodeVerified(j.raws, t)
	if err != nil {
		return err
	}
	t.begin(unit{what: onDisk})
	ctx, s := context.Background(), j.repo.cfg.Store
	if len(j.actors) > 0 {
		if _, err := s.Commit(ctx, store.Write{Doc: j.id, Actors: j.actors}); err != nil {
			return fmt.Errorf("store actors: %w", err)
		}
	}
	snap := store.Snapshot{Covers: uint64(len(j.raws) - j.before), Chunk: chunk}
	if err := s.PutSnapshot(ctx, j.id, snap); err != nil {
		return fmt.Errorf("store snapshot: %w", err)
	}
	j.chunk = chunk
	j.repo.snapshots.Add(1)
	j.repo.log.Debug("snapshot written", "document", j.id, "changes", len(j.raws), "bytes", len(chunk))
	return nil
}

// adopt goes on from a snapshot that was written.
func (d *document) adopt(j *snapshotJob) {
	if len(j.raws) < d.covered {
		return
	}
	d.base, d.baseActors, d.depth = nil, nil, 0
	bytes := 0
	for _, raw := range j.raws[d.covered:] {
		bytes += len(raw)
	}
	d.covered = len(j.raws)
	d.coveredBytes, d.tailBytes = d.coveredBytes+bytes, d.tailBytes-bytes
	d.graph.SetSnapshot(j.chunk, d.covered)
	d.measure()
}

// encodeVerified returns the document chunk of the changes, verified by taking
// it apart: the same changes by hash, in the same order. Taken apart, a change
// takes some 500 bytes besides its own; only one of the two sets is held at a
// time.
func encodeVerified(raws [][]byte, t *task) ([]byte, error) {
	chunk, hashes, err := encodeChunk(raws, t)
	if err != nil {
		return nil, err
	}
	t.begin(unit{what: onPast})
	again, err := amfile.DecodeDocument(chunk)
	if err != nil {
		return nil, fmt.Errorf("take the new document chunk apart: %w", err)
	}
	if len(again) != len(hashes) {
		return nil, fmt.Errorf("the new document chunk holds %d changes of %d", len(again), len(hashes))
	}
	for i := range again {
		if again[i].Hash != hashes[i] {
			return nil, fmt.Errorf("the new document chunk has change %v at %d instead of %v", again[i].Hash, i, hashes[i])
		}
	}
	return chunk, nil
}

// encodeChunk returns the document chunk of the changes, and their hashes.
func encodeChunk(raws [][]byte, t *task) ([]byte, []kaijutsu.ChangeHash, error) {
	changes, hashes := make([]*amfile.Change, len(raws)), make([]kaijutsu.ChangeHash, len(raws))
	for i, raw := range raws {
		t.begin(unit{what: onPast})
		c, err := amfile.DecodeChange(raw)
		if err != nil {
			return nil, nil, fmt.Errorf("decode change %d: %w", i, err)
		}
		changes[i], hashes[i] = c, c.Hash
	}
	t.begin(unit{what: onPast})
	chunk, err := amfile.EncodeDocument(changes)
	if err != nil {
		return nil, nil, fmt.Errorf("encode document: %w", err)
	}
	return chunk, hashes, nil
}
