package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"kaijutsu"
)

func init() {
	children["diskfull"] = childDiskFull
	children["fds"] = childFileDescriptors
}

// mountSmall mounts a disk of a few megabytes, or skips the test.
func mountSmall(t *testing.T, fstype string, mebibytes int) string {
	t.Helper()
	dir := t.TempDir()
	switch fstype {
	case "tmpfs":
		if err := unix.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dm", mebibytes)); err != nil {
			t.Skipf("cannot mount a small disk: %v", err)
		}
	case "ext4":
		return mountImage(t, filepath.Join(t.TempDir(), "image"), mebibytes, "")
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
	return dir
}

// fill writes a file of n bytes, or until the disk is full when n is 0.
func fill(path string, n int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	block := make([]byte, 64<<10)
	for written := 0; n == 0 || written < n; written += len(block) {
		if _, err := f.Write(block); errors.Is(err, syscall.ENOSPC) && n == 0 {
			return nil
		} else if err != nil {
			return err
		}
	}
	return f.Sync()
}

// diskFullWrites commits to documents in turn until the store refuses, and
// returns how many writes of each document there are now.
func diskFullWrites(s *Store, acked []uint64, upTo uint64) error {
	for doc := uint64(0); ; doc = (doc + 1) % uint64(len(acked)) {
		if acked[doc] == upTo {
			return nil
		}
		size := 2000
		if doc == 1 {
			size = 300 << 10
		}
		if err := commit(s, context.Background(), testWrite(doc, acked[doc], 1, size)); err != nil {
			return err
		}
		acked[doc]++
		fmt.Println("w", doc, acked[doc]-1)
	}
}

// diskFullSome makes ten more writes to each document. Compactions may need
// the room first.
func diskFullSome(s *Store, acked []uint64) {
	for start, goal := time.Now(), acked[0]+10; ; pause(50 * time.Millisecond) {
		err := diskFullWrites(s, acked, goal)
		if err == nil {
			return
		}
		if !errors.Is(err, kaijutsu.ErrUnavailable) || time.Since(start) > 20*time.Second {
			panic(err)
		}
	}
}

