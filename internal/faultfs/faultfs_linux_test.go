package faultfs

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"kaijutsu"
)

// A process must not use what it serves itself, so the test binary runs itself
// as another one, with the name of what it does there.
var children = map[string]func(dir string){
	"write":    childWrite,
	"names":    childNames,
	"map":      childMap,
	"full":     childFull,
	"errors":   childErrors,
	"truncate": childTruncate,
	"append":   childAppend,
	"retry":    childRetry,
}

func TestMain(m *testing.M) {
	if f := children[os.Getenv("KJ_FAULTFS_CHILD")]; f != nil {
		f(os.Getenv("KJ_FAULTFS_DIR"))
		fmt.Println("done")
		select {} // until it is killed
	}
	os.Exit(m.Run())
}

func must(err error) {
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
}

// mountTest mounts an empty directory, or one with the files given.
func mountTest(t *testing.T, o Options) *FS {
	t.Helper()
	dir := t.TempDir()
	backing, point := filepath.Join(dir, "disk"), filepath.Join(dir, "mount")
	if err := errors.Join(os.Mkdir(backing, 0o700), os.Mkdir(point, 0o700)); err != nil {
		t.Fatal(err)
	}
	return remount(t, backing, point, o)
}

func remount(t *testing.T, backing, point string, o Options) *FS {
	t.Helper()
	f, err := Mount(backing, point, o)
	if errors.Is(err, ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Unmount() }) // unless the test has
	return f
}

// run runs a child on the mount until it is done, kills it, and returns what it
// said.
func run(t *testing.T, f *FS, name string) []string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "KJ_FAULTFS_CHILD="+name, "KJ_FAULTFS_DIR="+f.Point())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for sc := bufio.NewScanner(out); sc.Scan() && sc.Text() != "done"; {
		said = append(said, sc.Text())
	}
	cmd.Process.Kill()
	cmd.Wait()
	for _, line := range said {
		if strings.HasPrefix(line, "failed:") {
			t.Fatalf("child %s %s", name, line)
		}
	}
	return said
}

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// pages are n pages full of a letter.
func pages(letter byte, n int) []byte { return bytes.Repeat([]byte{letter}, n*pageBytes) }

func childWrite(dir string) {
	f, err := os.OpenFile(filepath.Join(dir, "file"), os.O_CREATE|os.O_RDWR, 0o600)
	must(err)
	_, err = f.WriteAt(pages('a', 8), 0)
	must(errors.Join(err, f.Sync()))
	_, err = f.WriteAt(pages('b', 4), 2*pageBytes) // never synced
	must(err)
}

func TestPowerLossOfPages(t *testing.T) {
	t.Parallel()
	seen := make(map[string]int)
	for seed := range uint64(40) {
		f := mountTest(t, Options{})
		run(t, f, "write")
		if err := f.PowerLoss(random(seed)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(f.Backing(), "file"))
		if err != nil || len(got) != 8*pageBytes {
			t.Fatalf("seed %d: %d bytes, %v, want all that was synced", seed, len(got), err)
		}
		for i := range 8 {
			page := got[i*pageBytes : (i+1)*pageBytes]
			old, new := bytes.Count(page, []byte("a")), bytes.Count(page, []byte("b"))
			if old+new != pageBytes || new%sectorBytes != 0 || (i < 2 || i >= 6) && new > 0 {
				t.Fatalf("seed %d: page %d has %d old and %d new bytes", seed, i, old, new)
			}
			switch new {
			case 0:
				seen["dropped"]++
			case pageBytes:
				seen["kept"]++
			default:
				seen["torn"]++
			}
		}
		if _, err := os.Stat(f.undo); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("seed %d: the undo directory is left: %v", seed, err)
		}
	}
	if len(seen) != 3 {
		t.Errorf("pages were %v, want some kept, some dropped and some torn", seen)
	}
}

