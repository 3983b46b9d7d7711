package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
)

// manifestHeader begins Badger's manifest: magic, our own number, its version.
var manifestHeader = []byte{'B', 'd', 'g', 'r', 0, 0, 0, 8}

// correctManifest mends single wrong bits in each record of Badger's manifest:
// length, CRC-32C, both four bytes, and data. mended says whether there were
// any, torn whether it ends with what is no record: Badger cuts it there, and
// deletes the tables that only the rest names.
func correctManifest(b []byte) (mended, torn bool) {
	n := len(manifestHeader)
	if len(b) < n {
		return false, true
	}
	if diff := bitsBetween(b[:n], manifestHeader); diff == 1 {
		copy(b, manifestHeader)
		mended = true
	}
	for rest := b[n:]; len(rest) > 0; {
		length, fixed := correctRecord(rest)
		if length == 0 {
			return mended, true
		}
		mended = mended || fixed
		rest = rest[length:]
	}
	return mended, false
}

func bitsBetween(a, b []byte) (n int) {
	for i := range a {
		n += bits.OnesCount8(a[i] ^ b[i])
	}
	return n
}

// correctRecord returns how long the first record of b is, 0 when there is none,
// and whether a bit of it had to be mended.
func correctRecord(b []byte) (length int, mended bool) {
	if len(b) < 8 {
		return 0, false
	}
	n, sum := int64(binary.BigEndian.Uint32(b)), binary.BigEndian.Uint32(b[4:])
	if n <= int64(len(b)-8) {
		data := b[8 : 8+n]
		got := crc32.Checksum(data, castagnoli)
		switch {
		case got == sum:
			return 8 + int(n), false
		case bits.OnesCount32(got^sum) == 1:
			binary.BigEndian.PutUint32(b[4:], got)
			return 8 + int(n), true
		}
	}
	for bit := range 32 { // of the length
		other := n ^ 1<<bit
		if other <= int64(len(b)-8) && crc32.Checksum(b[8:8+other], castagnoli) == sum {
			binary.BigEndian.PutUint32(b, uint32(other))
			return 8 + int(other), true
		}
	}
	if n > 0 && n <= int64(len(b)-8) && flipAt(b[8:8+n], crc32.Checksum(b[8:8+n], castagnoli)^sum) {
		return 8 + int(n), true
	}
	return 0, false
}

// mendFiles mends what can be mended without loss of the small files of a
// database, before Badger reads them. It changes nothing else.
func (found *inspection) mendFiles(dir string) error {
	path := filepath.Join(dir, "MANIFEST")
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		mended, torn := correctManifest(b)
		found.tornManifest = torn
		if mended {
			if err := replaceFile(path, b); err != nil {
				return err
			}
		}
	}
	return errors.Join(mendHeaders(dir), mendKeys(dir))
}

// mendHeaders clears the number of the key in the headers of logs: nothing is
// encrypted.
func mendHeaders(dir string) error {
	for _, pattern := range []string{"*.mem", "*.vlog"} {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return err
		}
		for _, path := range paths {
			if err := clearKeyID(path); err != nil {
				return err
			}
		}
	}
	return nil
}

func clearKeyID(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	var id [8]byte
	if n, err := f.ReadAt(id[:], 0); n < len(id) || err != nil || allZero(id[:]) {
		return nil // too short to have one: for Badger to judge
	}
	if _, err := f.WriteAt(make([]byte, len(id)), 0); err != nil {
		return err
	}
	return f.Sync()
}

// mendKeys takes a damaged registry of keys away: there are none in it, and
// Badger makes another. Behind an initialisation vector it begins with a text.
func mendKeys(dir string) error {
	path := filepath.Join(dir, "KEYREGISTRY")
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || len(b) >= 28 && bytes.Equal(b[16:28], []byte("Hello Badger")) {
		return err
	}
	return errors.Join(os.Remove(path), syncDir(dir))
}
