package backup

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"kaijutsu"
	"kaijutsu/internal/store"
)

// errFormat says that bytes are not what this package writes.
var errFormat = fmt.Errorf("not as this release writes it: %w", kaijutsu.ErrInvalid)

// Bounds of what is read, so that a wrong length takes no memory.
const (
	maxHeads = 8192
	maxName  = 1 << 10
)

// encoder appends numbers as varints and strings with their length.
type encoder struct{ b []byte }

func (e *encoder) uint(v uint64)   { e.b = binary.AppendUvarint(e.b, v) }
func (e *encoder) int(v int64)     { e.b = binary.AppendVarint(e.b, v) }
func (e *encoder) string(s string) { e.uint(uint64(len(s))); e.b = append(e.b, s...) }
func (e *encoder) bytes(b []byte)  { e.uint(uint64(len(b))); e.b = append(e.b, b...) }
func (e *encoder) hash(h [32]byte) { e.b = append(e.b, h[:]...) }
func (e *encoder) flag(there bool) { e.uint(map[bool]uint64{true: 1}[there]) }
func (e *encoder) heads(h kaijutsu.Heads) {
	e.uint(uint64(len(h)))
	for _, one := range h {
		e.hash(one)
	}
}

// decoder undoes encoder. After a mistake it returns zeros and is broken.
type decoder struct {
	b      []byte
	broken bool
}

func (d *decoder) uint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) int() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) fail() { d.b, d.broken = nil, true }

// fixed returns n bytes, which it shares.
func (d *decoder) fixed(n uint64) []byte {
	if n > uint64(len(d.b)) {
		d.fail()
		return nil
	}
	b := d.b[:n:n]
	d.b = d.b[n:]
	return b
}

func (d *decoder) bytes() []byte { return d.fixed(d.uint()) }

func (d *decoder) string() string {
	b := d.bytes()
	if len(b) > maxName {
		d.fail()
		return ""
	}
	return string(b)
}

func (d *decoder) flag() bool { return d.uint() == 1 }

func (d *decoder) hash() (h [32]byte) {
	copy(h[:], d.fixed(32))
	return h
}

func (d *decoder) heads() kaijutsu.Heads {
	n := d.uint()
	if n > maxHeads || n*32 > uint64(len(d.b)) {
		d.fail()
		return nil
	}
	heads := make(kaijutsu.Heads, n)
	for i := range heads {
		heads[i] = d.hash()
	}
	return heads
}

func (d *decoder) document() kaijutsu.DocumentID {
	id, err := kaijutsu.DocumentIDFromBytes(d.bytes())
	if err != nil {
		d.fail()
	}
	return id
}

// done returns an error unless everything was read, and could be.
func (d *decoder) done() error {
	switch {
	case d.broken:
		return fmt.Errorf("it ends early: %w", errFormat)
	case len(d.b) > 0:
		return fmt.Errorf("%d bytes too many: %w", len(d.b), errFormat)
	}
	return nil
}

// change writes a change: the hash only when it does not follow from the bytes.
func (e *encoder) change(c store.Change) {
	follows := len(c.Raw) >= 8 && sha256.Sum256(c.Raw[8:]) == c.Hash
	e.flag(follows)
	if !follows {
		e.hash(c.Hash)
	}
	e.bytes(c.Raw)
}

func (d *decoder) change(index uint64) store.Change {
	c := store.Change{Index: index}
	follows := d.flag()
	if !follows {
		c.Hash = d.hash()
	}
	c.Raw = d.bytes()
	if follows && len(c.Raw) >= 8 {
		c.Hash = sha256.Sum256(c.Raw[8:])
	}
	return c
}

func (e *encoder) actor(a store.Actor) {
	e.string(string(a.ID))
	for _, p := range []kaijutsu.Principal{a.Principal, a.Via} {
		e.string(p.Name)
		e.string(string(p.Kind))
	}
	e.int(a.At.Unix())
	e.uint(uint64(a.At.Nanosecond()))
}

func (d *decoder) actor() store.Actor {
	a := store.Actor{ID: kaijutsu.ActorID(d.string())}
	for _, p := range []*kaijutsu.Principal{&a.Principal, &a.Via} {
		p.Name = d.string()
		p.Kind = kaijutsu.PrincipalKind(d.string())
	}
	a.At = time.Unix(d.int(), int64(d.uint())).UTC()
	return a
}

// digestActors returns what stands for who the actors of a document are.
func digestActors(actors []store.Actor) [32]byte {
	var e encoder
	for _, a := range actors {
		e.actor(a)
	}
	return sha256.Sum256(e.b)
}

// extent writes how much there is of a document, and where it comes from.
func (e *encoder) extent(x store.Extent) {
	e.bytes(x.Doc.Bytes())
	for _, v := range []uint64{x.Changes, x.Actors, x.Before, x.Covers} {
		e.uint(v)
	}
	e.heads(x.Heads)
	e.flag(x.Anchor != kaijutsu.ChangeHash{})
	if x.Anchor != (kaijutsu.ChangeHash{}) {
		e.hash(x.Anchor)
	}
	e.flag(x.Base != nil)
	if x.Base != nil {
		e.bytes(x.Base.Doc.Bytes())
		e.heads(x.Base.Heads)
		e.uint(x.Base.Changes)
	}
}

func (d *decoder) extent() store.Extent {
	x := store.Extent{Doc: d.document()}
	for _, v := range []*uint64{&x.Changes, &x.Actors, &x.Before, &x.Covers} {
		*v = d.uint()
	}
	x.Heads = d.heads()
	if d.flag() {
		x.Anchor = d.hash()
	}
	if d.flag() {
		x.Base = &store.Base{Doc: d.document(), Heads: d.heads(), Changes: d.uint()}
	}
	if x.Covers > x.Changes {
		d.fail()
	}
	return x
}

// sameOrigin reports whether two extents rest on the same and have the same
// anchor.
func sameOrigin(a, b store.Extent) bool {
	if a.Anchor != b.Anchor || a.Before != b.Before || (a.Base == nil) != (b.Base == nil) {
		return false
	}
	return a.Base == nil || a.Base.Doc == b.Base.Doc && a.Base.Changes == b.Base.Changes && a.Base.Heads.Equal(b.Base.Heads)
}

var errDigest = errors.New("the checksum is another")
