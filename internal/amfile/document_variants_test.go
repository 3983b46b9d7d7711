package amfile

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"kaijutsu"
)

// storedDocuments reads testdata/documents: files that JavaScript saved, made
// by internal/interop/generate.mjs.
func storedDocuments(t testing.TB) map[string][]byte {
	files, err := filepath.Glob("testdata/documents/*.automerge")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stored documents: %v", err)
	}
	found := map[string][]byte{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found[strings.TrimSuffix(filepath.Base(file), ".automerge")] = data
	}
	return found
}

func TestStoredDocuments(t *testing.T) {
	for name, chunk := range storedDocuments(t) {
		t.Run(name, func(t *testing.T) {
			changes, err := DecodeDocument(chunk)
			if err != nil {
				t.Fatal(err)
			}
			again := make([]*Change, len(changes))
			for i, c := range changes {
				if again[i], err = DecodeChange(c.Raw); err != nil || again[i].Hash != c.Hash {
					t.Fatalf("change %d: %v", i, err)
				}
			}
			if err := newHistory().addAll(again); err != nil {
				t.Error(err)
			}
			own, err := EncodeDocument(again)
			if err != nil {
				t.Fatal(err)
			}
			wantSameColumns(t, name, own, chunk)
		})
	}
}

// parts is a document chunk in pieces that can be changed one by one.
type parts struct {
	actors    [][]byte
	heads     []kaijutsu.ChangeHash
	changes   []column
	ops       []column
	tail      []byte
	behind    []byte // what follows the chunk
	typ       ChunkType
	badSum    bool
	truncated int // bytes missing at the end of the body
}

func takeApart(t testing.TB, chunk []byte) *parts {
	t.Helper()
	c, _, err := readChunk(chunk, 0)
	if err != nil {
		t.Fatal(err)
	}
	r := reader{rest: c.Body}
	p := &parts{}
	for range r.count(1, MaxDocumentActors) {
		p.actors = append(p.actors, r.prefixed())
	}
	p.heads = r.hashes(MaxDocumentChanges)
	var changeTable, opTable columnTable
	changeTable.readHeader(&r, documentChangeColumns, true)
	opTable.readHeader(&r, documentOpColumns, true)
	for _, table := range []*columnTable{&changeTable, &opTable} {
		table.readData(&r)
		if _, err := table.inflate(MaxDocumentInflatedBytes); err != nil {
			t.Fatal(err)
		}
	}
	if r.err != nil {
		t.Fatal(r.err)
	}
	p.changes, p.ops = changeTable.cols[:changeTable.n], opTable.cols[:opTable.n]
	p.tail = bytes.Clone(r.rest)
	return p
}

func (p *parts) chunk() []byte {
	body := appendUleb(nil, uint64(len(p.actors)))
	for _, actor := range p.actors {
		body = appendUleb(body, uint64(len(actor)))
		body = append(body, actor...)
	}
	body = appendHashes(body, p.heads)
	for _, cols := range [][]column{p.changes, p.ops} {
		body = appendUleb(body, uint64(len(cols)))
		for _, col := range cols {
			body = appendUleb(body, uint64(col.spec))
			body = appendUleb(body, uint64(len(col.data)))
		}
	}
	for _, cols := range [][]column{p.changes, p.ops} {
		for _, col := range cols {
			body = append(body, col.data...)
		}
	}
	body = append(body, p.tail...)
	chunk, _ := appendChunk(nil, p.typ, body[:len(body)-p.truncated])
	if p.badSum {
		chunk[5] ^= 1
	}
	return append(chunk, p.behind...)
}

// col returns the column of a table; it makes it when it is not there.
func col(cols *[]column, spec columnSpec) *column {
	i, found := slices.BinarySearchFunc(*cols, spec, func(c column, spec columnSpec) int { return int(c.spec) - int(spec) })
	if !found {
		*cols = slices.Insert(*cols, i, column{spec: spec})
	}
	return &(*cols)[i]
}

// cell is one entry of a numeric column.
type cell struct {
	v    int64
	null bool
}

