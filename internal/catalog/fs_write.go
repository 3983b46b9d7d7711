package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/mounts"
	"kaijutsu/internal/op"
)

type fsWriteIn struct {
	onPath
	Content    *string `json:"content,omitempty" jsonschema:"What the file is to hold, as text."`
	Base64     *string `json:"content_base64,omitempty" jsonschema:"The same in base64, for what is no text. Not beside content."`
	Executable *bool   `json:"executable,omitempty" jsonschema:"Whether it is a program. Default: as it is; a new file is none."`
	Exclusive  bool    `json:"exclusive,omitempty" jsonschema:"Make it only if there is nothing at the path."`
	Parents    bool    `json:"parents,omitempty" jsonschema:"Of a folder: make the directories above it that are missing. Git keeps none and memory needs none: there they are made anyway."`
	IfHash     string  `json:"if_hash,omitempty" jsonschema:"Write only if the file still has this hash: what you read is then what you replace." rule:"maxlen=64"`
}

func (o *operations) fsWrite() *op.Op {
	return defineMounts(o, op.Spec{
		Name: "fs_write", Title: "Write a file", Command: []string{"fs", "write"}, Args: []string{"path", "content"},
		Summary: "Make a text the whole content of a file",
		Description: "Of a file that is a block only the difference is written, as your edit, so that lines that stay keep their authors and those who type in it at the same time lose nothing. " +
			"It returns when the disk has it, or after a second.",
		Scope: op.OnContext, Right: kaijutsu.RightEdit, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("fs_write"),
	}, o.writeFile)
}

func (o *operations) writeFile(ctx context.Context, c op.Call, in fsWriteIn) (entryRow, error) {
	switch {
	case in.Content != nil && in.Base64 != nil:
		return entryRow{}, &op.FieldError{Field: "content_base64", Reason: "there is a content, too", Hint: "give one of them"}
	case in.Content == nil && in.Base64 == nil:
		return entryRow{}, &op.FieldError{Field: "content", Reason: "there is none", Hint: "an empty text empties the file"}
	}
	spec := mounts.WriteSpec{
		Path: in.Path, Exec: in.Executable, Exclusive: in.Exclusive, Parents: in.Parents, IfHash: in.IfHash,
	}
	if in.Content != nil {
		spec.Text = *in.Content
	} else {
		spec.Text, spec.Base64 = *in.Base64, true
	}
	f, err := o.parts.Mounts.WriteFile(ctx, c, spec)
	if err != nil {
		return entryRow{}, err
	}
	return fileRowOf(f), nil
}
