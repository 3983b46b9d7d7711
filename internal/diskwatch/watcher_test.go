package diskwatch

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// never is an interval at which a test sees no rescan.
const never = time.Hour

// patience is how long a test waits before it gives up.
const patience = time.Minute

func open(t *testing.T, every time.Duration) *Watcher {
	t.Helper()
	w, err := Open(Config{Log: slog.New(slog.DiscardHandler), Every: every})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func add(t *testing.T, w *Watcher, files ...string) {
	t.Helper()
	for _, file := range files {
		if err := w.Add(file); err != nil {
			t.Fatal(err)
		}
	}
}

// await reads events until all these files have been named.
func await(t *testing.T, w *Watcher, files ...string) {
	t.Helper()
	missing := map[string]bool{}
	for _, file := range files {
		missing[file] = true
	}
	limit := time.After(patience)
	for len(missing) > 0 {
		select {
		case got, ok := <-w.Events():
			if !ok {
				t.Fatal("the events ended")
			}
			for _, file := range got {
				delete(missing, file)
			}
		case <-limit:
			t.Fatalf("%d of %d files were not reported; stats %+v", len(missing), len(files), w.Stats())
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestSaying covers what the system says, with no rescan to help.
func TestSaying(t *testing.T) {
	tests := []struct {
		name   string
		change func(t *testing.T, file string)
	}{
		{"written in place", func(t *testing.T, file string) { write(t, file, "new") }},
		{"appended to", func(t *testing.T, file string) {
			f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
			must(t, err)
			_, err = f.WriteString("more")
			must(t, err)
			must(t, f.Close())
		}},
		{"saved by renaming", func(t *testing.T, file string) {
			write(t, file+".swp", "new")
			must(t, os.Rename(file+".swp", file))
		}},
		{"saved by renaming, with a backup", func(t *testing.T, file string) {
			must(t, os.Rename(file, file+"~"))
			write(t, file, "new")
		}},
		{"removed", func(t *testing.T, file string) { must(t, os.Remove(file)) }},
		{"moved away", func(t *testing.T, file string) { must(t, os.Rename(file, file+".old")) }},
		{"permissions", func(t *testing.T, file string) { must(t, os.Chmod(file, 0o755)) }},
		{"replaced by a directory", func(t *testing.T, file string) {
			must(t, os.Remove(file))
			must(t, os.Mkdir(file, 0o755))
		}},
		{"replaced by a link", func(t *testing.T, file string) {
			must(t, os.Remove(file))
			must(t, os.Symlink("elsewhere", file))
		}},
		{"directory removed", func(t *testing.T, file string) { must(t, os.RemoveAll(filepath.Dir(file))) }},
		{"directory moved away", func(t *testing.T, file string) {
			must(t, os.Rename(filepath.Dir(file), filepath.Dir(file)+".old"))
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "src", "a.go")
			must(t, os.Mkdir(filepath.Dir(file), 0o755))
			write(t, file, "old")
			w := open(t, never)
			add(t, w, file)
			test.change(t, file)
			await(t, w, file)
		})
	}
}

// TestMissing covers files and directories that come later.
func TestMissing(t *testing.T) {
	root := t.TempDir()
	near, far := filepath.Join(root, "new.txt"), filepath.Join(root, "a/b/c/deep.txt")
	w := open(t, never)
	add(t, w, near, far)
	write(t, near, "now it is there")
	await(t, w, near)
	must(t, os.MkdirAll(filepath.Dir(far), 0o755))
	write(t, far, "and here")
	await(t, w, far)
	write(t, far, "and again")
	await(t, w, far)
	if s := w.Stats(); s.Polled != 0 || s.Rescans != 0 {
		t.Errorf("stats = %+v, want nothing polled, no rescan", s)
	}
}

// TestCameAndGone has a directory come without the file: it may have been there
// before the directory was watched.
func TestCameAndGone(t *testing.T) {
	dir := t.TempDir()
	w := open(t, never)
	file := filepath.Join(dir, "deep", "er", "file")
	add(t, w, file)
	must(t, os.MkdirAll(filepath.Dir(file), 0o755))
	await(t, w, file)
}

// TestDirectoryAgain covers a directory that is removed and made again, as git
// checkout does.
func TestDirectoryAgain(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "x/y/f.txt")
	must(t, os.MkdirAll(filepath.Dir(file), 0o755))
	write(t, file, "0")
	w := open(t, never)
	add(t, w, file)
	for i := range 20 {
		must(t, os.RemoveAll(filepath.Join(root, "x")))
		await(t, w, file)
		must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		write(t, file, fmt.Sprint("made again ", i))
		await(t, w, file)
		write(t, file, fmt.Sprint("written again ", i))
		await(t, w, file)
	}
}

// TestAncestorMoved covers what the system does not say: a directory above the
// one that is watched goes away with it. A rescan finds it, and the watch is on
// the new directory from then on.
func TestAncestorMoved(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "x/y/f.txt")
	must(t, os.MkdirAll(filepath.Dir(file), 0o755))
	write(t, file, "0")
	w := open(t, never)
	add(t, w, file)
	must(t, os.Rename(filepath.Join(root, "x"), filepath.Join(root, "old")))
	must(t, os.MkdirAll(filepath.Dir(file), 0o755))
	write(t, file, "another")
	w.Poke()
	await(t, w, file)
	if s := w.Stats(); s.Found != 1 || s.Rescans != 1 {
		t.Errorf("stats = %+v, want one change found by one rescan", s)
	}
	write(t, file, "the new directory is watched")
	await(t, w, file)
	if s := w.Stats(); s.Rescans != 1 {
		t.Errorf("rescans = %d, want 1", s.Rescans)
	}
}

// TestThousands covers many files in one directory, changed while nobody reads:
// all are named, each once at a time.
func TestThousands(t *testing.T) {
	const n = 5000
	dir := t.TempDir()
	w := open(t, never)
	var files []string
	for i := range n {
		file := filepath.Join(dir, fmt.Sprintf("f%04d", i))
		write(t, file, "old")
		files = append(files, file)
	}
	add(t, w, files...)
	for range 3 {
		for _, file := range files {
			f, err := os.OpenFile(file, os.O_WRONLY, 0)
			must(t, err)
			_, err = f.WriteString("new")
			must(t, err)
			must(t, f.Close())
		}
	}
	await(t, w, files...)
	last := filepath.Join(dir, "last")
	add(t, w, last)
	write(t, last, "x")
	await(t, w, last)
	if s := w.Stats(); s.Files != n+1 || s.Dirs != 1 {
		t.Errorf("stats = %+v, want %d files in 1 directory", s, n+1)
	}
}

// TestMerged covers a reader that is slow: a file that changed many times is
// named once.
func TestMerged(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	w := open(t, never)
	add(t, w, a, b)
	for i := range 200 {
		write(t, a, fmt.Sprint(i))
	}
	write(t, b, "the last")
	await(t, w, b)
	select {
	case got := <-w.Events():
		// What came after b was marked: at most once more.
		if slices.Sort(got); len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Errorf("events = %v, want each file once", got)
		}
	default:
	}
}

