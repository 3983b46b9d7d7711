package search

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"kaijutsu"
)

const textPrefix = "text-"

// texts is the file that holds the contents of the blocks, one behind the
// other. It only grows. The worker alone writes; reading is safe meanwhile.
type texts struct {
	f    *os.File
	gen  uint64
	tail int64        // where the next content goes
	uses atomic.Int32 // by searches, and one for being current; the last one closes
}

func textPath(dir string, gen uint64) string {
	return filepath.Join(dir, textPrefix+strconv.FormatUint(gen, 10))
}

// createTexts makes an empty file of a generation.
func createTexts(dir string, gen uint64) (*texts, error) {
	f, err := os.OpenFile(textPath(dir, gen), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	t := &texts{f: f, gen: gen}
	t.uses.Store(1)
	return t, nil
}

// openTexts opens a file of which the first tail bytes are known.
func openTexts(dir string, gen uint64, tail int64) (*texts, error) {
	f, err := os.OpenFile(textPath(dir, gen), os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() < tail {
		err = fmt.Errorf("%s has %d bytes, want %d", f.Name(), info.Size(), tail)
	}
	if err == nil {
		err = f.Truncate(tail)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	t := &texts{f: f, gen: gen, tail: tail}
	t.uses.Store(1)
	return t, nil
}

// add writes contents behind what is there and returns where they begin.
func (t *texts) add(b []byte) (int64, error) {
	if _, err := t.f.WriteAt(b, t.tail); err != nil {
		return 0, fmt.Errorf("write contents to the search index: %w: %w", kaijutsu.ErrUnavailable, err)
	}
	at := t.tail
	t.tail += int64(len(b))
	return at, nil
}

// read returns the content of an entry, in buf's memory when it is large
// enough; false when it is not what was written.
func (t *texts) read(e *entry, buf []byte) ([]byte, bool) {
	if int(e.size) > cap(buf) {
		buf = make([]byte, e.size, int(e.size)+int(e.size)/4)
	}
	buf = buf[:e.size]
	if _, err := t.f.ReadAt(buf, e.off); err != nil {
		return buf, false
	}
	return buf, sumOf(buf) == e.sum
}

func (t *texts) release() {
	if t.uses.Add(-1) == 0 {
		t.f.Close()
	}
}
