package store

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"hash"
	"hash/crc32"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
)

// walReport is what Badger will make of one of its memtable logs.
type walReport struct {
	size    int64
	end     int64  // replay stops here and Badger cuts the file
	first   uint64 // least version that is replayed, 0 for none
	version uint64 // greatest that is replayed
	counter uint64 // greatest commit counter that is replayed
	torn    bool   // what is at end is neither zeros nor the end of the file
	short   bool   // the file ends within a transaction
	beyond  []uint64
	// beyond lists the commit counters found behind end, ascending. Badger
	// writes one transaction at a time and syncs it before the next, so a
	// crash leaves at most one; more mean that the log was damaged later.
}

const (
	walHeaderBytes = 20 // key id and initialisation vector
	walMaxKey      = 1 << 16
	walTxn         = 1 << 6 // entry belongs to a transaction
	walTxnEnd      = 1 << 7 // entry ends a transaction
	walFileBytes   = 2 * memtableBytes
)

// readWAL reads a log as Badger v4.9's replay does, but without believing
// the lengths in damaged entries, and then looks at what lies behind the
// point where that stops, which Badger does not.
func readWAL(path string) (walReport, error) {
	f, err := os.Open(path)
	if err != nil {
		return walReport{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return walReport{}, err
	}
	report := walReport{size: info.Size(), end: min(walHeaderBytes, info.Size())}
	if err := report.replay(f); err != nil {
		return report, err
	}
	// A log has its full size from the start, and is cut to whole transactions.
	report.short = report.end < report.size && report.size < walFileBytes
	return report, report.lookBeyond(f)
}

// replay advances end over whole transactions.
func (r *walReport) replay(f *os.File) error {
	if _, err := f.Seek(walHeaderBytes, io.SeekStart); err != nil {
		return err
	}
	in := &walReader{in: bufio.NewReaderSize(f, 64<<10), left: r.size - walHeaderBytes, sum: crc32.New(castagnoli)}
	var txn, counter uint64
	for {
		entry, err := in.next()
		if errors.Is(err, errWALEnd) {
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case entry.meta&walTxn != 0:
			if txn == 0 {
				txn = entry.version
			}
			if txn != entry.version {
				return nil
			}
			if bytes.Equal(entry.key, stateKey) {
				counter = entry.counter()
			}
		case entry.meta&walTxnEnd != 0:
			if ended, err := strconv.ParseUint(string(entry.value), 10, 64); err != nil || ended != txn {
				return nil
			}
			r.end = r.size - in.left
			if r.first == 0 {
				r.first = txn
			}
			r.version, r.counter = max(r.version, txn), max(r.counter, counter)
			txn, counter = 0, 0
		default:
			return nil // we write nothing outside transactions
		}
	}
}

// lookBeyond reads the rest of the file for state rows.
func (r *walReport) lookBeyond(f *os.File) error {
	const window, overlap = 64 << 10, 256 // a state row and its key are shorter than the overlap
	buf := make([]byte, 0, window+overlap)
	for at := r.end; at < r.size; {
		n, err := f.ReadAt(buf[len(buf):min(cap(buf), len(buf)+window)], at)
		if err != nil && err != io.EOF || n == 0 {
			return err
		}
		buf, at = buf[:len(buf)+n], at+int64(n)
		r.torn = r.torn || !allZero(buf)
		r.findStates(buf)
		keep := buf[max(0, len(buf)-overlap):]
		buf = buf[:copy(buf[:cap(buf)], keep)]
	}
	slices.Sort(r.beyond)
	r.beyond = slices.Compact(r.beyond)
	return nil
}

func (r *walReport) findStates(b []byte) {
	for {
		i := bytes.Index(b, stateKey)
		if i < 0 {
			return
		}
		b = b[i+len(stateKey):]
		if len(b) < 8 {
			return
		}
		if counter := counterIn(b[8:]); counter > 0 {
			r.beyond = append(r.beyond, counter)
		}
	}
}

// counterIn returns the commit counter of the state row that b begins with,
// or 0 when it begins with none that is intact.
func counterIn(b []byte) uint64 {
	if len(b) < 3 {
		return 0
	}
	size, n := binary.Uvarint(b[2:])
	if n <= 0 || size > uint64(len(b)) || 2+n+int(size)+4 > len(b) {
		return 0
	}
	payload, err := unsealAs(kindState, stateKey, b[:2+n+int(size)+4])
	if err != nil {
		return 0
	}
	s, err := decodeState(payload)
	if err != nil {
		return 0
	}
	return s.counter
}

func allZero(b []byte) bool { return bytes.Count(b, []byte{0}) == len(b) }

var errWALEnd = errors.New("end of log")

type walEntry struct {
	meta    byte
	key     []byte // without the version
	value   []byte
	version uint64
}

func (e walEntry) counter() uint64 { return counterIn(e.value) }

// walReader reads entries: meta, user meta, uvarint lengths of key and value,
// uvarint expiry, key, value, CRC-32C. The entry it returns is valid until
// the next call.
type walReader struct {
	in   *bufio.Reader
	left int64
	sum  hash.Hash32
	buf  []byte
}

// ReadByte feeds the checksum; binary.ReadUvarint calls it.
func (r *walReader) ReadByte() (byte, error) {
	b, err := r.in.ReadByte()
	if err != nil {
		return 0, errWALEnd
	}
	r.left--
	r.sum.Write([]byte{b})
	return b, nil
}

func (r *walReader) next() (walEntry, error) {
	r.sum.Reset()
	var head [2]byte
	var lengths [3]uint64
	for i := range head {
		b, err := r.ReadByte()
		if err != nil {
			return walEntry{}, err
		}
		head[i] = b
	}
	for i := range lengths {
		v, err := binary.ReadUvarint(r)
		if err != nil {
			return walEntry{}, errWALEnd
		}
		lengths[i] = v
	}
	keyLen, valueLen := lengths[0], lengths[1]
	if keyLen < 8 || keyLen > walMaxKey || valueLen > uint64(max(0, r.left)) || int64(keyLen+valueLen+4) > r.left {
		return walEntry{}, errWALEnd
	}
	n := int(keyLen + valueLen + 4)
	r.buf = slices.Grow(r.buf[:0], n)[:n]
	if _, err := io.ReadFull(r.in, r.buf); err != nil {
		return walEntry{}, err
	}
	r.left -= int64(n)
	r.sum.Write(r.buf[:n-4])
	if r.sum.Sum32() != binary.BigEndian.Uint32(r.buf[n-4:]) {
		return walEntry{}, errWALEnd
	}
	key := r.buf[:keyLen]
	return walEntry{
		meta:    head[0],
		key:     key[:keyLen-8],
		value:   r.buf[keyLen : n-4],
		version: math.MaxUint64 - binary.BigEndian.Uint64(key[keyLen-8:]),
	}, nil
}
