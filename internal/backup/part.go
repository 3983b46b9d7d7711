package backup

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"

	"kaijutsu"
)

// partBytes is how large a part becomes before the next is begun.
const partBytes = 64 << 20

// File is a file of a backup as a manifest knows it.
type File struct {
	Name   string `json:"file"` // below the backup's directory, with slashes
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	// Held is how many bytes of entries a part holds, before they are
	// compressed; 0 for an index.
	Held int64 `json:"holds,omitempty"`
}

// part is a file of entries that is being written. With no entries in it, it is
// the file of an index.
type part struct {
	f    *os.File
	sum  hash.Hash
	size int64
	held int64
	n    uint64 // entries so far
	zip  *zstd.Encoder
}

func createPart(path string) (*part, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	p := &part{f: f, sum: sha256.New()}
	p.zip, err = zstd.NewWriter(counting{p}, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return p, nil
}

// counting writes to a part's file.
type counting struct{ p *part }

// Write writes compressed bytes.
func (c counting) Write(b []byte) (int, error) {
	n, err := c.p.f.Write(b)
	c.p.sum.Write(b[:n])
	c.p.size += int64(n)
	return n, err
}

// put adds an entry and returns its number and size.
func (p *part) put(kind byte, payload []byte) (nth uint64, size int64, err error) {
	head := binary.AppendUvarint([]byte{kind}, uint64(len(payload)))
	if _, err = p.zip.Write(head); err == nil {
		_, err = p.zip.Write(payload)
	}
	size = int64(len(head) + len(payload))
	p.held += size
	p.n++
	return p.n - 1, size, err
}

// finish makes the file durable.
func (p *part) finish(name string) (File, error) {
	err := p.zip.Close()
	if err == nil {
		err = p.f.Sync()
	}
	err = errors.Join(err, p.f.Close())
	return File{Name: name, Bytes: p.size, SHA256: hex.EncodeToString(p.sum.Sum(nil)), Held: p.held}, err
}

// abandon closes the file, which is of no use.
func (p *part) abandon() {
	_ = p.zip.Close() // the file goes
	_ = p.f.Close()
}

// entries reads a part.
type entries struct {
	zip *zstd.Decoder
	r   *bufio.Reader
	buf bytes.Buffer
	n   uint64
}

// maxWindow is more than what this package's encoder wants of a reader.
const maxWindow = 64 << 20

func readEntries(r io.Reader) (*entries, error) {
	zip, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return &entries{zip: zip, r: bufio.NewReaderSize(zip, 256<<10)}, nil
}

func (e *entries) close() { e.zip.Close() }

// next returns an entry and its number; the payload is the caller's when keep is
// called on it. The error is io.EOF behind the last.
func (e *entries) next() (nth uint64, kind byte, payload []byte, err error) {
	kind, err = e.r.ReadByte()
	if err == io.EOF {
		return 0, 0, nil, io.EOF
	}
	var size uint64
	if err == nil {
		size, err = binary.ReadUvarint(e.r)
	}
	if err == nil {
		e.buf.Reset()
		_, err = io.CopyN(&e.buf, e.r, int64(min(size, 1<<62)))
	}
	if err != nil {
		return 0, 0, nil, fmt.Errorf("entry %d: %v: %w", e.n, err, kaijutsu.ErrInvalid)
	}
	e.n++
	return e.n - 1, kind, e.buf.Bytes(), nil
}