func childNames(dir string) {
	put := func(name, content string, sync bool) {
		f, err := os.Create(filepath.Join(dir, name))
		must(err)
		_, err = f.WriteString(content)
		must(err)
		if sync {
			must(f.Sync())
		}
		must(f.Close())
	}
	put("old", "old", true)
	put("target", "before", true)
	put("gone", "gone", true)
	d, err := os.Open(dir)
	must(err)
	must(d.Sync())
	// All that follows may be undone, in the order of a journal from some point.
	put("new", "new", false)
	put("target.new", "after", true)
	must(os.Rename(filepath.Join(dir, "target.new"), filepath.Join(dir, "target")))
	must(os.Remove(filepath.Join(dir, "gone")))
	must(os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	must(os.Rename(filepath.Join(dir, "old"), filepath.Join(dir, "sub", "moved")))
}

func TestPowerLossOfNames(t *testing.T) {
	t.Parallel()
	// The states of the directory after each step, oldest first.
	journal := []string{
		"gone=gone new old=old target=before target.new=after",
		"gone=gone new old=old target=after",
		"new old=old target=after",
		"new old=old sub/ target=after",
		"new sub/ sub/moved=old target=after",
	}
	for _, tc := range []struct {
		name string
		o    Options
	}{{name: "journal"}, {name: "posix", o: Options{Strict: true}}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			seen := make(map[string]int)
			for seed := range uint64(60) {
				f := mountTest(t, tc.o)
				run(t, f, "names")
				if err := f.PowerLoss(random(seed)); err != nil {
					t.Fatal(err)
				}
				seen[listing(t, f.Backing())]++
			}
			for state, n := range seen {
				if !tc.o.Strict && !slices.Contains(journal, state) {
					t.Errorf("%d times a journal left %q", n, state)
				}
				if !strings.Contains(state, "old") || !strings.Contains(state, "target=") {
					t.Errorf("%d times what was synced is not there: %q", n, state)
				}
			}
			if len(seen) < 4 {
				t.Errorf("only %d states were seen: %v", len(seen), seen)
			}
		})
	}
}

// listing writes the files of a directory with their content; of "new", whose
// content was not synced, only the name.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		switch {
		case err != nil || rel == ".":
		case e.IsDir():
			all = append(all, rel+"/")
		case rel == "new":
			all = append(all, rel)
		default:
			content, err := os.ReadFile(path)
			all = append(all, rel+"="+string(content))
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

