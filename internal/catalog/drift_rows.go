package catalog

import (
	"context"
	"strings"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/op"
)

// endpoint is a context that a drift comes from or goes to.
type endpoint struct {
	Kernel string `json:"kernel,omitempty" jsonschema:"The kernel that it is in. Absent: this one."`
	ID     string `json:"id,omitempty" jsonschema:"The id of the context, or the address that it was named by in another kernel."`
	Short  string `json:"short,omitempty" jsonschema:"The end of its id, as long as it takes to tell it from the others."`
	Label  string `json:"label,omitempty"`
	Title  string `json:"title,omitempty" jsonschema:"Absent also when the caller may not read the context."`
}

// endpoints names contexts to a caller, each looked up once.
type endpoints struct {
	o    *operations
	c    op.Call
	seen map[kaijutsu.DocumentID]endpoint
}

func (o *operations) endpoints(c op.Call) *endpoints {
	return &endpoints{o, c, make(map[kaijutsu.DocumentID]endpoint)}
}

// of names a context of this kernel; the zero id is nowhere.
func (p *endpoints) of(ctx context.Context, doc kaijutsu.DocumentID) endpoint {
	if doc.IsZero() {
		return endpoint{}
	}
	if at, ok := p.seen[doc]; ok {
		return at
	}
	at := endpoint{ID: doc.Name()}
	if info, err := p.o.parts.Kernel.Context(ctx, p.c, doc); err == nil { // else it is gone, or not for the caller
		at = endpoint{ID: info.ID, Short: info.Short, Label: info.Label, Title: info.Title}
	}
	p.seen[doc] = at
	return at
}

// from names where an item comes from.
func (p *endpoints) from(ctx context.Context, it drift.Item) endpoint {
	if it.Via != "" {
		return endpoint{Kernel: it.Via, ID: it.Meta.SourceContext, Title: it.Meta.SourceTitle}
	}
	return p.of(ctx, it.From)
}

// to names where an item goes.
func (p *endpoints) to(ctx context.Context, it drift.Item) endpoint {
	if it.ToKernel != "" {
		return endpoint{Kernel: it.ToKernel, ID: it.To}
	}
	return p.of(ctx, it.Target)
}

// citationRow is what a claim rests on.
type citationRow struct {
	Ref    int    `json:"ref" jsonschema:"The number by which the text refers to it, as [1]."`
	Handle string `json:"handle" jsonschema:"context/block@heads#first-last: citation_resolve reads it."`
	Quote  string `json:"quote,omitempty" jsonschema:"How the cited lines begin."`
}

func citationRows(all []drift.Citation) []citationRow {
	var out []citationRow
	for _, c := range all {
		out = append(out, citationRow{c.Ref, c.Handle.String(), c.Quote})
	}
	return out
}

// driftRow is a drift as its caller sees it.
type driftRow struct {
	Drift     string        `json:"drift" jsonschema:"The id of the drift: a UUID."`
	Number    uint64        `json:"number,omitempty" jsonschema:"A small number in this kernel: what items are called by, too. Absent: it never waited."`
	State     string        `json:"state" jsonschema:"staged: waits for a flush. dead: was tried in vain or refused. held: of another kernel, waits for consent here. offered: waits for consent in another kernel. delivered: it is a block. cancelled: it was taken back."`
	Kind      string        `json:"kind" jsonschema:"push, distill, pull, merge or commit."`
	From      endpoint      `json:"from"`
	To        endpoint      `json:"to"`
	Block     string        `json:"block_id,omitempty" jsonschema:"The block that it became."`
	By        string        `json:"by,omitempty" jsonschema:"Who staged it: the author of the block."`
	At        string        `json:"at,omitempty" jsonschema:"When it was pushed."`
	Content   string        `json:"content,omitempty" jsonschema:"What it says: in lists how that begins, in one line."`
	Length    int           `json:"length,omitempty" jsonschema:"Of the content, in bytes of UTF-8."`
	Model     string        `json:"model,omitempty"`
	Distiller string        `json:"distiller,omitempty" jsonschema:"What made the text, when it is a briefing."`
	Citations []citationRow `json:"citations,omitempty"`
	Act       string        `json:"act,omitempty" jsonschema:"What became of the wish that the receiver act on it: asked, granted, declined or pending."`
	Failures  int           `json:"failures,omitempty" jsonschema:"How often it could not be delivered. The fifth time makes it a dead letter."`
	LastError string        `json:"last_error,omitempty"`
	Already   bool          `json:"already,omitempty" jsonschema:"It was delivered or staged before; nothing was done."`
	Reason    string        `json:"reason,omitempty" jsonschema:"Why it is not where it was to go."`
}

// row shows an item.
func (p *endpoints) row(ctx context.Context, it drift.Item, state drift.State) driftRow {
	return driftRow{
		Drift: it.ID, Number: it.Number, State: string(state), Kind: string(it.Meta.Kind),
		From: p.from(ctx, it), To: p.to(ctx, it), By: it.By.Name, At: timeText(it.At),
		Model: it.Meta.Model, Distiller: it.Meta.Distiller, Act: it.Meta.Act,
		Failures: it.Failures, LastError: it.LastError,
	}
}

// shown shows an item of a list.
func (p *endpoints) shown(ctx context.Context, s courier.Shown) driftRow {
	row := p.row(ctx, s.Item, s.State)
	row.Content, row.Length, row.Block = s.Preview, s.Bytes, string(s.Block)
	if s.Reason != s.LastError {
		row.Reason = s.Reason
	}
	return row
}

// outcome shows what became of a drift.
func (p *endpoints) outcome(ctx context.Context, out courier.Outcome) driftRow {
	row := p.row(ctx, out.Item, out.State)
	row.Block, row.Already, row.Reason = string(out.Block), out.Already, out.Reason
	row.Length, row.Citations = len(out.Item.Content), citationRows(out.Item.Meta.Citations)
	if row.Kind != string(drift.KindPush) { // what the caller gave it knows
		row.Content = out.Item.Content
	}
	return row
}

// itemList is a list of drifts.
type itemList struct {
	Items []driftRow `json:"items" jsonschema:"By their numbers."`
}

func (p *endpoints) list(ctx context.Context, all []courier.Shown) itemList {
	out := itemList{Items: make([]driftRow, 0, len(all))}
	for _, s := range all {
		out.Items = append(out.Items, p.shown(ctx, s))
	}
	return out
}

// oneItem is the parameter of an operation on a drift that waits.
type oneItem struct {
	Item string `json:"item" jsonschema:"The drift: its number, such as 3, its id, or the beginning of that from 6 characters on." rule:"numeric,minlen=1,maxlen=36,alias=drift"`
}

// beginning returns how a text begins, in one line of at most so many
// characters.
func beginning(text string, most int) string {
	line := strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(line) <= most {
		return line
	}
	head, _ := cutRunes(line, most-1)
	return head + "…"
}
