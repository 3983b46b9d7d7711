package backup

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"kaijutsu"
)

// Format is the number of the format of streams and runs. A release reads those
// up to its own.
const Format = 1

// streamMagic begins every stream.
const streamMagic = "kaijutsu backup stream\n"

// The kinds of frames, one byte before a frame's length.
const (
	frameHeader   = 'h'
	frameSame     = '=' // a document that the receiver has
	framePiece    = 'd'
	frameDamaged  = '!' // a document that cannot be read, and why
	frameRecord   = 'r'
	frameDeleted  = 'x' // the id of a document that was deleted
	frameUnlisted = '?' // why documents are missing from what was listed
	frameEnd      = 'e'
	frameFailed   = 'f' // why there is no more
)

func sum(b []byte) [32]byte { return sha256.Sum256(b) }

// Header says whose the store is and when its moment was.
type Header struct {
	Format     int       `json:"format"`
	Storage    string    `json:"storage_id"`
	Kernel     string    `json:"kernel"`
	Version    string    `json:"version"`
	At         time.Time `json:"at"`
	Counter    uint64    `json:"commits"`
	Documents  uint64    `json:"documents"`
	NextOutbox uint64    `json:"next_outbox"`
}

// Source says in a Header what a store does not know itself.
type Source struct {
	Kernel  string
	Version string
	Now     time.Time
}

// frames writes a stream.
type frames struct {
	w   *bufio.Writer
	sum hash.Hash
	err error
}

func newFrames(w io.Writer) *frames {
	f := &frames{sum: sha256.New()}
	f.w = bufio.NewWriterSize(w, 256<<10)
	f.raw([]byte(streamMagic))
	return f
}

func (f *frames) raw(b []byte) {
	if f.err == nil {
		f.sum.Write(b)
		_, f.err = f.w.Write(b)
	}
}

func (f *frames) put(kind byte, payload []byte) error {
	f.raw(binary.AppendUvarint([]byte{kind}, uint64(len(payload))))
	f.raw(payload)
	return f.err
}

// end writes the last frame, with the SHA-256 of all before, and returns that.
func (f *frames) end() ([32]byte, error) {
	sum := [32]byte(f.sum.Sum(nil))
	if err := f.put(frameEnd, sum[:]); err != nil {
		return sum, err
	}
	return sum, f.w.Flush()
}

// fail writes why there is no more, if somebody still reads.
func (f *frames) fail(reason error) {
	if f.err == nil && f.put(frameFailed, []byte(reason.Error())) == nil {
		_ = f.w.Flush() // the reader sees that the stream has no end
	}
}

// errCut says that a stream ended before its end.
var errCut = fmt.Errorf("the stream was cut off: %w", kaijutsu.ErrUnavailable)

// reader reads a stream.
type reader struct {
	r   *bufio.Reader
	sum hash.Hash
	buf bytes.Buffer
}

// openStream reads up to the header.
func openStream(r io.Reader) (*reader, Header, error) {
	in := &reader{r: bufio.NewReaderSize(r, 256<<10), sum: sha256.New()}
	magic := make([]byte, len(streamMagic))
	if _, err := io.ReadFull(in.r, magic); err != nil || string(magic) != streamMagic {
		return nil, Header{}, fmt.Errorf("this is no backup stream: %w", errors.Join(kaijutsu.ErrInvalid, err))
	}
	in.sum.Write(magic)
	kind, payload, err := in.next()
	if err != nil {
		return nil, Header{}, err
	}
	var h Header
	if kind != frameHeader || json.Unmarshal(payload, &h) != nil {
		return nil, h, fmt.Errorf("the stream has no header: %w", errFormat)
	}
	return in, h, checkFormat(h.Format)
}

func checkFormat(format int) error {
	if format < 1 || format > Format {
		return fmt.Errorf("it has format %d, this release knows formats up to %d; use the newer release that wrote it: %w", format, Format, kaijutsu.ErrInvalid)
	}
	return nil
}

// next returns a frame; the payload is good until the next call. At the end of
// the stream, when that is whole, the kind is frameEnd.
func (in *reader) next() (kind byte, payload []byte, err error) {
	sofar := in.sum.Sum(nil)
	var head []byte
	if kind, err = in.r.ReadByte(); err != nil {
		return 0, nil, cut(err)
	}
	head = append(head, kind)
	n, err := binary.ReadUvarint(recording{in.r, &head})
	if err != nil {
		return 0, nil, cut(err)
	}
	in.sum.Write(head)
	in.buf.Reset()
	if in.buf.Cap() > 8<<20 {
		in.buf = bytes.Buffer{}
	}
	if _, err := io.CopyN(&in.buf, in.r, int64(min(n, 1<<62))); err != nil {
		return 0, nil, cut(err)
	}
	payload = in.buf.Bytes()
	in.sum.Write(payload)
	switch {
	case kind == frameEnd && !bytes.Equal(payload, sofar):
		return 0, nil, fmt.Errorf("the stream was changed on its way: %w", kaijutsu.ErrInvalid)
	case kind == frameFailed:
		return 0, nil, fmt.Errorf("the server broke off: %s: %w", payload, kaijutsu.ErrUnavailable)
	}
	return kind, payload, nil
}

func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errCut
	}
	return fmt.Errorf("read the stream: %w", err)
}

// recording is a ByteReader that keeps what it read.
type recording struct {
	r  io.ByteReader
	to *[]byte
}

// ReadByte reads a byte.
func (r recording) ReadByte() (byte, error) {
	b, err := r.r.ReadByte()
	if err == nil {
		*r.to = append(*r.to, b)
	}
	return b, err
}
