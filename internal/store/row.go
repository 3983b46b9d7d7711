package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"kaijutsu"
)

// storeFormat is the number in the state row. A store with a greater number
// is from a newer release and is not opened. Format 2 added the rows of
// documents with lineage, deleted documents, and chores that delete actors.
const storeFormat = 2

var errNewer = errors.New("hint: use the newer release that wrote it")

// state is the one row that every transaction rewrites.
type state struct {
	format     uint64
	counter    uint64 // transactions so far; the high-water mark compares it
	documents  uint64
	records    uint64
	outbox     uint64 // entries there are: the last so many
	nextOutbox uint64 // sequence number of the next entry
	nextNumber uint64 // number of the next blob or chore
}

func (s state) encode() []byte {
	var e encoder
	for _, v := range []uint64{s.format, s.counter, s.documents, s.records, s.outbox, s.nextOutbox, s.nextNumber} {
		e.uint(v)
	}
	return e.b
}

func decodeState(payload []byte) (state, error) {
	d := decoder{b: payload}
	s := state{format: d.uint()}
	if !d.broken && s.format > storeFormat {
		return s, fmt.Errorf("it has format %d, this release knows formats up to %d; %w", s.format, storeFormat, errNewer)
	}
	for _, v := range []*uint64{&s.counter, &s.documents, &s.records, &s.outbox, &s.nextOutbox, &s.nextNumber} {
		*v = d.uint()
	}
	return s, d.done()
}

// blob names a large value kept as parts of at most partBytes.
type blob struct {
	number uint64
	size   uint64
	parts  uint32
}

func (e *encoder) blob(b blob) {
	e.uint(b.number)
	e.uint(b.size)
	e.uint(uint64(b.parts))
}

func (d *decoder) blob() blob {
	return blob{number: d.uint(), size: d.uint(), parts: uint32(d.uint())}
}

func encodeBlob(b blob) []byte {
	var e encoder
	e.blob(b)
	return e.b
}

func decodeBlob(payload []byte) (blob, error) {
	d := decoder{b: payload}
	b := d.blob()
	return b, d.done()
}

// documentRow says what of a document is visible: rows at or behind the
// counts are leftovers, rows before first are covered by the snapshot.
type documentRow struct {
	changes  uint64
	actors   uint64
	bytes    uint64 // of all changes, as handed to Commit
	first    uint64 // index of the first change row that Load reads
	covers   uint64 // changes in the snapshot; 0: there is none
	snapshot blob
	heads    kaijutsu.Heads
	lineage
	stored bool // the row exists; not part of it
}

// value returns the row as the value under its key: what has no lineage is
// written as it always was.
func (r documentRow) value() value {
	if r.lineage.isZero() {
		return value{kindDocument, r.encode()}
	}
	var e encoder
	e.lineage(r.lineage)
	e.b = append(e.b, r.encode()...)
	return value{kindLineage, e.b}
}

// openDocument undoes value and the frame around it.
func openDocument(key, frame []byte) (documentRow, error) {
	kind, payload, err := unseal(key, frame)
	if err != nil {
		return documentRow{}, err
	}
	return decodeDocumentAs(kind, payload)
}

func decodeDocumentAs(kind byte, payload []byte) (documentRow, error) {
	switch kind {
	case kindDocument:
		return decodeDocument(payload)
	case kindLineage:
		d := decoder{b: payload}
		l := d.lineage()
		if d.broken {
			return documentRow{}, errors.New("row ends early")
		}
		row, err := decodeDocument(d.b)
		row.lineage = l
		return row, err
	}
	return documentRow{}, fmt.Errorf("value is of kind %d, want %d or %d", kind, kindDocument, kindLineage)
}

func (r documentRow) encode() []byte {
	e := encoder{b: make([]byte, 0, 64+len(r.heads)*32)}
	for _, v := range []uint64{r.changes, r.actors, r.bytes, r.first, r.covers} {
		e.uint(v)
	}
	e.blob(r.snapshot)
	e.heads(r.heads)
	return e.b
}