func childMap(dir string) {
	f, err := os.OpenFile(filepath.Join(dir, "mapped"), os.O_CREATE|os.O_RDWR, 0o600)
	must(err)
	must(f.Truncate(16 * pageBytes))
	m, err := unix.Mmap(int(f.Fd()), 0, 16*pageBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	must(err)
	copy(m, pages('a', 8))
	must(unix.Msync(m, unix.MS_SYNC))
	copy(m[4*pageBytes:], pages('b', 8)) // never synced
}

func TestMapped(t *testing.T) {
	t.Parallel()
	f := mountTest(t, Options{})
	run(t, f, "map")
	if err := f.Unmount(); err != nil {
		t.Fatal(err)
	}
	want := slices.Concat(pages('a', 4), pages('b', 8), pages(0, 4))
	if got, err := os.ReadFile(filepath.Join(f.Backing(), "mapped")); err != nil || !bytes.Equal(got, want) {
		t.Errorf("what a killed process wrote to its mapping is not there: %d bytes, %v", len(got), err)
	}
	fewest := 8
	for seed := range uint64(20) {
		f := mountTest(t, Options{})
		run(t, f, "map")
		if err := f.PowerLoss(random(seed)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(f.Backing(), "mapped"))
		if err != nil || !bytes.HasPrefix(got, pages('a', 4)) {
			t.Fatalf("seed %d: what was synced of a mapping is not there: %v", seed, err)
		}
		fewest = min(fewest, bytes.Count(got, pages('b', 1)))
	}
	if fewest > 0 {
		t.Errorf("at least %d pages of 8 that were not synced are always there", fewest)
	}
}

func childTruncate(dir string) {
	f, err := os.OpenFile(filepath.Join(dir, "file"), os.O_CREATE|os.O_RDWR, 0o600)
	must(err)
	_, err = f.WriteAt(pages('a', 4), 0)
	must(errors.Join(err, f.Sync()))
	must(f.Truncate(pageBytes + 100)) // not synced, from here on
	must(f.Truncate(6 * pageBytes))
	_, err = f.WriteAt(pages('b', 1), 2*pageBytes)
	must(err)
}

func TestPowerLossOfTruncations(t *testing.T) {
	t.Parallel()
	sizes := make(map[int]int)
	for seed := range uint64(60) {
		f := mountTest(t, Options{})
		run(t, f, "truncate")
		if err := f.PowerLoss(random(seed)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(f.Backing(), "file"))
		if errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("seed %d: the file is gone, which was synced", seed)
		}
		sizes[len(got)]++
		switch len(got) {
		case 4 * pageBytes:
			if !bytes.Equal(got, pages('a', 4)) {
				t.Errorf("seed %d: the truncation was undone and the content is another", seed)
			}
		case pageBytes + 100, 6 * pageBytes:
			if rest := bytes.Trim(got[pageBytes+100:], "b\x00"); len(rest) > 0 || !bytes.HasPrefix(got, pages('a', 1)) {
				t.Errorf("seed %d: what was cut off is there again: %q", seed, rest)
			}
		default:
			t.Errorf("seed %d: the file has %d bytes", seed, len(got))
		}
	}
	if len(sizes) != 3 {
		t.Errorf("sizes were %v, want all three", sizes)
	}
}

