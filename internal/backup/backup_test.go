package backup_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/backup"
	"kaijutsu/internal/store"
)

// TestRunsAreMoments takes a run after each step of a store's life, and restores
// every one of them.
func TestRunsAreMoments(t *testing.T) {
	h := open(t, t.TempDir())
	at := filepath.Join(t.TempDir(), "backup")
	var plan, side, gone kaijutsu.DocumentID
	record := func(name, value string) {
		if err := h.store.PutRecord(t.Context(), name, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	steps := []struct {
		name  string
		do    func()
		taken int // documents
	}{
		{"nothing but a record", func() { record("one", "1") }, 0},
		{"two contexts", func() {
			plan, gone = h.create("Plan"), h.create("Gone")
			h.write(plan, "first")
		}, 2},
		{"nothing new", func() {}, 0},
		{"a fork, and edits of both", func() {
			side = h.fork(plan)
			h.write(side, "on the side")
			h.write(plan, "second")
		}, 2},
		{"a fork of a fork", func() { h.write(h.fork(side), "deeper") }, 1},
		{"long enough for a snapshot", func() {
			for i := range 600 {
				h.write(plan, text(i))
			}
		}, 1},
		{"behind the snapshot", func() { h.write(plan, "after") }, 1},
		{"one is deleted", func() { h.delete(gone) }, 0},
		{"what others rest on is deleted", func() { h.delete(side); record("one", "2"); record("two", "") }, 1},
	}
	var shown []map[string][]string
	for i, step := range steps {
		step.do()
		shown = append(shown, h.shows())
		got := take(t, at, h.store, backup.TakeOptions{})
		if got.Number != i+1 || got.Manifest.Taken != step.taken || got.Documents != len(shown[i]) {
			t.Errorf("%s: run %d of %d documents, %d taken, want run %d of %d, %d taken", step.name, got.Number, got.Documents, got.Manifest.Taken, i+1, len(shown[i]), step.taken)
		}
	}
	for i, step := range steps {
		out, r := restore(t, at, i+1)
		same(t, step.name, r.shows(), shown[i])
		if c := out.Comparison; c == nil || c.Documents != len(shown[i]) || c.Records != out.Records {
			t.Errorf("%s: compared %+v, want all %d documents", step.name, c, len(shown[i]))
		}
		if r.store.StorageID() == h.store.StorageID() {
			t.Errorf("%s: the restored store has the storage id of the one that was backed up", step.name)
		}
		r.close()
	}
	_, r := restore(t, at, 0)
	for _, doc := range []kaijutsu.DocumentID{gone, side} {
		if _, err := r.store.Load(t.Context(), doc); !errors.Is(err, store.ErrDeleted) {
			t.Errorf("load of a deleted document = %v, want ErrDeleted", err)
		}
	}
	if got, err := r.store.Record("one"); err != nil || string(got) != "2" {
		t.Errorf("record one = %q, %v, want 2", got, err)
	}
	if got, want := r.store.LastOutbox(), h.store.LastOutbox(); got != want {
		t.Errorf("the journal goes on behind %d, want %d", got, want)
	}
	r.write(plan, "it goes on")
	if lines := r.shows()[plan.Name()]; lines[len(lines)-1] != "amy: it goes on" {
		t.Errorf("an edit of what was restored shows %q", lines[len(lines)-1])
	}
}

// TestDamage flips bits in, cuts short and deletes each file of a backup: nothing
// of it is restored as if it were whole, and the checks name the file.
func TestDamage(t *testing.T) {
	h := open(t, t.TempDir())
	whole := filepath.Join(t.TempDir(), "backup")
	plan := h.create("Plan")
	for i := range 3 {
		h.write(plan, text(i))
		take(t, whole, h.store, backup.TakeOptions{})
	}
	names := files(t, whole)
	if len(names) != 9 {
		t.Fatalf("the backup has files %q, want 9", names)
	}
	faults := map[string]func(path string, b []byte) error{
		"first bit":  func(path string, b []byte) error { b[0] ^= 1; return os.WriteFile(path, b, 0o600) },
		"a middle":   func(path string, b []byte) error { b[len(b)/2] ^= 0x10; return os.WriteFile(path, b, 0o600) },
		"last bit":   func(path string, b []byte) error { b[len(b)-1] ^= 0x80; return os.WriteFile(path, b, 0o600) },
		"truncated":  func(path string, b []byte) error { return os.Truncate(path, int64(len(b)-1)) },
		"emptied":    func(path string, b []byte) error { return os.Truncate(path, 0) },
		"lengthened": func(path string, b []byte) error { return os.WriteFile(path, append(b, 0), 0o600) },
		"deleted":    func(path string, _ []byte) error { return os.Remove(path) },
	}
	for _, name := range names {
		for fault, do := range faults {
			at := copyTree(t, whole)
			path := filepath.Join(at, filepath.FromSlash(name))
			b, err := os.ReadFile(path)
			if err == nil {
				err = do(path, b)
			}
			if err != nil {
				t.Fatal(err)
			}
			needed := 3 // the last run that needs it
			if strings.HasSuffix(name, manifest) || strings.HasSuffix(name, "index.zst") {
				needed = int(name[len("run-00000")] - '0')
			}
			dir := filepath.Join(t.TempDir(), "data")
			_, err = tryRestore(t, at, needed, dir)
			if err == nil {
				t.Errorf("%s %s: run %d was restored, want an error", name, fault, needed)
			} else if !errors.Is(err, kaijutsu.ErrInvalid) {
				t.Errorf("%s %s: %v, want ErrInvalid", name, fault, err)
			}
			if left, _ := os.ReadDir(dir); len(left) > 1 {
				t.Errorf("%s %s: the refused restore left %v", name, fault, left)
			}
			if needed == 3 && !strings.Contains(name, "run-000003") {
				continue
			}
			if _, err := tryRestore(t, at, 1, filepath.Join(t.TempDir(), "data")); err != nil && needed != 1 {
				t.Errorf("%s %s: run 1 does not need it: %v", name, fault, err)
			}
		}
	}
}

const manifest = "manifest.json"

// TestNothingIsAddedToADamagedRun holds that an increment is not built on a run of
// which files are missing, and that all can be taken anew.
func TestNothingIsAddedToADamagedRun(t *testing.T) {
	h := open(t, t.TempDir())
	at := filepath.Join(t.TempDir(), "backup")
	plan := h.create("Plan")
	take(t, at, h.store, backup.TakeOptions{})
	h.write(plan, "one")
	take(t, at, h.store, backup.TakeOptions{})
	if err := os.Remove(filepath.Join(at, "run-000001", "part-0001.zst")); err != nil {
		t.Fatal(err)
	}
	if _, err := tryTake(t, at, h.store, backup.TakeOptions{}); !errors.Is(err, kaijutsu.ErrInvalid) || !strings.Contains(err.Error(), "--full") {
		t.Errorf("an increment on a run without its part = %v, want ErrInvalid and a hint", err)
	}
	got := take(t, at, h.store, backup.TakeOptions{Full: true})
	if got.Previous != 0 || got.Manifest.Taken != 1 {
		t.Errorf("the full run rests on run %d and took %d, want 0 and 1", got.Previous, got.Manifest.Taken)
	}
	_, r := restore(t, at, got.Number)
	same(t, "after a full run", r.shows(), h.shows())
}

// TestRottenPartsAreTakenAnew holds that a run does not rest on a part in which a
// byte is wrong, and that nothing is pruned for a run that is damaged.
func TestRottenPartsAreTakenAnew(t *testing.T) {
	h := open(t, t.TempDir())
	at := filepath.Join(t.TempDir(), "backup")
	plan, other := h.create("Plan"), h.create("Other")
	take(t, at, h.store, backup.TakeOptions{})
	h.write(plan, "one")
	take(t, at, h.store, backup.TakeOptions{})
	rot := func(name string) {
		t.Helper()
		path := filepath.Join(at, filepath.FromSlash(name))
		b, err := os.ReadFile(path)
		if err == nil {
			b[len(b)/2] ^= 0x55
			err = os.WriteFile(path, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	rot("run-000001/part-0001.zst")
	h.write(other, "two")
	got := take(t, at, h.store, backup.TakeOptions{})
	if len(got.Rotten) != 1 || !strings.Contains(got.Rotten[0], "run-000001/part-0001.zst") || got.Manifest.Taken < 2 {
		t.Errorf("rotten = %q, %d taken; want the part, and what was in it", got.Rotten, got.Manifest.Taken)
	}
	_, back := restore(t, at, got.Number)
	same(t, "after a part rotted", back.shows(), h.shows())

	rot("run-000003/part-0001.zst")
	d, err := backup.OpenDir(at)
	if err != nil {
		t.Fatal(err)
	}
	gone, err := d.Prune(1)
	if !errors.Is(err, kaijutsu.ErrInvalid) || len(gone) > 0 {
		t.Errorf("pruned %v, %v for a run that is damaged, want nothing", gone, err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestPrune keeps the latest runs restorable and frees what only others needed.
func TestPrune(t *testing.T) {
	h := open(t, t.TempDir())
	at := filepath.Join(t.TempDir(), "backup")
	plan, other := h.create("Plan"), h.create("Other")
	var shown []map[string][]string
	for i := range 6 {
		h.write(plan, text(i))
		if i == 3 {
			h.write(other, "edited")
		}
		take(t, at, h.store, backup.TakeOptions{})
		shown = append(shown, h.shows())
	}
	d, err := backup.OpenDir(at)
	if err != nil {
		t.Fatal(err)
	}
	gone, err := d.Prune(2)
	if err = errors.Join(err, d.Close()); err != nil || !slices.Equal(gone, []int{1, 2, 3, 4}) {
		t.Fatalf("pruned %v, %v, want 1 to 4", gone, err)
	}
	b, err := backup.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	runs, err := b.Runs()
	if err != nil || len(runs) != 2 || runs[0].Number != 5 {
		t.Fatalf("runs = %v, %v, want 5 and 6", runs, err)
	}
	if names := files(t, at); slices.Contains(names, "run-000002/index.zst") || !slices.Contains(names, "run-000001/part-0001.zst") {
		t.Errorf("files = %q, want the first part and no index of a pruned run", names)
	}
	for i, r := range runs {
		_, back := restore(t, at, r.Number)
		same(t, "after pruning", back.shows(), shown[4+i])
	}
	if _, err := b.Run(3); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("a pruned run = %v, want ErrNotFound", err)
	}
	got := take(t, at, h.store, backup.TakeOptions{})
	if got.Number != 7 {
		t.Errorf("the next run is %d, want 7", got.Number)
	}
}

// TestOldPartsAreEmptied holds that what is of no use any more does not stay for
// good beside what is.
func TestOldPartsAreEmptied(t *testing.T) {
	h := open(t, t.TempDir())
	at := filepath.Join(t.TempDir(), "backup")
	small, large := h.create("Small"), h.create("Large")
	for i := range 30 {
		h.write(large, text(i))
	}
	take(t, at, h.store, backup.TakeOptions{})
	h.delete(large)
	for range 2 {
		take(t, at, h.store, backup.TakeOptions{})
	}
	d, err := backup.OpenDir(at)
	if err == nil {
		_, err = d.Prune(1)
		err = errors.Join(err, d.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if names := files(t, at); slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, "run-000001/") }) {
		t.Errorf("files = %q, want none of run 1: its part is of no use but for %s", names, small.Name())
	}
	_, r := restore(t, at, 0)
	same(t, "after emptying", r.shows(), h.shows())
}

// TestFile takes everything into one file.
func TestFile(t *testing.T) {
	h := open(t, t.TempDir())
	h.write(h.fork(h.create("Plan")), "one")
	path := filepath.Join(t.TempDir(), "all.tar")
	taken, err := backup.TakeFile(t.Context(), path, fetch(h.store), backup.TakeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, r := restore(t, path, 0)
	same(t, "from a file", r.shows(), h.shows())
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 || taken.Documents != 2 {
		t.Errorf("beside the file there is %v; it holds %d documents, want 2", left, taken.Documents)
	}
	if _, err := backup.TakeFile(t.Context(), path, fetch(h.store), backup.TakeOptions{}); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("into the same file again = %v, want ErrConflict", err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(b); at += max(len(b)/97, 1) {
		bad := slices.Clone(b)
		bad[at] ^= 4
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "data")
		if _, err := tryRestore(t, path, 0, dir); err != nil {
			continue
		}
		back := open(t, dir) // the bit was in the padding
		same(t, "with a bit flipped in the file", back.shows(), h.shows())
		back.close()
	}
}

// TestRestoreWantsAnEmptyDirectory holds that nothing is overwritten, and that
// what a killed restore left is no data directory and can be restored into.
func TestRestoreWantsAnEmptyDirectory(t *testing.T) {
	h := open(t, t.TempDir())
	h.create("Plan")
	at, dir := filepath.Join(t.TempDir(), "backup"), t.TempDir()
	take(t, at, h.store, backup.TakeOptions{})
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := tryRestore(t, at, 0, dir); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("restore beside a file = %v, want ErrConflict", err)
	}
	cut := t.TempDir()
	for _, name := range []string{"restoring/badger/000001.sst", "restoring/lock", "hwm", "owner.token"} {
		path := filepath.Join(cut, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("half"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := backup.CheckWhole(cut); !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("a directory with half a restore = %v, want ErrUnavailable", err)
	}
	if _, err := tryRestore(t, at, 0, cut); err != nil {
		t.Errorf("restore over what a killed one left = %v", err)
	}
	if err := backup.CheckWhole(cut); err != nil {
		t.Errorf("after the restore: %v", err)
	}
	if _, err := tryRestore(t, at, 0, cut); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("restore over a store = %v, want ErrConflict", err)
	}
}

// TestKernelsAreNotMixed refuses to add a run of another kernel; one of another
// store of the same kernel is taken whole.
func TestKernelsAreNotMixed(t *testing.T) {
	h := open(t, t.TempDir())
	h.create("Plan")
	at := filepath.Join(t.TempDir(), "backup")
	take(t, at, h.store, backup.TakeOptions{})
	_, r := restore(t, at, 0)
	got := take(t, at, r.store, backup.TakeOptions{})
	if got.Previous != 0 || got.Manifest.Taken != 1 {
		t.Errorf("a run of another store rests on run %d and took %d, want 0 and 1", got.Previous, got.Manifest.Taken)
	}
}
