package cluster

import (
	"bytes"
	"encoding/hex"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

var update = flag.Bool("update", false, "write the golden files anew")

var (
	amy = kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person}
	bot = kaijutsu.Principal{Name: "bot", Kind: kaijutsu.Agent}
)

// testChanges makes n changes of one document, always the same.
func testChanges(t testing.TB, n int) (kaijutsu.DocumentID, []repo.Change) {
	t.Helper()
	var cid kaijutsu.ContextID
	copy(cid[:], "context number 1")
	m := blocks.NewModel()
	m.Apply(blocks.Genesis())
	changes := []repo.Change{{Change: blocks.Genesis(), By: amy}}
	heads := kaijutsu.Heads{blocks.Genesis().Hash}
	startOp := blocks.Genesis().MaxOp() + 1
	for i := range n {
		opt := blocks.CommitOptions{
			Actor: kaijutsu.ActorID("actor of the test"), Seq: uint64(i + 1), StartOp: startOp, Deps: heads,
			Time: time.Unix(1_000_000+int64(i), 0),
		}
		c, err := m.Commit(opt, func(tx *blocks.Tx) error {
			if i == 0 {
				return tx.SetContext(cid)
			}
			return tx.SetTitle(strings.Repeat("title ", i))
		})
		if err != nil {
			t.Fatal(err)
		}
		m.Apply(c)
		heads, startOp = kaijutsu.Heads{c.Hash}, c.MaxOp()+1
		changes = append(changes, repo.Change{Change: c, By: bot, Via: amy})
	}
	return cid.Document(), changes
}

func testBatch(t testing.TB) *batch {
	doc, changes := testChanges(t, 2)
	var base kaijutsu.ContextID
	copy(base[:], "context number 0")
	origin := repo.Origin{Anchor: changes[1].Hash, Base: &store.Base{
		Doc: base.Document(), Heads: kaijutsu.NewHeads(changes[0].Hash, changes[1].Hash), Changes: 7,
	}}
	return split(doc, origin, changes)[0]
}

// messages are one of each kind, by the name of its golden file.
func testMessages(t testing.TB) map[string][]byte {
	b := testBatch(t)
	plain := *b
	plain.origin, plain.signers = repo.Origin{}, nil
	a := &announce{asks: true}
	for i := range a.sums {
		a.sums[i] = uint64(i) * 0x0123456789abcd
	}
	heads := kaijutsu.NewHeads(b.hashes...)
	var of which
	of.set(0)
	of.set(255)
	return map[string][]byte{
		"batch":       b.encode(),
		"batch-plain": plain.encode(),
		"notice":      notice{b.doc, heads, "node-1"}.encode(),
		"announce":    a.encode(),
		"who":         encodeWho(b.doc),
		"has":         has{"node-1", 12}.encode(),
		"since":       encodeSince([]wanted{{doc: b.doc, have: heads}, {doc: b.origin.Base.Doc, whole: true}}),
		"end":         end{b.doc, endUnknown}.encode(),
		"list":        encodeList(of),
		"listed":      encodeListed([]listed{{b.doc, heads}, {b.origin.Base.Doc, heads[:1]}}),
	}
}

// recode decodes a message of any kind and encodes it again.
func recode(data []byte) ([]byte, error) {
	switch kindOf(data) {
	case kindBatch:
		b, err := decodeBatch(data)
		if err != nil {
			return nil, err
		}
		return b.encode(), nil
	case kindNotice:
		n, err := decodeNotice(data)
		return n.encode(), err
	case kindAnnounce:
		a, err := decodeAnnounce(data)
		if err != nil {
			return nil, err
		}
		return a.encode(), nil
	case kindWho:
		doc, err := decodeWho(data)
		return encodeWho(doc), err
	case kindHas:
		h, err := decodeHas(data)
		return h.encode(), err
	case kindSince:
		docs, err := decodeSince(data)
		return encodeSince(docs), err
	case kindEnd:
		e, err := decodeEnd(data)
		return e.encode(), err
	case kindList:
		of, err := decodeList(data)
		return encodeList(of), err
	case kindFind:
		name, err := decodeFind(data)
		return encodeFind(name), err
	case kindFound:
		f, err := decodeFound(data)
		return f.encode(), err
	case kindListed:
		docs, err := decodeListed(data)
		return encodeListed(docs), err
	}
	return nil, kaijutsu.ErrInvalid
}