// diskFullStorm fills the disk to the last byte and empties it again, over and
// over, while writes, flushes and compactions are under way.
func diskFullStorm(s *Store, dir string) {
	var stop atomic.Bool
	var wg sync.WaitGroup
	for i := range 4 {
		// The same records over and over, so that the store does not grow.
		name, data := fmt.Sprint("storm/", i), make([]byte, maxRecordBytes)
		wg.Go(func() {
			for !stop.Load() {
				if s.PutRecord(context.Background(), name, data) != nil {
					pause(time.Millisecond)
				}
			}
		})
	}
	for range rounds(15) {
		must(fill(filepath.Join(dir, "filler"), 0))
		must(os.Remove(filepath.Join(dir, "filler")))
		pause(100 * time.Millisecond) // of which the writers make use
	}
	stop.Store(true)
	wg.Wait()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// childDiskFull lives through a disk that fills and empties.
func childDiskFull(dir string) int {
	ctx := context.Background()
	open := func() *Store {
		s, err := Open(Options{Dir: filepath.Join(dir, "store"), MinFree: 1 << 20})
		must(err)
		return s
	}
	acked := make([]uint64, 4)
	refused := func(s *Store, err error) {
		if !errors.Is(err, kaijutsu.ErrUnavailable) || !strings.Contains(err.Error(), "are kept in reserve") {
			panic(fmt.Sprint("not refused for want of space: ", err))
		}
		if s.Trouble() == nil {
			panic("no trouble")
		}
		for doc := range acked {
			if d, err := s.Load(ctx, testDoc(uint64(doc))); err != nil || uint64(len(d.Changes)) != acked[doc] {
				panic(fmt.Sprint("reading with a full disk: ", len(d.Changes), err))
			}
		}
	}
	// Our own writes fill the disk up to the reserve.
	must(fill(filepath.Join(dir, "ballast"), 40<<20))
	s := open()
	if err := diskFullWrites(s, acked, 1<<40); !errors.Is(err, kaijutsu.ErrUnavailable) {
		panic(err)
	}
	// Somebody else fills it to the last byte.
	must(fill(filepath.Join(dir, "filler"), 0))
	refused(s, s.PutSnapshot(ctx, testDoc(0), Snapshot{Covers: 1, Chunk: make([]byte, 1<<20)}))
	refused(s, s.PutRecord(ctx, "x", nil))
	for range 5 {
		refused(s, diskFullWrites(s, acked, 1<<40))
		pause(300 * time.Millisecond) // let Badger and the keeper do what they do
	}
	// It empties again: neither a restart nor a write is needed.
	must(os.Remove(filepath.Join(dir, "filler")))
	must(os.Remove(filepath.Join(dir, "ballast")))
	for start := time.Now(); s.Trouble() != nil; pause(50 * time.Millisecond) {
		if time.Since(start) > 20*time.Second {
			panic(s.Trouble())
		}
	}
	diskFullSome(s, acked)
	if s.Trouble() != nil {
		panic(s.Trouble())
	}
	diskFullStorm(s, dir)
	must(s.Close())
	// It is full when we close, with writes in memory.
	s = open()
	diskFullSome(s, acked)
	must(fill(filepath.Join(dir, "filler"), 0))
	fmt.Println("close:", s.Close())
	return 0
}

func TestDiskFull(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		fstype string
		size   int // MiB
	}{{"tmpfs", 96}, {"ext4", 96}} {
		t.Run(tc.fstype, func(t *testing.T) {
			dir := mountSmall(t, tc.fstype, tc.size)
			c := startChild(t, "diskfull", dir)
			acked := make([]uint64, 4)
			clean := false
			for {
				line, err := c.out.ReadString('\n')
				if err != nil {
					break
				}
				var doc, n uint64
				if _, err := fmt.Sscanf(line, "w %d %d\n", &doc, &n); err == nil {
					acked[doc] = n + 1
				} else {
					clean = clean || line == "close: <nil>\n"
					t.Log("child: ", strings.TrimSpace(line))
				}
			}
			if err := c.cmd.Wait(); err != nil {
				t.Fatalf("child: %v %s", err, c.stderr.String())
			}
			t.Log("acknowledged ", acked)
			o := Options{Dir: filepath.Join(dir, "store"), MinFree: 1 << 20}
			if s, err := Open(o); err == nil && clean { // thanks to the ballast
				closeTest(t, s)
			} else if err == nil {
				s.Close()
				t.Error("Open after a crash with a full disk succeeded, want it refused")
			} else if !errors.Is(err, kaijutsu.ErrUnavailable) || !strings.Contains(err.Error(), "free some space") {
				t.Errorf("Open after a crash with a full disk = %v", err)
			}
			if err := os.Remove(filepath.Join(dir, "filler")); err != nil {
				t.Fatal(err)
			}
			s := openTest(t, o)
			for doc, n := range acked {
				size := 2000
				if doc == 1 {
					size = 300 << 10
				}
				checkChanges(t, mustLoad(t, s, uint64(doc)), uint64(doc), 0, n, size)
			}
			closeTest(t, s)

			// Closed properly, a store can be read with a full disk.
			if err := fill(filepath.Join(dir, "filler"), 0); err != nil {
				t.Fatal(err)
			}
			s = openTest(t, o)
			if got := mustLoad(t, s, 0); uint64(len(got.Changes)) != acked[0] {
				t.Errorf("read-only store has %d changes, want %d", len(got.Changes), acked[0])
			}
			if err := commit(s, context.Background(), testWrite(0, acked[0], 1, 10)); !errors.Is(err, kaijutsu.ErrUnavailable) {
				t.Errorf("Commit to a full disk = %v, want %v", err, kaijutsu.ErrUnavailable)
			}
			if err := os.Remove(filepath.Join(dir, "filler")); err != nil {
				t.Fatal(err)
			}
			mustCommit(t, s, testWrite(0, acked[0], 1, 10))
			closeTest(t, s)
		})
	}
}

