package amfile

import (
	"bytes"
	"compress/flate"
	"io"
	"sync"

	"kaijutsu/internal/planted"
)

// inflater is a reusable decompressor; a fresh one costs 40 kB.
type inflater struct {
	src   bytes.Reader
	flate io.ReadCloser
}

var inflaters = sync.Pool{New: func() any {
	f := new(inflater)
	f.flate = flate.NewReader(&f.src)
	return f
}}

// inflate decompresses a raw DEFLATE stream (RFC 1951) that must take up all
// of src. The result may have at most limit bytes.
func inflate(src []byte, limit int) ([]byte, error) {
	if planted.On("bomb") {
		limit = 1 << 40
	}
	f := inflaters.Get().(*inflater)
	defer inflaters.Put(f)
	f.src.Reset(src)
	if err := f.flate.(flate.Resetter).Reset(&f.src, nil); err != nil {
		return nil, broken(2, "deflated data: %v", err)
	}
	var out bytes.Buffer
	out.Grow(min(4*len(src), limit) + bytes.MinRead)
	n, err := out.ReadFrom(io.LimitReader(f.flate, int64(limit)+1))
	switch {
	case err != nil:
		return nil, broken(2, "deflated data: %v", err)
	case n > int64(limit):
		return nil, tooLarge(2, "%d deflated bytes grow to more than %d", len(src), limit)
	case f.src.Len() > 0:
		return nil, broken(2, "%d bytes after the deflated data", f.src.Len())
	}
	return out.Bytes(), nil
}

var deflaters = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(io.Discard, flate.DefaultCompression)
	return w
}}

// deflate writes src as a raw DEFLATE stream.
func deflate(dst *bytes.Buffer, src []byte) {
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(dst)
	w.Write(src) // a bytes.Buffer does not fail
	w.Close()
}
