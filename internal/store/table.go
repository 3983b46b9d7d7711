package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"github.com/dgraph-io/badger/v4/fb"
)

// tableFile is one of Badger's sorted tables, opened to be checked. Badger
// itself is careless with damaged ones: a lookup or a compaction that meets a
// block with a wrong checksum goes on as if the table ended there, and a wrong
// length panics in a goroutine of its own.
//
// The file is blocks, index, length of the index, checksum, length of the
// checksum; a block is entries, offsets, count, checksum, length of the
// checksum. Lengths are four bytes, most significant first.
type tableFile struct {
	f     *os.File
	index *fb.TableIndex
}

// minIndex is less than any index has: an offset and a table of fields. The
// checksum of nothing matches nothing, as in a file of zeros.
const minIndex = 8

// openTable opens a table and checks its index.
func openTable(path string) (_ *tableFile, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	rest := info.Size()
	sum, err := readTrailer(f, &rest)
	if err != nil {
		return nil, fmt.Errorf("checksum of the index: %w", err)
	}
	index, err := readTrailer(f, &rest)
	if err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	if err := checkSum(index, sum); err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	if len(index) < minIndex {
		return nil, fmt.Errorf("index: %d bytes are none", len(index))
	}
	t := &tableFile{f: f, index: fb.GetRootAsTableIndex(index, 0)}
	if t.index.OffsetsLength() == 0 {
		return nil, errors.New("index: it lists no blocks")
	}
	return t, nil
}

// readTrailer reads the field that ends at *rest with its own length.
func readTrailer(f *os.File, rest *int64) ([]byte, error) {
	var length [4]byte
	if *rest < 4 {
		return nil, io.ErrUnexpectedEOF
	}
	if _, err := f.ReadAt(length[:], *rest-4); err != nil {
		return nil, err
	}
	*rest -= 4
	n := int64(binary.BigEndian.Uint32(length[:]))
	if n > *rest {
		return nil, fmt.Errorf("length %d is more than the %d bytes there are", n, *rest)
	}
	*rest -= n
	field := make([]byte, n)
	_, err := f.ReadAt(field, *rest)
	return field, err
}

func (t *tableFile) Close() error { return t.f.Close() }

// maxVersion is the greatest version among the table's keys.
func (t *tableFile) maxVersion() uint64 { return t.index.MaxVersion() }

// blocks is how many blocks the table has, at least one.
func (t *tableFile) blocks() int { return t.index.OffsetsLength() }

// checkBlock reads block i into buf and compares its checksum. It returns buf,
// perhaps grown.
func (t *tableFile) checkBlock(i int, buf []byte) ([]byte, error) {
	var at fb.BlockOffset
	if !t.index.Offsets(&at, i) {
		return buf, fmt.Errorf("block %d is not in the index", i)
	}
	n := int(at.Len())
	if cap(buf) < n {
		buf = make([]byte, n)
	}
	buf = buf[:n]
	if _, err := t.f.ReadAt(buf, int64(at.Offset())); err != nil {
		return buf, fmt.Errorf("block %d at offset %d: %w", i, at.Offset(), err)
	}
	if err := checkBlockSum(buf); err != nil {
		return buf, fmt.Errorf("block %d at offset %d: %w", i, at.Offset(), err)
	}
	return buf, nil
}

func checkBlockSum(block []byte) error {
	if len(block) < 4 {
		return io.ErrUnexpectedEOF
	}
	rest := len(block) - 4
	n := int64(binary.BigEndian.Uint32(block[rest:]))
	if n > int64(rest) {
		return fmt.Errorf("length %d is more than the %d bytes there are", n, rest)
	}
	return checkSum(block[:rest-int(n)], block[rest-int(n):rest])
}

// checkSum compares data with a checksum message: field 1 is the algorithm,
// absent for CRC-32C, field 2 the sum.
func checkSum(data, message []byte) error {
	var sum uint64
	for len(message) > 0 {
		tag, n := binary.Uvarint(message)
		value, m := binary.Uvarint(message[max(n, 0):])
		if n <= 0 || m <= 0 || tag != 2<<3 {
			return errors.New("checksum makes no sense")
		}
		sum, message = value, message[n+m:]
	}
	if uint64(crc32.Checksum(data, castagnoli)) != sum {
		return errors.New("checksum does not match")
	}
	return nil
}
