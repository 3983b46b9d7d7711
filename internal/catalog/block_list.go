package catalog

import (
	"context"
	"fmt"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

type blockListIn struct {
	inContext
	Parent         string `json:"parent_id,omitempty" jsonschema:"Only what hangs below this block. Default: the whole context." rule:"minlen=6,maxlen=36,alias=parent"`
	Kind           string `json:"kind,omitempty" jsonschema:"Only blocks of this kind." rule:"enum=text|thinking|tool_call|tool_result|shell_command|shell_output|drift|file|resource|query|run|checkpoint|task|comment|error"`
	Status         string `json:"status,omitempty" jsonschema:"Only blocks of this status." rule:"enum=pending|running|done|error|cancelled"`
	Role           string `json:"role,omitempty" jsonschema:"Only blocks of this role." rule:"enum=user|model|system|tool"`
	Depth          int    `json:"depth,omitempty" jsonschema:"How many levels: 1 is the roots, or the children of parent_id, only. Default: all." rule:"min=1,max=512"`
	IncludeDeleted bool   `json:"include_deleted,omitempty" jsonschema:"List deleted blocks too, in their places, and what hangs below them. Default: leave them out."`
	Limit          int    `json:"limit,omitempty" jsonschema:"How many to return at most." rule:"min=1,max=10000,default=1000"`
	Cursor         string `json:"cursor,omitempty" jsonschema:"The next of the call before: go on behind that block." rule:"maxlen=36"`
}

type blockSummary struct {
	ID        string `json:"id"`
	Parent    string `json:"parent,omitempty"`
	Depth     int    `json:"depth"`
	Role      string `json:"role"`
	Kind      string `json:"kind"`
	Status    string `json:"status"`
	Summary   string `json:"summary" jsonschema:"The content; of a long one the first 100 characters and how many lines it has."`
	Lines     int    `json:"line_count" jsonschema:"How many lines the content has."`
	Author    string `json:"author"`
	Created   string `json:"created"`
	Deleted   bool   `json:"deleted,omitempty"`
	Collapsed bool   `json:"collapsed,omitempty"`
	Excluded  bool   `json:"excluded,omitempty"`
	Ephemeral bool   `json:"ephemeral,omitempty"`
}

type blockListOut struct {
	Context string         `json:"context"`
	Blocks  []blockSummary `json:"blocks" jsonschema:"In document order: a parent before its children."`
	Count   int            `json:"count" jsonschema:"How many are in this answer."`
	Next    string         `json:"next,omitempty" jsonschema:"There are more: pass it as cursor. Absent: that was all."`
	Version uint64         `json:"version"`
	Heads   []string       `json:"heads"`
}

func (o *operations) blockList() *op.Op {
	return define(o, op.Spec{
		Name: "block_list", Title: "List blocks", Command: []string{"block", "ls"}, Args: []string{"context"},
		Summary: "List the blocks of a context in document order, with a summary of each",
		Description: "Filters are all applied at once; `limit` counts what is left. " +
			"When the block of a cursor is gone in the meantime, that is an error: begin again.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("block_list"),
	}, o.listBlocks)
}

func (o *operations) listBlocks(ctx context.Context, c op.Call, in blockListIn) (out blockListOut, err error) {
	err = o.readContext(ctx, c, in.inContext, func(v repo.View, doc kaijutsu.DocumentID) error {
		room := min(in.Limit, v.Len())
		out = blockListOut{Context: doc.Name(), Blocks: make([]blockSummary, 0, room), Version: v.Version(), Heads: v.Heads.Texts()}
		var parent blocks.ID
		if in.Parent != "" {
			if parent, err = blockIn(v, "parent_id", in.Parent); err != nil {
				return err
			}
		}
		return out.fill(v, in, parent)
	})
	return out, err
}

// fill lists what the parameters ask for.
func (out *blockListOut) fill(v repo.View, in blockListIn, parent blocks.ID) error {
	m := v.Model()
	all := m.Summaries()
	if in.IncludeDeleted {
		all = m.Everything()
	}
	short := summariser{view: v}
	inside, above := parent == "", -1 // below the parent, which has this depth
	behind := in.Cursor == ""         // of the cursor
	for s := range all {
		switch {
		case s.ID == parent:
			inside, above = true, s.Depth
		case above >= 0 && s.Depth <= above:
			inside = false
		}
		if !inside || s.ID == parent {
			continue
		}
		if !behind {
			behind = string(s.ID) == in.Cursor
			continue
		}
		if !in.wants(&s, s.Depth-above) {
			continue
		}
		if len(out.Blocks) == in.Limit {
			out.Next = out.Blocks[in.Limit-1].ID
			break
		}
		out.Blocks = append(out.Blocks, short.of(&s))
	}
	out.Count = len(out.Blocks)
	if _, err := blocks.ParseID(in.Cursor); !behind && err != nil {
		return &op.FieldError{Field: "cursor", Reason: fmt.Sprintf("%.64q is none", in.Cursor), Hint: "pass the next of the call before"}
	}
	if !behind {
		return fmt.Errorf("cursor: block %q is not listed any more: %w: begin again", in.Cursor, kaijutsu.ErrConflict)
	}
	return nil
}

// wants applies the filters; level counts from 1.
func (in *blockListIn) wants(s *blocks.Summary, level int) bool {
	return (in.Depth == 0 || level <= in.Depth) &&
		(in.Kind == "" || in.Kind == string(s.Kind)) &&
		(in.Status == "" || in.Status == string(s.Status)) &&
		(in.Role == "" || in.Role == string(s.Role))
}
