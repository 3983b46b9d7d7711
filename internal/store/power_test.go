package store

import (
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
)

// TestPowerLoss copies the disk under a frozen writer: what the file system
// has not been told to sync is not in the copy.
func TestPowerLoss(t *testing.T) {
	image := filepath.Join(t.TempDir(), "image")
	mount := mountImage(t, image, 512, "commit=300") // no sync of its own in between
	var writes, covers [crashDocs]uint64
	for round := range rounds(3) {
		c := startChild(t, "append", filepath.Join(mount, "store"))
		c.line(t)
		time.Sleep(time.Duration(50+rand.IntN(1000)) * time.Millisecond)
		if err := c.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond) // what was asked of the disk gets there
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
		if err := unix.Unmount(dir, 0); err != nil {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
	return dir
}

// readAcks raises the counts to what a child said was acknowledged.
func readAcks(out string, writes, covers []uint64) (lines int) {
	for line := range strings.Lines(out) {
		var kind byte
		var doc, n uint64
		if _, err := fmt.Sscanf(line, "%c %d %d\n", &kind, &doc, &n); err != nil {
			continue // cut by the kill
		}
		lines++
		if kind == 'w' {
			writes[doc] = max(writes[doc], n+1)
		} else {
			covers[doc] = max(covers[doc], n)
		}
	}
	return lines
}
