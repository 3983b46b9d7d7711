package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

type undoIn struct {
	inContext
	Steps  int    `json:"steps,omitempty" jsonschema:"Take back so many units of work, passing over undos and what they took back. Default: the last unit, which may be an undo." rule:"min=1,max=100"`
	Change string `json:"change,omitempty" jsonschema:"Take back this change instead, by its hash. It must be the caller's own; that of an undo brings back what it took." rule:"maxlen=64"`
}

type undoneUnit struct {
	Changes []string `json:"changes" jsonschema:"The changes that made it up, oldest first."`
	Time    string   `json:"time" jsonschema:"When the last of them was made."`
	What    string   `json:"what,omitempty" jsonschema:"The operation that made it, or the undo of one. Empty for what an editor synced."`
	Blocks  []string `json:"blocks" jsonschema:"The blocks that it touched."`
}

type undoOut struct {
	Undone []undoneUnit `json:"undone" jsonschema:"What was taken back, the newest first."`
	written
}

func (o *operations) undo() *op.Op {
	return define(o, op.Spec{
		Name: "undo", Title: "Undo", Args: []string{"context"},
		Summary: "Take back the last thing that the caller did in a context, and only that",
		Description: "A unit of work is one operation, or a run of typing or appending in one block. What others did stays, also inside the same text. " +
			"An undo is a unit of work too: calling it again brings back what it took. To go further back give `steps`.\n\n" +
			"If there is nothing of the caller to take back, that is an error of kind not_found.",
		Scope: op.OnContext, Right: kaijutsu.RightComment, Effect: op.Writes,
		Examples: examplesOf("undo"),
	}, o.undoWork)
}

// undoMessage is what the change of an undo says.
const undoMessage = "op:undo"

func (o *operations) undoWork(ctx context.Context, c op.Call, in undoIn) (out undoOut, err error) {
	if in.Steps > 0 && in.Change != "" {
		return out, &op.FieldError{Field: "steps", Reason: "it counts from the last unit, but change names one", Hint: "give one of them"}
	}
	doc, err := o.parts.Kernel.Resolve(ctx, c, in.Context, kaijutsu.RightComment)
	if err != nil {
		return out, err
	}
	var units [][]kaijutsu.ChangeHash
	edited, err := o.parts.Kernel.Edit(ctx, c, doc, "undo", func(v repo.View, tx *blocks.Tx) error {
		if units, err = in.units(v, c.By); err != nil {
			return err
		}
		units, err = revert(v, tx, units)
		return err
	})
	if err != nil {
		return out, err
	}
	out.written = writtenOf(doc, edited)
	err = o.parts.Kernel.View(ctx, c, doc, func(v repo.View) error {
		for _, unit := range units {
			u, err := undoneOf(v, unit)
			if err != nil {
				return err
			}
			out.Undone = append(out.Undone, u)
		}
		return nil
	})
	return out, err
}

// revert takes units of work back and returns those of which anything showed.
func revert(v repo.View, tx *blocks.Tx, units [][]kaijutsu.ChangeHash) (done [][]kaijutsu.ChangeHash, err error) {
	for _, unit := range units {
		switch err = tx.Revert(v.Log(), unit); {
		case err == nil:
			done = append(done, unit)
		case !errors.Is(err, kaijutsu.ErrConflict):
			return nil, err
		}
	}
	if len(done) == 0 {
		return nil, fmt.Errorf("%w; take back something else by change or steps", err)
	}
	return done, nil
}

// units finds what to take back, the newest first.
func (in undoIn) units(v repo.View, by kaijutsu.Principal) (units [][]kaijutsu.ChangeHash, err error) {
	log := v.Log()
	own := func(a kaijutsu.ActorID) bool {
		who, _ := v.Principal(a)
		return who == by
	}
	if in.Change != "" {
		hash, err := kaijutsu.ParseChangeHash(in.Change)
		if err != nil {
			return nil, fmt.Errorf("change: %w", err)
		}
		i, ok := log.Index(hash)
		if !ok {
			return nil, fmt.Errorf("change %s: %w in this context", hash, kaijutsu.ErrNotFound)
		}
		if !own(log.Author(i)) {
			return nil, fmt.Errorf("change %s: %w: somebody else made it", hash, kaijutsu.ErrDenied)
		}
		return [][]kaijutsu.ChangeHash{{hash}}, nil
	}
	from := 0
	for skip := 0; skip < from+max(in.Steps, 1); skip++ {
		unit, err := blocks.LastUnit(log, own, skip)
		if errors.Is(err, kaijutsu.ErrNotFound) && len(units) > 0 {
			return nil, fmt.Errorf("steps: there are only %d units of work to take back: %w", len(units), kaijutsu.ErrNotFound)
		}
		if errors.Is(err, kaijutsu.ErrNotFound) {
			return nil, fmt.Errorf("%s has nothing to take back in this context: %w", by.Name, kaijutsu.ErrNotFound)
		}
		if err != nil {
			return nil, err
		}
		if skip == 0 && in.Steps > 0 {
			i, _ := log.Index(unit[len(unit)-1])
			last, err := log.Change(i)
			if err != nil {
				return nil, err
			}
			if last.Message == undoMessage {
				from = 1
				continue
			}
		}
		units = append(units, unit)
	}
	return units, nil
}

// undoneOf shows a unit of work.
func undoneOf(v repo.View, unit []kaijutsu.ChangeHash) (u undoneUnit, err error) {
	log, m := v.Log(), v.Model()
	u.Blocks = []string{}
	for _, h := range unit {
		i, ok := log.Index(h)
		if !ok {
			continue
		}
		c, err := log.Change(i)
		if err != nil {
			return u, err
		}
		u.Changes = append(u.Changes, h.String())
		u.Time = timeText(time.Unix(c.Time, 0))
		u.What = strings.TrimPrefix(c.Message, "op:")
		for _, e := range m.Examine(c).Blocks {
			if !slices.Contains(u.Blocks, string(e.ID)) {
				u.Blocks = append(u.Blocks, string(e.ID))
			}
		}
	}
	return u, nil
}