func childAppend(dir string) {
	f, err := os.OpenFile(filepath.Join(dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(err)
	for range 1000 {
		_, err := f.WriteString("0123456789abcdef")
		must(err)
	}
	must(f.Sync())
	for range 1000 {
		_, err := f.WriteString("fedcba9876543210")
		must(err)
	}
}

func TestPowerLossOfAppends(t *testing.T) {
	t.Parallel()
	least, most := 32000, 0
	for seed := range uint64(30) {
		f := mountTest(t, Options{})
		run(t, f, "append")
		if err := f.PowerLoss(random(seed)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(f.Backing(), "log"))
		if err != nil || !bytes.HasPrefix(got, bytes.Repeat([]byte("0123456789abcdef"), 1000)) {
			t.Fatalf("seed %d: what was synced is not there: %d bytes, %v", seed, len(got), err)
		}
		least, most = min(least, len(got)), max(most, len(got))
	}
	if least == most {
		t.Errorf("the file always has %d bytes", least)
	}
}

func childFull(dir string) {
	f, err := os.Create(filepath.Join(dir, "file"))
	must(err)
	n, err := f.Write(pages('a', 100))
	fmt.Println(n/pageBytes, errors.Is(err, syscall.ENOSPC))
	_, err = f.WriteAt(pages('b', 10), 0)
	fmt.Println("over", err)
	var st unix.Statfs_t
	must(unix.Statfs(dir, &st))
	fmt.Println("free", st.Bavail)
	must(f.Truncate(0))
	must(unix.Statfs(dir, &st))
	fmt.Println("free", st.Bavail*uint64(st.Bsize)/pageBytes)
	fmt.Println(unix.Fallocate(int(f.Fd()), 0, 0, 41*pageBytes) == unix.ENOSPC, unix.Fallocate(int(f.Fd()), 0, 0, 40*pageBytes))
}

func TestFull(t *testing.T) {
	t.Parallel()
	f := mountTest(t, Options{})
	f.SetFree(40 * pageBytes)
	want := []string{"40 true", "over <nil>", "free 0", "free 40", "true <nil>"}
	if got := run(t, f, "full"); !slices.Equal(got, want) {
		t.Errorf("on a disk with 40 pages: %q, want %q", got, want)
	}
}

func childErrors(dir string) {
	f, err := os.Create(filepath.Join(dir, "file"))
	must(err)
	_, err = f.WriteString("first")
	fmt.Println("write", err == nil)
	fmt.Println("fsync", errors.Is(f.Sync(), syscall.EIO))
	_, err = os.Create(filepath.Join(dir, "other"))
	fmt.Println("create", errors.Is(err, syscall.EROFS))
}

func TestErrors(t *testing.T) {
	t.Parallel()
	f := mountTest(t, Options{})
	var ops []string
	f.OnOp(func(op Op) Verdict {
		if op.Kind.Changes() {
			ops = append(ops, op.Kind.String()+" "+op.Path)
		}
		switch {
		case op.Kind == Fsync:
			return Verdict{Errno: syscall.EIO}
		case op.Kind == Create && op.Path == "other":
			return Verdict{Errno: syscall.EROFS}
		}
		return Verdict{}
	})
	if got, want := run(t, f, "errors"), []string{"write true", "fsync true", "create true"}; !slices.Equal(got, want) {
		t.Errorf("errors seen: %q, want %q", got, want)
	}
	f.OnOp(nil)
	if want := []string{"create file", "write file", "fsync file", "create other"}; !slices.Equal(ops, want) {
		t.Errorf("requests = %q, want %q", ops, want)
	}
}

func childRetry(dir string) {
	f, err := os.Create(filepath.Join(dir, "file"))
	must(err)
	_, err = f.Write(pages('a', 4))
	must(err)
	fmt.Println(f.Sync() != nil, f.Sync())
}

// TestFailedSync: the second fsync succeeds, and what the first one failed to
// write is lost.
func TestFailedSync(t *testing.T) {
	t.Parallel()
	lost := false
	for seed := range uint64(20) {
		f := mountTest(t, Options{})
		failed := false
		f.OnOp(func(op Op) Verdict {
			if op.Kind != Fsync || failed {
				return Verdict{}
			}
			failed = true
			return Verdict{Errno: syscall.EIO}
		})
		if got := run(t, f, "retry"); !slices.Equal(got, []string{"true <nil>"}) {
			t.Fatalf("fsync twice: %q", got)
		}
		if err := f.PowerLoss(random(seed)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(f.Backing(), "file"))
		if err != nil || len(got) != 4*pageBytes {
			t.Fatalf("seed %d: %d bytes, %v", seed, len(got), err)
		}
		lost = lost || !bytes.Equal(got, pages('a', 4))
	}
	if !lost {
		t.Error("what an fsync failed to write was there in all of 20 runs")
	}
}

func TestFlip(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	was := slices.Concat(make([]byte, 5000), []byte("content"), make([]byte, 5000))
	path := filepath.Join(dir, "sub", "00001.mem")
	if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o700), os.WriteFile(path, was, 0o600)); err != nil {
		t.Fatal(err)
	}
	inContent := 0
	for seed := range uint64(40) {
		where, err := Flip(dir, random(seed), "*.mem")
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got[where.Offset] != was[where.Offset]^1<<where.Bit {
			t.Fatalf("%s: the byte is %x, was %x", where, got[where.Offset], was[where.Offset])
		}
		if was[where.Offset] != 0 {
			inContent++
		}
		got[where.Offset] = was[where.Offset]
		if !bytes.Equal(got, was) {
			t.Fatalf("%s: more than that changed", where)
		}
		if err := os.WriteFile(path, was, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if inContent < 15 || inContent == 40 {
		t.Errorf("%d of 40 bits were in the content", inContent)
	}
	if _, err := Flip(dir, random(1), "*.sst"); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Flip of a file that is not there = %v, want ErrNotFound", err)
	}
}
