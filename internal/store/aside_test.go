package store

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

// readAside calls fn for each row in a file that SetAside wrote.
func readAside(path string, fn func(key, frame []byte)) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	end := len(b) - 4
	if end < len(asideMagic)+2 || string(b[:len(asideMagic)]) != asideMagic ||
		crc32.Checksum(b[:end], castagnoli) != binary.LittleEndian.Uint32(b[end:]) {
		return fmt.Errorf("%s holds no rows: %w", path, ErrDamaged)
	}
	d := decoder{b: b[len(asideMagic):end]}
	for {
		keyLen, frameLen := d.uint(), d.uint()
		if keyLen == 0 && !d.broken {
			return d.done()
		}
		key, frame := d.fixed(keyLen), d.fixed(frameLen)
		if d.broken {
			return fmt.Errorf("%s: %w", path, io.ErrUnexpectedEOF)
		}
		fn(key, frame)
	}
}
