package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/mounts"
	"kaijutsu/internal/op"
)

type gitCommitIn struct {
	atMount
	Paths     []string `json:"paths,omitempty" jsonschema:"The files to commit, also deleted and new ones, and everything that changed below directories: from the root, or relative to the mount." rule:"minitems=1,maxitems=1000,alias=path"`
	Blocks    []string `json:"blocks,omitempty" jsonschema:"The same by the ids of the files' blocks." rule:"minitems=1,maxitems=1000,alias=block"`
	All       bool     `json:"all,omitempty" jsonschema:"Every file that differs from the last commit, also such as git does not know yet and does not ignore."`
	Message   string   `json:"message,omitempty" jsonschema:"What the commit says, its subject in the first line. Trailers come behind it." rule:"maxlen=65536"`
	Summarize bool     `json:"summarize,omitempty" jsonschema:"Let the server's distiller write the message from the differences. It is shown first, and nothing is committed unless yes is true."`
	Yes       bool     `json:"yes,omitempty" jsonschema:"With summarize: commit with the message at once."`
	DryRun    bool     `json:"dry_run,omitempty" jsonschema:"Say what would be committed and whom it would name, and commit nothing."`
	Author    string   `json:"author,omitempty" jsonschema:"Whom it names as its author: most, who wrote most characters of the change; caller, who commits; committer, the committer of the server. Default: as the mount says." rule:"enum=most|caller|committer"`
	Sign      *bool    `json:"sign,omitempty" jsonschema:"Whether to sign it with the server's key. Default: if it has one."`
}

func (o *operations) gitCommit() *op.Op {
	return defineMounts(o, op.Spec{
		Name: "git_commit", Title: "Commit", Args: []string{"mount", "paths"},
		Summary: "Commit files of a git mount as their blocks have them, in the names of those who wrote them",
		Description: "The commit holds exactly the chosen files, whatever else is changed or staged. Author is who wrote most of the change, by the change log; the others follow as co-authors, as far as they have an address on record (identity_set). " +
			"A note in the format git-ai reads says of each line who wrote it: a person, or an agent with its model.\n\n" +
			"It is refused while a file of it has a conflict, while git is at work in the worktree, and when the branch moved meanwhile. " +
			"The commit comes back as a block of kind drift in the mount's context and in that of the call.",
		Scope: op.OnContext, Right: kaijutsu.RightEdit, Effect: op.Writes,
		Examples: examplesOf("git_commit"),
	}, o.commit)
}

func (o *operations) commit(ctx context.Context, c op.Call, in gitCommitIn) (gitCommitOut, error) {
	if err := in.check(); err != nil {
		return gitCommitOut{}, err
	}
	m, below, err := o.gitMount(ctx, c, in.Mount, in.Paths...)
	if err != nil {
		return gitCommitOut{}, err
	}
	spec := mounts.CommitSpec{
		At: m.Path, Paths: fromRoot(m, below, in.Paths), All: in.All, Message: in.Message, Summarize: in.Summarize,
		Yes: in.Yes, DryRun: in.DryRun, Author: in.Author, Sign: in.Sign,
	}
	if in.All && below != "" {
		spec.All = false // everything below that
	}
	for _, id := range in.Blocks {
		spec.Blocks = append(spec.Blocks, blocks.ID(id))
	}
	if len(spec.Paths) == 0 && len(spec.Blocks) == 0 && !spec.All {
		return gitCommitOut{}, &op.FieldError{Field: "paths", Reason: "no file is chosen", Hint: "name files, or say all"}
	}
	if c.Context != "" {
		if spec.Into, err = o.parts.Kernel.Resolve(ctx, c, "", kaijutsu.RightEdit); err != nil {
			spec.Into = kaijutsu.DocumentID{} // who may not write there gets no copy there
		}
	}
	made, err := o.parts.Mounts.Commit(ctx, c, spec)
	if err != nil {
		return gitCommitOut{}, err
	}
	out := o.committedOf(m, made)
	out.DryRun = in.DryRun
	return out, nil
}

// check refuses parameters that do not go together.
func (in gitCommitIn) check() error {
	switch {
	case in.All && len(in.Paths)+len(in.Blocks) > 0:
		return &op.FieldError{Field: "all", Reason: "files are named, too", Hint: "leave one of them out"}
	case in.Summarize && in.Message != "":
		return &op.FieldError{Field: "message", Reason: "the distiller is to write it", Hint: "leave message out, or summarize"}
	case !in.Summarize && in.Message == "" && !in.DryRun:
		return &op.FieldError{Field: "message", Reason: "there is none", Hint: "say what the commit does, or let summarize do it"}
	case in.Yes && !in.Summarize:
		return &op.FieldError{Field: "yes", Reason: "it is for a message that the distiller writes", Hint: "leave it out, or summarize"}
	case in.Yes && in.DryRun:
		return &op.FieldError{Field: "yes", Reason: "a dry run commits nothing", Hint: "leave one of them out"}
	}
	return nil
}
