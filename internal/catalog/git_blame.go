package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/mounts"
	"kaijutsu/internal/op"
)

type gitBlameIn struct {
	onPath
	someLines
}

type blameLine struct {
	Line    int    `json:"line" jsonschema:"Which line it is, from 1."`
	Text    string `json:"text" jsonschema:"Without its line feed."`
	By      string `json:"by,omitempty" jsonschema:"Who wrote it last: the name of the principal. Absent: nobody is known here; author says whom the commit names."`
	Kind    string `json:"kind,omitempty" jsonschema:"person, agent or service: the service disk stands for programs on the disk, git for what came out of git."`
	Via     string `json:"via,omitempty" jsonschema:"Through whom it came: git, when a checkout or a merge brought it back."`
	Model   string `json:"model,omitempty" jsonschema:"Of an agent: the model that wrote it."`
	Context string `json:"context,omitempty" jsonschema:"The id of the context in which it was written."`
	Block   string `json:"block_id,omitempty" jsonschema:"The block of the file there."`
	Change  string `json:"change,omitempty" jsonschema:"The hash of the change: block_history knows it."`
	Time    string `json:"time,omitempty"`
	Source  string `json:"source" jsonschema:"Where that is known from: log, the change log; note, a git note; git, the commit; disk, nothing but the disk."`
	Commit  string `json:"commit,omitempty" jsonschema:"The commit that brought it, where the log does not know."`
	Author  string `json:"author,omitempty" jsonschema:"Its author: a name and an address."`
}

type gitBlameOut struct {
	Mount   string      `json:"mount"`
	Path    string      `json:"path" jsonschema:"Relative to the mount."`
	Context string      `json:"context,omitempty" jsonschema:"The id of the mount's context."`
	Block   string      `json:"block_id,omitempty" jsonschema:"The block that is the file."`
	Lines   []blameLine `json:"lines"`
}

func (o *operations) gitBlame() *op.Op {
	return defineMounts(o, op.Spec{
		Name: "git_blame", Title: "Blame a file", Command: []string{"blame"}, Args: []string{"path"},
		Summary: "Say of each line of a file who wrote it last: principal, model, context, block and change",
		Description: "The last writer of a line is who made the last change that altered what it consists of; whole lines that come and go beside it do not count. " +
			"What the change log does not know is taken from the notes of commits, and then from the commits themselves. It agrees with the note of a commit that holds the file.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("git_blame"),
	}, o.blameFile)
}

func (o *operations) blameFile(ctx context.Context, c op.Call, in gitBlameIn) (gitBlameOut, error) {
	first, last, err := in.span()
	if err != nil {
		return gitBlameOut{}, err
	}
	b, err := o.parts.Mounts.Blame(ctx, c, mounts.BlameSpec{Path: in.Path, First: first, Last: last})
	if err != nil {
		return gitBlameOut{}, err
	}
	out := gitBlameOut{Mount: b.Mount.Path, Path: b.Path, Block: string(b.Block), Lines: []blameLine{}}
	if !b.Context.IsZero() {
		out.Context = b.Context.Name()
	}
	for _, l := range b.Lines {
		row := blameLine{
			Line: l.Line, Text: l.Text, By: l.By.Name, Kind: string(l.By.Kind), Via: l.Via.Name, Model: l.Model, Block: string(l.Block),
			Time: timeText(l.Time), Source: l.Source, Commit: string(l.Commit), Author: l.Author,
		}
		if !l.Doc.IsZero() {
			row.Context = l.Doc.Name()
		}
		if l.Change != (kaijutsu.ChangeHash{}) {
			row.Change = l.Change.String()
		}
		out.Lines = append(out.Lines, row)
	}
	return out, nil
}
