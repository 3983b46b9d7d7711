package op

import "kaijutsu"

// Bounds are what a token narrows its principal to. They never give a right
// that the principal has not. Nil bounds nothing. They are not changed once a
// Call carries them.
type Bounds struct {
	// Most is the greatest right that is left of the principal's, anywhere.
	Most kaijutsu.Right
	// Contexts are the documents that exist for the caller; nil: all. With them
	// the caller has no right on the kernel as a whole.
	Contexts map[kaijutsu.DocumentID]struct{}
	// Only are the operations that are there for the caller, by name or family;
	// empty: all.
	Only []string
}

// Kernel returns what of a right on the kernel is left.
func (b *Bounds) Kernel(right kaijutsu.Right) kaijutsu.Right {
	switch {
	case b == nil:
		return right
	case b.Contexts != nil:
		return kaijutsu.RightNone
	}
	return min(right, b.Most)
}

// Document returns what of a right to a document is left.
func (b *Bounds) Document(doc kaijutsu.DocumentID, right kaijutsu.Right) kaijutsu.Right {
	if b == nil {
		return right
	}
	if b.Contexts != nil {
		if _, in := b.Contexts[doc]; !in {
			return kaijutsu.RightNone
		}
	}
	return min(right, b.Most)
}

// offers reports whether an operation is there.
func (b *Bounds) offers(name string) bool {
	return b == nil || len(b.Only) == 0 || Denied(b.Only, name)
}
