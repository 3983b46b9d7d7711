package diskwatch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// limited runs a test again in a user namespace of its own, in which the system
// gives that many inotify watches and instances. It reports whether this is
// that process.
func limited(t *testing.T, watches, instances int) bool {
	t.Helper()
	const mark = "KAIJUTSU_LIMITED_TEST"
	if os.Getenv(mark) == t.Name() {
		for file, n := range map[string]int{"max_inotify_watches": watches, "max_inotify_instances": instances} {
			if err := os.WriteFile(filepath.Join("/proc/sys/user", file), fmt.Append(nil, n), 0); err != nil {
				fmt.Println("NOT POSSIBLE:", err)
				os.Exit(0)
			}
		}
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), mark+"="+t.Name())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	switch {
	case strings.Contains(string(out), "NOT POSSIBLE"), err != nil && len(out) == 0:
		t.Skipf("no user namespace to lower the limit in: %v %s", err, out)
	case err != nil:
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
	return false
}

// TestWatchLimit covers more directories than the system has watches for: the
// rest is looked at again and again, and Stats says so.
func TestWatchLimit(t *testing.T) {
	if !limited(t, 3, 10) {
		return
	}
	root := t.TempDir()
	w := open(t, 20*time.Millisecond)
	var files []string
	for i := range 8 {
		file := filepath.Join(root, fmt.Sprint("d", i), "f")
		must(t, os.Mkdir(filepath.Dir(file), 0o755))
		write(t, file, "old")
		files = append(files, file)
	}
	add(t, w, files...)
	s := w.Stats()
	if s.Dirs != 8 || s.Polled != 5 || !strings.Contains(s.Degraded, "no space left") {
		t.Errorf("stats = %+v, want 5 of 8 directories polled, for want of space", s)
	}
	for _, file := range files {
		write(t, file, "new text")
	}
	await(t, w, files...)
	for _, file := range files[:5] { // watches become free
		w.Remove(file)
	}
	w.Poke()
	write(t, files[7], "newer text")
	await(t, w, files[7])
	w.Poke()
	write(t, files[6], "newer text")
	await(t, w, files[6])
	if s := w.Stats(); s.Polled != 0 || s.Degraded != "" {
		t.Errorf("stats = %+v, want none polled", s)
	}
}

// TestNoInstance covers a system that gives no inotify at all.
func TestNoInstance(t *testing.T) {
	if !limited(t, 0, 0) {
		return
	}
	file := filepath.Join(t.TempDir(), "sub", "f")
	w := open(t, 10*time.Millisecond)
	add(t, w, file)
	if s := w.Stats(); s.Polled != 1 || s.Degraded == "" {
		t.Errorf("stats = %+v, want one directory polled", s)
	}
	must(t, os.Mkdir(filepath.Dir(file), 0o755))
	write(t, file, "new")
	await(t, w, file)
	must(t, os.RemoveAll(filepath.Dir(file)))
	await(t, w, file)
}