// editDelta lets f change the entries of a delta column, editUint those of an
// unsigned one.
func editDelta(c *column, f func([]cell) []cell) {
	d := newDeltaDecoder(c.data)
	var list []cell
	for d.left > 0 || len(d.rest) > 0 {
		v, ok := d.next()
		list = append(list, cell{v, !ok})
	}
	var e deltaEncoder
	for _, it := range f(list) {
		if it.null {
			e.appendNull()
		} else {
			e.append(it.v)
		}
	}
	c.data = bytes.Clone(e.finish())
}

func editUint(c *column, f func([]cell) []cell) {
	d := newUintDecoder(c.data)
	var list []cell
	for d.left > 0 || len(d.rest) > 0 {
		v, ok := d.next()
		list = append(list, cell{int64(v), !ok})
	}
	var e uintEncoder
	for _, it := range f(list) {
		if it.null {
			e.appendNull()
		} else {
			e.append(uint64(it.v))
		}
	}
	c.data = bytes.Clone(e.finish())
}

// set returns an edit that sets entry i, counted from the end when negative.
func set(i int, v int64) func([]cell) []cell {
	return func(list []cell) []cell {
		if i < 0 {
			i += len(list)
		}
		list[i] = cell{v: v}
		return list
	}
}

func null(i int) func([]cell) []cell {
	return func(list []cell) []cell {
		if i < 0 {
			i += len(list)
		}
		list[i] = cell{null: true}
		return list
	}
}

func drop(list []cell) []cell { return list[:len(list)-1] }

func deflated(data []byte) []byte {
	var out bytes.Buffer
	deflate(&out, data)
	return out.Bytes()
}

