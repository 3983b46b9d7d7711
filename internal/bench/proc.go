package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// tick is the unit of processor time in /proc: 100 per second on every Linux.
const tick = 10 * time.Millisecond

// cpuOf returns the processor time that a process has used, all its threads,
// user and system; in steps of 10 ms where the system has no finer clock.
func cpuOf(pid int) (time.Duration, error) {
	if used, ok := cpuClock(pid); ok {
		return used, nil
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, fmt.Errorf("processor time of process %d: %w", pid, err)
	}
	// The command's name may hold anything; what follows its parenthesis not.
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	const utime, stime = 11, 12 // fields 14 and 15 of proc(5), after pid and name
	if len(fields) <= stime {
		return 0, fmt.Errorf("processor time of process %d: %d fields", pid, len(fields))
	}
	var ticks int64
	for _, f := range []string{fields[utime], fields[stime]} {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("processor time of process %d: %w", pid, err)
		}
		ticks += n
	}
	return time.Duration(ticks) * tick, nil
}

// cpuOfMachine returns the time that the machine's processors were busy, with
// anything.
func cpuOfMachine() (time.Duration, error) {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, fmt.Errorf("processor time of the machine: %w", err)
	}
	line, _, _ := strings.Cut(string(b), "\n")
	fields := strings.Fields(line)
	var ticks int64
	for i, f := range fields {
		const user, idle, iowait, steal = 1, 4, 5, 8 // guest time is part of user time
		if i < user || i == idle || i == iowait || i > steal {
			continue
		}
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("processor time of the machine: %w", err)
		}
		ticks += n
	}
	return time.Duration(ticks) * tick, nil
}

// cpuOfSelf returns the processor time that this process has used.
func cpuOfSelf() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// memory is the resident memory of a process in bytes: all of it, the most that
// there was, and what is not part of a file that the kernel could read again,
// such as the program.
type memory struct{ resident, peak, private int64 }

func memoryOf(pid int) (memory, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return memory{}, fmt.Errorf("memory of process %d: %w", pid, err)
	}
	var m memory
	for line := range strings.Lines(string(b)) {
		name, value, _ := strings.Cut(line, ":")
		into := map[string]*int64{"VmRSS": &m.resident, "VmHWM": &m.peak, "RssAnon": &m.private}[name]
		if into == nil {
			continue
		}
		kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err != nil {
			return memory{}, fmt.Errorf("memory of process %d: %w", pid, err)
		}
		*into = kib << 10
	}
	return m, nil
}

// diskUse returns the bytes that the files below dir take on the disk, as du
// counts them.
func diskUse(dir string) (int64, error) {
	var sum int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return ignoreGone(err)
		}
		info, err := d.Info()
		if err != nil {
			return ignoreGone(err)
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			sum += st.Blocks * 512
		}
		return nil
	})
	return sum, err
}

// ignoreGone forgives a file that went away while we looked.
func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func megabytes(n int64) float64 { return float64(n) / 1e6 }
