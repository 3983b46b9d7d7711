package kernel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// Undone says what an undo took back.
type Undone struct {
	repo.Edited
	// Units are the units of work, the newest first; the changes of each are in
	// the order of the log.
	Units [][]kaijutsu.ChangeHash
}

// undoTries is how often an undo begins again because the caller went on
// working meanwhile.
const undoTries = 5

// maxNamed is how many changes the message of an undo names: what it has room
// for.
const maxNamed = 900

// Undo takes back units of work of the caller's own, as far as they still show,
// and nothing of anybody else's, in one change: so many steps, passing over
// undos and what they took back; with steps 0 the last unit, which may be an
// undo. The error wraps kaijutsu.ErrNotFound when there are not so many units,
// and ErrConflict when nothing of one shows any more.
func (k *Kernel) Undo(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, steps int) (Undone, error) {
	return k.undo(ctx, c, doc, func(v repo.View) ([][]kaijutsu.ChangeHash, error) { return lastUnits(v, c.By, steps) })
}

// UndoChange is Undo of one change, by its hash. The error wraps
// kaijutsu.ErrDenied when it is somebody else's.
func (k *Kernel) UndoChange(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, hash kaijutsu.ChangeHash) (Undone, error) {
	return k.undo(ctx, c, doc, func(v repo.View) ([][]kaijutsu.ChangeHash, error) {
		log := v.Log()
		i, ok := log.Index(hash)
		if !ok {
			return nil, fmt.Errorf("change %s: %w in context %s", hash, kaijutsu.ErrNotFound, doc.Name())
		}
		if !own(v, c.By)(log.Author(i)) {
			return nil, fmt.Errorf("change %s: %w: somebody else made it; undo is for one's own", hash, kaijutsu.ErrDenied)
		}
		return [][]kaijutsu.ChangeHash{{hash}}, nil
	})
}

// errMoved says that there is other work to undo than a moment ago.
var errMoved = errors.New("there is newer work")

// undo takes back what find finds. The change's message names it, and is
// written before the change is: so it is looked for twice.
func (k *Kernel) undo(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, find func(repo.View) ([][]kaijutsu.ChangeHash, error)) (Undone, error) {
	if err := k.mayEdit(c, doc, kaijutsu.RightComment); err != nil {
		return Undone{}, err
	}
	for range undoTries {
		var out Undone
		err := k.View(ctx, c, doc, func(v repo.View) (err error) {
			out.Units, err = find(v)
			return err
		})
		if err != nil {
			return Undone{}, err
		}
		out.Edited, err = k.edit(ctx, c, doc, undoName(out.Units), func(v repo.View, tx *blocks.Tx) error {
			now, err := find(v)
			if err != nil {
				return err
			}
			if !slices.EqualFunc(now, out.Units, slices.Equal[[]kaijutsu.ChangeHash]) {
				return errMoved
			}
			for _, unit := range now {
				if err := tx.Revert(v.Log(), unit); err != nil {
					return err
				}
			}
			return unsend(v, tx, now)
		})
		switch {
		case err == nil:
			return out, nil
		case !errors.Is(err, errMoved):
			return Undone{}, err
		}
	}
	return Undone{}, fmt.Errorf("undo: the work to take back goes on all the time: %w", kaijutsu.ErrConflict)
}

// unsend deletes the drift blocks that units of work have inserted and of which
// nothing is left but what the kernel has noted in them since: that they are
// stale, or what became of a wish.
func unsend(v repo.View, tx *blocks.Tx, units [][]kaijutsu.ChangeHash) error {
	sent := make(map[kaijutsu.ChangeHash]bool)
	for _, unit := range units {
		for _, hash := range unit {
			i, ok := v.Log().Index(hash)
			if !ok {
				continue
			}
			c, err := v.Log().Change(i)
			if err != nil {
				return err
			}
			if strings.HasPrefix(c.Message, "op:drift") {
				sent[hash] = true
			}
		}
	}
	if len(sent) == 0 {
		return nil
	}
	for b := range v.Model().Summaries() {
		if b.Kind != blocks.KindDrift {
			continue
		}
		if made, ok := v.Inserted(b.ID); !ok || !sent[made] {
			continue
		}
		if content, _, err := tx.Content(b.ID); err == nil && content == "" {
			if err := tx.Delete(b.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// undoName is what the change of an undo says behind "op:", and what
// blocks.Undone reads: the changes that it takes back.
func undoName(units [][]kaijutsu.ChangeHash) string {
	var b strings.Builder
	b.WriteString(strings.TrimPrefix(blocks.UndoMessage, "op:"))
	n := 0
	for _, unit := range units {
		for i := len(unit) - 1; i >= 0 && n < maxNamed; i-- { // the last one stands for a unit that has too many
			b.WriteString(" " + unit[i].String())
			n++
		}
	}
	return b.String()
}

// lastUnits finds the last units of a principal's work, the newest first.
func lastUnits(v repo.View, by kaijutsu.Principal, steps int) ([][]kaijutsu.ChangeHash, error) {
	var units [][]kaijutsu.ChangeHash
	for skip := 0; len(units) < max(steps, 1); skip++ {
		unit, err := blocks.LastUnit(v.Log(), own(v, by), skip)
		if err != nil && len(units) > 0 {
			return nil, fmt.Errorf("undo: of %d units of work there are %d to take back: %w", steps, len(units), err)
		}
		if err != nil {
			return nil, fmt.Errorf("undo: %w", err)
		}
		if steps > 0 && skip == 0 {
			undo, err := isUndo(v, unit[len(unit)-1])
			if err != nil {
				return nil, err
			}
			if undo {
				continue
			}
		}
		units = append(units, unit)
	}
	return units, nil
}

// isUndo reports whether a change took work back. One that took back an undo did
// the work again: it stands for it.
func isUndo(v repo.View, hash kaijutsu.ChangeHash) (bool, error) {
	i, ok := v.Log().Index(hash)
	if !ok {
		return false, nil
	}
	c, err := v.Log().Change(i)
	if err != nil {
		return false, err
	}
	undone := blocks.Undone(c.Message)
	if undone == nil {
		return false, nil
	}
	again, err := isUndo(v, undone[0])
	return !again, err
}

// own says of actors whether they are a principal's.
func own(v repo.View, by kaijutsu.Principal) func(kaijutsu.ActorID) bool {
	return func(a kaijutsu.ActorID) bool {
		who, _ := v.Principal(a)
		return who == by
	}
}
