package backup

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/store"
)

// sample is a piece with something of everything.
func sample(t testing.TB) Piece {
	t.Helper()
	doc, err := kaijutsu.DocumentIDFromBytes(bytes.Repeat([]byte{7}, 16))
	if err != nil {
		t.Fatal(err)
	}
	under, err := kaijutsu.DocumentIDFromBytes(bytes.Repeat([]byte{9}, 32))
	if err != nil {
		t.Fatal(err)
	}
	raw := []byte("\x85oJ\x83abcdbehind")
	who := store.Actor{ID: "actor", Principal: kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person}, At: time.Unix(1e9, 5).UTC()}
	return Piece{
		Extent: store.Extent{
			Doc: doc, Changes: 3, Actors: 2, Before: 4, Heads: kaijutsu.Heads{{1}, {2}}, Anchor: kaijutsu.ChangeHash{3},
			Base: &store.Base{Doc: under, Heads: kaijutsu.Heads{{4}}, Changes: 4},
		},
		Tail: true, From: 1, FromActor: 1, Last: [32]byte{6}, Authors: digestActors([]store.Actor{who}),
		Log: []store.Change{{Index: 1, Hash: sum(raw[8:]), Raw: raw}, {Index: 2, Hash: kaijutsu.ChangeHash{8}, Raw: raw}},
		Who: []store.Actor{who},
	}
}

func TestPieceComesBack(t *testing.T) {
	whole := sample(t)
	whole.Tail, whole.From, whole.FromActor, whole.Actors, whole.Base = false, 0, 0, 1, nil
	whole.Covers, whole.Snapshot, whole.Changes = 1, []byte("chunk"), 3
	for name, p := range map[string]Piece{"tail": sample(t), "whole": whole} {
		got, err := decodePiece(p.encode())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(got.Snapshot) == 0 {
			got.Snapshot = nil
		}
		if !reflect.DeepEqual(got, p) {
			t.Errorf("%s comes back as %+v, want %+v", name, got, p)
		}
	}
}

func sampleIndex(t testing.TB) *Index {
	p := sample(t)
	return &Index{
		Documents: []Held{{Extent: p.Extent, Last: p.Last, Authors: p.Authors, Places: []Place{{0, 1, 9}, {1, 0, 3}}, Stale: "why"}},
		Records:   []HeldRecord{{"one", [32]byte{1}, Place{1, 2, 3}}},
		Deleted:   []kaijutsu.DocumentID{p.Doc},
		Unlisted:  "some",
	}
}

func FuzzPiece(f *testing.F) {
	f.Add(sample(f).encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := decodePiece(b)
		if err != nil {
			return
		}
		again, err := decodePiece(p.encode())
		if err != nil || !reflect.DeepEqual(again, p) {
			t.Errorf("%+v comes back as %+v, %v", p, again, err)
		}
	})
}

func FuzzIndex(f *testing.F) {
	f.Add(sampleIndex(f).encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := decodeIndex(b, 2)
		if err != nil {
			return
		}
		again, err := decodeIndex(x.encode(), 2)
		if err != nil || !reflect.DeepEqual(again, x) {
			t.Errorf("%+v comes back as %+v, %v", x, again, err)
		}
	})
}

func FuzzHave(f *testing.F) {
	p := sample(f)
	x := p.Extent
	x.Heads = nil
	f.Add(Have{Storage: "id", docs: map[kaijutsu.DocumentID]had{p.Doc: {extent: x, heads: digestHeads(p.Heads), last: p.Last}}}.Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := DecodeHave(b)
		if err != nil {
			return
		}
		again, err := DecodeHave(h.Encode())
		if err != nil || again.Len() != h.Len() {
			t.Errorf("%d documents come back as %d, %v", h.Len(), again.Len(), err)
		}
	})
}

func FuzzStream(f *testing.F) {
	var b bytes.Buffer
	out := newFrames(&b)
	for _, frame := range []struct {
		kind    byte
		payload []byte
	}{{frameHeader, []byte(`{"format":1}`)}, {framePiece, sample(f).encode()}, {frameRecord, []byte("\x03oneval")}} {
		if err := out.put(frame.kind, frame.payload); err != nil {
			f.Fatal(err)
		}
	}
	if _, err := out.end(); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		in, _, err := openStream(bytes.NewReader(b))
		for err == nil {
			var kind byte
			if kind, _, err = in.next(); kind == frameEnd {
				return
			}
		}
	})
}

func FuzzManifest(f *testing.F) {
	m := &Manifest{Format: 1, Run: 1, Index: File{Name: "run-000001/index.zst"}}
	b, err := m.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := decodeManifest(b)
		if err != nil {
			return
		}
		for _, file := range m.files() {
			if checkName(file.Name) != nil {
				t.Errorf("the manifest names %q", file.Name)
			}
		}
	})
}

func FuzzEntries(f *testing.F) {
	f.Add([]byte("(\xb5/\xfd"))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := readEntries(bytes.NewReader(b))
		if err != nil {
			return
		}
		defer e.close()
		for range 1000 {
			if _, _, _, err := e.next(); err != nil {
				return
			}
		}
	})
}
