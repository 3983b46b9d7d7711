package vfs

import (
	"io/fs"
	"syscall"
)

func stampOf(info fs.FileInfo) Stamp {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Stamp{Size: info.Size(), MTime: info.ModTime().UnixNano(), Mode: uint32(info.Mode())}
	}
	return Stamp{
		Size: st.Size, MTime: st.Mtim.Nano(), CTime: st.Ctim.Nano(),
		Ino: st.Ino, Dev: uint64(st.Dev), Mode: st.Mode,
	}
}
