package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	_ "unsafe" // for go:linkname

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/table"
	"google.golang.org/protobuf/proto"
)

// A compaction of Badger (v4.9.6, levels.go, subcompact) loses the error of a
// table that could not be made: the manifest then names the others, the tables
// that were compacted are deleted, and the rows of the missing one are gone
// without a word. A table that ends at a damaged block is shortened in the same
// way.
//
// So whatever Badger adds to its manifest is looked at before it counts. The
// place is the function with which Badger syncs the manifest, which it keeps in
// a variable: between writing down what a compaction did and relying on it. Each
// key of the tables that go must be in those that come. If one is not, the
// manifest is put back as it was; Badger, told that the sync failed, keeps the
// old tables, and the store reopens it. The same is done when the sync fails: it
// deletes the new tables then, which the manifest names.

//go:linkname badgerSync github.com/dgraph-io/badger/v4.syncFunc
var badgerSync func(*os.File) error

// guardsCompactions reports whether manifests are looked at. It is set before
// main begins, as nobody may have a database open.
var guardsCompactions = guardManifests()

func guardManifests() bool {
	if badgerSync == nil || !strings.HasPrefix(funcName(badgerSync), "github.com/dgraph-io/badger/v4.") {
		return false
	}
	sync := badgerSync
	badgerSync = func(f *os.File) error {
		if g, ok := manifests.Load(filepath.Dir(f.Name())); ok {
			return g.(*manifestGuard).sync(f)
		}
		return sync(f)
	}
	return true
}

// manifests are the guards of databases that are open, by directory.
var manifests sync.Map

// manifestGuard stands between Badger and the manifest of one database. Badger
// calls it from one goroutine at a time.
type manifestGuard struct {
	dir  string
	lost func(error) // told that a change was undone; must return at once

	fsync func(*os.File) error

	good []byte // the manifest on disk
	read int    // bytes of Badger's file that are decided
	// apart: what was put back is another file than the one that Badger goes
	// on writing until it is reopened.
	apart bool
}

// guardManifest has the manifest in dir guarded from now on, or anew. It is to
// be called before the database is opened, and with nobody at it.
func guardManifest(dir string, lost func(error)) error {
	b, err := os.ReadFile(filepath.Join(dir, badger.ManifestFilename))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	b = wholeRecords(b)
	manifests.Store(dir, &manifestGuard{dir: dir, lost: lost, fsync: (*os.File).Sync, good: b, read: len(b)})
	return nil
}

// wholeRecords returns what Badger makes of a manifest when it opens it: it cuts
// a record that is not whole, and begins one that is not there.
func wholeRecords(b []byte) []byte {
	if len(b) < len(manifestHeader) {
		return manifestHeader
	}
	end := len(manifestHeader)
	for end < len(b) {
		n, fixed := correctRecord(b[end:])
		if n == 0 || fixed {
			break
		}
		end += n
	}
	return b[:end:end]
}

// sync makes durable what Badger has written, or puts the manifest back.
func (g *manifestGuard) sync(f *os.File) error {
	b, err := readAll(f)
	if err != nil {
		return fmt.Errorf("read the manifest: %w", err)
	}
	if g.apart {
		return g.follow(b)
	}
	change, err := g.changeIn(b)
	if err == nil {
		err = change.check(g.dir)
	}
	if err == nil {
		if err = g.fsync(f); err == nil {
			g.good, g.read = b, len(b)
			return nil
		}
	}
	// Badger deletes the tables that it has made, and keeps the others.
	err = g.putBack(len(b), fmt.Errorf("a change of tables is undone: %w", err))
	g.lost(err)
	return err
}

// putBack makes the manifest on disk what it was, after err. What Badger has in
// its file up to read does not count. When the disk fails, reopening does it.
func (g *manifestGuard) putBack(read int, err error) error {
	g.apart, g.read = true, read
	if back := g.restore(); back != nil {
		err = errors.Join(err, fmt.Errorf("and the manifest is not put back: %w", back))
	}
	return err
}

func (g *manifestGuard) restore() error {
	return replaceFile(filepath.Join(g.dir, badger.ManifestFilename), g.good)
}

// restoreManifest writes the manifest in dir anew, as it was when it was last
// synced: nobody knows which pages are on the disk of what came after that, or
// whether the tables are there. The database is to be closed.
func restoreManifest(dir string) error {
	if g, ok := manifests.Load(dir); ok {
		return g.(*manifestGuard).restore()
	}
	return renew(filepath.Join(dir, badger.ManifestFilename))
}

