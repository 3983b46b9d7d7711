package store

import (
	"errors"
	"fmt"
	"time"

	"github.com/dgraph-io/badger/v4"

	"kaijutsu"
)

// ready makes the database writable and returns how much disk may be used
// beyond the reserve, or an error wrapping ErrUnavailable. It reopens Badger
// when that helps: for writing when space has come back or the disk works
// again, for reading only when space is so low that a compaction, which
// Badger starts when it likes, could find the disk full: Badger writes to
// files it has mapped, and that ends the process (SIGBUS).
func (c *committer) ready() (spare int64, err error) {
	if err := c.s.damage(); err != nil && !c.s.acceptLoss {
		return 0, err
	}
	reserve := c.reserve()
	free, err := checkSpace(c.s.dir, 0, reserve)
	if err != nil {
		if free >= flushBytes && free < reserve/2 && !c.s.readOnly && c.failed == nil {
			c.s.log.Warn("disk is nearly full, store is read-only", "free", free)
			c.reopen(true)
		}
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
		c.s.log.Info("disk has space again, store writes", "free", free)
		if err := c.reopen(false); err != nil {
			return 0, err
		}
	}
	c.s.setTrouble(nil)
	return free - reserve, nil
}

// reserve is MinFree, or more when that is too little for what Badger may
// have to write at any moment with the tables there are.
func (c *committer) reserve() int64 {
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
	if err := c.reopen(false); err != nil {
		return err
	}
	c.s.log.Info("disk works again, store writes")
	return nil
}

// keepUp runs once a second.
func (c *committer) keepUp() {
	if c.s.db != nil && c.s.minFree < defaultMinFree {
		c.tables = 0
		for _, t := range c.s.db.Tables() {
			c.tables += int64(t.OnDiskSize)
		}
	}
	if !c.s.readOnly {
		_, _ = c.ready() // the next write gets the error
	}
}

// reopen closes Badger, which moves what is in memory into tables, and opens
// it again. Readers wait.
func (c *committer) reopen(readOnly bool) error {
	c.s.life.Lock()
	defer c.s.life.Unlock()
	err := c.s.closeDatabase()
	if err == nil {
		err = c.s.openDatabase(readOnly)
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
	db, err := badger.Open(badgerOptions(s.databaseDir(), s.log).WithReadOnly(readOnly))
	if err != nil {
		return err
	}
	s.db, s.readOnly = db, readOnly
	return syncDir(s.databaseDir())
}
