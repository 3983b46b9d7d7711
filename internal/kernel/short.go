package kernel

import (
	"encoding/hex"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// shortDigits is how many hex digits of the end of a UUID name a context, at
// least. Its beginning is the time: contexts of one hour begin alike.
const shortDigits = 6

// tail is the end of a UUID of which short ids are made.
type tail [shortDigits / 2]byte

// tailOf returns the tail of a document's id; false: it is no UUID.
func tailOf(doc kaijutsu.DocumentID) (t tail, ok bool) {
	b := doc.Bytes()
	if len(b) != len(kaijutsu.ContextID{}) {
		return t, false
	}
	return tail(b[len(b)-len(t):]), true
}

// Short returns the short id of a context: the last 6 hex digits of its id, and
// as many more as tell it from every other document here. It names the context
// for everybody who may read it.
func (k *Kernel) Short(doc kaijutsu.DocumentID) string {
	return k.short(doc, func(kaijutsu.DocumentID) bool { return true })
}

// shortFor is Short among the documents that a caller may read.
func (k *Kernel) shortFor(c op.Call, doc kaijutsu.DocumentID) string {
	return k.short(doc, func(other kaijutsu.DocumentID) bool { return k.MayRead(c, other) })
}

// short is the short id of a context among the others that count. A document
// whose id is no UUID is named in full.
func (k *Kernel) short(doc kaijutsu.DocumentID, counts func(kaijutsu.DocumentID) bool) string {
	t, ok := tailOf(doc)
	if !ok {
		return doc.Name()
	}
	sharing := k.shelf.sharing(t)
	if len(sharing) == 0 || len(sharing) == 1 && sharing[0] == doc {
		return hex.EncodeToString(t[:])
	}
	digits := hex.EncodeToString(doc.Bytes())
	n := shortDigits
	for _, other := range sharing {
		if other == doc || !counts(other) {
			continue
		}
		theirs := hex.EncodeToString(other.Bytes())
		same := 0
		for same < len(digits) && digits[len(digits)-1-same] == theirs[len(theirs)-1-same] {
			same++
		}
		n = max(n, same+1)
	}
	if n > longestTail {
		return doc.Name()
	}
	return digits[len(digits)-n:]
}

// longestTail is how many digits of a UUID stand behind its last dash: a longer
// end is not written without one.
const longestTail = 12
