package vfs

import (
	"fmt"
	"path/filepath"
	"strings"
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

// BenchmarkSearch is a search of 10,000 files of 2 KiB in 100 directories.
func BenchmarkSearch(b *testing.B) {
	f, err := OpenFolder(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	text := []byte(strings.Repeat("a line of text that is not what is searched for\n", 43))
	for i := range 10_000 {
		name := fmt.Sprintf("src/d%d/f%d.txt", i%100, i)
		if _, err := f.Write(bg, amy, name, text, WriteOptions{Parents: true}); err != nil {
			b.Fatal(err)
		}
	}
	table := NewTable()
	if err := table.Mount("/f", f, true); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if found, err := table.Search(bg, SearchSpec{Path: "/", Pattern: "need(le|y)"}); err != nil || found.Truncated {
			b.Fatal(found, err)
		}
	}
}