func decodeDocument(payload []byte) (documentRow, error) {
	d := decoder{b: payload}
	r := documentRow{changes: d.uint(), actors: d.uint(), bytes: d.uint(), first: d.uint(), covers: d.uint(), snapshot: d.blob()}
	n := d.uint()
	raw := d.fixed(min(n, maxHeads) * 32)
	if err := d.done(); err != nil {
		return r, err
	}
	r.heads, r.stored = make(kaijutsu.Heads, n), true
	for i := range r.heads {
		copy(r.heads[i][:], raw[i*32:])
	}
	return r, nil
}

// Change records begin with a flag: whether the hash follows, or is what
// Automerge defines it to be for the bytes that follow.
const (
	hashFollows = 0
	hashDerived = 1
)

// derivedHash returns the change hash of an uncompressed change chunk: the
// SHA-256 of all behind its four magic and four checksum bytes.
func derivedHash(raw []byte) kaijutsu.ChangeHash {
	if len(raw) < 8 {
		return kaijutsu.ChangeHash{}
	}
	return sha256.Sum256(raw[8:])
}

// encodeChange leaves the hash out when the bytes determine it: it would be a
// fifth of what a keystroke stores.
func encodeChange(c Change) []byte {
	if derivedHash(c.Raw) == c.Hash {
		return append(append(make([]byte, 0, 1+len(c.Raw)), hashDerived), c.Raw...)
	}
	record := append(make([]byte, 0, 33+len(c.Raw)), hashFollows)
	return append(append(record, c.Hash[:]...), c.Raw...)
}

// decodeChange shares the record's memory.
func decodeChange(record []byte) (Change, error) {
	d := decoder{b: record}
	switch flag := d.fixed(1); {
	case d.broken:
	case flag[0] == hashDerived:
		return Change{Hash: derivedHash(d.b), Raw: d.b}, nil
	case flag[0] == hashFollows:
		if hash := d.fixed(32); hash != nil {
			return Change{Hash: kaijutsu.ChangeHash(hash), Raw: d.b}, nil
		}
	}
	return Change{}, fmt.Errorf("change record of %d bytes makes no sense", len(record))
}

func encodeActor(a Actor) []byte {
	var e encoder
	e.string(string(a.ID))
	for _, p := range []kaijutsu.Principal{a.Principal, a.Via} {
		e.string(p.Name)
		e.string(string(p.Kind))
	}
	e.int(a.At.Unix())
	e.uint(uint64(a.At.Nanosecond()))
	return e.b
}

func decodeActor(record []byte) (Actor, error) {
	d := decoder{b: record}
	a := Actor{ID: kaijutsu.ActorID(d.bytes())}
	for _, p := range []*kaijutsu.Principal{&a.Principal, &a.Via} {
		p.Name = string(d.bytes())
		p.Kind = kaijutsu.PrincipalKind(d.bytes())
	}
	a.At = time.Unix(d.int(), int64(d.uint())).UTC()
	return a, d.done()
}

// chore is a promise to delete rows that nothing refers to any more. It is
// written with, or before, what makes them garbage.
type chore struct {
	blob blob                // its parts
	doc  kaijutsu.DocumentID // zero: only the blob and outbox entries
	from uint64              // change rows from ≤ index < to, or without a document outbox entries
	to   uint64
	// actors says that the actor rows below this position go too; 0 for none.
	actors uint64
}

func (c chore) encode() []byte {
	var e encoder
	e.blob(c.blob)
	e.bytes(c.doc.Bytes())
	e.uint(c.from)
	e.uint(c.to)
	if c.actors > 0 {
		e.uint(c.actors)
	}
	return e.b
}

func decodeChore(payload []byte) (chore, error) {
	d := decoder{b: payload}
	c := chore{blob: d.blob()}
	id := d.bytes()
	c.from, c.to = d.uint(), d.uint()
	if len(d.b) > 0 {
		c.actors = d.uint()
	}
	if err := d.done(); err != nil || len(id) == 0 {
		return c, err
	}
	var err error
	c.doc, err = kaijutsu.DocumentIDFromBytes(id)
	return c, err
}