// TestRemove covers files that are not watched any more.
func TestRemove(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	other := filepath.Join(t.TempDir(), "c")
	w := open(t, never)
	add(t, w, a, b, other)
	w.Remove(a)
	w.Remove(other)
	w.Remove("/not/watched")
	write(t, a, "x")
	write(t, other, "x")
	write(t, b, "x")
	got := <-w.Events()
	if want := []string{b}; !slices.Equal(got, want) {
		t.Errorf("events = %v, want %v", got, want)
	}
	if s := w.Stats(); s.Files != 1 || s.Dirs != 1 {
		t.Errorf("stats = %+v, want one file in one directory", s)
	}
	if len(w.above) != len(strings.Split(dir, "/"))-1 {
		t.Errorf("directories above = %v, want those of %s", w.above, dir)
	}
	if list := w.notify.WatchList(); !slices.Equal(list, []string{dir}) {
		t.Errorf("the system watches %v, want %v", list, []string{dir})
	}
}

// TestBadPath covers paths that are no files to watch.
func TestBadPath(t *testing.T) {
	w := open(t, never)
	for _, path := range []string{"", "a", "/", "/a/../b", "/a/"} {
		if err := w.Add(path); err == nil {
			t.Errorf("Add(%q) = nil, want an error", path)
		}
	}
}

