package amfile

import (
	"bytes"
	"errors"
	"testing"

	"kaijutsu"
)

// seed adds the golden vectors and the crashers to a fuzz target's corpus.
func seed(f *testing.F, kinds []string, prefixes ...string) {
	for _, kind := range kinds {
		for _, v := range vectors(f)[kind] {
			f.Add(v.bytes(f))
		}
	}
	for _, data := range crashers(f, prefixes...) {
		f.Add(data)
	}
}

// wantSentinel demands that an error wraps a sentinel.
func wantSentinel(t *testing.T, err error) {
	t.Helper()
	var rule *RuleError
	if !errors.As(err, &rule) || !errors.Is(err, kaijutsu.ErrInvalid) && !errors.Is(err, kaijutsu.ErrTooLarge) {
		t.Fatalf("error = %v, want a RuleError that wraps ErrInvalid or ErrTooLarge", err)
	}
}

func FuzzDecodeChange(f *testing.F) {
	seed(f, []string{"changes", "refused", "accepted"}, "changes_", "inc_")
	f.Fuzz(func(t *testing.T, data []byte) {
		// Whatever it is, look behind the checksum.
		if len(data) > chunkPrefixBytes && ChunkType(data[chunkPrefixBytes-1]) == ChunkChange {
			r := reader{rest: data[chunkPrefixBytes:]}
			r.uint()
			data, _ = appendChunk(nil, ChunkChange, r.rest)
		}
		DecodeHeader(data)
		c, err := DecodeChange(data)
		if err != nil {
			wantSentinel(t, err)
			return
		}
		if err := c.Check(testPast{newHistory(), nil}); err != nil {
			wantSentinel(t, err)
		}
		again := disordered(c)
		if err := EncodeChange(again); err != nil || !bytes.Equal(again.Raw, c.Raw) || again.Hash != c.Hash {
			t.Fatalf("EncodeChange: %v, got %x, want %x", err, again.Raw, c.Raw)
		}
		if h, err := DecodeHeader(c.Raw); err != nil || h.Hash != c.Hash || h.MaxOp() != c.MaxOp() {
			t.Fatalf("DecodeHeader = %+v, %v", h, err)
		}
	})
}

func FuzzDecodeSync(f *testing.F) {
	seed(f, []string{"sync"}, "msg_", "recv_")
	f.Fuzz(func(t *testing.T, data []byte) {
		DecodeSyncState(data)
		m, err := DecodeSync(data)
		if err != nil {
			wantSentinel(t, err)
			return
		}
		for _, have := range m.Have {
			have.Bloom.Contains(kaijutsu.ChangeHash{1})
		}
		out := m.Encode()
		again, err := DecodeSync(out)
		if err != nil || !bytes.Equal(again.Encode(), out) {
			t.Fatalf("DecodeSync of %x, encoded again: %v", data, err)
		}
	})
}

func FuzzSplitChunks(f *testing.F) {
	seed(f, []string{"changes", "documents", "refused"}, "")
	f.Fuzz(func(t *testing.T, data []byte) {
		chunks, err := SplitChunks(data)
		if err != nil {
			wantSentinel(t, err)
			return
		}
		var all []byte
		for _, chunk := range chunks {
			all = append(all, chunk.Raw...)
		}
		if !bytes.Equal(all, data) {
			t.Fatalf("chunks of %x are %x", data, all)
		}
	})
}

// FuzzColumns demands that a column either fails or is what its encoder writes.
func FuzzColumns(f *testing.F) {
	for _, col := range [][]byte{{}, {2, 5}, {0x7e, 5, 6}, {0, 2, 0x7f, 1}, {0x7f, 1, 'a', 0, 1, 2, 1, 'b'}, {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f, 5}} {
		f.Add(col, uint16(3), []byte("raw"))
	}
	f.Fuzz(func(t *testing.T, col []byte, rows uint16, raw []byte) {
		var uints uintEncoder
		u := newUintDecoder(col)
		var ints deltaEncoder
		d := newDeltaDecoder(col)
		var strings stringEncoder
		s := newStringDecoder(col, 100)
		var bools boolEncoder
		b := newBoolDecoder(col)
		var values valueEncoder
		v := newValueDecoder(col, raw)
		for range rows {
			if x, ok := u.next(); ok {
				uints.append(x)
			} else {
				uints.appendNull()
			}
			if x, ok := d.next(); ok {
				ints.append(x)
			} else {
				ints.appendNull()
			}
			if x, ok := s.next(); ok {
				strings.append(x)
			} else {
				strings.appendNull()
			}
			bools.append(b.next())
			if x, ok := v.next(); ok {
				values.append(x)
			} else {
				values.appendNull()
			}
		}
		same := func(what string, err error, got []byte, want []byte) {
			if err == nil && len(want) > 0 && !bytes.Equal(got, want) {
				t.Fatalf("%s: %x became %x", what, want, got)
			}
		}
		same("uints", u.finish(), uints.finish(), col)
		same("deltas", d.finish(), ints.finish(), col)
		same("strings", s.finish(), strings.finish(), col)
		out, _ := bools.finish()
		same("booleans", b.finish(), out, col)
		meta, rest := values.finish()
		same("values", v.finish(), meta, col)
		same("raw values", v.finish(), rest, raw)
		n, _, err := countUints(col, 1<<16, maxSum)
		if err == nil && u.finish() == nil && len(col) > 0 && n != uint64(rows) {
			t.Fatalf("countUints = %d, want %d", n, rows)
		}
	})
}