// documentVariants are ways to change a document; those that start with "="
// leave it the same document.
var documentVariants = map[string]func(p *parts){
	"= nothing":                    func(p *parts) {},
	"= unused actor":               func(p *parts) { p.actors = append(p.actors, bytes.Repeat([]byte{0xff}, 64)) },
	"= no head indexes":            func(p *parts) { p.tail = nil },
	"= deflated small column":      func(p *parts) { c := col(&p.changes, colChangeActor); c.spec |= deflateBit; c.data = deflated(c.data) },
	"checksum":                     func(p *parts) { p.badSum = true },
	"change chunk":                 func(p *parts) { p.typ = ChunkChange },
	"bundle chunk":                 func(p *parts) { p.typ = ChunkBundle },
	"unknown chunk":                func(p *parts) { p.typ = 9 },
	"byte after the chunk":         func(p *parts) { p.behind = []byte{0} },
	"second chunk":                 func(p *parts) { p.behind, _ = appendChunk(nil, ChunkDocument, []byte{0, 0, 0, 0}) },
	"byte after the head indexes":  func(p *parts) { p.tail = append(p.tail, 0) },
	"wrong head index":             func(p *parts) { p.tail[0] ^= 1 },
	"head index cut short":         func(p *parts) { p.truncated = 1 },
	"body cut short":               func(p *parts) { p.truncated = 100 },
	"no head":                      func(p *parts) { p.heads, p.tail = nil, nil },
	"other head":                   func(p *parts) { p.heads[0][7] ^= 1 },
	"head twice":                   func(p *parts) { p.heads, p.tail = append(p.heads, p.heads[len(p.heads)-1]), nil },
	"one head more":                func(p *parts) { p.heads, p.tail = append(p.heads, kaijutsu.ChangeHash{0xff}), nil },
	"actors descend":               func(p *parts) { slices.Reverse(p.actors) },
	"actor twice":                  func(p *parts) { p.actors = append(p.actors, p.actors[len(p.actors)-1]) },
	"empty actor":                  func(p *parts) { p.actors = append([][]byte{{}}, p.actors...) },
	"long actor":                   func(p *parts) { p.actors = append(p.actors, bytes.Repeat([]byte{0xff}, MaxActorBytes+1)) },
	"actor missing":                func(p *parts) { p.actors = p.actors[:len(p.actors)-1] },
	"other actor":                  func(p *parts) { p.actors[0] = append(bytes.Clone(p.actors[0]), 0) },
	"unknown change column":        func(p *parts) { col(&p.changes, 0x63).data = []byte{0x7f, 1} },
	"unknown operation column":     func(p *parts) { col(&p.ops, 0xb2).data = []byte{0x7f, 1} },
	"column twice":                 func(p *parts) { p.ops = append(p.ops, p.ops[len(p.ops)-1]) },
	"columns out of order":         func(p *parts) { p.ops[0], p.ops[1] = p.ops[1], p.ops[0] },
	"empty column":                 func(p *parts) { col(&p.changes, colChangeExtraRaw).data = nil },
	"column missing":               func(p *parts) { p.ops = slices.Delete(p.ops, 3, 4) },
	"all operation columns gone":   func(p *parts) { p.ops = nil },
	"all change columns gone":      func(p *parts) { p.changes = nil },
	"column of garbage, deflated":  func(p *parts) { p.ops[2].spec |= deflateBit },
	"bytes after deflated data":    func(p *parts) { c := &p.ops[2]; c.spec |= deflateBit; c.data = append(deflated(c.data), 0) },
	"deflated column of nothing":   func(p *parts) { c := col(&p.changes, colChangeExtraRaw); c.spec |= deflateBit; c.data = deflated(nil) },
	"time":                         func(p *parts) { editDelta(col(&p.changes, colChangeTime), set(1, 12345)) },
	"no time":                      func(p *parts) { editDelta(col(&p.changes, colChangeTime), null(1)) },
	"sequence number":              func(p *parts) { editDelta(col(&p.changes, colChangeSeq), set(-1, 999)) },
	"sequence number 0":            func(p *parts) { editDelta(col(&p.changes, colChangeSeq), set(0, 0)) },
	"negative sequence number":     func(p *parts) { editDelta(col(&p.changes, colChangeSeq), set(0, math.MinInt64)) },
	"author":                       func(p *parts) { editUint(col(&p.changes, colChangeActor), set(-1, 99)) },
	"author out of range":          func(p *parts) { editUint(col(&p.changes, colChangeActor), set(0, math.MaxInt64)) },
	"maxOp of a billion":           func(p *parts) { editDelta(col(&p.changes, colChangeMaxOp), set(-1, 1e9)) },
	"maxOp beyond the counters":    func(p *parts) { editDelta(col(&p.changes, colChangeMaxOp), set(-1, 1<<40)) },
	"maxOp lower":                  func(p *parts) { editDelta(col(&p.changes, colChangeMaxOp), set(-1, 1)) },
	"negative maxOp":               func(p *parts) { editDelta(col(&p.changes, colChangeMaxOp), set(0, -1)) },
	"message":                      func(p *parts) { col(&p.changes, colChangeMessage).data = []byte{0x7f, 2, 'h', 'i'} },
	"message not UTF-8":            func(p *parts) { col(&p.changes, colChangeMessage).data = []byte{0x7f, 1, 0xff} },
	"extra bytes":                  func(p *parts) { editUint(col(&p.changes, colChangeExtraMeta), set(0, 1<<4|7)); p.addExtra() },
	"extra bytes of another type":  func(p *parts) { editUint(col(&p.changes, colChangeExtraMeta), set(0, 0)) },
	"depends on itself":            func(p *parts) { editDelta(col(&p.changes, colChangeDeps), set(0, 1)) },
	"depends on a later change":    func(p *parts) { editDelta(col(&p.changes, colChangeDeps), set(0, 3)) },
	"depends on what is not there": func(p *parts) { editDelta(col(&p.changes, colChangeDeps), set(-1, 1e9)) },
	"negative dependency":          func(p *parts) { editDelta(col(&p.changes, colChangeDeps), set(0, -1)) },
	"dependency missing":           func(p *parts) { editDelta(col(&p.changes, colChangeDeps), drop) },
	"a million dependencies":       func(p *parts) { editUint(col(&p.changes, colChangeDepsNum), set(-1, 1e6)) },
	"a billion changes": func(p *parts) {
		col(&p.changes, colChangeActor).data = appendUleb(appendSleb(nil, 1e9), 0)
	},
	"a billion rows": func(p *parts) {
		col(&p.ops, colAction).data = appendUleb(appendSleb(nil, 1e9), 1)
	},
	"four million rows": func(p *parts) {
		col(&p.ops, colAction).data = appendUleb(appendSleb(nil, 4e6), 1)
	},
	"a billion successors": func(p *parts) { editUint(col(&p.ops, colSuccNum), set(0, 1e9)) },
	"one change less":      func(p *parts) { editUint(col(&p.changes, colChangeActor), drop) },
	"one row less":         func(p *parts) { editUint(col(&p.ops, colAction), drop) },
	"action 8":             func(p *parts) { editUint(col(&p.ops, colAction), set(-1, 8)) },
	"row for a deletion":   func(p *parts) { editUint(col(&p.ops, colAction), set(-1, int64(Delete))) },
	"no action":            func(p *parts) { editUint(col(&p.ops, colAction), null(0)) },
	"other action":         func(p *parts) { editUint(col(&p.ops, colAction), set(-1, int64(Increment))) },
	"object half there":    func(p *parts) { editUint(col(&p.ops, colObjActor), null(-1)) },
	"object out of range":  func(p *parts) { editUint(col(&p.ops, colObjCtr), set(-1, 1<<40)) },
	"object by no actor":   func(p *parts) { editUint(col(&p.ops, colObjActor), set(-1, 1<<33)) },
	"other object":         func(p *parts) { editUint(col(&p.ops, colObjCtr), set(-1, 1)) },
	"two rows with one id": func(p *parts) {
		editDelta(col(&p.ops, colIDCtr), sameAs(0, 1))
		editUint(col(&p.ops, colIDActor), sameAs(0, 1))
	},
	"id 0":                   func(p *parts) { editDelta(col(&p.ops, colIDCtr), set(0, 0)) },
	"negative id":            func(p *parts) { editDelta(col(&p.ops, colIDCtr), set(0, -1)) },
	"id beyond the counters": func(p *parts) { editDelta(col(&p.ops, colIDCtr), set(0, 1<<31)) },
	"id of no change":        func(p *parts) { editDelta(col(&p.ops, colIDCtr), set(0, 1<<31-1)) },
	"id of no actor":         func(p *parts) { editUint(col(&p.ops, colIDActor), set(0, 1<<32)) },
	"no id":                  func(p *parts) { editDelta(col(&p.ops, colIDCtr), null(0)) },
	"successor missing":      func(p *parts) { editDelta(col(&p.ops, colSuccCtr), drop) },
	"successor is itself":    func(p *parts) { editDelta(col(&p.ops, colSuccCtr), set(0, 1)) },
	"successor is a later change": func(p *parts) {
		editDelta(col(&p.ops, colSuccCtr), set(-1, 1<<31-1))
	},
	"successor by no actor":   func(p *parts) { editUint(col(&p.ops, colSuccActor), set(0, 1e9)) },
	"successors exchanged":    func(p *parts) { editDelta(col(&p.ops, colSuccCtr), exchange) },
	"insert column missing":   func(p *parts) { p.ops = slices.DeleteFunc(p.ops, func(c column) bool { return c.spec == colInsert }) },
	"insert column too short": func(p *parts) { c := col(&p.ops, colInsert); c.data = c.data[:len(c.data)-1] },
	"value bytes missing":     func(p *parts) { c := col(&p.ops, colValueRaw); c.data = c.data[:len(c.data)-1] },
	"value bytes left over":   func(p *parts) { c := col(&p.ops, colValueRaw); c.data = append(bytes.Clone(c.data), 1) },
	"value bytes changed":     func(p *parts) { c := col(&p.ops, colValueRaw); c.data = bytes.Clone(c.data); c.data[0] ^= 1 },
	"value of another type":   func(p *parts) { editUint(col(&p.ops, colValueMeta), toggle(1)) },
	"key of an element":       func(p *parts) { editDelta(col(&p.ops, colKeyCtr), set(-1, 0)) },
	"key out of range":        func(p *parts) { editDelta(col(&p.ops, colKeyCtr), set(-1, 1<<40)) },
	"key by no actor":         func(p *parts) { editUint(col(&p.ops, colKeyActor), set(-1, 1e9)) },
	"run of one":              func(p *parts) { col(&p.changes, colChangeMessage).data = []byte{1, 1, 'x'} },
	"run of 2^63": func(p *parts) {
		col(&p.ops, colAction).data = appendSleb(nil, math.MinInt64)
	},
	"overlong number": func(p *parts) { col(&p.changes, colChangeMessage).data = []byte{0x7f, 0x81, 0x00, 'x'} },
}