func TestMessagesAreAsTheyWere(t *testing.T) {
	for name, data := range testMessages(t) {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", name+".hex")
			if *update {
				if err := os.WriteFile(path, []byte(hex.EncodeToString(data)+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			golden, err := hex.DecodeString(strings.TrimSpace(string(text)))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(data, golden) {
				t.Errorf("encoded as %x, want %x", data, golden)
			}
			again, err := recode(golden)
			if err != nil || !bytes.Equal(again, golden) {
				t.Errorf("recode(golden) = %x, %v, want the same", again, err)
			}
		})
	}
}

func TestMessagesAreRefused(t *testing.T) {
	for name, data := range testMessages(t) {
		t.Run(name, func(t *testing.T) {
			for n := range data {
				if _, err := recode(data[:n]); !errors.Is(err, kaijutsu.ErrInvalid) {
					t.Errorf("recode of the first %d of %d bytes = %v, want ErrInvalid", n, len(data), err)
				}
			}
			if _, err := recode(append(bytes.Clone(data), 0)); !errors.Is(err, kaijutsu.ErrInvalid) {
				t.Errorf("recode with a byte behind = %v, want ErrInvalid", err)
			}
		})
	}
	bad := map[string]func(b *batch){
		"no changes":         func(b *batch) { b.hashes, b.raws, b.signers = nil, nil, nil },
		"an empty change":    func(b *batch) { b.raws[1] = nil },
		"a base without":     func(b *batch) { b.origin.Base.Heads = nil },
		"a base of itself":   func(b *batch) { b.origin.Base.Doc = b.doc },
		"heads that descend": func(b *batch) { h := b.origin.Base.Heads; h[0], h[1] = h[1], h[0] },
		"a long name": func(b *batch) {
			b.signers["a"] = repo.Signer{By: kaijutsu.Principal{Name: strings.Repeat("n", 65), Kind: kaijutsu.Person}}
		},
		"nobody":       func(b *batch) { b.signers["a"] = repo.Signer{} },
		"a long actor": func(b *batch) { b.signers[kaijutsu.ActorID(strings.Repeat("a", 200))] = repo.Signer{By: amy} },
	}
	for name, spoil := range bad {
		t.Run(name, func(t *testing.T) {
			b := testBatch(t)
			spoil(b)
			if _, err := decodeBatch(b.encode()); !errors.Is(err, kaijutsu.ErrInvalid) {
				t.Errorf("decodeBatch = %v, want ErrInvalid", err)
			}
		})
	}
}

func TestChangesAreHeldAgainstTheirHashes(t *testing.T) {
	b := testBatch(t)
	all := func(int) bool { return true }
	if got, err := b.decodeChanges(all); err != nil || len(got) != 3 {
		t.Fatalf("decodeChanges = %d changes, %v, want 3", len(got), err)
	}
	b.hashes[1][0] ^= 1
	if _, err := b.decodeChanges(all); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("decodeChanges with a wrong hash = %v, want ErrInvalid", err)
	}
	if got, err := b.decodeChanges(func(i int) bool { return i != 1 }); err != nil || len(got) != 2 {
		t.Errorf("decodeChanges of the others = %d changes, %v, want 2: a known change is not looked at", len(got), err)
	}
}

