package amfile

import (
	"math/bits"

	"kaijutsu"
)

// uleb reads an unsigned LEB128 number of at most 64 bits from the front of b.
// It returns how many bytes it took, 0 when b is cut short, the number does
// not fit or a shorter form exists.
func uleb(b []byte) (uint64, int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	var v uint64
	for i, c := range b {
		if i == 9 {
			if c != 1 {
				return 0, 0
			}
			return v | 1<<63, 10
		}
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			if c == 0 {
				return 0, 0
			}
			return v, i + 1
		}
	}
	return 0, 0
}

// sleb reads a signed LEB128 number of at most 64 bits from the front of b,
// under the same terms as uleb.
func sleb(b []byte) (int64, int) {
	if len(b) > 0 && b[0] < 0x80 {
		return int64(int8(b[0]<<1)) >> 1, 1
	}
	var v uint64
	for i, c := range b {
		if i == 9 {
			sign := byte(v >> 62 & 1)
			if c == 0 && sign == 1 {
				return int64(v), 10
			}
			if c == 0x7f && sign == 0 {
				return int64(v | 1<<63), 10
			}
			return 0, 0
		}
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			sign := b[i-1] & 0x40
			if c == 0 && sign == 0 || c == 0x7f && sign != 0 {
				return 0, 0
			}
			shift := 64 - 7*(i+1)
			return int64(v<<shift) >> shift, i + 1
		}
	}
	return 0, 0
}

// appendUleb appends the shortest unsigned LEB128 form of v.
func appendUleb(dst []byte, v uint64) []byte {
	for v >= 0x80 {
		dst = append(dst, byte(v)|0x80)
		v >>= 7
	}
	return append(dst, byte(v))
}

// appendSleb appends the shortest signed LEB128 form of v.
func appendSleb(dst []byte, v int64) []byte {
	for v < -64 || v > 63 {
		dst = append(dst, byte(v)|0x80)
		v >>= 7
	}
	return append(dst, byte(v)&0x7f)
}

// ulebLen returns how many bytes appendUleb appends.
func ulebLen(v uint64) int { return (bits.Len64(v|1) + 6) / 7 }

// reader takes fields from the front of rest. The first failure sticks: every
// later read returns the zero value, so callers may check err once.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.rest = nil
}

var errNumber = broken(3, "number cut short or not in its shortest form")

// uint reads an unsigned number.
func (r *reader) uint() uint64 {
	v, n := uleb(r.rest)
	if n == 0 {
		r.fail(errNumber)
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// int reads a signed number.
func (r *reader) int() int64 {
	v, n := sleb(r.rest)
	if n == 0 {
		r.fail(errNumber)
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// take returns the next n bytes, which alias the input.
func (r *reader) take(n uint64) []byte {
	if r.err != nil {
		return nil
	}
	if n > uint64(len(r.rest)) {
		r.fail(broken(3, "field of %d bytes where %d are left", n, len(r.rest)))
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

// prefixed returns the bytes that follow their length.
func (r *reader) prefixed() []byte { return r.take(r.uint()) }

// count reads the length of a list whose entries take at least size bytes
// each, so that the list cannot claim more entries than the input can hold.
func (r *reader) count(size int, limit uint64) int {
	n := r.uint()
	if n > uint64(len(r.rest)/size) {
		r.fail(broken(3, "list of %d entries where %d bytes are left", n, len(r.rest)))
		return 0
	}
	if n > limit {
		r.fail(tooLarge(3, "list of %d entries: want at most %d", n, limit))
		return 0
	}
	return int(n)
}

// hashes reads a counted list of hashes; nil when it is empty.
func (r *reader) hashes(limit uint64) []kaijutsu.ChangeHash {
	n := r.count(len(kaijutsu.ChangeHash{}), limit)
	if n == 0 {
		return nil
	}
	list := make([]kaijutsu.ChangeHash, n)
	for i := range list {
		copy(list[i][:], r.take(uint64(len(list[i]))))
	}
	return list
}

// appendHashes appends a counted list of hashes.
func appendHashes(dst []byte, hashes []kaijutsu.ChangeHash) []byte {
	dst = appendUleb(dst, uint64(len(hashes)))
	for i := range hashes {
		dst = append(dst, hashes[i][:]...)
	}
	return dst
}
