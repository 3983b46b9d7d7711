package bench

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// machine is what the numbers were measured on.
type machine struct {
	cores      int
	processor  string
	kernel     string
	goVersion  string
	node       string // empty without rivals
	filesystem string // of the data directories
	fsync      time.Duration
}

func inspectMachine(ctx context.Context, dir string, rivals bool) machine {
	m := machine{
		cores: runtime.NumCPU(), goVersion: runtime.Version(),
		processor: firstMatch("/proc/cpuinfo", "model name"),
		kernel:    strings.TrimSpace(runtime.GOOS + " " + read("/proc/sys/kernel/osrelease")),
	}
	if rivals {
		out, _ := exec.CommandContext(ctx, "node", "--version").Output() // the start of the server says what is wrong
		m.node = strings.TrimSpace(string(out))
	}
	m.filesystem = filesystemOf(dir)
	m.fsync = fsyncMedian(dir)
	return m
}

func read(path string) string {
	b, _ := os.ReadFile(path) // absent outside Linux
	return strings.TrimSpace(string(b))
}

func firstMatch(path, key string) string {
	for line := range strings.Lines(read(path)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == key {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// filesystemOf returns the type of the file system that holds dir.
func filesystemOf(dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "unknown"
	}
	best, typ := "", "unknown"
	for line := range strings.Lines(read("/proc/self/mounts")) {
		f := strings.Fields(line)
		if len(f) < 3 {
			continue
		}
		inside := f[1] == "/" || dir == f[1] || strings.HasPrefix(dir, f[1]+"/")
		if inside && len(f[1]) >= len(best) {
			best, typ = f[1], f[2]
		}
	}
	return typ
}

// fsyncMedian returns what it takes to append 512 bytes to a file and wait for
// the disk: no server that does so for each edit can be faster.
func fsyncMedian(dir string) time.Duration {
	f, err := os.CreateTemp(dir, "fsync-")
	if err != nil {
		return 0
	}
	defer os.Remove(f.Name())
	defer f.Close()
	block := bytes.Repeat([]byte{1}, 512)
	took := make([]time.Duration, 0, 200)
	for range cap(took) {
		began := time.Now()
		if _, err := f.Write(block); err != nil || f.Sync() != nil {
			return 0
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took[len(took)/2]
}

// String is the machine in one line of Markdown.
func (m machine) String() string {
	s := fmt.Sprintf("%d × %s, %s, %s", m.cores, m.processor, m.kernel, m.goVersion)
	if m.node != "" {
		s += ", node " + m.node
	}
	return fmt.Sprintf("%s, data on %s; write of 512 bytes and fsync there: %.2f ms median", s, m.filesystem, millis(m.fsync))
}

// loadAverage returns the machine's load over the last minute, as text.
func loadAverage() string {
	first, _, _ := strings.Cut(read("/proc/loadavg"), " ")
	return first
}
