package kernel

import (
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// hidden reports whether a document is for nobody: those of the nodes, and what
// was deleted.
func (k *Kernel) hidden(doc kaijutsu.DocumentID) bool {
	return k.ofNodes(doc) || k.records.isDeleted(doc)
}

// ofNodes reports whether a document is the nodes' own: the kernel's records,
// and what else the configuration hides.
func (k *Kernel) ofNodes(doc kaijutsu.DocumentID) bool {
	return doc == k.cfg.Records.Doc() || k.cfg.Hidden(doc)
}

// Right returns what a caller may do with a document.
func (k *Kernel) Right(c op.Call, doc kaijutsu.DocumentID) kaijutsu.Right {
	if k.hidden(doc) {
		return kaijutsu.RightNone
	}
	return k.rightTo(c, doc)
}

// rightTo is Right without asking whether the document was deleted: who might
// read a context may know that it is gone.
func (k *Kernel) rightTo(c op.Call, doc kaijutsu.DocumentID) kaijutsu.Right {
	if c.Right < kaijutsu.RightOwn && k.cfg.Private(doc) {
		return kaijutsu.RightNone
	}
	if c.Bounds != nil {
		return c.Bounds.Document(doc, k.cfg.Access.Current(c.By, doc))
	}
	return k.cfg.Access.Right(c.By, c.Right, doc)
}

// MayRead reports whether a document exists for a caller.
func (k *Kernel) MayRead(c op.Call, doc kaijutsu.DocumentID) bool {
	return k.Right(c, doc) >= kaijutsu.RightRead
}

// Archived reports whether a context is archived.
func (k *Kernel) Archived(doc kaijutsu.DocumentID) bool { return k.records.archived(doc) }

// SyncRight returns what a principal may do with a document now that it syncs.
// An archived context is read only. It is asked for with every message and
// takes no longer than a few look-ups.
func (k *Kernel) SyncRight(by kaijutsu.Principal, doc kaijutsu.DocumentID) kaijutsu.Right {
	if k.hidden(doc) {
		return kaijutsu.RightNone
	}
	if k.cfg.Private(doc) && k.cfg.Access.Kernel(by) < kaijutsu.RightOwn {
		return kaijutsu.RightNone
	}
	right := k.cfg.Access.Current(by, doc)
	if right > kaijutsu.RightRead && k.records.archived(doc) {
		return kaijutsu.RightRead
	}
	return right
}

// need refuses a caller whose right to a context is less than it takes. A
// context that it may not read it is not told of.
func (k *Kernel) need(c op.Call, doc kaijutsu.DocumentID, need kaijutsu.Right) error {
	return k.allow(c, doc, k.Right(c, doc), need)
}

// allow is need with the right asked for.
func (k *Kernel) allow(c op.Call, doc kaijutsu.DocumentID, right, need kaijutsu.Right) error {
	switch {
	case c.By.IsZero():
		return fmt.Errorf("nobody asks: %w", kaijutsu.ErrDenied)
	case right < kaijutsu.RightRead:
		return unknown(doc.Name())
	case right < need:
		return fmt.Errorf("context %s: %w: it takes the role %s, %s has %s", doc.Name(), kaijutsu.ErrDenied, need, c.By.Name, right)
	}
	return nil
}

// mayEdit is need for what writes into a context: an archived one is closed.
func (k *Kernel) mayEdit(c op.Call, doc kaijutsu.DocumentID, need kaijutsu.Right) error {
	if err := k.need(c, doc, need); err != nil {
		return err
	}
	if k.records.archived(doc) {
		return archived(doc)
	}
	return nil
}

func archived(doc kaijutsu.DocumentID) error {
	return fmt.Errorf("context %s: %w: it is archived; unarchive it first", doc.Name(), kaijutsu.ErrConflict)
}

// words names a context to who may read it: by its id and, if it is at hand, its
// title. What is kept, or told to others, names the id only.
func (k *Kernel) words(doc kaijutsu.DocumentID) string {
	if sum, _ := k.shelf.get(doc); sum != nil && sum.title != "" {
		return fmt.Sprintf("%s %q", doc.Name(), clip(sum.title))
	}
	return doc.Name()
}

// unknown is what is said of a context that is not there, or not for them.
func unknown(name string) error {
	return fmt.Errorf("context %.100q: %w on this server", name, kaijutsu.ErrNotFound)
}
