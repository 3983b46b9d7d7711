package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/mounts"
	"kaijutsu/internal/op"
)

type gitBranchIn struct {
	atMount
	Action string `json:"action,omitempty" jsonschema:"list: say which there are. create: make one. switch: put the worktree of the mount on one; each branch has blocks of its own. delete: take one away." rule:"enum=list|create|switch|delete,default=list"`
	Name   string `json:"name,omitempty" jsonschema:"The branch. Not with list." rule:"maxlen=255"`
	Start  string `json:"start,omitempty" jsonschema:"With create: the commit that it begins at. Default: HEAD." rule:"maxlen=1000"`
	Force  bool   `json:"force,omitempty" jsonschema:"With delete: also when it has commits that no other branch has."`
}

type branchRow struct {
	Name     string `json:"name"`
	Head     string `json:"head"`
	Current  bool   `json:"current,omitempty" jsonschema:"The mount is on it."`
	Remote   bool   `json:"remote,omitempty" jsonschema:"It is what another repository had when it was last asked."`
	Worktree string `json:"worktree,omitempty" jsonschema:"The directory where it is checked out, by this mount or by somebody else. Owners of the kernel are told."`
}

type gitBranchOut struct {
	Mount    string      `json:"mount"`
	Current  string      `json:"current,omitempty" jsonschema:"The branch that the mount is on. Absent: its HEAD is detached."`
	Context  string      `json:"context,omitempty" jsonschema:"The id of the context whose blocks are the files of that branch."`
	Branches []branchRow `json:"branches"`
	Notice   string      `json:"notice,omitempty"`
}

func (o *operations) gitBranch() *op.Op {
	return defineMounts(o, op.Spec{
		Name: "git_branch", Title: "Work with branches", Args: []string{"mount", "action", "name", "start"},
		Summary: "List, create, switch or delete branches of a git mount",
		Description: "To switch is refused when something would be lost that is not committed. The blocks of the branch that is left stay as they are, in a context of their own, and so do edits of them that come later: " +
			"no branch's text gets into another. It returns the branches as they are then.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Writes,
		Examples: examplesOf("git_branch"),
	}, o.branch)
}

func (o *operations) branch(ctx context.Context, c op.Call, in gitBranchIn) (gitBranchOut, error) {
	if err := in.check(); err != nil {
		return gitBranchOut{}, err
	}
	m, _, err := o.gitMount(ctx, c, in.Mount)
	if err != nil {
		return gitBranchOut{}, err
	}
	switch in.Action {
	case "create":
		_, err = o.parts.Mounts.CreateBranch(ctx, c, m.Path, in.Name, in.Start)
	case "switch":
		m, err = o.parts.Mounts.SwitchBranch(ctx, c, m.Path, in.Name)
	case "delete":
		err = o.parts.Mounts.DeleteBranch(ctx, c, m.Path, in.Name, in.Force)
	}
	if err != nil {
		return gitBranchOut{}, err
	}
	return o.branchesOf(ctx, c, m)
}

// check refuses parameters that do not go together.
func (in gitBranchIn) check() error {
	switch {
	case in.Action == "list" && in.Name != "":
		return &op.FieldError{Field: "name", Reason: "a list is of all branches", Hint: "say what to do with it: create, switch or delete"}
	case in.Action != "list" && in.Name == "":
		return &op.FieldError{Field: "name", Reason: "there is none", Hint: "name the branch"}
	case in.Action != "create" && in.Start != "":
		return &op.FieldError{Field: "start", Reason: "it is for a branch that is made", Hint: "leave it out, or create"}
	case in.Action != "delete" && in.Force:
		return &op.FieldError{Field: "force", Reason: "it is for a branch that is deleted", Hint: "leave it out"}
	}
	return nil
}

func (o *operations) branchesOf(ctx context.Context, c op.Call, m mounts.Mount) (gitBranchOut, error) {
	all, err := o.parts.Mounts.Branches(ctx, c, m.Path)
	if err != nil {
		return gitBranchOut{}, err
	}
	row := mountRowOf(m)
	out := gitBranchOut{Mount: row.Path, Current: row.Branch, Context: row.Context, Branches: []branchRow{}, Notice: row.Notice}
	for _, b := range all {
		r := branchRow{Name: b.Name, Head: string(b.Head), Remote: b.Remote, Current: !b.Remote && b.Name == row.Branch}
		if c.Right >= kaijutsu.RightOwn {
			r.Worktree = b.Worktree
		}
		out.Branches = append(out.Branches, r)
	}
	return out, nil
}
