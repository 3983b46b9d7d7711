package catalog

import (
	"context"
	"fmt"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/textdiff"
)

type blockApplyPatchIn struct {
	onBlock
	Patch  string `json:"patch" jsonschema:"A unified diff of this one block, as diff -u and git diff write it; the lines with the file names may be left out." rule:"minlen=1"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"Only say what would come of it."`
}

type blockApplyPatchOut struct {
	writtenBlock
	DryRun  bool   `json:"dry_run"`
	Patch   string `json:"patch" jsonschema:"What was or would be changed, as a unified diff against the block as it was; empty when nothing."`
	Content string `json:"content,omitempty" jsonschema:"What the block would say; only of a dry run."`
}

func (o *operations) blockApplyPatch() *op.Op {
	return define(o, op.Spec{
		Name: "block_apply_patch", Title: "Apply a patch to a block", Command: []string{"block", "apply-patch"}, Args: []string{"block_id", "patch"},
		Summary: "Apply a unified diff to a block, all or nothing",
		Description: "A hunk must match at the line it names, or at one place only: nothing is guessed. If one does not, nothing is written, and the error names the hunk and the line. " +
			"With `dry_run` the answer shows the result and no change is made.",
		Scope: op.OnContext, Right: kaijutsu.RightComment, Effect: op.Writes,
		Examples: examplesOf("block_apply_patch"),
	}, o.patchBlock)
}

func (o *operations) patchBlock(ctx context.Context, c op.Call, in blockApplyPatchIn) (out blockApplyPatchOut, err error) {
	if in.DryRun {
		return o.tryPatch(ctx, c, in)
	}
	out.writtenBlock, err = o.edit(ctx, c, in.onBlock, "block_apply_patch", func(e editing) error {
		content, _, err := e.tx.Content(e.id)
		if err != nil {
			return err
		}
		patched, err := textdiff.ApplyUnified(content, in.Patch)
		if err != nil {
			return fmt.Errorf("patch: %w", err)
		}
		out.Patch = textdiff.Unified(content, patched, string(e.id))
		return e.tx.ReplaceText(e.id, patched)
	})
	return out, err
}

// tryPatch says what would come of a patch.
func (o *operations) tryPatch(ctx context.Context, c op.Call, in blockApplyPatchIn) (out blockApplyPatchOut, err error) {
	err = o.read(ctx, c, in.onBlock, func(v repo.View, doc kaijutsu.DocumentID, id blocks.ID) error {
		b, ok := v.Block(id)
		if !ok {
			return noBlock(id, doc)
		}
		patched, err := textdiff.ApplyUnified(b.Content, in.Patch)
		if err != nil {
			return fmt.Errorf("patch: %w", err)
		}
		out.writtenBlock = writtenBlock{string(id), writtenOf(doc, repo.Edited{Version: v.Version(), Heads: v.Heads})}
		out.DryRun, out.Content, out.Patch = true, patched, textdiff.Unified(b.Content, patched, string(id))
		return nil
	})
	return out, err
}
