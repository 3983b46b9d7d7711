package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/table"
)

// suspects are the tables that were there at Open and have not been read in
// full since. Until they are, a key that is not found may be one that Badger
// skipped because its block is damaged.
type suspects struct {
	dir   string
	found func(id uint64, damage error) // called once for each damaged table
	left  atomic.Int64                  // tables in ranges

	mu     sync.Mutex
	ranges map[uint64]keyRange
}

// keyRange is the keys of a table, without versions. damage is set when its
// checksums do not match.
type keyRange struct {
	first, last []byte
	damage      error
}

func newSuspects(dir string, db *badger.DB, found func(uint64, error)) *suspects {
	s := &suspects{dir: dir, found: found, ranges: map[uint64]keyRange{}}
	for _, t := range db.Tables() {
		s.ranges[t.ID] = keyRange{first: withoutVersion(t.Left), last: withoutVersion(t.Right)}
	}
	s.left.Store(int64(len(s.ranges)))
	return s
}

func withoutVersion(key []byte) []byte { return key[:max(0, len(key)-8)] }

// check returns an error when key may be in a damaged table. It reads the
// tables that nobody has read yet.
func (s *suspects) check(key []byte) error {
	if s.left.Load() == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, r := range s.ranges {
		if bytes.Compare(r.first, key) <= 0 && bytes.Compare(key, r.last) <= 0 {
			if err := s.examineLocked(id, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// examineOne examines a table that nobody has read yet; false means that none
// is left.
func (s *suspects) examineOne(pause func(bytes int) error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, r := range s.ranges {
		if r.damage == nil {
			_ = s.examineLocked(id, pause) // found reports it
			return true
		}
	}
	return false
}

func (s *suspects) examineLocked(id uint64, pause func(bytes int) error) error {
	if err := s.ranges[id].damage; err != nil {
		return err
	}
	err := checkListed(s.dir, id, pause)
	switch {
	case err == nil || errors.Is(err, errCompacted): // sound, or no more
		delete(s.ranges, id)
		s.left.Add(-1)
		return nil
	case errors.Is(err, context.Canceled):
		return nil
	}
	r := s.ranges[id]
	r.damage = fmt.Errorf("table %s is damaged: %w", table.IDToFilename(id), err)
	s.ranges[id] = r
	s.found(id, r.damage)
	return r.damage
}

// errCompacted says that a table that cannot be read is none any more.
var errCompacted = errors.New("the table was compacted away")

// checkListed compares every checksum in a table that is in use. Badger takes a
// table that was compacted off its manifest, then cuts it to nothing, then
// deletes it: whoever reads it meanwhile finds it damaged, and asks the manifest.
func checkListed(dir string, id uint64, pause func(bytes int) error) error {
	err := checkTable(table.NewFilename(id, dir), pause)
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	if listed, readErr := isListed(dir, id); readErr == nil && !listed || errors.Is(err, fs.ErrNotExist) {
		return errCompacted
	}
	return err
}

// isListed reports whether the manifest lists a table.
func isListed(dir string, id uint64) (bool, error) {
	manifest, err := readManifest(dir)
	if err != nil {
		return false, err
	}
	_, listed := manifest.Tables[id]
	return listed, nil
}

func readManifest(dir string) (badger.Manifest, error) {
	f, err := os.Open(filepath.Join(dir, badger.ManifestFilename))
	if err != nil {
		return badger.Manifest{}, err
	}
	defer f.Close()
	manifest, _, err := badger.ReplayManifestFile(f, 0, badger.Options{})
	return manifest, err
}

// checkTable compares every checksum in a table.
func checkTable(path string, pause func(bytes int) error) error {
	t, err := openTable(path)
	if err != nil {
		return err
	}
	defer t.Close()
	var buf []byte
	for i := range t.blocks() {
		if buf, err = t.checkBlock(i, buf); err != nil {
			return err
		}
		if pause != nil {
			if err := pause(len(buf)); err != nil {
				return err
			}
		}
	}
	return nil
}

// examineBytesPerSecond keeps that from starving a slow disk.
const examineBytesPerSecond = 256 << 20

// examine reads every table that was there at Open once, in the background,
// before compactions find use for them: a compaction leaves out what is
// damaged and deletes the table.
func (s *Store) examine(ctx context.Context) {
	budget := 0
	pause := func(n int) error {
		if budget += n; budget < examineBytesPerSecond/64 {
			return ctx.Err()
		}
		budget = 0
		timer := time.NewTimer(time.Second / 64)
		defer timer.Stop()
		select {
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for ctx.Err() == nil && s.suspects.examineOne(pause) {
	}
}

// forget says that tables were repaired, or that nothing better can be done.
func (s *suspects) forget(tables map[uint64]error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range tables {
		r, known := s.ranges[id]
		if !known {
			continue
		}
		if err := checkListed(s.dir, id, nil); err != nil && !errors.Is(err, errCompacted) {
			r.damage = fmt.Errorf("table %s is damaged: %w", table.IDToFilename(id), err)
			s.ranges[id] = r
			continue
		}
		delete(s.ranges, id)
		s.left.Add(-1)
	}
}
