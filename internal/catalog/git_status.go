package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/git"
	"kaijutsu/internal/mounts"
	"kaijutsu/internal/op"
)

type gitStatusIn struct {
	atMount
	Untracked bool `json:"untracked,omitempty" jsonschema:"Also files that git does not know yet." rule:"default=true"`
}

type gitStatusRow struct {
	Path     string `json:"path" jsonschema:"Relative to the mount."`
	OldPath  string `json:"old_path,omitempty" jsonschema:"The path that it had, of one that was renamed."`
	Staged   string `json:"staged,omitempty" jsonschema:"What git's index has that the last commit has not: modified, added, deleted, renamed, type changed or conflict."`
	Unstaged string `json:"unstaged,omitempty" jsonschema:"What the file, or its block, has that the index has not; also untracked."`
	Block    string `json:"block_id,omitempty" jsonschema:"The block that is the file."`
	Dirty    bool   `json:"dirty,omitempty" jsonschema:"The block has edits that the disk has not yet."`
	Conflict bool   `json:"conflict,omitempty" jsonschema:"Block and disk, or two branches, contradict each other."`
}

type gitStatusOut struct {
	Mount     string         `json:"mount"`
	Branch    string         `json:"branch,omitempty"`
	Detached  bool           `json:"detached,omitempty" jsonschema:"HEAD is at a commit and on no branch."`
	Head      string         `json:"head,omitempty" jsonschema:"The commit. Absent: there is none yet."`
	Context   string         `json:"context,omitempty"`
	Paused    bool           `json:"paused,omitempty" jsonschema:"Blocks and disk are not kept in step at the moment."`
	Reason    string         `json:"reason,omitempty" jsonschema:"Why."`
	Files     []gitStatusRow `json:"files" jsonschema:"What is not as the last commit has it."`
	Truncated bool           `json:"truncated,omitempty" jsonschema:"There are more files: name a path below the mount."`
}

func (o *operations) gitStatus() *op.Op {
	return defineMounts(o, op.Spec{
		Name: "git_status", Title: "Show what is not committed", Args: []string{"mount"},
		Summary:     "Say which files of a git mount differ from the last commit",
		Description: "What a block holds counts instead of its file on the disk. A mount below which a path is named answers for that path alone.",
		Scope:       op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("git_status"),
	}, o.showStatus)
}

func (o *operations) showStatus(ctx context.Context, c op.Call, in gitStatusIn) (gitStatusOut, error) {
	m, below, err := o.gitMount(ctx, c, in.Mount)
	if err != nil {
		return gitStatusOut{}, err
	}
	at := m.Path
	if below != "" {
		at += "/" + below
	}
	st, err := o.parts.Mounts.Status(ctx, c, mounts.StatusSpec{At: at, Untracked: in.Untracked})
	if err != nil {
		return gitStatusOut{}, err
	}
	row := mountRowOf(st.Mount)
	out := gitStatusOut{
		Mount: row.Path, Branch: row.Branch, Detached: row.Branch == "", Head: row.Head, Context: row.Context,
		Paused: row.State == "paused", Files: []gitStatusRow{}, Truncated: st.Truncated,
	}
	if out.Paused {
		out.Reason = row.Reason
	}
	for _, f := range st.Files {
		staged := codeWords[f.Staged]
		if f.Unstaged == git.Untracked || f.Unstaged == git.Ignored {
			staged = ""
		}
		out.Files = append(out.Files, gitStatusRow{
			Path: f.Path, OldPath: f.OldPath, Staged: staged, Unstaged: codeWords[f.Unstaged],
			Block: string(f.Block), Dirty: f.Dirty, Conflict: f.Conflict || f.FileStatus.Conflict != "",
		})
	}
	return out, nil
}
