package store

import (
	"encoding/binary"
	"fmt"

	"kaijutsu"
)

// The first byte of a key is its class. An id is one length byte and the raw
// document id; numbers are eight bytes, most significant first, so that rows
// sort by number. The package comment lists what each class holds.
const (
	classActor    = 'a'
	classBlob     = 'b'
	classChange   = 'c'
	classDocument = 'd'
	classOutbox   = 'o'
	classRecord   = 'r'
	classChore    = 'x'
)

// stateKey is long and odd on purpose: it is also searched for in the bytes
// of damaged log files.
var stateKey = []byte("!kaijutsu/state")

// documentKey returns the key, or the prefix, of a document's rows of a class.
func documentKey(class byte, doc kaijutsu.DocumentID) []byte {
	id := doc.Bytes()
	key := make([]byte, 0, 2+len(id)+8)
	return append(append(key, class, byte(len(id))), id...)
}

// rowKey returns the key of one row of a document's log of a class.
func rowKey(class byte, doc kaijutsu.DocumentID, index uint64) []byte {
	return binary.BigEndian.AppendUint64(documentKey(class, doc), index)
}

func numberKey(class byte, n uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{class}, n)
}

func partKey(blob uint64, part uint32) []byte {
	return binary.BigEndian.AppendUint32(numberKey(classBlob, blob), part)
}

func recordKey(name string) []byte { return append([]byte{classRecord}, name...) }

// documentOf undoes documentKey for keys of exactly one id.
func documentOf(key []byte) (kaijutsu.DocumentID, error) {
	if len(key) < 2 || int(key[1]) != len(key)-2 {
		return kaijutsu.DocumentID{}, fmt.Errorf("key %x names no document", key)
	}
	return kaijutsu.DocumentIDFromBytes(key[2:])
}

// keyName says in words what a key holds, for errors.
func keyName(key []byte) string {
	if string(key) == string(stateKey) {
		return "the store's state"
	}
	class, rest := key[0], key[1:]
	switch {
	case class == classRecord:
		return fmt.Sprintf("record %q", rest)
	case class == classOutbox && len(rest) == 8:
		return fmt.Sprintf("outbox entry %d", binary.BigEndian.Uint64(rest))
	case class == classChore && len(rest) == 8:
		return fmt.Sprintf("chore %d", binary.BigEndian.Uint64(rest))
	case class == classBlob && len(rest) == 12:
		return fmt.Sprintf("part %d of blob %d", binary.BigEndian.Uint32(rest[8:]), binary.BigEndian.Uint64(rest))
	case class == classDocument:
		if doc, err := documentOf(key); err == nil {
			return fmt.Sprintf("document %s", doc)
		}
	case (class == classChange || class == classActor) && len(rest) > 9:
		doc, err := documentOf(key[:len(key)-8])
		index := binary.BigEndian.Uint64(key[len(key)-8:])
		if err == nil && class == classChange {
			return fmt.Sprintf("change %d of document %s", index, doc)
		}
		if err == nil {
			return fmt.Sprintf("actor %d of document %s", index, doc)
		}
	}
	return fmt.Sprintf("key %x", key)
}
