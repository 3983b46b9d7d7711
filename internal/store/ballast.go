package store

import (
	"errors"
	"os"
	"sync/atomic"
)

// recoverBytes is what it takes to open a database that was not closed: what
// was in memory is written to tables, and there is a new log.
const recoverBytes = flushBytes + 2*memtableBytes

// ballast is a file that is there to be deleted: on a full disk it gives back
// what the store needs to close, or to open after a crash. It is made again when
// there is room.
type ballast struct {
	path string
	want int64 // bytes
	have atomic.Int64
	// beside is what has to be free besides, as the committer last saw it.
	beside atomic.Int64
	used   atomic.Uint64 // times that it was given back
}

// ballastBytes is the size of the ballast of a store with this reserve: enough
// to close and to open again.
func ballastBytes(minFree int64) int64 {
	return max(recoverBytes, min(minFree, defaultMinFree)/2)
}

// keep makes the ballast, when it is not there and there is more room than it
// takes. The keeper calls it.
func (b *ballast) keep(s *Store) {
	if b.have.Load() == b.want {
		return
	}
	if info, err := os.Stat(b.path); err == nil && info.Size() == b.want {
		b.have.Store(b.want)
		return
	}
	// What it takes must not be missed by the next write.
	if s.Trouble() != nil || s.reading() {
		return
	}
	if _, err := checkSpace(s.dir, b.want+b.want/2, max(s.minFree, recoverBytes, b.beside.Load())); err != nil {
		return
	}
	if err := b.make(); err != nil {
		s.log.Debug("no ballast", "err", err) // it is tried again in a second
		os.Remove(b.path)
		return
	}
	b.have.Store(b.want)
}

// make writes the file, or has the file system set the space aside.
func (b *ballast) make() error {
	f, err := os.OpenFile(b.path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = reserveSpace(f, b.want)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// give deletes the ballast and reports whether there was any.
func (b *ballast) give() bool {
	err := os.Remove(b.path)
	b.have.Store(0)
	if err == nil {
		b.used.Add(1)
	}
	return err == nil
}

// makeRoom returns nil when need bytes are free, if need be for the ballast.
func (s *Store) makeRoom(need int64) error {
	_, err := checkSpace(s.dir, 0, need)
	if err == nil || !s.ballast.give() {
		return err
	}
	_, after := checkSpace(s.dir, 0, need)
	s.log.Warn("ballast given back", "path", s.ballast.path, "bytes", s.ballast.want, "err", err)
	return after
}