func TestBatchesAreSplit(t *testing.T) {
	doc, changes := testChanges(t, 1)
	first, second := changes[0], changes[1]
	sized := func(n int) repo.Change {
		c := *second.Change
		c.Raw = make([]byte, n)
		return repo.Change{Change: &c, By: amy}
	}
	tests := []struct {
		name    string
		changes []repo.Change
		want    []int
	}{
		{"none", nil, nil},
		{"one", []repo.Change{first}, []int{1}},
		{"two that fit", []repo.Change{sized(190 << 10), sized(190 << 10)}, []int{2}},
		{"three that do not", []repo.Change{sized(190 << 10), sized(190 << 10), sized(190 << 10)}, []int{2, 1}},
		{"one too large", []repo.Change{first, sized(5 << 20), first}, []int{1, 1, 1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []int
			base := &store.Base{Doc: doc}
			for i, b := range split(doc, repo.Origin{Base: base, Anchor: first.Hash}, test.changes) {
				got = append(got, len(b.hashes))
				if (b.origin.Base != nil) != (i == 0) || b.origin.Anchor != first.Hash {
					t.Errorf("batch %d has origin %v, want the base with the first and the anchor with all", i, b.origin)
				}
				if n := len(b.encode()); len(b.hashes) > 1 && n > batchBytes {
					t.Errorf("batch %d has %d bytes, want at most %d", i, n, batchBytes)
				}
			}
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("split = %v, want %v", got, test.want)
			}
		})
	}
}

func TestAnswersAreCutAndJoined(t *testing.T) {
	var items [][]byte
	for _, n := range []int{0, 1, 127, 128, partBytes - 2, partBytes, partBytes + 1, 5 << 20, 3} {
		item := make([]byte, n)
		for i := range item {
			item[i] = byte(rand.Uint32())
		}
		items = append(items, item)
	}
	var got [][]byte
	u := unpacker{f: func(item []byte) error { got = append(got, bytes.Clone(item)); return nil }}
	parts := 0
	p := packer{send: func(part []byte) error {
		if parts++; len(part) > partBytes+16 {
			t.Errorf("part %d has %d bytes, want at most %d", parts, len(part), partBytes)
		}
		return u.part(part)
	}}
	for _, item := range items {
		if err := p.item(item); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.flush(); err != nil {
		t.Fatal(err)
	}
	if err := u.end(); err != nil || len(got) != len(items) {
		t.Fatalf("got %d items, %v, want %d", len(got), err, len(items))
	}
	for i := range items {
		if !bytes.Equal(got[i], items[i]) {
			t.Errorf("item %d of %d bytes came as %d other bytes", i, len(items[i]), len(got[i]))
		}
	}
	long := unpacker{f: func([]byte) error { return nil }}
	if err := long.part([]byte{0xff, 0xff, 0xff, 0xff, 0x7f}); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("an item of 34 GB = %v, want ErrInvalid", err)
	}
}

func TestDigest(t *testing.T) {
	doc, changes := testChanges(t, 2)
	h0, h1 := kaijutsu.Heads{changes[0].Hash}, kaijutsu.Heads{changes[1].Hash}
	a, b := newDigest(), newDigest()
	now := time.Unix(1, 0)
	a.fill(doc, h0)
	b.note(doc, h0, now)
	b.fill(doc, h1) // read before it was noted
	equal := func(want bool, when string) {
		t.Helper()
		as, _ := a.sums()
		bs, _ := b.sums()
		if got := as == bs; got != want {
			t.Errorf("equal %s = %v, want %v", when, got, want)
		}
	}
	equal(true, "with the same heads")
	a.note(doc, h1, now)
	equal(false, "with other heads")
	b.note(doc, h1, now)
	equal(true, "with the same heads again")
	a.drop(doc, now)
	equal(false, "with and without")
	a.fill(doc, h1)
	if a.sum(doc) != 0 {
		t.Error("a document that was deleted while the digest was filled is in it")
	}
	b.drop(doc, now)
	equal(true, "without")
	if _, n := b.sums(); n != 0 {
		t.Errorf("documents = %d, want 0", n)
	}
}

func FuzzMessages(f *testing.F) {
	for _, data := range testMessages(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		again, err := recode(data)
		if err != nil {
			if !errors.Is(err, kaijutsu.ErrInvalid) {
				t.Fatalf("recode = %v, want ErrInvalid", err)
			}
			return
		}
		if !bytes.Equal(again, data) {
			t.Fatalf("recode = %x, want %x: a message has one form", again, data)
		}
		if b, err := decodeBatch(data); err == nil {
			changes, err := b.decodeChanges(func(int) bool { return true })
			for i, c := range changes {
				if err == nil && c.Hash != b.hashes[i] {
					t.Fatal("a change that does not have its hash")
				}
			}
		}
		u := unpacker{f: func([]byte) error { return nil }}
		_ = u.part(data)
	})
}
