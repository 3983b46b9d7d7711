package catalog

import (
	"context"
	"fmt"
	"slices"

	"kaijutsu"
	"kaijutsu/internal/op"
	"kaijutsu/internal/provenance"
)

type driftInboxIn struct {
	inContext
	All    bool `json:"all,omitempty" jsonschema:"Of every context that you may read. Default: of one; where none is named and the call has none, of all."`
	Unread bool `json:"unread,omitempty" jsonschema:"Only what you have not read. Default: read ones too."`
	Read   bool `json:"read,omitempty" jsonschema:"Note that you have read what this returns. Default: it stays unread."`
	Limit  int  `json:"limit,omitempty" jsonschema:"How many to return at most: the newest; with read, when more are unread, the oldest of those, so that doing it again goes on." rule:"min=1,max=1000,default=100"`
}

type letterRow struct {
	Context   endpoint      `json:"context" jsonschema:"Where it is."`
	Block     string        `json:"block_id"`
	From      endpoint      `json:"from" jsonschema:"Where it comes from, as it says. Empty: a context that the caller may not read, or that is gone."`
	Kind      string        `json:"kind" jsonschema:"push, distill, pull, merge or commit."`
	By        string        `json:"by,omitempty" jsonschema:"Who sent it."`
	At        string        `json:"at"`
	Unread    bool          `json:"unread,omitempty"`
	Stale     bool          `json:"stale,omitempty" jsonschema:"Some of the lines that it cites are not as they were: meta.stale of the block says which."`
	Act       string        `json:"act,omitempty" jsonschema:"It asks its receiver to act: asked, granted, declined or pending."`
	Model     string        `json:"model,omitempty"`
	Drift     string        `json:"drift,omitempty" jsonschema:"The id of the drift."`
	Content   string        `json:"content"`
	Citations []citationRow `json:"citations,omitempty"`
}

type driftInboxOut struct {
	Letters []letterRow `json:"letters" jsonschema:"The newest last."`
	Unread  int         `json:"unread" jsonschema:"How many there are that you have not read, also of those that this leaves out, once it is done."`
	Older   int         `json:"older,omitempty" jsonschema:"How many older ones are left out."`
}

func (o *operations) driftInbox() *op.Op {
	return define(o, op.Spec{
		Name: "drift_inbox", Title: "Read the drift inbox", Command: []string{"drift", "inbox"},
		Summary: "Show the drifts that have come to a context, or to all, and which of them you have not read",
		Description: "A drift block is unread until you call this with `read`, each principal for itself; reading the block otherwise leaves it unread. " +
			"`stale` says that something it cites has changed since: citation_resolve shows what it said, and what it says now.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("drift_inbox"),
	}, o.readInbox)
}

func (o *operations) readInbox(ctx context.Context, c op.Call, in driftInboxIn) (out driftInboxOut, err error) {
	if o.parts.Letters == nil {
		return out, fmt.Errorf("nobody keeps the letters here: %w", kaijutsu.ErrUnavailable)
	}
	if in.All && in.Context != "" {
		return out, &op.FieldError{Field: "all", Reason: "a context is named", Hint: "give one of them"}
	}
	var doc kaijutsu.DocumentID
	if !in.All && (in.Context != "" || c.Context != "") {
		if doc, err = o.parts.Kernel.Resolve(ctx, c, in.Context, kaijutsu.RightRead); err != nil {
			return out, err
		}
	}
	letters, unread, err := o.letters(ctx, c, doc)
	if err != nil {
		return out, err
	}
	if in.Unread {
		letters = slices.DeleteFunc(letters, func(l provenance.Letter) bool { return !l.Unread })
	}
	shown := letters[max(0, len(letters)-in.Limit):]
	waiting, total, all, err := o.parts.Letters.Waiting(ctx, c, doc, in.Limit)
	if err != nil {
		return out, err
	}
	if in.Unread {
		total = all
	}
	if in.Read && all > countUnread(shown) { // what is not shown stays unread
		shown, total = waiting, total-all+len(waiting)
	}
	out.Older, out.Unread = max(0, total-len(shown)), unread
	p := o.endpoints(c)
	out.Letters = make([]letterRow, 0, len(shown))
	for _, l := range shown {
		out.Letters = append(out.Letters, p.letter(ctx, l))
	}
	if in.Read && countUnread(shown) > 0 {
		if err := o.parts.Letters.MarkLetters(ctx, c, shown); err != nil {
			return driftInboxOut{}, err
		}
		_, out.Unread, err = o.letters(ctx, c, doc)
	}
	return out, err
}

// letters reads an inbox as it is now; the zero id is all of them.
func (o *operations) letters(ctx context.Context, c op.Call, doc kaijutsu.DocumentID) ([]provenance.Letter, int, error) {
	var docs []kaijutsu.DocumentID
	if !doc.IsZero() {
		docs = append(docs, doc)
	}
	if err := o.parts.Letters.Settle(ctx, docs...); err != nil {
		return nil, 0, err
	}
	return o.parts.Letters.Inbox(ctx, c, doc)
}

func countUnread(letters []provenance.Letter) (n int) {
	for _, l := range letters {
		if l.Unread {
			n++
		}
	}
	return n
}

// letter shows a letter.
func (p *endpoints) letter(ctx context.Context, l provenance.Letter) letterRow {
	m := l.Meta
	row := letterRow{
		Context: p.of(ctx, l.Doc), Block: string(l.Block), Kind: string(m.Kind), By: m.Principal.Name, At: timeText(l.At),
		Unread: l.Unread, Stale: l.Stale, Act: m.Act, Model: m.Model, Drift: m.DriftID, Content: l.Content, Citations: citationRows(m.Citations),
	}
	if !l.By.IsZero() {
		row.By = l.By.Name
	}
	if !p.o.own(m.SourceKernel) {
		row.From = endpoint{Kernel: m.SourceKernel, ID: m.SourceContext, Title: m.SourceTitle}
	} else if id, err := kaijutsu.ParseContextID(m.SourceContext); err == nil && p.o.parts.Kernel.MayRead(p.c, id.Document()) {
		if row.From = p.of(ctx, id.Document()); row.From.Title == "" {
			row.From.Title = m.SourceTitle
		}
	}
	return row
}

// own reports whether a name is that of this kernel.
func (o *operations) own(kernel string) bool { return kernel == "" || kernel == o.parts.Name }
