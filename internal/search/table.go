package search

import (
	"encoding/hex"
	"hash/crc64"
	"slices"

	"kaijutsu"
	"kaijutsu/blocks"
)

// rawID is a block id as 16 bytes.
type rawID [16]byte

// raw returns the bytes of an id; false when it is no UUID.
func raw(id blocks.ID) (r rawID, ok bool) {
	if _, err := blocks.ParseID(string(id)); err != nil {
		return r, false
	}
	b := make([]byte, 0, 36)
	for i := range len(id) {
		if id[i] != '-' {
			b = append(b, id[i])
		}
	}
	_, err := hex.Decode(r[:], b)
	return r, err == nil
}

func (r rawID) id() blocks.ID { return blocks.ID(kaijutsu.ContextID(r).String()) }

// hidden is the place of a block that is deleted or below one that is.
const hidden = ^uint32(0)

// entry is one content of one block of one document, by its number. Doc 0 says
// that the number is dead.
type entry struct {
	id         rawID
	sum        uint64 // of the content
	off        int64  // of the content in the text file
	size       uint32 // of the content in bytes
	doc        uint32
	pos        uint32 // among the blocks of the document, or hidden
	next       uint32 // another entry of the same block id, in another document; 0: none
	kind, role uint32 // indexes of words
}

// docEntry is a document as it was when it was last read.
type docEntry struct {
	id      kaijutsu.DocumentID // zero: the number is free
	heads   kaijutsu.Heads
	numbers []uint32 // of its entries
}

// table holds the documents, their blocks and the trigrams. The worker alone
// changes it, under Index.mu.
type table struct {
	docs   []docEntry // 0 is unused
	free   []uint32   // unused numbers of docs
	byDoc  map[kaijutsu.DocumentID]uint32
	blocks []entry // 0 is unused
	byID   map[rawID]uint32
	words  []string
	word   map[string]uint32
	grams  grams
	live   int   // entries that are not dead
	bytes  int64 // of their contents
}

func newTable() *table {
	return &table{
		docs:   make([]docEntry, 1),
		byDoc:  make(map[kaijutsu.DocumentID]uint32),
		blocks: make([]entry, 1),
		byID:   make(map[rawID]uint32),
		word:   make(map[string]uint32),
		grams:  newGrams(),
	}
}

var crcTable = crc64.MakeTable(crc64.ECMA)

func sumOf(text []byte) uint64 { return crc64.Checksum(text, crcTable) }

func (t *table) wordOf(s string) uint32 {
	n, ok := t.word[s]
	if !ok {
		n = uint32(len(t.words))
		t.words = append(t.words, s)
		t.word[s] = n
	}
	return n
}

// find returns the number of a block of a document, 0 when there is none.
func (t *table) find(doc uint32, id rawID) uint32 {
	for n := t.byID[id]; n != 0; n = t.blocks[n].next {
		if t.blocks[n].doc == doc {
			return n
		}
	}
	return 0
}

// document returns the number of a document, a new one when need be.
func (t *table) document(id kaijutsu.DocumentID) uint32 {
	if n, ok := t.byDoc[id]; ok {
		return n
	}
	var n uint32
	if last := len(t.free) - 1; last >= 0 {
		n, t.free = t.free[last], t.free[:last]
	} else {
		n = uint32(len(t.docs))
		t.docs = append(t.docs, docEntry{})
	}
	t.docs[n] = docEntry{id: id}
	t.byDoc[id] = n
	return n
}

// drop takes a document out.
func (t *table) drop(id kaijutsu.DocumentID) {
	n, ok := t.byDoc[id]
	if !ok {
		return
	}
	for _, b := range t.docs[n].numbers {
		t.kill(b)
	}
	delete(t.byDoc, id)
	t.docs[n] = docEntry{}
	t.free = append(t.free, n)
}

// insert adds an entry with the trigrams of its content and returns its number.
func (t *table) insert(e entry, keys []trigram) uint32 {
	n := uint32(len(t.blocks))
	e.next = t.byID[e.id]
	t.byID[e.id] = n
	t.blocks = append(t.blocks, e)
	for _, k := range keys {
		t.grams.add(k, n)
	}
	t.live++
	t.bytes += int64(e.size)
	return n
}

// kill makes an entry dead; its postings stay until the table is compacted.
func (t *table) kill(n uint32) {
	e := &t.blocks[n]
	if t.byID[e.id] == n {
		if e.next == 0 {
			delete(t.byID, e.id)
		} else {
			t.byID[e.id] = e.next
		}
	} else {
		at := t.byID[e.id]
		for t.blocks[at].next != n {
			at = t.blocks[at].next
		}
		t.blocks[at].next = e.next
	}
	t.live--
	t.bytes -= int64(e.size)
	*e = entry{}
}

// compacted returns the table without dead numbers. Contents are where they
// were.
func (t *table) compacted() *table {
	c := newTable()
	c.words, c.word = slices.Clone(t.words), make(map[string]uint32, len(t.word))
	for i, w := range c.words {
		c.word[w] = uint32(i)
	}
	docs := make([]uint32, len(t.docs))
	for n, d := range t.docs {
		if !d.id.IsZero() {
			docs[n] = c.document(d.id)
			c.docs[docs[n]].heads = d.heads
		}
	}
	renumbered := make([]uint32, len(t.blocks))
	for n, e := range t.blocks {
		if e.doc == 0 {
			continue
		}
		e.doc = docs[e.doc]
		renumbered[n] = c.insert(e, nil)
	}
	for n, d := range t.docs {
		for _, b := range d.numbers {
			to := &c.docs[docs[n]]
			to.numbers = append(to.numbers, renumbered[b])
		}
	}
	for key, i := range t.grams.index {
		for _, n := range t.grams.lists[i].all() {
			if to := renumbered[n]; to != 0 {
				c.grams.add(key, to)
			}
		}
	}
	return c
}
