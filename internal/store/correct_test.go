package store

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"testing"
)

// sealedBlock is random data with the trailer of a table's block.
func sealedBlock(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rand.Uint32())
	}
	message := binary.AppendUvarint([]byte{2 << 3}, uint64(crc32.Checksum(b, castagnoli)))
	b = append(b, message...)
	return binary.BigEndian.AppendUint32(b, uint32(len(message)))
}

// TestCorrectEveryBit flips each bit of a block, and of its checksum, in turn.
func TestCorrectEveryBit(t *testing.T) {
	for _, size := range []int{1, 20, 400} {
		want := sealedBlock(size)
		if !correct(bytes.Clone(want)) {
			t.Fatal("a sound block is not correct")
		}
		for at := range want {
			for bit := range 8 {
				got := bytes.Clone(want)
				got[at] ^= 1 << bit
				if !correct(got) || !bytes.Equal(got, want) {
					t.Errorf("bit %d of byte %d of %d: not corrected", bit, at, len(want))
				}
			}
		}
	}
}

// TestCorrectNoMore makes sure that what two wrong bits or a lost page leave is
// not taken for whole.
func TestCorrectNoMore(t *testing.T) {
	for name, spoil := range map[string]func([]byte){
		"two bits":  func(b []byte) { b[rand.IntN(2000)] ^= 1; b[2000+rand.IntN(1000)] ^= 0x80 },
		"zeros":     func(b []byte) { clear(b[512:1024]) },
		"its end":   func(b []byte) { clear(b[3000:]) },
		"all of it": func(b []byte) { clear(b) },
	} {
		t.Run(name, func(t *testing.T) {
			for range 200 {
				b := sealedBlock(4000)
				spoil(b)
				was := bytes.Clone(b)
				if correct(b) {
					t.Fatal("corrected")
				}
				if !bytes.Equal(b, was) {
					t.Fatal("it is not as it was")
				}
			}
		})
	}
}
