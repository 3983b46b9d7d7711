package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// mark is what the database is known to have held: its commit counter, and
// Badger's version of the state row that carried it.
type mark struct{ counter, version uint64 }

// The high-water mark lives in a file of its own, outside Badger, in two
// slots that are written in turn: a write that power cuts short leaves the
// other. Slots are a page apart and written in place, so that a full disk
// does not stop them.
const (
	slotBytes   = 4096
	slotPayload = 8 + 8 + 8
)

var slotMagic = []byte("kj hwm 1")

// markFile is not safe for concurrent use.
type markFile struct {
	f    *os.File
	turn int64
}

// openMark opens the file in dir and returns the greater mark in it. found is
// false when there is no file, or nothing has been written to it; m is nil then,
// and nothing is changed.
func openMark(dir string) (m *markFile, at mark, found bool, err error) {
	f, err := os.OpenFile(markPath(dir), os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, mark{}, false, nil
	}
	if err != nil {
		return nil, mark{}, false, err
	}
	m = &markFile{f: f}
	whole := make([]byte, 2*slotBytes)
	n, err := io.ReadFull(f, whole)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF || allZero(whole[:n]) {
		f.Close()
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			err = nil
		}
		return nil, mark{}, false, err
	}
	for turn := range int64(2) {
		if slot, ok := decodeSlot(whole[turn*slotBytes:]); ok && (!found || slot.counter > at.counter) {
			at, found, m.turn = slot, true, 1-turn
		}
	}
	if !found {
		return m, mark{}, false, errors.New("the file is damaged")
	}
	return m, at, true, nil
}

// makeMark makes the file in dir, without a mark in it, and takes the space that
// it needs, for when there is none.
func makeMark(dir string) (*markFile, error) {
	f, err := os.OpenFile(markPath(dir), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.WriteAt(make([]byte, 2*slotBytes), 0)
	return &markFile{f: f}, err
}

func markPath(dir string) string { return filepath.Join(dir, "hwm") }

func decodeSlot(b []byte) (mark, bool) {
	sum := binary.LittleEndian.Uint32(b[slotPayload:])
	if string(b[:8]) != string(slotMagic) || frameSum(nil, b[:slotPayload]) != sum {
		return mark{}, false
	}
	return mark{counter: binary.LittleEndian.Uint64(b[8:]), version: binary.LittleEndian.Uint64(b[16:])}, true
}

// write makes the mark durable.
func (m *markFile) write(at mark) error {
	b := make([]byte, 0, slotPayload+4)
	b = append(b, slotMagic...)
	b = binary.LittleEndian.AppendUint64(b, at.counter)
	b = binary.LittleEndian.AppendUint64(b, at.version)
	b = binary.LittleEndian.AppendUint32(b, frameSum(nil, b))
	if _, err := m.f.WriteAt(b, m.turn*slotBytes); err != nil {
		return fmt.Errorf("write the high-water mark: %w", err)
	}
	if err := m.f.Sync(); err != nil {
		return fmt.Errorf("sync the high-water mark: %w", err)
	}
	m.turn = 1 - m.turn
	return nil
}

func (m *markFile) Close() error { return m.f.Close() }
