package vfs

import "io/fs"

// Stamp tells versions of a file apart without reading it. It is comparable;
// the zero value is that of no file. Two stamps that differ may be of the same
// bytes; two that are equal are of the same bytes but for writes within the
// clock's tick, and those by programs that set times.
type Stamp struct {
	Size         int64
	MTime, CTime int64 // nanoseconds since 1970
	Ino, Dev     uint64
	Mode         uint32 // as the system has it, type and permissions
}

// StampOf returns the stamp of a file that os, or an os.Root, described. Where
// the system has no such numbers they are 0.
func StampOf(info fs.FileInfo) Stamp { return stampOf(info) }
