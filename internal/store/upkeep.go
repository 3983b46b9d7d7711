package store

import (
	"errors"
	"fmt"
	"path/filepath"
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
	reserve := c.reserve()
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
	if c.s.readOnly {
		c.s.log.Info("disk has space, store writes", "free", free)
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
	if err := probeDisk(c.s.dir); err != nil {
		return fmt.Errorf("the disk does not work (%v): %w", err, c.failed)
	}
	if err := c.reopen(); err != nil {
		return err
	}
	c.s.log.Info("disk works again, store writes")
	return nil
}

// reopen closes Badger, which moves what is in memory into tables, and opens
// it again for writing. Readers wait.
func (c *committer) reopen() error {
	c.s.life.Lock()
	defer c.s.life.Unlock()
	err := c.s.closeDatabase()
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
		c.failed = fmt.Errorf("reopen the database: %w: %w", err, kaijutsu.ErrUnavailable)
		c.s.log.Error("store could not reopen its database", "err", err)
		c.s.setTrouble(c.failed)
		return c.failed
	}
	if found.nextOutbox > c.state.nextOutbox {
		// Of a write of unknown outcome: nobody was told these numbers.
		first := found.firstOutbox()
		found.nextOutbox = c.state.nextOutbox
		found.outbox = found.nextOutbox - min(first, found.nextOutbox)
	}
	c.state, c.failed = found, nil
	clear(c.docs)
	c.s.publish(c.state)
	return nil
}

const closeTimeout = 30 * time.Second

// closeDatabase closes Badger; the caller holds life. It gives up waiting
// when the disk does not take what is in memory, which the log has anyway.
func (s *Store) closeDatabase() error {
	if s.db == nil {
		return nil
	}
	db := s.db
	s.db = nil
	closed := make(chan error, 1)
	go func() { closed <- db.Close() }()
	timeout := time.NewTimer(closeTimeout)
	defer timeout.Stop()
	select {
	case err := <-closed:
		return err
	case <-timeout.C:
		return errors.New("the database does not close; hint: restart the server")
	}
}

// openDatabase opens Badger; the caller holds life.
func (s *Store) openDatabase(readOnly bool) error {
	if err := removeEmpty(s.databaseDir()); err != nil {
		return err
	}
	db, err := badger.Open(badgerOptions(s.databaseDir(), s.log).WithReadOnly(readOnly))
	if err != nil {
		return err
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
