package git

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// staleAfter is when a lock of another machine, or of another container, is
// taken to be left behind: locks are held for milliseconds.
const staleAfter = 10 * time.Minute

const lockMarkPrefix = "kaijutsu:"

// lockMark is what locks of this process point to: kaijutsu:HOST:PID:START.
var lockMark = sync.OnceValue(func() string {
	return fmt.Sprintf("%s%s:%d:%s", lockMarkPrefix, thisHost(), os.Getpid(), thisStart())
})

// thisHost tells machines and containers apart, as far as process ids go.
var thisHost = sync.OnceValue(func() string {
	name, _ := os.Hostname()
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, _ := os.Readlink("/proc/self/ns/pid")
	sum := sha256.Sum256([]byte(name + "\x00" + string(boot) + "\x00" + space))
	return hex.EncodeToString(sum[:8])
})

var thisStart = sync.OnceValue(func() string {
	if s := startOf(os.Getpid()); s != "" {
		return s
	}
	var b [8]byte
	rand.Read(b[:])
	return "x" + hex.EncodeToString(b[:])
})

// startOf returns when a process began, in a form that tells it from others of
// its number; "" where the system does not say. See proc_pid_stat(5).
func startOf(pid int) string {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:]) // from the third on
	if len(fields) < 20 {
		return ""
	}
	return string(fields[19])
}

// dropStaleLock takes away a lock that a dead process of this program left, and
// reports whether it did.
func dropStaleLock(name string) bool {
	mark, err := os.Readlink(name)
	if err != nil || !leftBehind(name, mark) {
		return false
	}
	// Somebody else may do the same, and have a new lock by now: it is given
	// back then.
	aside := filepath.Join(filepath.Dir(name), "kaijutsu-"+rand.Text()+lockSuffix)
	if os.Rename(name, aside) != nil {
		return false
	}
	if now, err := os.Readlink(aside); err == nil && now == mark {
		return os.Remove(aside) == nil
	}
	if os.Link(aside, name) == nil {
		os.Remove(aside)
	}
	return false
}

// leftBehind reports whether a lock's mark is of a process that is no more.
func leftBehind(name, mark string) bool {
	rest, ours := strings.CutPrefix(mark, lockMarkPrefix)
	parts := strings.Split(rest, ":")
	if !ours || len(parts) != 3 {
		return false
	}
	pid, err := strconv.Atoi(parts[1])
	if err != nil || pid <= 0 {
		return false
	}
	if parts[0] != thisHost() {
		info, err := os.Lstat(name)
		return err == nil && time.Since(info.ModTime()) > staleAfter
	}
	if pid == os.Getpid() {
		return parts[2] != thisStart()
	}
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	start := startOf(pid)
	return start != "" && start != parts[2]
}

// dropStaleLocks takes away what a killed process of this program left locked
// in a worktree, and of the refs that it moves.
func (w *Worktree) dropStaleLocks() {
	paths := []string{
		filepath.Join(w.gitdir, "index"), filepath.Join(w.gitdir, "HEAD"),
		w.repo.refFile(w.gitdir, NotesRef), filepath.Join(w.repo.common, "packed-refs"),
	}
	if full, _, err := w.repo.resolveRef(w.gitdir, "HEAD"); err == nil && full != "HEAD" {
		paths = append(paths, w.repo.refFile(w.gitdir, full))
	}
	for _, path := range paths {
		if dropStaleLock(path + lockSuffix) {
			os.Remove(path + tempSuffix)
		}
	}
}
