package main

import (
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// maxStack bounds the stack of one goroutine. No data makes the server recurse
// deeply; what does is a mistake, and is to end before it takes all memory.
const maxStack = 256 << 20

// limitMemory bounds what the process takes, in bytes, and returns the limit: as
// given, else nine tenths of what the container may have, else 0 for none. The
// environment variable GOMEMLIMIT goes before the container's.
func limitMemory(given int64) int64 {
	debug.SetMaxStack(maxStack)
	if given <= 0 {
		if now := debug.SetMemoryLimit(-1); now < math.MaxInt64 {
			return now
		}
		given = containerMemory() / 10 * 9
	}
	if given > 0 {
		debug.SetMemoryLimit(given)
	}
	return given
}

// containerMemory returns how much memory the control group of this process may
// have, 0 when that is not bounded or not known.
func containerMemory() int64 {
	for _, path := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if err == nil && n > 0 && n < 1<<50 { // version 1 says 2^63-4096 for none
			return n
		}
	}
	return 0
}
