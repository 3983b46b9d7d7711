package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/internal/kernel"
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

func (o *operations) undoWork(ctx context.Context, c op.Call, in undoIn) (out undoOut, err error) {
	if in.Steps > 0 && in.Change != "" {
		return out, &op.FieldError{Field: "steps", Reason: "it counts from the last unit, but change names one", Hint: "give one of them"}
	}
	doc, err := o.parts.Kernel.Resolve(ctx, c, in.Context, kaijutsu.RightComment)
	if err != nil {
		return out, err
	}
	done, err := o.takeBack(ctx, c, doc, in)
	switch {
	case errors.Is(err, kaijutsu.ErrConflict):
		return out, fmt.Errorf("%w; take back something else by change or steps", err)
	case errors.Is(err, kaijutsu.ErrNotFound) && in.Change == "":
		return out, fmt.Errorf("%s has no more to take back in this context: %w", c.By.Name, err)
	case err != nil:
		return out, err
	}
	out.written = writtenOf(doc, done.Edited)
	err = o.parts.Kernel.View(ctx, c, doc, func(v repo.View) error {
		for _, unit := range done.Units {
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

func (o *operations) takeBack(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, in undoIn) (kernel.Undone, error) {
	if in.Change == "" {
		return o.parts.Kernel.Undo(ctx, c, doc, in.Steps)
	}
	hash, err := kaijutsu.ParseChangeHash(in.Change)
	if err != nil {
		return kernel.Undone{}, fmt.Errorf("change: %w", err)
	}
	return o.parts.Kernel.UndoChange(ctx, c, doc, hash)
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
		u.What, _, _ = strings.Cut(strings.TrimPrefix(c.Message, "op:"), " ")
		for _, e := range m.Examine(c).Blocks {
			if !slices.Contains(u.Blocks, string(e.ID)) {
				u.Blocks = append(u.Blocks, string(e.ID))
			}
		}
	}
	return u, nil
}
