package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"kaijutsu"
)

func init() { children["diskdies"] = childDiskDies }

// TestPowerLoss copies the disk under a frozen writer: what the file system
// has not been told to sync is not in the copy.
func TestPowerLoss(t *testing.T) {
	t.Parallel()
	image := filepath.Join(t.TempDir(), "image")
	mount := mountImage(t, image, 512, "commit=300") // no sync of its own in between
	var writes, covers [crashDocs]uint64
	for round := range rounds(3) {
		c := startChild(t, "append", filepath.Join(mount, "store"))
		c.line(t)
		pause(time.Duration(50+rand.IntN(1000)) * time.Millisecond)
		if err := c.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		pause(100 * time.Millisecond) // what was asked of the disk gets there
		after := filepath.Join(t.TempDir(), "image")
		if out, err := exec.Command("cp", "--sparse=always", image, after).CombinedOutput(); err != nil {
			t.Fatalf("cp: %v %s", err, out)
		}
		readAcks(c.kill(), writes[:], covers[:])

		dir := mountImage(t, after, 0, "")
		s := openTest(t, Options{Dir: filepath.Join(dir, "store")})
		checkCrashed(t, s, writes[:], covers[:])
		closeTest(t, s)
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	var total uint64
	for _, n := range writes {
		total += n
	}
	t.Logf("%d writes acknowledged and found", total)
}

// mountImage mounts an image by way of a loop device, making it first unless
// mebibytes is 0.
func mountImage(t *testing.T, image string, mebibytes int, options string) string {
	t.Helper()
	dir := t.TempDir()
	var commands [][]string
	if mebibytes > 0 {
		if err := os.WriteFile(image, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(image, int64(mebibytes)<<20); err != nil {
			t.Fatal(err)
		}
		commands = append(commands, []string{"mkfs.ext4", "-q", "-m", "0", image})
	}
	commands = append(commands, []string{"mount", "-o", strings.Trim("loop,"+options, ","), image, dir})
	for _, args := range commands {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Skipf("cannot mount a disk of our own: %s: %v %s", strings.Join(args, " "), err, out)
		}
	}
	t.Cleanup(func() {
		err := unix.Unmount(dir, 0)
		for tries := 0; err == unix.EBUSY && tries < 100; tries++ { // the kernel still writes for who has ended
			pause(50 * time.Millisecond)
			err = unix.Unmount(dir, 0)
		}
		if err != nil && err != unix.EINVAL { // not mounted any more
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
	return dir
}

// childDiskDies goes on when the disk answers with errors only.
func childDiskDies(dir string) int {
	ctx := context.Background()
	s, err := Open(Options{Dir: filepath.Join(dir, "store")})
	must(err)
	const n = 300
	for i := range uint64(n) {
		must(commit(s, ctx, testWrite(1, i, 1, 1000)))
	}
	mount, err := os.Open(dir)
	must(err)
	const ext4Shutdown, withoutLog = 0x8004587d, 2
	must(unix.IoctlSetPointerInt(int(mount.Fd()), ext4Shutdown, withoutLog))
	for range 30 {
		err := commit(s, ctx, testWrite(1, n, 1, 1000))
		if !errors.Is(err, kaijutsu.ErrUnavailable) || !strings.Contains(err.Error(), "input/output error") {
			panic(err)
		}
		if d, err := s.Load(ctx, testDoc(1)); err != nil || len(d.Changes) < n {
			panic(fmt.Sprint("reading: ", len(d.Changes), err))
		}
		pause(50 * time.Millisecond)
	}
	fmt.Println("trouble:", s.Trouble())
	if err := s.Close(); err == nil {
		panic("closed a store on a dead disk")
	}
	return 0
}

func TestDiskDies(t *testing.T) {
	t.Parallel()
	image := filepath.Join(t.TempDir(), "image")
	dir := mountImage(t, image, 128, "")
	c := startChild(t, "diskdies", dir)
	if got := c.line(t); !strings.Contains(got, "trouble: writing failed (input/output error)") {
		t.Errorf("child: %s", got)
	}
	if err := c.cmd.Wait(); err != nil {
		t.Fatalf("child: %v %s", err, c.stderr.String())
	}
	if err := unix.Unmount(dir, 0); err != nil {
		t.Fatal(err)
	}
	after := mountImage(t, image, 0, "")
	d := mustLoad(t, openTest(t, Options{Dir: filepath.Join(after, "store")}), 1)
	if len(d.Changes) > 300 { // the write that failed may have reached the disk
		d.Changes, d.Heads = d.Changes[:300], kaijutsu.Heads{testChange(1, 299, 1000).Hash}
	}
	checkChanges(t, d, 1, 0, 300, 1000)
}
