package faultfs

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"kaijutsu"
)

// Flipped says which bit is another now.
type Flipped struct {
	Path   string // below the directory
	Offset int64
	Bit    int
	Size   int64 // of the file
}

func (w Flipped) String() string {
	return fmt.Sprintf("bit %d of byte %d of %d of %s", w.Bit, w.Offset, w.Size, w.Path)
}

// Flip turns one bit round in a stored file that matches a pattern of
// filepath.Match, of its path below the directory or of its last element: of
// all matching files one that is not empty, and in it, three times of four, a
// byte that is not 0. The file must not be in use.
//
// The error wraps kaijutsu.ErrNotFound when there is no such file.
func Flip(dir string, r *rand.Rand, pattern string) (Flipped, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		whole, err := filepath.Match(pattern, rel)
		if last, _ := filepath.Match(pattern, filepath.Base(rel)); !whole && !last || err != nil {
			return err
		}
		if info, err := d.Info(); err == nil && info.Size() > 0 {
			files = append(files, rel)
		}
		return nil
	})
	if err != nil {
		return Flipped{}, err
	}
	if len(files) == 0 {
		return Flipped{}, fmt.Errorf("file %s in %s: %w", pattern, dir, kaijutsu.ErrNotFound)
	}
	w := Flipped{Path: files[r.IntN(len(files))], Bit: r.IntN(8)}
	return w, w.turn(dir, r)
}

func (w *Flipped) turn(dir string, r *rand.Rand) error {
	content, err := os.ReadFile(filepath.Join(dir, w.Path))
	if err != nil {
		return err
	}
	w.Size, w.Offset = int64(len(content)), r.Int64N(int64(len(content)))
	if used := len(content) - bytes.Count(content, []byte{0}); used > 0 && r.IntN(4) > 0 {
		w.Offset = nthUsed(content, r.IntN(used))
	}
	file, err := os.OpenFile(filepath.Join(dir, w.Path), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.WriteAt([]byte{content[w.Offset] ^ 1<<w.Bit}, w.Offset)
	return err
}

// nthUsed is where the n-th byte is, from 0, that is not 0.
func nthUsed(content []byte, n int) int64 {
	for i, b := range content {
		if b == 0 {
			continue
		}
		if n == 0 {
			return int64(i)
		}
		n--
	}
	return 0
}

// Flip turns a bit round in the backing directory.
func (f *FS) Flip(r *rand.Rand, pattern string) (Flipped, error) { return Flip(f.backing, r, pattern) }
