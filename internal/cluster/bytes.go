package cluster

import (
	"encoding/binary"
	"fmt"

	"kaijutsu"
)

// writer appends the parts of a message.
type writer struct{ b []byte }

func (w *writer) byte(v byte)   { w.b = append(w.b, v) }
func (w *writer) uint(v uint64) { w.b = binary.AppendUvarint(w.b, v) }

func (w *writer) bytes(v []byte) {
	w.uint(uint64(len(v)))
	w.b = append(w.b, v...)
}

func (w *writer) text(v string) {
	w.uint(uint64(len(v)))
	w.b = append(w.b, v...)
}

func (w *writer) hashes(hashes []kaijutsu.ChangeHash) {
	w.uint(uint64(len(hashes)))
	for i := range hashes {
		w.b = append(w.b, hashes[i][:]...)
	}
}

func (w *writer) doc(doc kaijutsu.DocumentID) { w.bytes(doc.Bytes()) }

// reader takes the parts of a message apart. The first thing that is wrong
// stays in err, and whatever is read after it is empty.
type reader struct {
	b   []byte
	err error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format+": %w", append(args, kaijutsu.ErrInvalid)...)
		r.b = nil
	}
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.fail("it ends too soon")
		return 0
	}
	v := r.b[0]
	r.b = r.b[1:]
	return v
}

// uint reads a number in its shortest form, at most limit.
func (r *reader) uint(limit uint64) uint64 {
	v, n := binary.Uvarint(r.b)
	switch {
	case n <= 0 || n > 1 && r.b[n-1] == 0:
		r.fail("a number is not well formed")
		return 0
	case v > limit:
		r.fail("a number is %d: want at most %d", v, limit)
		return 0
	}
	r.b = r.b[n:]
	return v
}

// fixed returns the next n bytes, which alias the message.
func (r *reader) fixed(n int) []byte {
	if n > len(r.b) {
		r.fail("it ends %d bytes too soon", n-len(r.b))
		return nil
	}
	v := r.b[:n:n]
	r.b = r.b[n:]
	return v
}

func (r *reader) bytes(limit int) []byte { return r.fixed(int(r.uint(uint64(limit)))) }

func (r *reader) hashes(limit int) []kaijutsu.ChangeHash {
	n := int(r.uint(uint64(limit)))
	raw := r.fixed(n * len(kaijutsu.ChangeHash{}))
	if r.err != nil || n == 0 {
		return nil
	}
	hashes := make([]kaijutsu.ChangeHash, n)
	for i := range hashes {
		copy(hashes[i][:], raw[i*len(hashes[i]):])
	}
	return hashes
}

// heads are hashes that ascend.
func (r *reader) heads(limit int) kaijutsu.Heads {
	heads := r.hashes(limit)
	for i := 1; i < len(heads); i++ {
		if heads[i-1].Compare(heads[i]) >= 0 {
			r.fail("heads do not ascend")
			return nil
		}
	}
	return heads
}

func (r *reader) doc() kaijutsu.DocumentID {
	raw := r.bytes(maxDocBytes)
	if r.err != nil {
		return kaijutsu.DocumentID{}
	}
	doc, err := kaijutsu.DocumentIDFromBytes(raw)
	if err != nil {
		r.fail("a document's id has %d bytes", len(raw))
	}
	return doc
}

// done returns what is wrong, the rest that nobody reads included.
func (r *reader) done() error {
	if len(r.b) > 0 {
		r.fail("%d bytes follow its end", len(r.b))
	}
	return r.err
}