// follow writes what Badger adds to its own file to the one that was put back,
// if it does nothing but name new tables: what was in memory while it closes.
func (g *manifestGuard) follow(b []byte) error {
	change, err := changesOf(b[min(g.read, len(b)):])
	if err == nil {
		err = change.check(g.dir)
	}
	if err != nil || len(b) < g.read || len(change.gone) > 0 {
		err = fmt.Errorf("the manifest was put back: nothing is compacted before the database is opened anew: %w", errors.Join(err, errCompaction))
		return g.putBack(len(b), err) // it may have been written anew, which replaces it
	}
	former := g.good
	g.good = slices.Concat(g.good, b[g.read:])
	g.read = len(b)
	if err := g.restore(); err != nil {
		g.good = former
		return err
	}
	return nil
}

var errCompaction = errors.New("a compaction failed")

// changeIn returns what is new in the manifest b. Now and then Badger writes it
// anew, with nothing but the tables that there are.
func (g *manifestGuard) changeIn(b []byte) (tableChange, error) {
	if rest, ok := bytes.CutPrefix(b, g.good); ok && len(g.good) > 0 {
		return changesOf(rest)
	}
	was, err := changesOf(behindHeader(g.good))
	if err != nil {
		return tableChange{}, err
	}
	is, err := changesOf(behindHeader(b))
	if err != nil {
		return tableChange{}, err
	}
	var c tableChange
	for id := range was.made {
		if !is.made[id] {
			c.drop(id)
		}
	}
	for id := range is.made {
		if !was.made[id] {
			c.add(id)
		}
	}
	return c, nil
}

func behindHeader(b []byte) []byte { return b[min(len(manifestHeader), len(b)):] }

// tableChange is which tables came and went.
type tableChange struct{ made, gone map[uint64]bool }

func (c *tableChange) add(id uint64) {
	if c.made == nil {
		c.made = make(map[uint64]bool)
	}
	c.made[id] = true
}

// drop notes that a table goes. One that came just before was never there.
func (c *tableChange) drop(id uint64) {
	if c.made[id] {
		delete(c.made, id)
		return
	}
	if c.gone == nil {
		c.gone = make(map[uint64]bool)
	}
	c.gone[id] = true
}

// changesOf adds up the records of a manifest: length and CRC-32C, four bytes
// each, and a message.
func changesOf(b []byte) (c tableChange, err error) {
	for len(b) > 0 {
		n, fixed := correctRecord(b)
		if n == 0 || fixed {
			return c, errors.New("a record of the manifest is damaged")
		}
		var set pb.ManifestChangeSet
		if err := proto.Unmarshal(b[8:n], &set); err != nil {
			return c, fmt.Errorf("a record of the manifest: %w", err)
		}
		for _, change := range set.Changes {
			if change.Op == pb.ManifestChange_DELETE {
				c.drop(change.Id)
			} else {
				c.add(change.Id)
			}
		}
		b = b[n:]
	}
	return c, nil
}

// check compares the tables that went with those that came, which must be there
// in any case: those of a change that could not be written are deleted.
func (c tableChange) check(dir string) error {
	if len(c.gone) == 0 {
		for id := range c.made {
			if _, err := os.Stat(table.NewFilename(id, dir)); err != nil {
				return err
			}
		}
		return nil
	}
	old, err := openCursors(dir, c.gone)
	defer closeCursors(old)
	if err != nil {
		return err
	}
	made, err := openCursors(dir, c.made)
	defer closeCursors(made)
	if err != nil {
		return err
	}
	return compareTables(old, made)
}

func openCursors(dir string, ids map[uint64]bool) (all []*tableCursor, err error) {
	for id := range ids {
		c, err := newCursor(table.NewFilename(id, dir))
		if err != nil {
			return all, err
		}
		all = append(all, c)
	}
	return all, nil
}

func closeCursors(all []*tableCursor) {
	for _, c := range all {
		c.t.Close()
	}
}

// readAll reads a file from its beginning, wherever its owner is in it.
func readAll(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	b := make([]byte, info.Size())
	_, err = io.ReadFull(io.NewSectionReader(f, 0, info.Size()), b)
	return b, err
}
