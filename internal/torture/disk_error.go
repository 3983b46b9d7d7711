package torture

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"syscall"

	"kaijutsu/internal/faultfs"
)

const errNoSpace = syscall.ENOSPC

// failDisk lets requests of a server's disk fail, once or for a while, and then
// takes the power: what had been acknowledged in the meantime is on the disk or
// it never is.
func failDisk(ctx context.Context, s *stage, opt Options, r *Report) error {
	return troubleDisk(ctx, s, opt, r, func(d *disk, l *life, round int) error {
		kind := pick(s.random, faultfs.Write, faultfs.Fsync, faultfs.Fsync, faultfs.Read, faultfs.Create, faultfs.Rename, faultfs.Truncate, faultfs.Fallocate)
		file, opening := "", s.random.IntN(2) == 0
		if opening { // which uses more files than running does
			file = pick(s.random, "", ".mem", ".sst", ".sst", ".sst", "MANIFEST", "hwm", "search")
		}
		if file == ".sst" { // a table that is not written must not be missed later
			kind = pick(s.random, faultfs.Write, faultfs.Fsync, faultfs.Create, faultfs.Fallocate)
		}
		once, nth := s.random.IntN(3) > 0, s.random.Int64N(3)
		var met, failed atomic.Int64
		d.fs.OnOp(func(op faultfs.Op) faultfs.Verdict {
			if op.Kind != kind || !hasPart(op.Path, file) || once && failed.Load() > 0 || met.Add(1) <= nth {
				return faultfs.Verdict{}
			}
			failed.Add(1)
			return faultfs.Verdict{Errno: syscall.EIO}
		})
		what := fmt.Sprintf("%s of %s that fails", kind, anything(file))
		if opening {
			if err := d.startBad(ctx, l, what); err != nil {
				return err
			}
		}
		if err := l.endure(ctx, what); err != nil {
			return err
		}
		d.fs.OnOp(nil)
		if failed.Load() == 0 {
			d.d.came("a failure that nothing met")
			return nil
		}
		often := "for a while"
		if once {
			often = "once"
		}
		if opening {
			often += ", from the start"
		}
		d.d.came(fmt.Sprintf("%s fails %s", kind, often))
		if s.random.IntN(2) == 0 {
			return nil // it has to go on by itself
		}
		d.n.kill()
		return d.losePower(s.random)
	})
}

func hasPart(path, part string) bool { return part == "" || strings.Contains(path, part) }

// anything names a part of a path.
func anything(part string) string {
	if part == "" {
		return "any file"
	}
	return part
}
