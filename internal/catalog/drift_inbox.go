package catalog

import (
	"context"
	"fmt"
	"slices"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/provenance"
)

type driftInboxIn struct {
	inContext
	All    bool `json:"all,omitempty" jsonschema:"Of every context that you may read. Default: of one; where none is named and the call has none, of all."`
	Unread bool `json:"unread,omitempty" jsonschema:"Only what you have not read. Default: read ones too."`
	Read   bool `json:"read,omitempty" jsonschema:"Note that you have read what this returns. Default: it stays unread."`
	Limit  int  `json:"limit,omitempty" jsonschema:"How many to return at most, the newest." rule:"min=1,max=1000,default=100"`
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
	if in.Read {
		if letters, unread, err = o.markRead(ctx, c, doc, letters); err != nil {
			return out, err
		}
	}
	if in.Unread {
		letters = slices.DeleteFunc(letters, func(l provenance.Letter) bool { return !l.Unread })
	}
	if n := len(letters) - in.Limit; n > 0 {
		out.Older, letters = n, letters[n:]
	}
	p := o.endpoints(c)
	out.Unread, out.Letters = unread, make([]letterRow, 0, len(letters))
	for _, l := range letters {
		out.Letters = append(out.Letters, p.letter(ctx, l))
	}
	return out, nil
}

// letters returns what is in the inbox when everything is read that was
// committed.
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

// markRead notes that letters were read, and returns them as they were, with
// those that came meanwhile and may not be counted as read.
func (o *operations) markRead(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, letters []provenance.Letter) ([]provenance.Letter, int, error) {
	docs, known := map[kaijutsu.DocumentID]bool{}, make(map[blocks.ID]bool)
	if !doc.IsZero() {
		docs[doc] = true
	}
	for _, l := range letters {
		docs[l.Doc], known[l.Block] = true, true
	}
	for d := range docs {
		if err := o.parts.Letters.MarkRead(ctx, c, d); err != nil {
			return nil, 0, err
		}
	}
	after, unread, err := o.letters(ctx, c, doc)
	if err != nil {
		return nil, 0, err
	}
	for _, l := range after {
		if !known[l.Block] {
			l.Unread = true
			letters = append(letters, l)
		}
	}
	return letters, unread, nil
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