// childFileDescriptors runs out of file descriptors when Badger needs its next
// log, after which another write to Badger would end the process.
func childFileDescriptors(dir string) int {
	ctx := context.Background()
	s, err := Open(Options{Dir: dir})
	must(err)
	var limit unix.Rlimit
	must(unix.Getrlimit(unix.RLIMIT_NOFILE, &limit))
	files, err := os.ReadDir("/proc/self/fd")
	must(err)
	must(unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: uint64(len(files)), Max: limit.Max}))
	n := uint64(0)
	for ; err == nil; n++ {
		err = commit(s, ctx, testWrite(1, n, 1, 50_000))
	}
	n--
	fmt.Println("error:", err)
	if !errors.Is(err, kaijutsu.ErrUnavailable) {
		panic(err)
	}
	for range 3 {
		if err := commit(s, ctx, testWrite(1, n, 1, 50_000)); !errors.Is(err, kaijutsu.ErrUnavailable) {
			panic(fmt.Sprint("while it lasts: ", err))
		}
	}
	must(unix.Setrlimit(unix.RLIMIT_NOFILE, &limit))
	for start := time.Now(); ; pause(50 * time.Millisecond) {
		err := commit(s, ctx, testWrite(1, n, 1, 50_000))
		if err == nil {
			break
		}
		if time.Since(start) > 20*time.Second {
			panic(err)
		}
	}
	for i := n + 1; i < n+100; i++ {
		must(commit(s, ctx, testWrite(1, i, 1, 50_000)))
	}
	d, err := s.Load(ctx, testDoc(1))
	must(err)
	for i, c := range d.Changes {
		if c.Hash != testChange(1, uint64(i), 50_000).Hash {
			panic(fmt.Sprint("change ", i, " is not what was written"))
		}
	}
	fmt.Println("changes:", len(d.Changes), "want:", n+100)
	if s.Trouble() != nil {
		panic(s.Trouble())
	}
	must(s.Close())
	return 0
}

func TestOutOfFileDescriptors(t *testing.T) {
	t.Parallel()
	c := startChild(t, "fds", t.TempDir())
	if got := c.line(t); !strings.Contains(got, "the store only reads until the disk works again") {
		t.Errorf("child: %s", got)
	}
	var got, want int
	if _, err := fmt.Sscanf(c.line(t), "changes: %d want: %d", &got, &want); err != nil || got != want {
		t.Errorf("after it: %d changes, want %d", got, want)
	}
	if err := c.cmd.Wait(); err != nil {
		t.Errorf("child: %v %s", err, c.stderr.String())
	}
}

func TestFilesGetTheirSpace(t *testing.T) {
	if !allocates {
		t.Fatal("golang.org/x/sys/unix maps by other means now: a full disk can end the process; see allocate_linux.go")
	}
	dir := t.TempDir()
	s := openTest(t, Options{Dir: dir})
	defer s.Close()
	var st unix.Stat_t
	if err := unix.Stat(only(t, dir, ".mem"), &st); err != nil || st.Blocks*512 < memtableBytes {
		t.Errorf("the log has %d bytes of space, %v; want %d or more", st.Blocks*512, err, memtableBytes)
	}
	if log := only(t, dir, ".vlog"); !strings.Contains(mappingOf(t, log), " rw-p ") {
		t.Errorf("the value log is mapped as %q; want it private, so that no commit waits for it", mappingOf(t, log))
	}
	if err := unix.Stat(s.manifest(), &st); err != nil || st.Blocks*512 < st.Size+manifestAhead {
		t.Errorf("the manifest has %d bytes of space for %d, %v; want %d more", st.Blocks*512, st.Size, err, manifestAhead)
	}
}

// mappingOf returns the line of this process's mappings that names a file.
func mappingOf(t *testing.T, path string) string {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(maps)) {
		if strings.HasSuffix(strings.TrimSpace(line), path) {
			return line
		}
	}
	return ""
}