func (p *parts) addExtra() {
	c := col(&p.changes, colChangeExtraRaw)
	c.data = append([]byte{1}, c.data...)
}

// sameAs returns an edit that sets entry i to entry k.
func sameAs(i, k int) func([]cell) []cell {
	return func(list []cell) []cell {
		list[i] = list[k]
		return list
	}
}

// exchange exchanges two entries that differ.
func exchange(list []cell) []cell {
	for i := 1; i < len(list); i++ {
		if list[i] != list[0] {
			list[0], list[i] = list[i], list[0]
			break
		}
	}
	return list
}

// toggle returns an edit that flips bits of the first entry.
func toggle(bits int64) func([]cell) []cell {
	return func(list []cell) []cell {
		list[0].v ^= bits
		return list
	}
}

func TestVariantsOfDocuments(t *testing.T) {
	chunk := storedDocuments(t)["authors"]
	want, err := DecodeDocument(chunk)
	if err != nil {
		t.Fatal(err)
	}
	for name, edit := range documentVariants {
		t.Run(name, func(t *testing.T) {
			p := takeApart(t, chunk)
			edit(p)
			got, err := DecodeDocument(p.chunk())
			if strings.HasPrefix(name, "=") {
				wantSameChanges(t, got, err, want)
				return
			}
			if err == nil {
				t.Fatalf("accepted, want an error")
			}
			t.Log(err)
			if !errors.Is(err, kaijutsu.ErrInvalid) && !errors.Is(err, kaijutsu.ErrTooLarge) {
				t.Errorf("%v: want ErrInvalid or ErrTooLarge", err)
			}
		})
	}
}

