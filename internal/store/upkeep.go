package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/dgraph-io/badger/v4"

	"kaijutsu"
)

// ready makes the database writable and returns how much disk may be used
// beyond the reserve, or an error wrapping ErrUnavailable. It reopens Badger
// when space has come back to a store that was opened for reading, and when
// the disk works again after a write failed.
func (c *committer) ready() (spare int64, err error) {
	if err := c.s.damage(); err != nil && !c.s.acceptLoss {
		return 0, err
	}
	if err := c.s.back.take(); err != nil && c.failed == nil {
		c.stop(err)
	}
	reserve := c.reserve()
	c.s.ballast.beside.Store(reserve)
	free, err := checkSpace(c.s.dir, 0, reserve)
	if err != nil {
		if c.failed == nil {
			c.s.setTrouble(err)
		}
		return 0, err
	}
	if c.failed != nil {
		if err := c.mend(); err != nil {
			return 0, err
		}
	}
	if c.s.readOnly || c.s.repairs.pending() {
		if err := c.reopen(); err != nil {
			return 0, err
		}
	}
	c.s.setTrouble(nil)
	return free - reserve, nil
}

// reserve is MinFree, or what it takes to write out the memory and to rewrite
// the tables there are, up to what compactions rewrite at a time: one that
// runs out of space waits for it with what it has written.
func (c *committer) reserve() int64 {
	if c.s.minFree >= defaultMinFree {
		return c.s.minFree
	}
	if c.unseen <= 0 && c.s.db != nil {
		c.unseen, c.tables = memtableBytes/4, 0
		for _, t := range c.s.db.Tables() {
			c.tables += int64(t.OnDiskSize)
		}
	}
	return max(c.s.minFree, flushBytes+min(c.tables, compactionBytes))
}

// mend reopens Badger after a failed write, when the disk takes a file again.
func (c *committer) mend() error {
	if time.Since(c.mended) < mendEvery {
		return c.failed
	}
	c.mended = time.Now()
	if err := probeDisk(c.s.dir, recoverBytes); err != nil {
		return fmt.Errorf("the disk does not work (%v): %w", err, c.failed)
	}
	return c.reopen()
}

// reopen closes Badger, which moves what is in memory into tables, and opens
// it again for writing. Readers wait.
func (c *committer) reopen() error {
	c.s.life.Lock()
	defer c.s.life.Unlock()
	err := c.s.closeDatabase()
	if err == nil && c.failed != nil {
		err = restoreManifest(c.s.databaseDir())
	}
	repairing := c.s.repairs.take()
	if err == nil {
		c.s.repairTables(repairing)
	}
	if err == nil {
		err = c.s.openDatabase(false)
	}
	var found state
	if err == nil {
		found, err = readState(c.s.db)
	}
	if err == nil && found.counter < c.state.counter {
		err = fmt.Errorf("the database has %d commits, %d were durable: %w", found.counter, c.state.counter, ErrDamaged)
		c.s.setDamage(err)
	}
	if err != nil {
		return c.stuck(err)
	}
	if found, err = c.s.heedGaps(found); err != nil {
		return c.stuck(err)
	}
	if len(repairing) > 0 {
		c.s.suspects.forget(repairing)
		c.s.damages.clear() // what is damaged still is found again
	}
	if found.nextOutbox > c.state.nextOutbox {
		// Of a write of unknown outcome: nobody was told these numbers.
		first := found.firstOutbox()
		found.nextOutbox = c.state.nextOutbox
		found.outbox = found.nextOutbox - min(first, found.nextOutbox)
	}
	c.state, c.failed = found, nil
	_ = c.s.back.take() // of the database that was closed
	clear(c.docs)
	c.s.publish(c.state)
	c.s.count.reopened.Add(1)
	return nil
}

// stuck says that the database could not be opened again.
func (c *committer) stuck(err error) error {
	c.failed = fmt.Errorf("reopen the database: %w: %w", err, kaijutsu.ErrUnavailable)
	c.s.log.Error("store could not reopen its database", "err", err)
	c.s.setTrouble(c.failed)
	return c.failed
}

const closeTimeout = 30 * time.Second

// closeDatabase closes Badger; the caller holds life. It gives up waiting
// when the disk does not take what is in memory, which the log has anyway. Then
// Badger goes on trying, and the next call waits for it again.
func (s *Store) closeDatabase() error {
	if s.db != nil {
		db, closed := s.db, make(chan error, 1)
		s.db, s.closing = nil, closed
		go func() { closed <- db.Close() }()
	}
	if s.closing == nil {
		return nil
	}
	timeout := time.NewTimer(closeTimeout)
	defer timeout.Stop()
	select {
	case err := <-s.closing:
		s.closing = nil
		return err
	case <-timeout.C:
		return errors.New("the database does not close: the disk does not take what is in memory; hint: mend the disk, or restart the server")
	}
}

// openDatabase opens Badger; the caller holds life.
func (s *Store) openDatabase(readOnly bool) error {
	if err := removeEmpty(s.databaseDir()); err != nil {
		return err
	}
	if err := guardManifest(s.databaseDir(), s.back.note); err != nil {
		return err
	}
	log := badgerLog{log: s.log, failed: s.back.note}
	db, err := badger.Open(badgerOptions(s.databaseDir(), log).WithReadOnly(readOnly))
	if err != nil {
		var errno syscall.Errno
		if errors.As(err, &errno) {
			return err
		}
		return fmt.Errorf("%w; %s: %w", err, s.mendHint(), ErrDamaged)
	}
	s.db, s.readOnly = db, readOnly
	if readOnly {
		return nil
	}
	if err := allocateManifest(s.manifest()); err != nil {
		return err
	}
	return syncDir(s.databaseDir())
}

func (s *Store) manifest() string { return filepath.Join(s.databaseDir(), badger.ManifestFilename) }

// renew replaces a file with a copy that is synced: after a failed fsync nobody
// knows which of its pages are on the disk, and another one would not tell.
func renew(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return replaceFile(path, b)
}

// replaceFile writes a file under another name, syncs it, and gives it its name.
func replaceFile(path string, b []byte) error {
	f, err := os.OpenFile(path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return err
	}
	return syncDir(filepath.Dir(path))
}
