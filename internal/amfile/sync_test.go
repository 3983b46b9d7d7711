package amfile

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"
	"testing"

	"kaijutsu"
)

func hashOf(i int) (h kaijutsu.ChangeHash) {
	b := appendUleb(nil, uint64(i))
	_, h = appendChunk(nil, ChunkChange, b)
	return h
}

func TestGoldenSyncMessages(t *testing.T) {
	golden := vectors(t)
	g1 := golden["changes"]["G1"].bytes(t)
	head, err := kaijutsu.ParseChangeHash(golden["changes"]["G1"].Want["hash"].(string))
	if err != nil {
		t.Fatal(err)
	}
	bloom := NewBloom([]kaijutsu.ChangeHash{head})
	flags := &SyncFlags{SupportsReset: true}
	holding := SyncMessage{
		Version: 1, Heads: []kaijutsu.ChangeHash{head}, Have: []Have{{Bloom: bloom}}, Flags: flags,
	}
	answer := holding
	answer.Changes = [][]byte{g1}
	for _, c := range []struct {
		name string
		want SyncMessage
	}{
		{"S1", SyncMessage{Version: 1, Have: []Have{{}}, Flags: flags}},
		{"S2", holding},
		{"S4", answer},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := golden["sync"][c.name].bytes(t)
			m, err := DecodeSync(data)
			if err != nil {
				t.Fatal(err)
			}
			if got := m.Encode(); !bytes.Equal(got, data) {
				t.Errorf("Encode = %x, want %x", got, data)
			}
			if got := c.want.Encode(); !bytes.Equal(got, data) {
				t.Errorf("Encode = %x, want %x", got, data)
			}
			if m.Flags == nil || *m.Flags != *flags {
				t.Errorf("Flags = %+v, want %+v", m.Flags, flags)
			}
		})
	}
	t.Run("S3", func(t *testing.T) {
		data := golden["sync"]["S3"].bytes(t)
		m, err := DecodeSync(data)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Encode(); m.Version != 2 || !bytes.Equal(got, data) {
			t.Errorf("Encode = %x, want %x", got, data)
		}
		chunks, err := SplitChunks(bytes.Join(m.Changes, nil))
		if err != nil || len(chunks) != 1 || chunks[0].Type != ChunkDocument {
			t.Errorf("SplitChunks = %+v, %v, want a document", chunks, err)
		}
		if !m.Have[0].Bloom.Contains(head) || m.Have[0].Bloom.Len() != 1 {
			t.Error("the filter does not contain the head")
		}
	})
}

func TestSyncMessagesSurviveARoundTrip(t *testing.T) {
	hashes := func(n int) (list []kaijutsu.ChangeHash) {
		for i := range n {
			list = append(list, hashOf(i))
		}
		return list
	}
	for _, m := range []SyncMessage{
		{Version: 1},
		{Version: 1, Heads: hashes(3), Need: hashes(2)},
		{Version: 2, Heads: hashes(1), Changes: [][]byte{make([]byte, 14), make([]byte, 300)}, Flags: &SyncFlags{Reset: true}},
		{Version: 1, Have: []Have{{LastSync: hashes(2), Bloom: NewBloom(hashes(500))}, {}}, Flags: &SyncFlags{ReadOnly: true, SupportsReset: true}},
	} {
		data := m.Encode()
		got, err := DecodeSync(data)
		if err != nil || !bytes.Equal(got.Encode(), data) {
			t.Errorf("DecodeSync(%x) = %+v, %v, want %+v", data, got, err, m)
			continue
		}
		if !slices.Equal(got.Heads, m.Heads) || !slices.Equal(got.Need, m.Need) || len(got.Have) != len(m.Have) || len(got.Changes) != len(m.Changes) {
			t.Errorf("DecodeSync = %+v, want %+v", got, m)
		}
		if (got.Flags == nil) != (m.Flags == nil) || m.Flags != nil && *got.Flags != *m.Flags {
			t.Errorf("Flags = %+v, want %+v", got.Flags, m.Flags)
		}
	}
}

func TestOldTrailersAreUnderstood(t *testing.T) {
	for _, c := range []struct {
		name, data string
		want       *SyncFlags
	}{
		{"none", "4200000000", nil},
		{"empty", "420000000000", &SyncFlags{}},
		{"legacy", "42000000000102", &SyncFlags{}},
		{"bytes behind", "4200000000020284ffff", &SyncFlags{SupportsReset: true}},
		{"unknown bit", "42000000000202c2", &SyncFlags{ReadOnly: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, _ := hex.DecodeString(c.data)
			m, err := DecodeSync(data)
			if err != nil {
				t.Fatal(err)
			}
			if (m.Flags == nil) != (c.want == nil) || c.want != nil && *m.Flags != *c.want {
				t.Errorf("Flags = %+v, want %+v", m.Flags, c.want)
			}
		})
	}
}