func wantSameChanges(t *testing.T, got []*Change, err error, want []*Change) {
	t.Helper()
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d changes, %v, want %d", len(got), err, len(want))
	}
	for i := range got {
		if got[i].Hash != want[i].Hash || !bytes.Equal(got[i].Raw, want[i].Raw) {
			t.Fatalf("change %d is %s, want %s", i, got[i].Hash, want[i].Hash)
		}
	}
}

// TestDamagedDocuments flips, drops and repeats bytes of inflated documents
// and mends the checksum: the result is refused or the same document.
func TestDamagedDocuments(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	refused, same := 0, 0
	for name, chunk := range storedDocuments(t) {
		want, err := DecodeDocument(chunk)
		if err != nil {
			t.Fatal(err)
		}
		c, _, err := readChunk(takeApart(t, chunk).chunk(), 0)
		if err != nil {
			t.Fatal(err)
		}
		for range 400 {
			damaged, _ := appendChunk(nil, ChunkDocument, damage(r, c.Body))
			got, err := DecodeDocument(damaged)
			if err != nil {
				refused++
				continue
			}
			same++
			heads, wanted := headsOf(got), headsOf(want)
			if !heads.Equal(wanted) {
				t.Errorf("%s: %x is accepted with heads %v, want %v", name, damaged, heads, wanted)
			}
		}
	}
	t.Logf("%d refused, %d the same", refused, same)
}

func damage(r *rand.Rand, body []byte) []byte {
	out := bytes.Clone(body)
	for n := 1 + r.IntN(3); n > 0; n-- {
		at := r.IntN(len(out))
		switch r.IntN(4) {
		case 0:
			out[at] ^= 1 << r.IntN(8)
		case 1:
			out[at] = byte(r.Uint32())
		case 2:
			out = slices.Delete(out, at, at+1)
		case 3:
			out = slices.Insert(out, at, out[at])
		}
	}
	return out
}

func headsOf(changes []*Change) kaijutsu.Heads {
	heads := map[kaijutsu.ChangeHash]bool{}
	for _, c := range changes {
		heads[c.Hash] = true
		for _, dep := range c.Deps {
			delete(heads, dep)
		}
	}
	var list []kaijutsu.ChangeHash
	for head := range heads {
		list = append(list, head)
	}
	return kaijutsu.NewHeads(list...)
}

