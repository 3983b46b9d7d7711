package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/mounts"
	"kaijutsu/internal/op"
)

type fsReadIn struct {
	onPath
	someLines
}

type fsReadOut struct {
	entryRow
	Content   string   `json:"content,omitempty" jsonschema:"The text, or the lines of it that were asked for."`
	Base64    string   `json:"content_base64,omitempty" jsonschema:"What the file holds, in base64, where it is no text."`
	Lines     int      `json:"lines,omitempty" jsonschema:"How many lines the whole text has."`
	First     int      `json:"first,omitempty" jsonschema:"Which lines the content is: the first, from 1."`
	Last      int      `json:"last,omitempty"`
	Truncated bool     `json:"truncated,omitempty" jsonschema:"There is more: ask for lines, or read the file where it is."`
	Heads     []string `json:"heads,omitempty" jsonschema:"The heads of the context with this content, for if_heads of the operations on its block."`
}

func (o *operations) fsRead() *op.Op {
	return defineMounts(o, op.Spec{
		Name: "fs_read", Title: "Read a file", Command: []string{"cat"}, Args: []string{"path"},
		Summary: "Read a file of the file tree",
		Description: "A text file of a git mount becomes a block with its first read; `block_id` and `context` name it, and all operations on blocks work on it: block_edit, block_apply_patch, block_history. " +
			"What is read is what the block holds, also where the disk does not have it yet. Files that are no UTF-8 text or are over the limit of the server stay files.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("fs_read"),
	}, o.readFile)
}

func (o *operations) readFile(ctx context.Context, c op.Call, in fsReadIn) (fsReadOut, error) {
	first, last, err := in.span()
	if err != nil {
		return fsReadOut{}, err
	}
	f, err := o.parts.Mounts.ReadFile(ctx, c, mounts.ReadSpec{Path: in.Path, First: first, Last: last})
	if err != nil {
		return fsReadOut{}, err
	}
	out := fsReadOut{entryRow: fileRowOf(f), Truncated: f.Truncated, Heads: f.Heads.Texts()}
	if f.Base64 {
		out.Base64 = f.Text
		return out, nil
	}
	out.Content, out.entryRow.Binary = f.Text, false
	out.Lines, out.First, out.Last = f.Lines, f.First, f.Last
	return out, nil
}

// fileRowOf shows a file that was read or written.
func fileRowOf(f mounts.File) entryRow {
	row := entryRowOf(f.Info)
	row.Block, row.Hash = string(f.Block), f.Hash
	if !f.Context.IsZero() {
		row.Context = f.Context.Name()
	}
	return row
}
