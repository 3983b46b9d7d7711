package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/table"
)

// inspection is what Badger's files say before Badger touches them. Badger
// opens damaged directories without complaint, and cuts or deletes what it
// cannot make sense of; so we look first.
type inspection struct {
	fresh        bool   // there is no database yet
	clean        bool   // the last owner closed it: nothing is to be replayed
	version      uint64 // greatest version in any table or log
	tables       uint64 // greatest version in any table
	logs         []walReport
	loss         error // durable writes that replay will not find
	torn         []tornLog
	tornManifest bool
	damaged      []string // tables of which an end is damaged
	orphans      []string // tables that the manifest does not list: Badger deletes them
}

// tornLog is a log to be cut to its whole transactions before Badger, which
// believes lengths in damaged entries, reads it.
type tornLog struct {
	path string
	end  int64
}

// inspect reads the directory of a database. An error says that Badger could
// not open it, or not without crashing.
func inspect(dir string, at mark) (inspection, error) {
	var found inspection
	err := removeEmpty(dir)
	if err != nil {
		return found, err
	}
	if found.orphans, err = filepath.Glob(filepath.Join(dir, "*.sst")); err != nil {
		return found, err
	}
	if _, err := os.Stat(filepath.Join(dir, badger.ManifestFilename)); errors.Is(err, fs.ErrNotExist) {
		found.fresh = true
		return found, nil
	}
	if err := found.mendFiles(dir); err != nil {
		return found, err
	}
	if err := found.readTables(dir); err != nil {
		return found, err
	}
	if err := found.readLogs(dir, at); err != nil {
		return found, err
	}
	if found.loss == nil && at.version > found.version {
		found.loss = fmt.Errorf("the database ends at version %d, version %d was durable", found.version, at.version)
	}
	if found.loss == nil && found.tornManifest {
		found.loss = found.unlisted()
	}
	return found, nil
}

// unlisted returns why tables that a torn manifest does not list were in use:
// they hold what is neither in a table that it lists nor in a log. Those of a
// flush or a compaction that a crash cut short hold nothing of their own.
func (found *inspection) unlisted() error {
	for _, path := range found.orphans {
		t, err := openTable(path)
		if err != nil {
			continue // it was being written
		}
		version := t.maxVersion()
		t.Close()
		inLog := slices.ContainsFunc(found.logs, func(r walReport) bool { return r.first <= version && version <= r.version })
		if version > found.tables && !inLog {
			return fmt.Errorf("the manifest ends within a record, and table %s, which it does not list, holds what is nowhere else", filepath.Base(path))
		}
	}
	return nil
}

// removeEmpty deletes logs of no bytes: a crash between making or emptying a
// log and the next step leaves one, and Badger refuses to open for it.
func removeEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if ext := filepath.Ext(entry.Name()); ext != ".mem" && ext != ".vlog" {
			continue
		}
		info, statErr := entry.Info()
		if statErr == nil && info.Size() == 0 {
			statErr = os.Remove(filepath.Join(dir, entry.Name()))
		}
		err = errors.Join(err, statErr)
	}
	return err
}

// readTables checks what Badger reads of each table when it opens it: the
// index and the last block.
func (found *inspection) readTables(dir string) error {
	manifest, err := readManifest(dir)
	if err != nil {
		return fmt.Errorf("%s: %v: %w", filepath.Join(dir, badger.ManifestFilename), err, ErrDamaged)
	}
	for _, id := range slices.Sorted(maps.Keys(manifest.Tables)) {
		path := table.NewFilename(id, dir)
		version, err := checkEnds(path)
		if err != nil {
			if version, err = found.endsOfDamaged(path, err); err != nil {
				return fmt.Errorf("%s: %w: %w", path, err, ErrDamaged)
			}
			found.damaged = append(found.damaged, path)
		}
		found.version = max(found.version, version)
		found.tables = found.version
		found.orphans = slices.DeleteFunc(found.orphans, func(orphan string) bool { return orphan == path })
	}
	return nil
}

func checkEnds(path string) (version uint64, err error) {
	t, err := openTable(path)
	if err != nil {
		return 0, err
	}
	defer t.Close()
	for _, i := range []int{0, t.blocks() - 1} {
		if _, err := t.checkBlock(i, nil); err != nil {
			return 0, err
		}
	}
	return t.maxVersion(), nil
}

// endsOfDamaged returns the greatest version that can be read in a damaged
// table. One that is gone is a loss.
func (found *inspection) endsOfDamaged(path string, damage error) (version uint64, err error) {
	b, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if found.loss == nil {
			found.loss = damage
		}
		return 0, nil
	}
	if err != nil {
		return 0, errors.Join(damage, err)
	}
	return readDamagedTable(b, surroundings{newest: math.MaxUint64}).newest, nil
}

func (found *inspection) readLogs(dir string, at mark) error {
	logs, err := filepath.Glob(filepath.Join(dir, "*.mem"))
	if err != nil {
		return err
	}
	slices.SortFunc(logs, func(a, b string) int { // by number: at least five digits
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	found.clean = len(logs) == 0
	for i, path := range logs {
		report, err := readWAL(path)
		if err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
		found.version = max(found.version, report.version)
		found.logs = append(found.logs, report)
		if report.torn {
			found.torn = append(found.torn, tornLog{path, report.end})
		}
		if found.loss == nil {
			found.loss = report.loss(path, at, i == len(logs)-1)
		}
	}
	return nil
}

// loss returns how the log shows that durable writes are gone, or nil.
func (r walReport) loss(path string, at mark, last bool) error {
	n := len(r.beyond)
	switch {
	// One transaction may have been under way, in the last log.
	case n > 1, n == 1 && (!last || at.counter >= r.beyond[0]):
		return fmt.Errorf("%s is damaged at offset %d, behind which there are writes up to commit %d", path, r.end, r.beyond[n-1])
	case r.short:
		return fmt.Errorf("%s ends within a write, at offset %d", path, r.size)
	}
	return nil
}

// cut shortens torn logs to their whole transactions.
func (found inspection) cut() error {
	for _, log := range found.torn {
		if err := os.Truncate(log.path, log.end); err != nil {
			return err
		}
	}
	return nil
}

// setAside moves or copies to dir/lost what Badger is about to delete or cut
// although it may hold what was lost.
func (found inspection) setAside(dir string) error {
	lost := filepath.Join(dir, "lost")
	if err := os.MkdirAll(lost, 0o700); err != nil {
		return err
	}
	for _, path := range found.orphans {
		if err := os.Rename(path, filepath.Join(lost, filepath.Base(path))); err != nil {
			return err
		}
	}
	for _, log := range found.torn {
		b, err := os.ReadFile(log.path)
		if err == nil {
			err = os.WriteFile(filepath.Join(lost, filepath.Base(log.path)), b, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