// FuzzDecodeDocument demands that bodies of documents are refused, or give
// changes that are what their hashes say.
func FuzzDecodeDocument(f *testing.F) {
	for _, chunk := range storedDocuments(f) {
		c, _, err := readChunk(takeApart(f, chunk).chunk(), 0)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(c.Body)
		if c, _, err = readChunk(chunk, 0); err == nil {
			f.Add(c.Body)
		}
	}
	for _, data := range crashers(f, "load_") {
		if c, _, err := readChunk(data, 0); err == nil {
			f.Add(c.Body)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		chunk, _ := appendChunk(nil, ChunkDocument, body)
		changes, err := DecodeDocument(chunk)
		if err != nil {
			return
		}
		for i, c := range changes {
			if hash, _, err := readChange(c.Raw); err != nil || hash != c.Hash {
				t.Fatalf("change %d: %v, hash %s, want %s", i, err, hash, c.Hash)
			}
		}
		own, err := EncodeDocument(changes)
		if err != nil {
			return // breaks a rule
		}
		if again, err := DecodeDocument(own); err == nil && !headsOf(again).Equal(headsOf(changes)) {
			t.Fatalf("heads %v after encoding, want %v", headsOf(again), headsOf(changes))
		}
	})
}

// TestRefusingDocumentsCostsLittle demands that counts are checked before
// memory is taken.
func TestRefusingDocumentsCostsLittle(t *testing.T) {
	chunk := storedDocuments(t)["authors"]
	for _, name := range []string{
		"a billion changes", "a billion rows", "four million rows", "a billion successors", "a million dependencies",
		"maxOp of a billion", "run of 2^63",
	} {
		t.Run(name, func(t *testing.T) {
			p := takeApart(t, chunk)
			documentVariants[name](p)
			hostile := p.chunk()
			before := allocated()
			_, err := DecodeDocument(hostile)
			if took := allocated() - before; err == nil || took > 4<<20 {
				t.Errorf("took %d bytes of memory, %v", took, err)
			}
		})
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// TestUnfitChangesAreNotEncoded gives EncodeDocument what is not a history.
func TestUnfitChangesAreNotEncoded(t *testing.T) {
	changes, err := DecodeDocument(storedDocuments(t)["mixed"])
	if err != nil {
		t.Fatal(err)
	}
	edited := func(i int, edit func(*Change)) []*Change {
		list := slices.Clone(changes)
		c := *list[i]
		c.Ops = slices.Clone(c.Ops)
		edit(&c)
		list[i] = &c
		return list
	}
	withPred := slices.IndexFunc(changes, func(c *Change) bool { return len(c.Ops) > 0 && len(c.Ops[0].Pred) > 0 })
	cases := map[string][]*Change{
		"without the first":   changes[1:],
		"descending":          {changes[1], changes[0]},
		"one twice":           append(slices.Clone(changes), changes[3]),
		"without an author":   edited(2, func(c *Change) { c.Actors = nil }),
		"wild time":           edited(2, func(c *Change) { c.Time = math.MinInt64 }),
		"counter too high":    edited(2, func(c *Change) { c.StartOp = 1 << 31 }),
		"operation twice":     edited(2, func(c *Change) { c.StartOp, c.Actors = changes[0].StartOp, changes[0].Actors }),
		"unknown predecessor": edited(withPred, func(c *Change) { c.Ops[0].Pred = []OpID{{1 << 30, 0}} }),
		"blind deletion":      edited(withPred, func(c *Change) { c.Ops[0].Action, c.Ops[0].Pred = Delete, nil }),
		"unknown element": edited(withPred, func(c *Change) {
			c.Ops = []Op{{Action: Put, Obj: OpID{1 << 20, 0}, Seq: true, Elem: OpID{1 << 30, 0}, Insert: true}}
		}),
		"update of the head":  edited(withPred, func(c *Change) { c.Ops = []Op{{Action: Put, Obj: OpID{1 << 20, 0}, Seq: true}} }),
		"element of the root": edited(withPred, func(c *Change) { c.Ops = []Op{{Action: Put, Seq: true, Insert: true}} }),
	}
	for name, list := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := EncodeDocument(list); !errors.Is(err, kaijutsu.ErrInvalid) {
				t.Errorf("%v, want an error that wraps ErrInvalid", err)
			} else {
				t.Log(err)
			}
		})
	}
}
