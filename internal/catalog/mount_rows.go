package catalog

import (
	"context"
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/mounts"
	"kaijutsu/internal/op"
)

var errNoMounts = fmt.Errorf("nothing is mounted here: %w", kaijutsu.ErrUnavailable)

// defineMounts is define for operations on files and repositories. Who may do
// what depends on what a path names, so mounts asks for the right.
func defineMounts[In, Out any](o *operations, spec op.Spec, f func(context.Context, op.Call, In) (Out, error)) *op.Op {
	return define(o, spec, func(ctx context.Context, c op.Call, in In) (Out, error) {
		if o.parts.Mounts == nil {
			return *new(Out), errNoMounts
		}
		return f(ctx, c, in)
	})
}

// mountRow is a mount as its caller sees it.
type mountRow struct {
	Path      string `json:"path"`
	Source    string `json:"source" jsonschema:"What is behind it, as mount_add takes it."`
	Kind      string `json:"kind" jsonschema:"memory, folder or git."`
	Writable  bool   `json:"rw" jsonschema:"It may be written to."`
	State     string `json:"state" jsonschema:"opening, ready, paused, failed, or elsewhere: it is another node's, which alone reads and writes its disk."`
	Reason    string `json:"reason,omitempty" jsonschema:"Why it is not ready."`
	Node      string `json:"node" jsonschema:"The id of the node whose disk it is."`
	Branch    string `json:"branch,omitempty" jsonschema:"Of a git mount: the branch that its worktree is on. Absent: its HEAD is detached."`
	Head      string `json:"head,omitempty" jsonschema:"The commit that it is at. Absent: there is none yet."`
	Context   string `json:"context,omitempty" jsonschema:"The id of the context whose blocks are the files of this branch."`
	Dir       string `json:"dir,omitempty" jsonschema:"Where it is on the node's disk: programs work on the files there. Owners of the kernel are told."`
	Open      int    `json:"open_files,omitempty" jsonschema:"How many files are blocks."`
	Dirty     int    `json:"dirty,omitempty" jsonschema:"How many of them wait to be written to the disk."`
	Conflicts int    `json:"conflicts,omitempty" jsonschema:"In how many of them block and disk contradict each other: fs_resolve settles it."`
	DiskAs    string `json:"disk_as,omitempty" jsonschema:"Whose edits those on the disk are. Absent: of the service disk."`
	Trailers  string `json:"trailers,omitempty" jsonschema:"What commits say at their end: off, people or all."`
	Notes     string `json:"notes,omitempty" jsonschema:"on: commits get a note of who wrote which line. off: they get none."`
	Author    string `json:"author,omitempty" jsonschema:"Whom commits name as their author: most, caller or committer."`
	By        string `json:"by,omitempty" jsonschema:"Who mounted it. Absent: the server itself."`
	At        string `json:"at,omitempty"`
	Notice    string `json:"notice,omitempty" jsonschema:"What is not as it was asked for, and why."`
}

func mountRowOf(m mounts.Mount) mountRow {
	row := mountRow{
		Path: m.Path, Source: m.Source, Kind: m.Kind, Writable: m.ReadWrite, State: m.State, Reason: m.Reason, Node: m.Node,
		Branch: m.Branch, Head: string(m.Head), Dir: m.Dir, Open: m.Open, Dirty: m.Dirty, Conflicts: m.Conflicts,
		DiskAs: m.DiskAs.Name, By: m.By.Name, At: timeText(m.At), Notice: m.Notice,
	}
	if m.Paused != "" {
		row.State, row.Reason = "paused", m.Paused
	}
	if !m.Context.IsZero() {
		row.Context = m.Context.Name()
	}
	if m.Kind == "git" {
		row.Trailers, row.Notes, row.Author = m.Trailers, m.Notes, m.Author
	}
	return row
}

// atMount is the parameter of an operation on a git mount.
type atMount struct {
	Mount string `json:"mount,omitempty" jsonschema:"The git mount: its path, or its name when that tells it from the others. A path below a mount means that path alone. Default: the one whose context the call is from, or the only one." rule:"maxlen=4096"`
}
