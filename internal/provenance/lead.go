package provenance

import (
	"time"

	"kaijutsu/flowbus"
)

// leaseName is the lease of the node that keeps the marks.
const leaseName = "drift.stale"

// candidacy is how long a node waits that could not get the lease.
const candidacy = flowbus.LeaseTTL / 4

// stand holds the lease when it can, until Close.
func (ix *Index) stand() {
	if ix.await(ix.ctx, ix.scanned) != nil {
		return
	}
	never := make(chan struct{})
	for ix.ctx.Err() == nil {
		lease, err := ix.cfg.Bus.Hold(ix.ctx, leaseName, 0)
		if err != nil {
			ix.cfg.Log.Debug("another node keeps the stale marks, or nobody can", "err", err)
			ix.idle(never, candidacy)
			continue
		}
		ix.cfg.Log.Info("this node keeps the stale marks")
		began := time.Now()
		ix.begin(nil)
		select {
		case <-lease.Lost():
		case <-ix.ctx.Done():
		}
		ix.end()
		lease.Release()
		ix.cfg.Log.Info("this node keeps the stale marks no longer", "dur", time.Since(began))
	}
}
