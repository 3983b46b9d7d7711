package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
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

// openMark opens or makes the file in dir and returns the greater mark in it.
// found is false when the file was new or has never been written.
func openMark(dir string) (m *markFile, at mark, found bool, err error) {
	f, err := os.OpenFile(filepath.Join(dir, "hwm"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, mark{}, false, err
	}
	m = &markFile{f: f}
	whole := make([]byte, 2*slotBytes)
	n, err := io.ReadFull(f, whole)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		f.Close()
		return nil, mark{}, false, err
	}
	if allZero(whole[:n]) {
		// New, or never written. Take the space, for when there is none.
		if _, err := f.WriteAt(make([]byte, 2*slotBytes), 0); err != nil {
			return m, mark{}, false, err
		}
		return m, mark{}, false, nil
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
