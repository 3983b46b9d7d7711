package git

import (
	"compress/zlib"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"kaijutsu"
)

// deflaters keeps writers with their 1 MiB of tables. git's default for loose
// objects is the fastest level too.
var deflaters = sync.Pool{New: func() any {
	w, _ := zlib.NewWriterLevel(nil, zlib.BestSpeed) // the level is a valid one
	return w
}}

// writeObject stores an object and returns its name. One that the repository
// has already is not written again. Like git by default it does not ask the
// disk to sync: the file system's own order of writing protects it.
func (r *Repo) writeObject(kind objectKind, data []byte) (Hash, error) {
	h := hashObject(kind, data)
	has, err := r.hasObject(h)
	if err != nil {
		return "", fmt.Errorf("looking for object %s: %w", h, err)
	}
	if has {
		return h, nil
	}
	if err := r.writeLoose(h, kind, data); err != nil {
		return "", fmt.Errorf("writing object %s: %w", h, err)
	}
	if kind != blobKind { // a blob's data is its caller's; the others are of this package
		r.objects.cache.put(h, kind, data)
	}
	return h, nil
}

// writeLoose writes to a temporary file with the name that git's own garbage
// collection takes away after a crash, and renames it.
func (r *Repo) writeLoose(h Hash, kind objectKind, data []byte) error {
	dir := filepath.Join(r.common, "objects", string(h[:2]))
	f, err := os.CreateTemp(dir, "tmp_obj_*")
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return unwritable(err)
		}
		f, err = os.CreateTemp(dir, "tmp_obj_*")
	}
	if err != nil {
		return unwritable(err)
	}
	if err := deflate(f, kind, data); err != nil {
		os.Remove(f.Name())
		return unwritable(err)
	}
	if err := os.Rename(f.Name(), filepath.Join(dir, string(h[2:]))); err != nil {
		os.Remove(f.Name())
		return unwritable(err)
	}
	return nil
}

// deflate fills and closes f, which ends up readable by all and writable by
// nobody, as git leaves objects.
func deflate(f *os.File, kind objectKind, data []byte) error {
	w := deflaters.Get().(*zlib.Writer)
	defer deflaters.Put(w)
	w.Reset(f)
	_, err := w.Write(objectHeader(kind, len(data)))
	if err == nil {
		_, err = w.Write(data)
	}
	return errors.Join(err, w.Close(), f.Chmod(0o444), f.Close())
}

// unwritable makes kaijutsu.ErrUnavailable of what the disk said.
func unwritable(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w: %w", err, kaijutsu.ErrDenied)
	}
	return fmt.Errorf("%w: %w", err, kaijutsu.ErrUnavailable)
}
