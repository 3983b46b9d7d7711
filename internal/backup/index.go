package backup

import (
	"fmt"
	"io"
	"slices"

	"kaijutsu"
	"kaijutsu/internal/store"
)

// Index is what a run holds, and where. It is that of a moment of a store.
type Index struct {
	Documents []Held // by id
	Records   []HeldRecord
	Deleted   []kaijutsu.DocumentID
	// Unlisted says why the store could not list all of its documents; "": it
	// could.
	Unlisted string
}

// Held is what a run holds of a document.
type Held struct {
	store.Extent          // Covers is that of the piece that is whole
	Last         [32]byte // as Piece.Last
	Authors      [32]byte // as Piece.Authors
	Places       []Place  // the whole piece first
	// Stale says why the document could not be read at this run's moment: what
	// is held is of a run before, or nothing when there are no places.
	Stale string
}

// Place is where an entry is: a part by its number in the manifest, and a number
// in that.
type Place struct {
	Part int
	Nth  uint64
	Size int64
}

// HeldRecord is what a run holds of a record.
type HeldRecord struct {
	Name   string
	SHA256 [32]byte
	Place  Place
}

const indexFormat = 1

func (x *Index) encode() []byte {
	var e encoder
	place := func(p Place) {
		e.uint(uint64(p.Part))
		e.uint(p.Nth)
		e.uint(uint64(p.Size))
	}
	e.uint(indexFormat)
	e.uint(uint64(len(x.Documents)))
	for _, d := range x.Documents {
		e.extent(d.Extent)
		e.hash(d.Last)
		e.hash(d.Authors)
		e.uint(uint64(len(d.Places)))
		for _, p := range d.Places {
			place(p)
		}
		e.bytes([]byte(d.Stale))
	}
	e.uint(uint64(len(x.Records)))
	for _, r := range x.Records {
		e.string(r.Name)
		e.hash(r.SHA256)
		place(r.Place)
	}
	e.uint(uint64(len(x.Deleted)))
	for _, doc := range x.Deleted {
		e.bytes(doc.Bytes())
	}
	e.bytes([]byte(x.Unlisted))
	return e.b
}

// decodeIndex reads an index that refers to so many parts.
func decodeIndex(b []byte, parts int) (*Index, error) {
	d := decoder{b: b}
	place := func() Place {
		p := Place{Part: int(min(d.uint(), 1<<31)), Nth: d.uint(), Size: int64(min(d.uint(), 1<<62))}
		if p.Part >= parts {
			d.fail()
		}
		return p
	}
	if format := d.uint(); format != indexFormat {
		return nil, fmt.Errorf("index of format %d: %w", format, errFormat)
	}
	x := &Index{}
	for n := d.uint(); n > 0 && !d.broken; n-- {
		h := Held{Extent: d.extent(), Last: d.hash(), Authors: d.hash()}
		for n := d.uint(); n > 0 && !d.broken; n-- {
			h.Places = append(h.Places, place())
		}
		h.Stale = string(d.bytes())
		if before := len(x.Documents); before > 0 && x.Documents[before-1].Doc.Compare(h.Doc) >= 0 {
			d.fail()
		}
		x.Documents = append(x.Documents, h)
	}
	for n := d.uint(); n > 0 && !d.broken; n-- {
		x.Records = append(x.Records, HeldRecord{d.string(), d.hash(), place()})
	}
	for n := d.uint(); n > 0 && !d.broken; n-- {
		x.Deleted = append(x.Deleted, d.document())
	}
	x.Unlisted = string(d.bytes())
	if err := d.done(); err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	return x, nil
}

// find returns what is held of a document, nil when nothing is.
func (x *Index) find(doc kaijutsu.DocumentID) *Held {
	i, ok := slices.BinarySearchFunc(x.Documents, doc, func(h Held, doc kaijutsu.DocumentID) int { return h.Doc.Compare(doc) })
	if !ok {
		return nil
	}
	return &x.Documents[i]
}

// stale returns the documents that could not be read.
func (x *Index) stale() (all []Held) {
	for _, d := range x.Documents {
		if d.Stale != "" {
			all = append(all, d)
		}
	}
	return all
}

// changes returns how many changes all documents have in their logs.
func (x *Index) changes() (n uint64) {
	for _, d := range x.Documents {
		if len(d.Places) > 0 {
			n += d.Changes
		}
	}
	return n
}

// live returns how many bytes of each part are of use.
func (x *Index) live(parts int) []int64 {
	live := make([]int64, parts)
	for _, d := range x.Documents {
		for _, p := range d.Places {
			live[p.Part] += p.Size
		}
	}
	for _, r := range x.Records {
		live[r.Place.Part] += r.Place.Size
	}
	return live
}

// readIndex reads a file that holds an index.
func readIndex(r io.Reader, parts int) (*Index, error) {
	e, err := readEntries(r)
	if err != nil {
		return nil, err
	}
	defer e.close()
	_, kind, payload, err := e.next()
	if err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	if kind != frameIndex {
		return nil, fmt.Errorf("index: entry of kind %q: %w", kind, errFormat)
	}
	return decodeIndex(payload, parts)
}

// frameIndex is the kind of the one entry in the file of an index.
const frameIndex = 'i'