func TestSyncRefuses(t *testing.T) {
	for _, c := range []struct{ name, data string }{
		{"nothing", ""},
		{"version 0", "4100000000"},
		{"version 3", "4400000000"},
		{"cut short", "420000"},
		{"more heads than bytes", "42ff7f000000"},
		{"17 haves", "42000011" + "00000000000000000000000000000000000000000000000000000000000000000000" + "00"},
		{"more changes than bytes", "420000000502"},
		{"change cut short", "420000000110" + "000000000000000000000000000000"},
		{"changes too short to be", "42000000020000" + "0000000000000000000000000000000000000000"},
		{"trailer cut short", "420000000002"},
		{"overlong count", "428000000000"},
		{"filter of the wrong size", "4200000100050a0a073400"},
		{"filter without probes", "42000001000501 0a0034f000"},
		{"filter with 65 bits", "42000001000c01410700000000000000000000"},
		{"filter cut short", "420000010001 0100"},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, err := hex.DecodeString(string(bytes.ReplaceAll([]byte(c.data), []byte(" "), nil)))
			if err != nil {
				t.Fatal(err)
			}
			m, err := DecodeSync(data)
			if !errors.Is(err, kaijutsu.ErrInvalid) && !errors.Is(err, kaijutsu.ErrTooLarge) {
				t.Errorf("DecodeSync = %+v, %v, want ErrInvalid or ErrTooLarge", m, err)
			}
		})
	}
}

func TestBloomFindsWhatIsInIt(t *testing.T) {
	if (Bloom{}).Contains(hashOf(1)) || !(Bloom{}).IsEmpty() {
		t.Error("the empty filter matches something")
	}
	var in []kaijutsu.ChangeHash
	for i := range 1000 {
		in = append(in, hashOf(i))
	}
	b := NewBloom(in)
	for i, h := range in {
		if !b.Contains(h) {
			t.Fatalf("hash %d is not found", i)
		}
	}
	wrong := 0
	for i := 1000; i < 11000; i++ {
		if b.Contains(hashOf(i)) {
			wrong++
		}
	}
	if wrong > 300 {
		t.Errorf("%d of 10000 hashes found that are not there, want about 100", wrong)
	}
}

func TestSyncStateSurvivesARoundTrip(t *testing.T) {
	for n := range 3 {
		var heads []kaijutsu.ChangeHash
		for i := range n {
			heads = append(heads, hashOf(i))
		}
		want := kaijutsu.NewHeads(heads...)
		data := EncodeSyncState(want)
		got, err := DecodeSyncState(data)
		if err != nil || !got.Equal(want) {
			t.Errorf("DecodeSyncState(%x) = %v, %v, want %v", data, got, err, want)
		}
		if _, err := DecodeSyncState(append(data, 0)); err == nil {
			t.Error("a byte behind was accepted")
		}
	}
	for _, data := range [][]byte{nil, {0x42, 0}, {0x43}, {0x43, 1}} {
		if heads, err := DecodeSyncState(data); !errors.Is(err, kaijutsu.ErrInvalid) {
			t.Errorf("DecodeSyncState(%x) = %v, %v, want ErrInvalid", data, heads, err)
		}
	}
}

func TestSplitChunks(t *testing.T) {
	golden := vectors(t)
	g1, g3, g3z, doc := golden["changes"]["G1"].bytes(t), golden["changes"]["G3"].bytes(t), golden["changes"]["G3z"].bytes(t), golden["documents"]["G9"].bytes(t)
	chunks, err := SplitChunks(slices.Concat(doc, g1, g3z, g3))
	if err != nil || len(chunks) != 4 {
		t.Fatalf("SplitChunks = %v, %v, want 4 chunks", chunks, err)
	}
	for i, want := range []struct {
		typ ChunkType
		raw []byte
	}{{ChunkDocument, doc}, {ChunkChange, g1}, {ChunkDeflated, g3z}, {ChunkChange, g3}} {
		if chunks[i].Type != want.typ || !bytes.Equal(chunks[i].Raw, want.raw) {
			t.Errorf("chunk %d = type %d, %x, want type %d, %x", i, chunks[i].Type, chunks[i].Raw, want.typ, want.raw)
		}
	}
	if chunks[2].Hash != chunks[3].Hash || !bytes.Equal(chunks[2].Body, chunks[3].Body) {
		t.Error("a deflated change differs from the plain one")
	}
	for name, data := range map[string][]byte{
		"junk behind":   append(slices.Clone(g1), 1),
		"junk before":   append([]byte{1}, g1...),
		"cut short":     g1[:len(g1)-1],
		"endless":       binary.AppendUvarint(slices.Clone(g1[:9]), 1<<63),
		"header only":   g1[:9],
		"half a header": g1[:5],
	} {
		if chunks, err := SplitChunks(data); !errors.Is(err, kaijutsu.ErrInvalid) && !errors.Is(err, kaijutsu.ErrTooLarge) {
			t.Errorf("%s: SplitChunks = %v, %v, want an error", name, chunks, err)
		}
	}
	if chunks, err := SplitChunks(nil); err != nil || len(chunks) != 0 {
		t.Errorf("SplitChunks(nil) = %v, %v, want none", chunks, err)
	}
}
