package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/mounts"
	"kaijutsu/internal/op"
)

// maxDiffBytes bounds the patches of one answer.
const maxDiffBytes = 1 << 20

type gitDiffIn struct {
	atMount
	Paths []string `json:"paths,omitempty" jsonschema:"Only these files, and what is below these directories: from the root, or relative to the mount. Default: all." rule:"minitems=1,maxitems=1000,alias=path"`
	From  string   `json:"from,omitempty" jsonschema:"The commit that it begins with: a hash, the beginning of one, a branch, a tag, HEAD~2. Default: HEAD." rule:"maxlen=1000"`
	To    string   `json:"to,omitempty" jsonschema:"The commit that it ends with. Default: what the blocks and files hold now." rule:"maxlen=1000"`
}

type fileDiffRow struct {
	Path    string `json:"path"`
	OldPath string `json:"old_path,omitempty"`
	Diff    string `json:"diff,omitempty" jsonschema:"A unified diff, as git apply reads it. Absent: the file is binary, or the diff is too long for one answer."`
	Added   int    `json:"added" jsonschema:"Lines."`
	Deleted int    `json:"deleted" jsonschema:"Lines."`
	Binary  bool   `json:"binary,omitempty"`
}

type gitDiffOut struct {
	Mount     string        `json:"mount"`
	Files     []fileDiffRow `json:"files"`
	Truncated bool          `json:"truncated,omitempty" jsonschema:"Diffs were left out because the answer would be too long: name paths."`
}

func (o *operations) gitDiff() *op.Op {
	return defineMounts(o, op.Spec{
		Name: "git_diff", Title: "Show differences", Args: []string{"mount", "paths"},
		Summary:     "Show what blocks and files of a git mount have that a commit has not, or what one commit has that another has not",
		Description: "What a block holds counts instead of its file on the disk. An answer has at most 1 MiB of diffs.",
		Scope:       op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("git_diff"),
	}, o.showDiff)
}

func (o *operations) showDiff(ctx context.Context, c op.Call, in gitDiffIn) (gitDiffOut, error) {
	m, below, err := o.gitMount(ctx, c, in.Mount, in.Paths...)
	if err != nil {
		return gitDiffOut{}, err
	}
	files, err := o.parts.Mounts.Diff(ctx, c, mounts.DiffSpec{At: m.Path, Paths: fromRoot(m, below, in.Paths), From: in.From, To: in.To})
	if err != nil {
		return gitDiffOut{}, err
	}
	out := gitDiffOut{Mount: m.Path, Files: []fileDiffRow{}}
	size := 0
	for _, f := range files {
		row := fileDiffRow{Path: f.Path, OldPath: f.OldPath, Diff: f.Unified, Added: f.Added, Deleted: f.Deleted, Binary: f.Binary}
		if size += len(row.Diff); size > maxDiffBytes {
			row.Diff = ""
		}
		out.Truncated = out.Truncated || f.TooLarge || row.Diff != f.Unified
		out.Files = append(out.Files, row)
	}
	return out, nil
}
