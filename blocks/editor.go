package blocks

import (
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// Editor keeps the heads of one document for those who do not keep its changes
// themselves, and makes changes on them. Whoever has the heads at hand calls
// Model.Commit.
//
// It is not safe for concurrent use.
type Editor struct {
	heads   map[kaijutsu.ChangeHash]struct{}
	applied map[kaijutsu.ActorID]uint64 // sequence number of each actor's last change
	changes int
}

// OpenEditor returns an editor of the document that these changes make up, in
// an order in which each comes after those it depends on.
func OpenEditor(changes [][]byte) (*Editor, error) {
	e := &Editor{heads: make(map[kaijutsu.ChangeHash]struct{}), applied: make(map[kaijutsu.ActorID]uint64)}
	return e, e.Apply(changes)
}

// Close does nothing.
func (e *Editor) Close() {}

// Bytes returns an estimate of the memory the editor holds.
func (e *Editor) Bytes() int64 { return int64(len(e.applied)) * actorBytes }

// Heads returns the heads of the document.
func (e *Editor) Heads() kaijutsu.Heads {
	hashes := make([]kaijutsu.ChangeHash, 0, len(e.heads))
	for h := range e.heads {
		hashes = append(hashes, h)
	}
	return kaijutsu.NewHeads(hashes...)
}

// Apply takes in changes made elsewhere, in an order in which each comes after
// those it depends on. Those it has are skipped.
func (e *Editor) Apply(changes [][]byte) error {
	for i, raw := range changes {
		h, err := amfile.DecodeHeader(raw)
		if err != nil {
			return fmt.Errorf("apply change %d of %d: %w", i+1, len(changes), err)
		}
		if h.Seq > e.applied[h.Author] {
			e.note(h.Hash, h.Deps, h.Author, h.Seq)
		}
	}
	return nil
}

// note keeps count of a change.
func (e *Editor) note(hash kaijutsu.ChangeHash, deps []kaijutsu.ChangeHash, author kaijutsu.ActorID, seq uint64) {
	for _, d := range deps {
		delete(e.heads, d)
	}
	e.heads[hash] = struct{}{}
	e.applied[author] = seq
	e.changes++
}

// Commit makes one change on the heads by opt.Model, which must hold exactly
// the changes that the editor has, and returns its chunk, or nil when f wrote
// nothing. The model does not hold the change yet.
func (e *Editor) Commit(opt CommitOptions, f func(*Tx) error) ([]byte, error) {
	switch {
	case opt.Model == nil:
		return nil, fmt.Errorf("commit: no model: %w", kaijutsu.ErrInvalid)
	case opt.Model.Changes() != e.changes:
		return nil, fmt.Errorf("commit: the model holds %d changes, the editor %d: %w", opt.Model.Changes(), e.changes, kaijutsu.ErrInvalid)
	}
	opt.Deps = e.Heads()
	c, err := opt.Model.Commit(opt, f)
	if c == nil || err != nil {
		return nil, err
	}
	e.note(c.Hash, c.Deps, c.Author(), c.Seq)
	return c.Raw, nil
}
