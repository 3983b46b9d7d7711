package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"kaijutsu"
)

// Dir is a backup in a directory, to which runs are added. One process at a time
// has it.
type Dir struct {
	path string
	lock *os.File
}

// partialSuffix ends the name of a run's directory until everything is in it.
const partialSuffix = ".partial"

// OpenDir opens or makes the directory of a backup. The error wraps
// kaijutsu.ErrUnavailable while another process has it, and kaijutsu.ErrConflict
// when something else is in it.
func OpenDir(path string) (*Dir, error) {
	d := &Dir{path: path}
	if err := d.open(); err != nil {
		return nil, fmt.Errorf("open backup %s: %w", path, err)
	}
	return d, nil
}

func (d *Dir) open() error {
	if err := os.MkdirAll(d.path, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != lockName && !strings.HasPrefix(e.Name(), runPrefix) {
			return fmt.Errorf("%s is in it, which is no backup's: name another directory: %w", e.Name(), kaijutsu.ErrConflict)
		}
	}
	d.lock, err = os.OpenFile(filepath.Join(d.path, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(d.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return errors.Join(fmt.Errorf("another kj backup is at work in it: %w", kaijutsu.ErrUnavailable), d.lock.Close())
	}
	return nil
}

const lockName = "lock"

// Close lets go of the directory.
func (d *Dir) Close() error { return d.lock.Close() }

func (d *Dir) reader() *Backup { return &Backup{path: d.path, files: dirFiles(d.path)} }

// latest returns the latest run and its index; nil when there is none.
func (d *Dir) latest() (*Run, *Index, error) {
	b := d.reader()
	r, err := b.Run(0)
	if errors.Is(err, kaijutsu.ErrNotFound) {
		return nil, nil, nil
	}
	var x *Index
	if err == nil {
		err = b.sizes(r.Manifest)
	}
	if err == nil {
		x, err = b.Index(r)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the run before cannot be added to: %w; run kj backup verify, or take everything anew with --full", err)
	}
	return &r, x, nil
}

// number returns the number for a new run: one that no run has had.
func (d *Dir) number() (int, error) {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return 0, err
	}
	last := 0
	for _, e := range entries {
		if n, ok := runOf(strings.TrimSuffix(e.Name(), partialSuffix)); ok {
			last = max(last, n)
		}
	}
	return last + 1, nil
}

// sweep deletes what killed runs left.
func (d *Dir) sweep() error {
	left, err := filepath.Glob(filepath.Join(d.path, runPrefix+"*"+partialSuffix))
	for _, dir := range left {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// Prune deletes all runs but the latest keep, and the files that no run needs
// any more. It returns the numbers of the runs that went. It deletes nothing when
// a manifest cannot be read, or the latest run is damaged.
func (d *Dir) Prune(keep int) ([]int, error) {
	gone, err := d.prune(keep)
	if err != nil {
		return gone, fmt.Errorf("prune backup %s: %w", d.path, err)
	}
	return gone, nil
}

func (d *Dir) prune(keep int) (gone []int, err error) {
	runs, err := d.reader().Runs()
	if err != nil {
		return nil, err
	}
	for _, r := range runs {
		err = errors.Join(err, r.Err)
	}
	if err != nil || keep < 1 {
		return nil, err
	}
	old := runs[:max(len(runs)-keep, 0)]
	if len(old) > 0 {
		if err := d.reader().Check(runs[len(runs)-1], nil); err != nil {
			return nil, fmt.Errorf("older runs are kept: %w", err)
		}
	}
	for _, r := range old {
		// Without its manifest it is no run any more, whatever else is there.
		dir := filepath.Join(d.path, runName(r.Number))
		if err := os.Rename(filepath.Join(dir, manifestName), filepath.Join(dir, prunedName)); err != nil {
			return gone, err
		}
		gone = append(gone, r.Number)
	}
	needed := map[string]bool{}
	for _, r := range runs[len(old):] {
		needed[runName(r.Number)+"/"+manifestName] = true
		for _, f := range r.files() {
			needed[f.Name] = true
		}
	}
	return gone, d.discard(needed)
}

// discard deletes the files of runs that are not needed, an index before what
// says that it was pruned.
func (d *Dir) discard(needed map[string]bool) error {
	dirs, err := dirFiles(d.path).dirs()
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		if _, ok := runOf(dir); !ok {
			continue
		}
		entries, err := os.ReadDir(filepath.Join(d.path, dir))
		if err != nil {
			return err
		}
		for _, e := range entries {
			if needed[dir+"/"+e.Name()] {
				continue
			}
			if err := os.Remove(filepath.Join(d.path, dir, e.Name())); err != nil {
				return err
			}
		}
		err = os.Remove(filepath.Join(d.path, dir)) // when nothing is left in it
		if err != nil && !errors.Is(err, syscall.ENOTEMPTY) && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return syncDir(d.path)
}

// syncDir makes the names in a directory durable.
func syncDir(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
