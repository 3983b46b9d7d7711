package store

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
)

// correct mends one flipped bit in data that is followed by a checksum message
// and its length, as the blocks and the index of a table are, and reports
// whether everything matches now. Of the CRC-32C any two of up to three wrong
// bits differ at the lengths of blocks (Koopman, "32-Bit Cyclic Redundancy Codes
// for Internet Applications", 2002), so the bit is the right one; rows have
// checksums of their own besides. On false field is as it was.
func correct(field []byte) bool {
	if checkBlockSum(field) == nil {
		return true
	}
	if len(field) < 4 {
		return false
	}
	rest := len(field) - 4
	stored := binary.BigEndian.Uint32(field[rest:])
	for n := 2; n <= 6 && n <= rest; n++ {
		if bits.OnesCount32(stored^uint32(n)) > 1 {
			continue // more than one bit of the length would be wrong
		}
		data, message := field[:rest-n], field[rest-n:rest]
		wrong := stored != uint32(n)
		if correctData(data, message, wrong) {
			binary.BigEndian.PutUint32(field[rest:], uint32(n))
			return true
		}
	}
	return false
}

// correctData mends one bit in data or in the checksum message, none when one is
// wrong elsewhere.
func correctData(data, message []byte, elsewhere bool) bool {
	sum, ok := sumIn(message)
	got := crc32.Checksum(data, castagnoli)
	switch {
	case elsewhere:
		return ok && got == sum
	case ok && bits.OnesCount32(got^sum) == 1: // in the sum itself
		putSum(message, got)
		return checkSum(data, message) == nil
	case ok && flipAt(data, got^sum):
		return true
	}
	for at := range message { // in what is around the sum
		for bit := range 8 {
			message[at] ^= 1 << bit
			if sum, ok := sumIn(message); ok && sum == got {
				return true
			}
			message[at] ^= 1 << bit
		}
	}
	return false
}

// sumIn returns the sum in a checksum message.
func sumIn(message []byte) (uint32, bool) {
	if len(message) < 2 || message[0] != 2<<3 {
		return 0, false
	}
	sum, n := binary.Uvarint(message[1:])
	return uint32(sum), n == len(message)-1 && sum <= 1<<32-1
}

// putSum overwrites the sum in a message, if it takes as many bytes.
func putSum(message []byte, sum uint32) {
	if b := binary.AppendUvarint(nil, uint64(sum)); len(b) == len(message)-1 {
		copy(message[1:], b)
	}
}

// flipAt flips the bit of data whose being wrong makes its CRC-32C differ by
// diff, if there is one. A wrong bit alters the sum by what it is alone, carried
// over the zeros behind it.
func flipAt(data []byte, diff uint32) bool {
	var alone [8]uint32
	for bit := range alone {
		alone[bit] = castagnoli[1<<bit]
	}
	for at := len(data) - 1; at >= 0; at-- {
		for bit, by := range alone {
			if by == diff {
				data[at] ^= 1 << bit
				return true
			}
			alone[bit] = castagnoli[by&0xff] ^ by>>8
		}
	}
	return false
}
