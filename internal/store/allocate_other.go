//go:build !linux

package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// allocates reports whether files get their space before they are mapped.
const allocates = false

func allocateManifest(string) error { return nil }

// reserveSpace gives a file blocks for n bytes.
func reserveSpace(f *os.File, n int64) error { return writeZeros(f, n) }

func mountedReadOnly(st *unix.Statfs_t) bool { return st.Flags&unix.MNT_RDONLY != 0 }
