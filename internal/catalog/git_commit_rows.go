package catalog

import (
	"cmp"
	"slices"

	"kaijutsu"
	"kaijutsu/git"
	"kaijutsu/internal/authorship"
	"kaijutsu/internal/mounts"
)

// shareRow is how much of a change somebody wrote.
type shareRow struct {
	Principal string `json:"principal"`
	Kind      string `json:"kind"`
	Model     string `json:"model,omitempty"`
	Chars     int    `json:"characters" jsonschema:"How many code points of the change are theirs and still there."`
}

type committedFile struct {
	Path    string     `json:"path" jsonschema:"Relative to the mount."`
	What    string     `json:"what" jsonschema:"added, modified or deleted."`
	Binary  bool       `json:"binary,omitempty"`
	Block   string     `json:"block_id,omitempty"`
	Added   int        `json:"added" jsonschema:"Lines."`
	Deleted int        `json:"deleted" jsonschema:"Lines."`
	Shares  []shareRow `json:"shares,omitempty"`
}

type gitCommitOut struct {
	Committed bool            `json:"committed" jsonschema:"false: it is shown only. With summarize, call again with yes, or with this or another message."`
	DryRun    bool            `json:"dry_run,omitempty"`
	Mount     string          `json:"mount"`
	Branch    string          `json:"branch,omitempty"`
	Commit    string          `json:"commit,omitempty" jsonschema:"The hash."`
	Message   string          `json:"message" jsonschema:"With its trailers."`
	Author    signatureRow    `json:"author"`
	CoAuthors []signatureRow  `json:"co_authors,omitempty" jsonschema:"Who else wrote something of it and has an address on record."`
	Committer signatureRow    `json:"committer"`
	Signed    bool            `json:"signed,omitempty"`
	Shares    []shareRow      `json:"shares" jsonschema:"Who wrote how much of the change: people and agents, most first, and then what came from disk or git."`
	Files     []committedFile `json:"files"`
	Note      string          `json:"notes_ref,omitempty" jsonschema:"The ref under which a note says who wrote which line. Absent: there is none."`
	Context   string          `json:"context,omitempty" jsonschema:"The id of the mount's context."`
	Block     string          `json:"block_id,omitempty" jsonschema:"The block, of kind drift, that tells of the commit there."`
	Copy      string          `json:"copy_id,omitempty" jsonschema:"The same in the context of the call."`
	Distiller string          `json:"distiller,omitempty" jsonschema:"What wrote the message."`
	Model     string          `json:"model,omitempty" jsonschema:"On what model."`
	Notice    string          `json:"notice,omitempty"`
}

func (o *operations) committedOf(m mounts.Mount, made mounts.Committed) gitCommitOut {
	out := gitCommitOut{
		Committed: !made.Preview, Mount: m.Path, Branch: made.Branch, Commit: string(made.Hash), Message: made.Message,
		Author: signatureRowOf(made.Author), Committer: signatureRowOf(made.Committer), Signed: made.Signed, Shares: []shareRow{}, Files: []committedFile{}, Block: string(made.Block), Copy: string(made.Copy),
		Distiller: made.Distiller, Model: made.Model, Notice: made.Notice,
	}
	if made.Note {
		out.Note = git.NotesRef
	}
	if !made.Context.IsZero() {
		out.Context = made.Context.Name()
	}
	for _, s := range made.CoAuthors {
		out.CoAuthors = append(out.CoAuthors, signatureRowOf(s))
	}
	for _, f := range made.Files {
		row := committedFile{Path: f.Path, What: "modified", Binary: f.Binary, Block: string(f.Block), Added: f.Added, Deleted: f.Deleted}
		switch {
		case f.New:
			row.What = "added"
		case f.Deletion:
			row.What = "deleted"
		}
		for _, s := range f.Shares {
			share := o.shareRowOf(s)
			row.Shares = append(row.Shares, share)
			out.add(share)
		}
		out.Files = append(out.Files, row)
	}
	slices.SortStableFunc(out.Shares, func(a, b shareRow) int {
		return cmp.Or(cmp.Compare(a.last(), b.last()), cmp.Compare(b.Chars, a.Chars))
	})
	return out
}

// add counts what somebody wrote of one more file.
func (out *gitCommitOut) add(share shareRow) {
	for i, s := range out.Shares {
		if s.Principal == share.Principal && s.Kind == share.Kind {
			out.Shares[i].Chars += share.Chars
			return
		}
	}
	out.Shares = append(out.Shares, share)
}

// last says that services, which author nothing, stand behind the others.
func (s shareRow) last() int {
	if s.Kind == string(kaijutsu.Service) {
		return 1
	}
	return 0
}

func (o *operations) shareRowOf(s authorship.Share) shareRow {
	row := shareRow{Principal: s.By.Name, Kind: string(s.By.Kind), Chars: s.Chars}
	if p, ok := o.parts.Access.Identity(s.By); ok {
		row.Model = p.Model
	}
	return row
}
