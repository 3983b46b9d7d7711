package backup

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kaijutsu"
)

// files are those of a backup, in a directory or in a tar file. Names have
// slashes.
type files interface {
	// dirs lists the directories of runs, by any name.
	dirs() ([]string, error)
	// open opens a file and says how large it is; the error wraps
	// fs.ErrNotExist when there is none.
	open(name string) (io.ReadCloser, int64, error)
	io.Closer
}

func readFile(f files, name string) ([]byte, error) {
	in, _, err := f.open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(in)
}

// dirFiles are in a directory.
type dirFiles string

func (d dirFiles) dirs() ([]string, error) {
	entries, err := os.ReadDir(string(d))
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, err
}

func (d dirFiles) open(name string) (io.ReadCloser, int64, error) {
	f, err := os.Open(filepath.Join(string(d), filepath.FromSlash(name)))
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

func (d dirFiles) Close() error { return nil }

// tarFiles are in a tar file.
type tarFiles struct {
	f  *os.File
	at map[string]*io.SectionReader
}

func openTar(name string) (*tarFiles, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	t := &tarFiles{f: f, at: map[string]*io.SectionReader{}}
	r := tar.NewReader(f)
	for {
		h, err := r.Next()
		if err == io.EOF && len(t.at) > 0 {
			return t, nil
		}
		var at int64
		if err == nil {
			at, err = f.Seek(0, io.SeekCurrent)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("it is damaged, or no backup: %v: %w", err, kaijutsu.ErrInvalid), f.Close())
		}
		t.at[h.Name] = io.NewSectionReader(f, at, h.Size)
	}
}

func (t *tarFiles) dirs() ([]string, error) {
	names := map[string]bool{}
	for name := range t.at {
		if dir, _, ok := strings.Cut(name, "/"); ok {
			names[dir] = true
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
}

func (t *tarFiles) open(name string) (io.ReadCloser, int64, error) {
	r, ok := t.at[name]
	if !ok {
		return nil, 0, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return io.NopCloser(io.NewSectionReader(r, 0, r.Size())), r.Size(), nil
}

func (t *tarFiles) Close() error { return t.f.Close() }

// writeTar puts the files of the one run in a directory into a tar file.
func writeTar(w io.Writer, dir string, m *Manifest) error {
	out := tar.NewWriter(w)
	names := []string{runName(m.Run) + "/" + manifestName}
	for _, f := range m.files() {
		names = append(names, f.Name)
	}
	for _, name := range names {
		in, size, err := dirFiles(dir).open(name)
		if err != nil {
			return err
		}
		err = out.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: m.At})
		if err == nil {
			_, err = io.Copy(out, in)
		}
		if err = errors.Join(err, in.Close()); err != nil {
			return err
		}
	}
	return out.Close()
}
