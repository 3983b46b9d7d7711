package repo

import (
	"context"
	"time"

	"kaijutsu/internal/guard"
)

const (
	// quietPart is which part of the snapshot's bytes the changes behind it may
	// take once a document is quiet: peers that join it are sent both.
	quietPart = 8
	// quietBytes is how many bytes of changes are not worth a snapshot.
	quietBytes = 64 << 10
)

// ripe reports whether a document that has become quiet is worth a snapshot.
// While it grows maybeSnapshot waits for a quarter more; then what comes behind
// the snapshot is sent as it was made, at many times the bytes.
func (d *document) ripe() bool {
	return d.tailBytes >= max(quietBytes, d.graph.SnapshotBytes()/quietPart) && !d.snapshotting && d.base == nil &&
		d.failed == nil && d.readOnly == nil && d.graph.Len() >= d.snapshotFrom
}

// awaitQuiet has a snapshot made when nothing has come for QuietAfter, if the
// document is ripe for one. It keeps no document open.
func (d *document) awaitQuiet() {
	if !d.awaiting && d.ripe() {
		d.settle(d.repo.cfg.QuietAfter)
	}
}

// settle is awaitQuiet of a document that is ripe, or whose cover found so much
// behind the snapshot that it is worth opening.
func (d *document) settle(after time.Duration) {
	d.awaiting = true
	r := d.repo
	time.AfterFunc(after, guard.Func(r.log, "quiet document", func() {
		now := r.acquireOpen(d.id)
		if now == nil {
			return
		}
		defer r.release(now)
		if now != d { // it was closed and opened since
			return
		}
		_ = d.call(context.Background(), func(d *document) error { // closed: it is made when it is opened and grows
			d.awaiting = false
			left := r.cfg.QuietAfter - r.cfg.Now().Sub(d.headsAt)
			switch {
			case !d.ripe():
			case left > 0:
				d.settle(left)
			default:
				d.startSnapshot()
			}
			return nil
		})
	}))
}
