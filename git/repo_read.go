package git

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"kaijutsu"
)

// maxSmallFile bounds the small files of a repository: config, refs, state.
const maxSmallFile = 8 << 20

// readSmall returns the content of a regular file of at most 8 MiB; nil when
// there is none. It does not wait on a pipe that somebody put there.
func readSmall(path string) ([]byte, error) {
	data, err := readFile(path, maxSmallFile, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	return data, err
}

// readFile returns the content of a regular file of at most limit bytes. flags
// are added to those of open.
func readFile(path string, limit int64, flags int) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|flags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readRegular(f, path, limit)
}

func readRegular(f *os.File, path string, limit int64) ([]byte, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file: %w", path, kaijutsu.ErrInvalid)
	}
	if st.Size() > limit {
		return nil, fmt.Errorf("%s has %d bytes, the limit is %d: %w", path, st.Size(), limit, kaijutsu.ErrTooLarge)
	}
	data := make([]byte, 0, st.Size()+1)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", path, err)
		}
		if int64(len(data)) > limit {
			return nil, fmt.Errorf("%s has more than %d bytes: %w", path, limit, kaijutsu.ErrTooLarge)
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}
