package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/git"
	"kaijutsu/internal/mounts"
	"kaijutsu/internal/op"
)

type gitLogIn struct {
	atMount
	Path  string `json:"path,omitempty" jsonschema:"Only commits that changed this file or something below this directory: from the root, or relative to the mount." rule:"maxlen=4096"`
	Rev   string `json:"rev,omitempty" jsonschema:"From where back: a hash, a branch, a tag, HEAD~2. Default: HEAD." rule:"maxlen=1000"`
	Limit int    `json:"limit,omitempty" jsonschema:"How many to return at most." rule:"min=1,max=1000,default=10"`
}

type logRow struct {
	Hash      string       `json:"hash"`
	Parents   []string     `json:"parents,omitempty"`
	Author    signatureRow `json:"author"`
	Committer signatureRow `json:"committer"`
	Subject   string       `json:"subject" jsonschema:"The first line of the message."`
	Message   string       `json:"message" jsonschema:"The whole of it, with its trailers."`
	Signed    bool         `json:"signed,omitempty" jsonschema:"It carries a signature, which nobody has checked here."`
}

type gitLogOut struct {
	Mount   string   `json:"mount"`
	Commits []logRow `json:"commits" jsonschema:"Newest first. A repository without commits has none."`
	More    bool     `json:"more,omitempty" jsonschema:"There are more."`
}

func (o *operations) gitLog() *op.Op {
	return defineMounts(o, op.Spec{
		Name: "git_log", Title: "List commits", Args: []string{"mount", "path"},
		Summary:     "List the last commits of a git mount, or of a file in it",
		Description: "Commits are in the order of git log.",
		Scope:       op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("git_log"),
	}, o.listCommits)
}

func (o *operations) listCommits(ctx context.Context, c op.Call, in gitLogIn) (gitLogOut, error) {
	m, below, err := o.gitMount(ctx, c, in.Mount, in.Path)
	if err != nil {
		return gitLogOut{}, err
	}
	path := in.Path
	if below != "" {
		if path != "" {
			return gitLogOut{}, &op.FieldError{Field: "path", Reason: "mount names a path already", Hint: "name the mount alone, or leave path out"}
		}
		path = below
	}
	commits, err := o.parts.Mounts.Log(ctx, c, mounts.LogSpec{At: m.Path, Rev: in.Rev, Path: path, N: in.Limit + 1})
	if err != nil {
		return gitLogOut{}, err
	}
	out := gitLogOut{Mount: m.Path, Commits: []logRow{}, More: len(commits) > in.Limit}
	for _, k := range commits[:min(len(commits), in.Limit)] {
		out.Commits = append(out.Commits, logRowOf(k))
	}
	return out, nil
}

func logRowOf(k git.CommitInfo) logRow {
	row := logRow{
		Hash: string(k.Hash), Author: signatureRowOf(k.Author), Committer: signatureRowOf(k.Committer),
		Subject: k.Subject(), Message: k.Message, Signed: k.Signed,
	}
	for _, p := range k.Parents {
		row.Parents = append(row.Parents, string(p))
	}
	return row
}
