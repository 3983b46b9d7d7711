package torture

import (
	"context"
	"fmt"
	"time"

	"kaijutsu/internal/faultfs"
)

const (
	// slowSync is what each fsync takes longer on a slow disk.
	slowSync = 20 * time.Millisecond
	// hungSync is how long one hangs, now and then.
	hungSync = 2 * time.Second
	// slowRead is how long a context may take to be read meanwhile.
	slowRead = time.Second
)

// slowDisk delays every fsync, and lets some hang. Who reads must not notice;
// then the server is killed while it waits for its disk.
func slowDisk(ctx context.Context, s *stage, opt Options, r *Report) error {
	var most time.Duration
	err := troubleDisk(ctx, s, opt, r, func(d *disk, l *life, round int) error {
		hangs := false
		d.fs.OnOp(func(op faultfs.Op) faultfs.Verdict {
			if op.Kind != faultfs.Fsync && op.Kind != faultfs.FsyncDir {
				return faultfs.Verdict{}
			}
			if !hangs {
				hangs = true
				return faultfs.Verdict{Delay: hungSync}
			}
			return faultfs.Verdict{Delay: slowSync}
		})
		began := time.Now()
		for time.Since(began) < hungSync+hungSync/2 {
			if err := s.pause(ctx, hungSync/10); err != nil {
				return err
			}
			for _, t := range s.targets {
				asked := time.Now()
				if _, err := l.n.api().context(ctx, t.id); err != nil {
					return fmt.Errorf("read while the disk is slow: %w", err)
				}
				took := time.Since(asked)
				most = max(most, took)
				if took > slowRead {
					d.d.came("a context was read slowly")
				}
			}
		}
		if s.random.IntN(2) == 0 {
			d.n.kill()
		}
		d.fs.OnOp(nil)
		d.d.came(fmt.Sprintf("fsync takes %s, the first %s", slowSync, hungSync))
		return nil
	})
	r.note("a context was read in %s at most while fsyncs took %s to %s", ms(most), slowSync, hungSync)
	return err
}
