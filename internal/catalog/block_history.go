package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

type blockHistoryIn struct {
	onBlock
	Limit  int    `json:"limit,omitempty" jsonschema:"How many to return at most." rule:"min=1,max=10000,default=50"`
	Cursor string `json:"cursor,omitempty" jsonschema:"The next of the call before: go on with what is older." rule:"maxlen=64"`
}

type historyEntry struct {
	Change  string   `json:"change"`
	Version uint64   `json:"version" jsonschema:"The version that the context had with it."`
	Time    string   `json:"time" jsonschema:"What its author's clock showed."`
	Author  string   `json:"author" jsonschema:"The name of the principal, or the actor id when nobody is on record."`
	Via     string   `json:"via,omitempty"`
	Actor   string   `json:"actor"`
	How     []string `json:"how" jsonschema:"What it did to the block: inserted, content, status, moved, deleted, restored, meta, flags."`
	Message string   `json:"message,omitempty"`
}

type blockHistoryOut struct {
	Block   string         `json:"block_id"`
	Context string         `json:"context"`
	Entries []historyEntry `json:"entries" jsonschema:"The newest first."`
	Next    string         `json:"next,omitempty" jsonschema:"There are more: pass it as cursor. Absent: that was all."`
}

func (o *operations) blockHistory() *op.Op {
	return define(o, op.Spec{
		Name: "block_history", Title: "Show a block's history", Args: []string{"block_id"},
		Summary:     "List the changes that touched a block: who, when and what, the newest first",
		Description: "The hash of a change can be passed as `at` to read the block as it was right then, and as `change` to undo.",
		Scope:       op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("block_history"),
	}, o.historyOfBlock)
}

// historyStep is how many changes are read at a time: others use the document
// in between.
const historyStep = 2000

func (o *operations) historyOfBlock(ctx context.Context, c op.Call, in blockHistoryIn) (blockHistoryOut, error) {
	all, out, err := o.touches(ctx, c, in.onBlock)
	if err != nil {
		return blockHistoryOut{}, err
	}
	slices.Reverse(all)
	if in.Cursor != "" {
		at := slices.IndexFunc(all, func(e historyEntry) bool { return e.Change == in.Cursor })
		if at < 0 {
			return blockHistoryOut{}, &op.FieldError{Field: "cursor", Reason: "it is no change of this block", Hint: "pass the next of the call before"}
		}
		all = all[at+1:]
	}
	if len(all) > in.Limit {
		all = all[:in.Limit]
		out.Next = all[in.Limit-1].Change
	}
	out.Entries = append([]historyEntry{}, all...)
	return out, nil
}

// touches returns every change that touched a block, oldest first. It replays
// the history, a piece at a time: what a change did to a block is what it does
// to a model.
func (o *operations) touches(ctx context.Context, c op.Call, in onBlock) (all []historyEntry, out blockHistoryOut, err error) {
	doc, id, err := o.parts.Kernel.ResolveBlock(ctx, c, in.Context, in.Block, kaijutsu.RightRead)
	if err != nil {
		return nil, out, err
	}
	out.Block, out.Context = string(id), doc.Name()
	m := blocks.NewModel()
	for from, more := 0, true; more; from += historyStep {
		err = o.parts.Kernel.View(ctx, c, doc, func(v repo.View) error {
			if _, ok := v.Model().Summary(id); !ok {
				return noBlock(id, doc)
			}
			log := v.Log()
			more = from+historyStep < log.Len()
			for i := from; i < min(from+historyStep, log.Len()); i++ {
				change, err := log.Change(i)
				if err != nil {
					return fmt.Errorf("read change %d: %w", i, err)
				}
				delta := m.Apply(change)
				at := slices.IndexFunc(delta.Blocks, func(t blocks.Touched) bool { return t.ID == id })
				if at < 0 {
					continue
				}
				e := historyEntry{
					Change: delta.Change.String(), Version: uint64(i + 1), Time: timeText(delta.Time), Actor: delta.Actor.String(),
					How: strings.Split(delta.Blocks[at].How.String(), ","), Message: change.Message,
				}
				e.Author, e.Via = authorOf(v, delta.Actor)
				all = append(all, e)
			}
			return nil
		})
		if err != nil {
			return nil, out, err
		}
	}
	return all, out, nil
}
