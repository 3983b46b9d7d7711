package catalog

import (
	"kaijutsu"
	"kaijutsu/internal/op"
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
	return op.Define(op.Spec{
		Name: "block_apply_patch", Title: "Apply a patch to a block", Command: []string{"block", "apply-patch"}, Args: []string{"block_id", "patch"},
		Summary: "Apply a unified diff to a block, all or nothing",
		Description: "A hunk must match at the line it names, or at one place only: nothing is guessed. If one does not, nothing is written, and the error names the hunk and the line. " +
			"With `dry_run` the answer shows the result and no change is made.",
		Scope: op.OnContext, Right: kaijutsu.RightComment, Effect: op.Writes,
		Examples: examplesOf("block_apply_patch"),
	}, o.patchBlock)
}
