package vfs

import (
	"path/filepath"
	"testing"
)

func BenchmarkReplace(b *testing.B) {
	dir := b.TempDir()
	f, err := OpenFolder(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if err := f.SetScratch(filepath.Join(b.TempDir(), "scratch")); err != nil {
		b.Fatal(err)
	}
	text := make([]byte, 20_000)
	if _, err := f.Replace("f", text, 0, func([]byte, Stamp, bool) error { return nil }, nil); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := f.Replace("f", text, 0, func([]byte, Stamp, bool) error { return nil }, nil); err != nil {
			b.Fatal(err)
		}
	}
}
