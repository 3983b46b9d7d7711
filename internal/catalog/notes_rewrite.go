package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/mounts"
	"kaijutsu/internal/op"
)

type notesRewriteIn struct {
	atMount
	Old    string `json:"old,omitempty" jsonschema:"The commits as they were, as a range: main..feature@{1}. With new." rule:"maxlen=1000"`
	New    string `json:"new,omitempty" jsonschema:"The commits that came of them: main..feature. Pairs are found by the patch, else by author, date and subject." rule:"maxlen=1000"`
	Pairs  string `json:"pairs,omitempty" jsonschema:"Instead: a line for each pair, the old hash and the new one, as git gives them to its hook post-rewrite." rule:"maxlen=1000000"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"Say what would be carried, and write nothing."`
}

type rewriteRow struct {
	Old     []string `json:"old" jsonschema:"More than one: they were squashed."`
	New     string   `json:"new"`
	Lines   int      `json:"lines,omitempty" jsonschema:"How many lines have a writer in the new note."`
	Skipped string   `json:"skipped,omitempty" jsonschema:"Why no note was written. Absent: it was."`
}

type notesRewriteOut struct {
	Mount     string       `json:"mount"`
	Rewritten []rewriteRow `json:"rewritten" jsonschema:"Which commits became which."`
	Written   int          `json:"written" jsonschema:"How many of the new ones have a note now."`
	DryRun    bool         `json:"dry_run,omitempty"`
}

func (o *operations) notesRewrite() *op.Op {
	return defineMounts(o, op.Spec{
		Name: "notes_rewrite", Title: "Carry notes over", Command: []string{"notes", "rewrite"}, Args: []string{"mount"},
		Summary: "Carry the notes that say who wrote which lines from commits to those that came of them by rebase or squash",
		Description: "A line is carried by its content: it keeps its writer where the new commit has it. Of several commits that became one the lines of all are carried. " +
			"As the hook post-rewrite of git: `kj notes rewrite --pairs -`.",
		Scope: op.OnContext, Right: kaijutsu.RightEdit, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("notes_rewrite"),
	}, o.rewriteNotes)
}

func (o *operations) rewriteNotes(ctx context.Context, c op.Call, in notesRewriteIn) (notesRewriteOut, error) {
	switch {
	case in.Pairs != "" && in.Old+in.New != "":
		return notesRewriteOut{}, &op.FieldError{Field: "pairs", Reason: "there are ranges, too", Hint: "give one of them"}
	case in.Pairs == "" && (in.Old == "" || in.New == ""):
		return notesRewriteOut{}, &op.FieldError{Field: "old", Reason: "old and new go together", Hint: "give both ranges, or pairs"}
	}
	m, _, err := o.gitMount(ctx, c, in.Mount)
	if err != nil {
		return notesRewriteOut{}, err
	}
	done, err := o.parts.Mounts.RewriteNotes(ctx, c, mounts.RewriteSpec{At: m.Path, Old: in.Old, New: in.New, Pairs: in.Pairs, DryRun: in.DryRun})
	if err != nil {
		return notesRewriteOut{}, err
	}
	out := notesRewriteOut{Mount: m.Path, Rewritten: []rewriteRow{}, DryRun: in.DryRun}
	for _, p := range done {
		row := rewriteRow{New: string(p.New), Lines: p.Lines, Skipped: p.Skipped}
		for _, h := range p.Old {
			row.Old = append(row.Old, string(h))
		}
		if row.Skipped == "" {
			out.Written++
		}
		out.Rewritten = append(out.Rewritten, row)
	}
	return out, nil
}
