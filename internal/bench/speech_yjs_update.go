package bench

import (
	"encoding/binary"
	"fmt"

	"kaijutsu"
)

// yjsID names a character or another item of a Yjs document: the client that
// made it, and how many units that client had made before, its clock. A unit is
// one of UTF-16 in a text.
type yjsID struct{ client, clock uint64 }

// What an item holds, and flags beside it, of Yjs' update format, version 1:
// https://github.com/yjs/yjs/blob/v13.6.33/src/utils/UpdateEncoder.js and
// src/structs. Numbers are variable in length, seven bits a byte, least first.
const (
	yjsGC      = 0
	yjsDeleted = 1
	yjsString  = 4
	yjsType    = 7
	yjsSkip    = 10

	yjsContent     = 0x1f // the bits of the content
	yjsParentSub   = 0x20
	yjsRightOrigin = 0x40
	yjsOrigin      = 0x80

	yjsTextType = 2 // of a yjsType: Y.Text
)

// yjsRoot is the name of the array that holds the texts of a document.
const yjsRoot = "blocks"

// yjsUpdate makes an update of one client's items, and deletions of them. Its
// zero value needs a client and the clock of the first item.
type yjsUpdate struct {
	client, clock uint64
	items         int
	made          uint64 // units
	structs       []byte
	deleted       []yjsSpan
}

// yjsSpan is units of one client, to without.
type yjsSpan struct{ from, to uint64 }

// next is the id of the next item.
func (u *yjsUpdate) next() yjsID { return yjsID{u.client, u.clock + u.made} }

// text puts a text behind another of the array, nil: at its beginning. The
// array's order is that in which its texts were made.
func (u *yjsUpdate) text(after *yjsID) {
	info := byte(yjsType)
	if after != nil {
		u.structs = append(u.structs, info|yjsOrigin)
		u.structs = after.append(u.structs)
	} else {
		u.structs = append(u.structs, info)
		u.structs = appendYjsString(binary.AppendUvarint(u.structs, 1), yjsRoot)
	}
	u.structs = binary.AppendUvarint(u.structs, yjsTextType)
	u.items++
	u.made++
}

// insert puts characters into a text between two others; nil: its beginning,
// its end.
func (u *yjsUpdate) insert(text yjsID, after, before *yjsID, s string) {
	info := byte(yjsString)
	if after != nil {
		info |= yjsOrigin
	}
	if before != nil {
		info |= yjsRightOrigin
	}
	u.structs = append(u.structs, info)
	if after != nil {
		u.structs = after.append(u.structs)
	}
	if before != nil {
		u.structs = before.append(u.structs)
	}
	if after == nil && before == nil {
		u.structs = text.append(append(u.structs, 0))
	}
	u.structs = appendYjsString(u.structs, s)
	u.items++
	u.made += utf16Len(s)
}

// remove takes out one unit of the client's own.
func (u *yjsUpdate) remove(clock uint64) {
	if n := len(u.deleted); n > 0 && u.deleted[n-1].to == clock {
		u.deleted[n-1].to++
		return
	}
	u.deleted = append(u.deleted, yjsSpan{clock, clock + 1})
}

// encode returns the update.
func (u *yjsUpdate) encode() []byte {
	b := make([]byte, 0, len(u.structs)+6*len(u.deleted)+32)
	if u.items == 0 {
		b = append(b, 0)
	} else {
		b = binary.AppendUvarint(append(b, 1), uint64(u.items))
		b = yjsID{u.client, u.clock}.append(b)
		b = append(b, u.structs...)
	}
	if len(u.deleted) == 0 {
		return append(b, 0)
	}
	b = binary.AppendUvarint(append(b, 1), u.client)
	b = binary.AppendUvarint(b, uint64(len(u.deleted)))
	for _, d := range u.deleted {
		b = binary.AppendUvarint(binary.AppendUvarint(b, d.from), d.to-d.from)
	}
	return b
}

func (id yjsID) append(b []byte) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, id.client), id.clock)
}

func appendYjsString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// utf16Len is the length of UTF-8 as Yjs counts: in units of UTF-16.
func utf16Len[T string | []byte](s T) uint64 {
	n := uint64(0)
	for i := range len(s) {
		if s[i]&0xc0 != 0x80 { // not in the midst of a character
			n++
		}
		if s[i] >= 0xf0 { // outside of the basic plane
			n++
		}
	}
	return n
}

// yjsRange is units of one client that an update brings.
type yjsRange struct {
	client uint64
	yjsSpan
}

// readYjsUpdate returns what units an update brings, by its items alone: a
// deletion brings none. It reads the kinds of content that documents of this
// package have, and what becomes of them when they are deleted.
func readYjsUpdate(b []byte) ([]yjsRange, error) {
	r := yjsReader{rest: b}
	var all []yjsRange
	for range r.number() {
		items, from := r.number(), yjsRange{client: r.number()}
		from.from = r.number()
		from.to = from.from
		for range items {
			n, skipped := r.item()
			if skipped { // not in the update: what follows is a range of its own
				if from.to > from.from {
					all = append(all, from)
				}
				from.from = from.to + n
			}
			from.to += n
			if r.err != nil {
				return nil, r.err
			}
		}
		if from.to > from.from {
			all = append(all, from)
		}
		if r.err != nil {
			return nil, r.err
		}
	}
	return all, r.err
}

// yjsReader reads numbers, strings and items. After a failure it returns zeros.
type yjsReader struct {
	rest []byte
	err  error
}

func (r *yjsReader) fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("message of Yjs: %s: %w", what, kaijutsu.ErrInvalid)
		r.rest = nil
	}
}

func (r *yjsReader) number() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.fail("a number is cut off")
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *yjsReader) bytes() []byte {
	n := r.number()
	if n > uint64(len(r.rest)) {
		r.fail("a string is cut off")
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// item reads one item and returns how many units it is, and whether they are
// left out.
func (r *yjsReader) item() (units uint64, skipped bool) {
	if len(r.rest) == 0 {
		r.fail("items are cut off")
		return 0, false
	}
	info := r.rest[0]
	r.rest = r.rest[1:]
	switch content := info & yjsContent; content {
	case yjsGC, yjsSkip:
		return r.number(), content == yjsSkip
	}
	if info&yjsOrigin != 0 {
		r.number()
		r.number()
	}
	if info&yjsRightOrigin != 0 {
		r.number()
		r.number()
	}
	if info&(yjsOrigin|yjsRightOrigin) == 0 {
		if r.number() == 1 {
			r.bytes()
		} else {
			r.number()
			r.number()
		}
		if info&yjsParentSub != 0 {
			r.bytes()
		}
	}
	switch info & yjsContent {
	case yjsDeleted:
		return r.number(), false
	case yjsString:
		return utf16Len(r.bytes()), false
	case yjsType:
		if kind := r.number(); kind != yjsTextType {
			r.fail(fmt.Sprintf("a type %d", kind))
		}
		return 1, false
	}
	r.fail(fmt.Sprintf("content %d", info&yjsContent))
	return 0, false
}
