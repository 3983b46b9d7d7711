package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"kaijutsu/internal/faultfs"
	"kaijutsu/internal/kjproc"
)

// diskCount is what a server asked of its disk.
type diskCount struct{ bytes, writes, syncs atomic.Int64 }

// disk is what edits cost of a disk.
func disk() workload {
	const bytes, syncs = "bytes written per edit", "fsyncs per edit"
	return workload{
		name: "disk", title: "What an edit costs of the disk",
		about: "Four documents, a writer and an observer each, 10 edits a second each. The data directory is on a FUSE file system that counts what is written to files, by write or from mapped pages, " +
			"and what is synced, until the server has been stopped. Growth is what `du` counts of the stopped server's directory, before and after.",
		limit: 90 * time.Second,
		run: func(ctx context.Context, s *stage) error {
			backing, point := s.dir, s.dir+"-mount"
			if err := os.MkdirAll(point, 0o700); err != nil {
				return err
			}
			fs, err := faultfs.Mount(backing, point, faultfs.Options{})
			if err != nil {
				return err
			}
			var n diskCount
			fs.OnOp(n.see)
			s.dir = point
			err = s.diskLoad(ctx, &n, backing)
			s.dir = backing
			return errors.Join(err, fs.Unmount())
		},
		charts: []chart{
			{file: "disk-bytes", title: "Bytes written to files for each edit", unit: "bytes", rows: []string{bytes}, labels: []string{"written"}},
			{file: "disk-fsyncs", title: "fsyncs for each edit", unit: "fsyncs", rows: []string{syncs}, labels: []string{"fsyncs"}},
		},
	}
}

// see counts a request of a server.
func (n *diskCount) see(op faultfs.Op) faultfs.Verdict {
	switch op.Kind {
	case faultfs.Write:
		n.bytes.Add(op.Len)
		n.writes.Add(1)
	case faultfs.Fsync, faultfs.FsyncDir:
		n.syncs.Add(1)
	}
	return faultfs.Verdict{}
}

// diskLoad types into documents and notes what that cost. The files are looked
// at in the backing directory: see faultfs.
func (s *stage) diskLoad(ctx context.Context, n *diskCount, backing string) error {
	const documents, rate = 4, 10
	var docs []docName
	if err := s.serve(ctx, func(ctx context.Context, p *kjproc.Process) (err error) {
		if docs, err = s.seedMany(ctx, p, documents); err == nil {
			err = s.rest(ctx)
		}
		return err
	}); err != nil {
		return err
	}
	if s.contestant.fleeting { // it has nothing now
		s.note("bytes written per edit", float64(n.bytes.Load()))
		s.note("writes per edit", float64(n.writes.Load()))
		s.note("fsyncs per edit", float64(n.syncs.Load()))
		return nil
	}
	before, err := diskUse(backing)
	if err != nil {
		return err
	}
	var edits int
	var bytes, writes, syncs int64
	if err := s.serve(ctx, func(ctx context.Context, p *kjproc.Process) error {
		j := newJournal(1)
		editors, err := s.enterAll(ctx, p, 2*documents, func(i int) docName { return docs[i%documents] }, j)
		if err != nil {
			return err
		}
		var pens []*pen
		for _, e := range editors[:documents] {
			pens = append(pens, typistOf(e, rate, 1))
		}
		bytes, writes, syncs = n.bytes.Load(), n.writes.Load(), n.syncs.Load()
		if _, err := drive(ctx, j, pens, s.duration, patience, p.PID()); err != nil {
			_ = editors.close() // the error says more
			return err
		}
		for _, pen := range pens {
			edits += pen.made
		}
		if err := s.count(ctx, p); err != nil {
			return err
		}
		if err := editors.close(); err != nil {
			return err
		}
		return s.rest(ctx)
	}); err != nil {
		return err
	}
	after, err := diskUse(backing)
	if err != nil {
		return err
	}
	if edits == 0 {
		return fmt.Errorf("nobody has edited: %w", errors.ErrUnsupported)
	}
	s.note("bytes written per edit", float64(n.bytes.Load()-bytes)/float64(edits))
	s.note("writes per edit", float64(n.writes.Load()-writes)/float64(edits))
	s.note("fsyncs per edit", float64(n.syncs.Load()-syncs)/float64(edits))
	s.note("growth of the directory per edit, bytes", float64(after-before)/float64(edits))
	return nil
}

// count notes what a server that counts says of itself.
func (s *stage) count(ctx context.Context, p *kjproc.Process) error {
	if s.contestant.counters == nil {
		return nil
	}
	has, err := s.contestant.counters(ctx, p)
	if err != nil {
		return err
	}
	if has["commits"] > 0 {
		s.note("changes per commit, as the server counts", has["changes_stored"]/has["commits"])
	}
	return nil
}
