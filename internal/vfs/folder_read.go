package vfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"kaijutsu"
)

const (
	// maxEntries bounds what a directory may hold to be listed.
	maxEntries = 100_000
	// entriesAtOnce is how many entries are read between looks at the context.
	entriesAtOnce = 1024
)

// List describes what a directory holds, by name. What has a name that Clean
// refuses is left out, as nobody could ask for it. A directory of more than
// 100,000 entries is kaijutsu.ErrTooLarge.
func (f *Folder) List(ctx context.Context, name string) ([]Info, error) {
	name, info, err := f.lstat("list", name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("list %q: %w", name, ErrNotDirectory)
	}
	// The open never waits: what is no directory, it does not open.
	dir, err := f.root.OpenFile(name, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, problem("list", name, err)
	}
	defer dir.Close()
	var infos []Info
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		entries, err := dir.Readdir(entriesAtOnce)
		for _, entry := range entries {
			full := path.Join(name, entry.Name())
			if clean, err := Clean(full); err == nil && clean == full {
				infos = append(infos, f.describe(full, entry))
			}
		}
		switch {
		case len(infos) > maxEntries:
			return nil, fmt.Errorf("list %q: more than %d entries: %w", name, maxEntries, kaijutsu.ErrTooLarge)
		case errors.Is(err, io.EOF):
			slices.SortFunc(infos, func(a, b Info) int { return strings.Compare(a.Path, b.Path) })
			return infos, nil
		case err != nil:
			return nil, problem("list", name, err)
		}
	}
}

// Read returns the bytes of a regular file; a link that stays in the folder is
// followed.
func (f *Folder) Read(ctx context.Context, _ kaijutsu.Principal, name string, limit int64) ([]byte, Info, error) {
	name, err := Clean(name)
	if err != nil {
		return nil, Info{}, fmt.Errorf("read: %w", err)
	}
	file, info, err := f.openRegular("read", name)
	if err != nil {
		return nil, Info{}, err
	}
	defer file.Close()
	out := f.describe(name, info)
	limit = readLimit(limit)
	if out.Size > limit {
		return nil, out, tooLarge(name, out.Size, limit)
	}
	data, err := readAtMost(ctx, file, out.Size, limit)
	switch {
	case errors.Is(err, kaijutsu.ErrTooLarge):
		return nil, out, tooLarge(name, limit+1, limit)
	case err != nil:
		return nil, out, problem("read", name, err)
	}
	out.Size, out.Binary, out.Hash = int64(len(data)), IsBinary(data), HashOf(data)
	return data, out, nil
}

// openRegular opens a regular file and nothing else. It never waits for the
// other end of a pipe, and opens no device: those it does not try, and one that
// comes in between is opened without waiting, and closed.
func (f *Folder) openRegular(doing, name string) (*os.File, fs.FileInfo, error) {
	info, err := f.root.Stat(name)
	if err == nil {
		err = regular(info.Mode())
	}
	if err != nil {
		return nil, nil, problem(doing, name, err)
	}
	file, err := f.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, problem(doing, name, err)
	}
	if info, err = file.Stat(); err == nil {
		err = regular(info.Mode())
	}
	if err != nil {
		file.Close()
		return nil, nil, problem(doing, name, err)
	}
	return file, info, nil
}

// regular returns an error for what is no regular file.
func regular(m fs.FileMode) error {
	switch kindOf(m) {
	case KindFile:
		return nil
	case KindDir:
		return ErrIsDirectory
	case KindSymlink:
		return errSymlink
	}
	return errNotRegular
}

// portion is how much is read between looks at the context.
const portion = 1 << 20

// readAtMost reads to the end of a file, which has size bytes as far as is
// known and may grow meanwhile. More than limit bytes are kaijutsu.ErrTooLarge.
func readAtMost(ctx context.Context, file io.Reader, size, limit int64) ([]byte, error) {
	data := make([]byte, 0, max(512, min(size, limit, portion)+1))
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(data) == cap(data) {
			data = slices.Grow(data, int(min(portion, max(512, size-int64(len(data))+1))))
		}
		n, err := file.Read(data[len(data):min(cap(data), len(data)+portion)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > limit:
			return nil, kaijutsu.ErrTooLarge
		case errors.Is(err, io.EOF):
			return data, nil
		case err != nil:
			return nil, err
		}
	}
}
