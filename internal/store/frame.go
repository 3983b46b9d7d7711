package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// ErrDamaged says that what is stored is not what was written. The error's
// text names the key and the mend.
var ErrDamaged = errors.New("stored data is damaged")

// frameFormat is the first byte of every value. A store whose values have
// another layout has another number in its state row too.
const frameFormat = 1

// The second byte of a value is its kind.
const (
	kindState    = 1
	kindDocument = 2
	kindRecords  = 3 // one record of a document's log
	kindSegment  = 4 // many records of a document's log, in a blob
	kindPart     = 5
	kindInline   = 6 // an outbox entry or a server record
	kindBlob     = 7 // an outbox entry that is a blob
	kindChore    = 8
	kindLineage  = 9  // a document with an anchor or changes before its log
	kindStale    = 10 // what takes the place of a row whose last version is gone
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal frames a value: format, kind, length of the payload, payload, and the
// CRC-32C of the key and of all before. The key is in the checksum because a
// damaged table can answer with another key's value.
func seal(key []byte, kind byte, payload ...[]byte) []byte {
	n := 0
	for _, p := range payload {
		n += len(p)
	}
	frame := make([]byte, 0, 2+binary.MaxVarintLen64+n+4)
	frame = binary.AppendUvarint(append(frame, frameFormat, kind), uint64(n))
	for _, p := range payload {
		frame = append(frame, p...)
	}
	return binary.LittleEndian.AppendUint32(frame, frameSum(key, frame))
}

func frameSum(key, frame []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, frame)
}

// unseal checks a frame and returns its kind and payload, which share the
// frame's memory.
func unseal(key, frame []byte) (kind byte, payload []byte, err error) {
	if len(frame) < 7 {
		return 0, nil, fmt.Errorf("value of %d bytes is too short", len(frame))
	}
	if frame[0] != frameFormat {
		return 0, nil, fmt.Errorf("value has format %d, want %d", frame[0], frameFormat)
	}
	size, n := binary.Uvarint(frame[2:])
	if n <= 0 || size != uint64(len(frame)-2-n-4) {
		return 0, nil, fmt.Errorf("value of %d bytes has a wrong length", len(frame))
	}
	body, sum := frame[:len(frame)-4], binary.LittleEndian.Uint32(frame[len(frame)-4:])
	if frameSum(key, body) != sum {
		return 0, nil, errors.New("checksum does not match")
	}
	return frame[1], body[2+n:], nil
}

// unsealAs is unseal for a value that can be of one kind only.
func unsealAs(kind byte, key, frame []byte) ([]byte, error) {
	got, payload, err := unseal(key, frame)
	if err == nil && got != kind {
		err = fmt.Errorf("value is of kind %d, want %d", got, kind)
	}
	return payload, err
}

// encoder appends the fields of a row.
type encoder struct{ b []byte }

func (e *encoder) uint(v uint64)   { e.b = binary.AppendUvarint(e.b, v) }
func (e *encoder) int(v int64)     { e.b = binary.AppendVarint(e.b, v) }
func (e *encoder) bytes(v []byte)  { e.uint(uint64(len(v))); e.b = append(e.b, v...) }
func (e *encoder) string(v string) { e.uint(uint64(len(v))); e.b = append(e.b, v...) }

// decoder takes the fields of a row. After the first that does not fit, it
// returns zero values and done reports the error.
type decoder struct {
	b      []byte
	broken bool
}

func (d *decoder) uint() uint64 {
	v, n := binary.Uvarint(d.b)
	return take(d, v, n)
}

func (d *decoder) int() int64 {
	v, n := binary.Varint(d.b)
	return take(d, v, n)
}

func take[T any](d *decoder, v T, n int) T {
	if n <= 0 || d.broken {
		d.broken = true
		var zero T
		return zero
	}
	d.b = d.b[n:]
	return v
}

// bytes returns the next field, sharing the row's memory.
func (d *decoder) bytes() []byte { return d.fixed(d.uint()) }

func (d *decoder) fixed(n uint64) []byte {
	if d.broken || n > uint64(len(d.b)) {
		d.broken = true
		return nil
	}
	v := d.b[:n:n]
	d.b = d.b[n:]
	return v
}

// done reports whether every field was there and nothing is left over.
func (d *decoder) done() error {
	if d.broken {
		return errors.New("row ends early")
	}
	if len(d.b) > 0 {
		return fmt.Errorf("row has %d bytes too many", len(d.b))
	}
	return nil
}
