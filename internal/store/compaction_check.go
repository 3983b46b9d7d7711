package store

import (
	"fmt"

	"github.com/dgraph-io/badger/v4/y"
)

// tableCursor walks the entries of a table, whose keys ascend and carry their
// versions, the newest of a key first. It compares the checksum of each block.
type tableCursor struct {
	path    string
	t       *tableFile
	next    int          // block
	buf     []byte       // the block
	entries []tableEntry // of it, from where the cursor is
	room    []tableEntry
}

// newCursor opens a table at its first entry.
func newCursor(path string) (*tableCursor, error) {
	t, err := openTable(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	c := &tableCursor{path: path, t: t}
	if err := c.fill(); err != nil {
		t.Close()
		return nil, err
	}
	return c, nil
}

// fill reads blocks until there is an entry, or none is left.
func (c *tableCursor) fill() (err error) {
	for len(c.entries) == 0 && c.next < c.t.blocks() {
		if c.buf, err = c.t.checkBlock(c.next, c.buf); err != nil {
			return fmt.Errorf("%s: %w", c.path, err)
		}
		c.next++
		c.room = c.room[:0]
		for e := range entriesOf(c.buf) {
			c.room = append(c.room, e)
		}
		c.entries = c.room
	}
	return nil
}

// entry returns where the cursor is; false at the end.
func (c *tableCursor) entry() (tableEntry, bool) {
	if len(c.entries) == 0 {
		return tableEntry{}, false
	}
	return c.entries[0], true
}

func (c *tableCursor) step() error {
	c.entries = c.entries[1:]
	return c.fill()
}

// first returns the cursor with the smallest entry, nil when all are at their
// end.
func first(all []*tableCursor) (least *tableCursor) {
	for _, c := range all {
		if e, ok := c.entry(); ok && (least == nil || y.CompareKeys(e.key, least.entries[0].key) < 0) {
			least = c
		}
	}
	return least
}

const badgerDeleted = 1 << 0 // of an entry's meta byte: the key is deleted

// compareTables returns an error when the newest entry of a key in old is not in
// made. A deleted key may be gone.
func compareTables(old, made []*tableCursor) error {
	var last []byte // the key before, without its version
	for o := first(old); o != nil; o = first(old) {
		e, _ := o.entry()
		key := withoutVersion(e.key)
		if last == nil || string(key) != string(last) {
			last = append(last[:0], key...)
			found, err := seek(made, e.key)
			if err != nil {
				return err
			}
			if !found && e.value[0]&badgerDeleted == 0 {
				return fmt.Errorf("%s of %s is in no new table: %w", keyName(key), o.path, errCompaction)
			}
		}
		if err := o.step(); err != nil {
			return err
		}
	}
	return nil
}

// seek steps to a key and reports whether it is there.
func seek(all []*tableCursor, key []byte) (bool, error) {
	for c := first(all); c != nil; c = first(all) {
		switch order := y.CompareKeys(c.entries[0].key, key); {
		case order == 0:
			return true, nil
		case order > 0:
			return false, nil
		}
		if err := c.step(); err != nil {
			return false, err
		}
	}
	return false, nil
}