// TestClose covers that the events end, while changes come.
func TestClose(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	w := open(t, time.Millisecond)
	add(t, w, file)
	write(t, file, "x")
	must(t, w.Close())
	for range w.Events() {
	}
	must(t, w.Close())
}

// TestRescan covers the interval, with a watcher that the system tells nothing.
func TestRescan(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	w := open(t, 5*time.Millisecond)
	add(t, w, file)
	must(t, w.notify.Remove(filepath.Dir(file)))
	write(t, file, "x")
	await(t, w, file)
	if s := w.Stats(); s.Found != 1 || s.Rescan.IsZero() {
		t.Errorf("stats = %+v, want one change found", s)
	}
}

// TestOverflow covers the system's queue running over: every watched file is
// named.
func TestOverflow(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	write(t, a, "")
	write(t, b, "")
	w := open(t, never)
	add(t, w, a, b)
	var files []string
	for i := range 100 {
		files = append(files, filepath.Join(dir, fmt.Sprint("quiet", i)))
	}
	add(t, w, files...)
	w.mu.Lock() // nobody takes what the system says
	for i := range 60_000 {
		file := a
		if i%2 == 0 {
			file = b
		}
		if err := os.Chmod(file, 0o600+os.FileMode(i/2%2)); err != nil {
			w.mu.Unlock()
			t.Fatal(err)
		}
	}
	w.mu.Unlock()
	await(t, w, append(files, a, b)...)
	if s := w.Stats(); s.Overflows == 0 {
		t.Errorf("stats = %+v, want an overflow", s)
	}
}

// TestLatency covers how soon a change is named, half of the time at least.
func TestLatency(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	w := open(t, never)
	add(t, w, file)
	var took []time.Duration
	for i := range 50 {
		start := time.Now()
		write(t, file, fmt.Sprint("text ", i))
		await(t, w, file)
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	t.Logf("p50 %v, p99 %v", took[25], took[49])
	if took[25] > 100*time.Millisecond {
		t.Errorf("p50 = %v, want some 10 ms", took[25])
	}
}

// BenchmarkRescan is a rescan of 2,000 of 10,000 files in 100 directories.
func BenchmarkRescan(b *testing.B) {
	root := b.TempDir()
	w, err := Open(Config{Every: never})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	for i := range 10_000 {
		file := filepath.Join(root, fmt.Sprint("d", i%100), fmt.Sprint("f", i))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			b.Fatal(err)
		}
		if err := w.Add(file); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		w.rescan(atOnce)
	}
}

// TestTurns covers more files than one rescan looks at: all have their turns.
func TestTurns(t *testing.T) {
	dir := t.TempDir()
	w := open(t, never)
	var files []string
	for i := range 25 {
		file := filepath.Join(dir, fmt.Sprint("f", i))
		write(t, file, "old")
		files = append(files, file)
	}
	add(t, w, files...)
	must(t, w.notify.Remove(dir))
	for _, file := range files {
		write(t, file, "newer")
	}
	for range 2 {
		w.rescan(10)
	}
	if s := w.Stats(); s.Found != 20 {
		t.Errorf("two rescans of 10 found %d, want 20", s.Found)
	}
	w.rescan(10)
	await(t, w, files...)
	if s := w.Stats(); s.Found != 25 {
		t.Errorf("three rescans of 10 found %d, want 25", s.Found)
	}
}
