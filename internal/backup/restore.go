package backup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"kaijutsu"
	"kaijutsu/internal/store"
)

// RestoreOptions say where a run is restored and as what.
type RestoreOptions struct {
	// Dir is the data directory to make; it must not exist, or be empty.
	Dir string
	// SameNode gives it the storage id that the run has. Without, it is a new
	// one: editors then learn that it may hold less than they saw saved.
	SameNode bool
	// Verify opens what was restored and compares it with the run.
	Verify bool
	// Log receives what the store says; nil discards it.
	Log *slog.Logger
	// Progress is told how far it is, now and then; nil: nobody is.
	Progress func(Progress)
}

// Restored says what a data directory got.
type Restored struct {
	Run
	Storage   string // id of the storage
	Documents int
	Records   int
	Deleted   int
	// LeftOut is how many records of worktrees were not restored, whose files
	// are not here.
	LeftOut int
	// Missing are documents that the run does not hold, or that rest on such
	// ones, each with the reason; Stale those that it holds as they were before.
	Missing, Stale []Held
	// Comparison is what was compared; nil without Verify.
	Comparison *Comparison
}

// workDir is where a restore works, in the data directory, until everything is
// there.
const workDir = "restoring"

// CheckWhole refuses a data directory in which a restore was cut short.
func CheckWhole(dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, workDir)); err != nil {
		return nil
	}
	return fmt.Errorf("a restore into %s was cut short, or is under way: run kj restore again, or delete the directory: %w", dir, kaijutsu.ErrUnavailable)
}

// worktreeRecords is the prefix of the records that say how files of a worktree
// and blocks last agreed. A backup does not hold the files; a checkout that is
// compared with these records would be taken for edits.
const worktreeRecords = "worktree/"

// Restore makes a data directory of a run. First all files of the run are held
// against its manifest; the directory is filled when Restore returns nil, and
// else it is empty. The error wraps kaijutsu.ErrConflict when something is in the
// directory, and kaijutsu.ErrInvalid when the backup is damaged.
func Restore(ctx context.Context, b *Backup, r Run, o RestoreOptions) (Restored, error) {
	out, err := restore(ctx, b, r, o)
	if err != nil {
		return Restored{}, fmt.Errorf("restore run %d: %w", r.Number, err)
	}
	return out, nil
}

func restore(ctx context.Context, b *Backup, r Run, o RestoreOptions) (out Restored, err error) {
	if err := b.Check(r, nil); err != nil {
		return out, err
	}
	index, err := b.Index(r)
	if err != nil {
		return out, err
	}
	unlock, err := claim(o.Dir)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	work := filepath.Join(o.Dir, workDir)
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(work))
		}
	}()
	f := &filling{ctx: ctx, backup: b, run: r, index: index, progress: o.Progress}
	out = Restored{Run: r, Deleted: len(index.Deleted)}
	out.Missing, out.Stale = f.choose()
	if err := f.fill(work, o); err != nil {
		return out, err
	}
	out.Storage, out.Documents, out.Records, out.LeftOut = f.storage, f.documents, f.records, f.leftOut
	if o.Verify {
		c, err := compareDir(ctx, work, f, o)
		if err != nil {
			return out, err
		}
		out.Comparison = &c
	}
	return out, settle(o.Dir)
}

// compareDir opens what was restored anew, and compares.
func compareDir(ctx context.Context, dir string, f *filling, o RestoreOptions) (Comparison, error) {
	st, err := store.Open(store.Options{Dir: dir, Log: o.Log})
	if err != nil {
		return Comparison{}, err
	}
	c, err := Compare(ctx, st, f.index, CompareOptions{Without: f.missing, LeftOut: worktreeRecords, Progress: o.Progress})
	return c, errors.Join(err, st.Close())
}

// claim makes the directory, or sees that nothing but a restore that was cut
// short is in it, and locks it as a server would.
func claim(dir string) (unlock func() error, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("data directory %s is in use: %w", dir, kaijutsu.ErrUnavailable), lock.Close())
	}
	if err := empty(dir); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock.Close, nil
}

// moved are the names that settle may have moved before it was killed.
var moved = []string{"hwm", "ballast", "lost"}

// ownerToken is the file of a server that was started meanwhile.
const ownerToken = "owner.token"

func empty(dir string) error {
	again := CheckWhole(dir) != nil
	if again {
		for _, name := range append([]string{workDir}, moved...) {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != lockName && !(again && e.Name() == ownerToken) {
			return fmt.Errorf("%s is in %s: a backup is restored into an empty directory only: %w", e.Name(), dir, kaijutsu.ErrConflict)
		}
	}
	return os.Mkdir(filepath.Join(dir, workDir), 0o700)
}

// settle moves the store from where it was filled to where it is served. The
// database comes last: what is there without it is refused by the store.
func settle(dir string) error {
	work := filepath.Join(dir, workDir)
	entries, err := os.ReadDir(work)
	if err != nil {
		return err
	}
	const database = "badger"
	for _, e := range entries {
		if e.Name() == database || e.Name() == lockName {
			continue
		}
		if err := os.Rename(filepath.Join(work, e.Name()), filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	if err := os.Rename(filepath.Join(work, database), filepath.Join(dir, database)); err != nil {
		return err
	}
	if err := syncDir(dir); err != nil {
		return err
	}
	if err := os.RemoveAll(work); err != nil {
		return err
	}
	return syncDir(dir)
}

// choose finds the documents that cannot be restored.
func (f *filling) choose() (missing, stale []Held) {
	f.missing = map[kaijutsu.DocumentID]bool{}
	var gone func(h *Held, depth int) bool
	gone = func(h *Held, depth int) bool {
		switch {
		case h == nil || len(h.Places) == 0 || depth > len(f.index.Documents):
			return true
		case h.Base == nil:
			return false
		}
		return gone(f.index.find(h.Base.Doc), depth+1)
	}
	for i := range f.index.Documents {
		h := &f.index.Documents[i]
		if gone(h, 0) {
			f.missing[h.Doc] = true
			one := *h
			if one.Stale == "" {
				one.Stale = fmt.Sprintf("it rests on %s, which is not there", one.Base.Doc.Name())
			}
			missing = append(missing, one)
		} else if h.Stale != "" {
			stale = append(stale, *h)
		}
	}
	return missing, stale
}

// left reports whether a record is not restored.
func left(name string) bool { return strings.HasPrefix(name, worktreeRecords) }
