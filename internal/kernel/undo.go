package kernel

import (
	"context"
	"fmt"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// Undone says what an undo took back.
type Undone struct {
	repo.Edited
	Unit []kaijutsu.ChangeHash // the changes, in the order of the log
}

// Undo takes back a unit of work of the caller's own, as far as it still shows,
// and nothing of anybody else's: the last one, with skip 0, or the one that
// comes skip units before it. It is a change like any other, and the next last
// unit. The error wraps kaijutsu.ErrNotFound when there is no such unit and
// ErrConflict when nothing of it shows any more.
func (k *Kernel) Undo(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, skip int) (Undone, error) {
	return k.undo(ctx, c, doc, func(v repo.View) ([]kaijutsu.ChangeHash, error) {
		return blocks.LastUnit(v.Log(), own(v, c.By), skip)
	})
}

// UndoChange is Undo of one change, by its hash. The error wraps
// kaijutsu.ErrDenied when it is somebody else's.
func (k *Kernel) UndoChange(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, hash kaijutsu.ChangeHash) (Undone, error) {
	return k.undo(ctx, c, doc, func(v repo.View) ([]kaijutsu.ChangeHash, error) {
		log := v.Log()
		i, ok := log.Index(hash)
		if !ok {
			return nil, fmt.Errorf("change %s: %w in context %s", hash, kaijutsu.ErrNotFound, contextName(doc))
		}
		if !own(v, c.By)(log.Author(i)) {
			return nil, fmt.Errorf("change %s: %w: somebody else made it; undo is for one's own", hash, kaijutsu.ErrDenied)
		}
		return []kaijutsu.ChangeHash{hash}, nil
	})
}

func (k *Kernel) undo(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, find func(repo.View) ([]kaijutsu.ChangeHash, error)) (Undone, error) {
	var out Undone
	edited, err := k.Edit(ctx, c, doc, "undo", func(v repo.View, tx *blocks.Tx) error {
		unit, err := find(v)
		if err != nil {
			return err
		}
		out.Unit = unit
		return tx.Revert(v.Log(), unit)
	})
	if err != nil {
		return Undone{}, err
	}
	out.Edited = edited
	return out, nil
}

// own says of actors whether they are a principal's.
func own(v repo.View, by kaijutsu.Principal) func(kaijutsu.ActorID) bool {
	return func(a kaijutsu.ActorID) bool {
		who, _ := v.Principal(a)
		return who == by
	}
}
