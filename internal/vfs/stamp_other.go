//go:build !linux && !darwin

package vfs

import "io/fs"

func stampOf(info fs.FileInfo) Stamp {
	return Stamp{Size: info.Size(), MTime: info.ModTime().UnixNano(), Mode: uint32(info.Mode())}
}
