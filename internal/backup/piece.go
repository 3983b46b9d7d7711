package backup

import (
	"crypto/sha256"
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/store"
)

// How much of a document a piece is.
const (
	modeWhole = 1 // everything
	modeTail  = 2 // what comes behind another piece
)

// Piece is a document, or the end of one.
type Piece struct {
	store.Extent
	// Tail says that the changes from From on are there and the actors from
	// FromActor on; else everything is.
	Tail            bool
	From, FromActor uint64
	// Last stands for the end of the log: the hash of the last change, or the
	// SHA-256 of a snapshot that covers it.
	Last [32]byte
	// Authors stands for all actors of the document.
	Authors  [32]byte
	Snapshot []byte // empty: none
	Log      []store.Change
	Who      []store.Actor
}

// wholePiece returns a document as a piece.
func wholePiece(x store.Extent, d store.Document) Piece {
	p := Piece{Extent: x, Authors: digestActors(d.Actors), Log: d.Changes, Who: d.Actors}
	if d.Snapshot != nil {
		p.Snapshot = d.Snapshot.Chunk
	}
	p.Last = lastOf(p.Snapshot, p.Log)
	return p
}

func lastOf(snapshot []byte, log []store.Change) [32]byte {
	if n := len(log); n > 0 {
		return log[n-1].Hash
	}
	return sha256.Sum256(snapshot)
}

func (p Piece) encode() []byte {
	n := 512 + len(p.Snapshot)
	for _, c := range p.Log {
		n += len(c.Raw) + 8
	}
	e := encoder{b: make([]byte, 0, n)}
	mode := uint64(modeWhole)
	if p.Tail {
		mode = modeTail
	}
	e.uint(mode)
	e.extent(p.Extent)
	e.uint(p.From)
	e.uint(p.FromActor)
	e.hash(p.Last)
	e.hash(p.Authors)
	e.bytes(p.Snapshot)
	e.uint(uint64(len(p.Log)))
	for _, c := range p.Log {
		e.change(c)
	}
	e.uint(uint64(len(p.Who)))
	for _, a := range p.Who {
		e.actor(a)
	}
	return e.b
}

// decodePiece shares the memory of b.
func decodePiece(b []byte) (Piece, error) {
	d := decoder{b: b}
	mode := d.uint()
	p := Piece{Extent: d.extent(), Tail: mode == modeTail, From: d.uint(), FromActor: d.uint(), Last: d.hash(), Authors: d.hash(), Snapshot: d.bytes()}
	if mode != modeWhole && mode != modeTail {
		d.fail()
	}
	first := p.Covers
	if p.Tail {
		first = p.From
	}
	for n := d.uint(); n > 0 && !d.broken; n-- {
		p.Log = append(p.Log, d.change(first+uint64(len(p.Log))))
	}
	for n := d.uint(); n > 0 && !d.broken; n-- {
		p.Who = append(p.Who, d.actor())
	}
	if err := d.done(); err != nil {
		return Piece{}, err
	}
	return p, p.check()
}

// check holds what there is against the extent.
func (p Piece) check() error {
	covers, from := p.Covers, p.FromActor
	if p.Tail {
		covers = p.From
	} else if p.From != 0 || from != 0 {
		return fmt.Errorf("document %s: a whole piece from %d: %w", p.Doc, p.From, errFormat)
	}
	if covers+uint64(len(p.Log)) != p.Changes || from+uint64(len(p.Who)) != p.Actors {
		return fmt.Errorf("document %s: %d changes and %d actors from %d and %d, want %d and %d: %w",
			p.Doc, len(p.Log), len(p.Who), covers, from, p.Changes, p.Actors, errFormat)
	}
	if !p.Tail && (p.Covers > 0) != (len(p.Snapshot) > 0) || p.Tail && len(p.Snapshot) > 0 {
		return fmt.Errorf("document %s: a snapshot of %d bytes for %d changes: %w", p.Doc, len(p.Snapshot), p.Covers, errFormat)
	}
	if len(p.Heads) == 0 {
		return fmt.Errorf("document %s: no heads: %w", p.Doc, errFormat)
	}
	return nil
}

// document returns a whole piece as a document of a store.
func (p Piece) document() store.Document {
	d := store.Document{Base: p.Base, Before: p.Before, Anchor: p.Anchor, Changes: p.Log, Heads: p.Heads, Actors: p.Who}
	if p.Covers > 0 {
		d.Snapshot = &store.Snapshot{Covers: p.Covers, Chunk: p.Snapshot}
	}
	return d
}

// write returns a tail as a write to a store.
func (p Piece) write() store.Write {
	return store.Write{Doc: p.Doc, Changes: p.Log, Heads: p.Heads, Anchor: p.anchorIfNew(), Actors: p.Who}
}

// anchorIfNew leaves the anchor out where there are no changes to go with it.
func (p Piece) anchorIfNew() kaijutsu.ChangeHash {
	if len(p.Log) == 0 {
		return kaijutsu.ChangeHash{}
	}
	return p.Anchor
}
