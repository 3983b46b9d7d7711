package catalog

import (
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/repo"
)

// written is what an operation that writes returns.
type written struct {
	Context string   `json:"context" jsonschema:"The id of the context."`
	Version uint64   `json:"version" jsonschema:"How many changes the context holds now."`
	Heads   []string `json:"heads" jsonschema:"The hashes of the changes that no other change rests on: they name this state of the context."`
	Change  string   `json:"change,omitempty" jsonschema:"The hash of the change that was made. Absent: there was nothing to write."`
}

// writtenBlock is what an operation that writes to a block returns.
type writtenBlock struct {
	Block string `json:"block_id"`
	written
}

// contextRow is a context as lists show it.
type contextRow struct {
	ID         string     `json:"id"`
	Short      string     `json:"short" jsonschema:"The end of the id, long enough to name the context."`
	Label      string     `json:"label,omitempty" jsonschema:"Names the context too. No other context has it."`
	URL        string     `json:"url" jsonschema:"The automerge: URL under which editors open it."`
	Title      string     `json:"title"`
	Blocks     int        `json:"blocks" jsonschema:"How many blocks show."`
	Archived   bool       `json:"archived,omitempty"`
	ForkedFrom *forkPoint `json:"forked_from,omitempty"`
	Created    string     `json:"created,omitempty"`
	CreatedBy  string     `json:"created_by,omitempty"`
}

// forkPoint is where a fork left its parent.
type forkPoint struct {
	Context string   `json:"context"`
	Heads   []string `json:"heads"`
}

// blockRow is a block as clients see it.
type blockRow struct {
	ID        string `json:"id"`
	Kind      string `json:"kind"`
	Role      string `json:"role"`
	Status    string `json:"status"`
	Parent    string `json:"parent,omitempty"`
	Depth     int    `json:"depth" jsonschema:"How many blocks are above it."`
	Form      string `json:"form" jsonschema:"text: anyone may edit inside it. body: a record, finished. chunks: a record that is still being written. Empty: no content."`
	Content   string `json:"content"`
	Meta      string `json:"meta,omitempty" jsonschema:"A JSON object, as text."`
	Author    string `json:"author" jsonschema:"The name of the principal who made it, or the actor id when nobody is on record."`
	Via       string `json:"via,omitempty" jsonschema:"Through whom it came: a relay or an import."`
	Created   string `json:"created"`
	Deleted   bool   `json:"deleted,omitempty"`
	Collapsed bool   `json:"collapsed,omitempty"`
	Excluded  bool   `json:"excluded,omitempty" jsonschema:"Never sent to a model."`
	Ephemeral bool   `json:"ephemeral,omitempty"`
}

// timeText is a time as results show it.
func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// authorOf names who an actor is: the principal, or the actor itself when
// nobody is on record.
func authorOf(v repo.View, actor kaijutsu.ActorID) (author, via string) {
	by, through := v.Principal(actor)
	if by.IsZero() {
		return actor.String(), through.Name
	}
	return by.Name, through.Name
}

// writtenOf shows what came of an edit.
func writtenOf(doc kaijutsu.DocumentID, e repo.Edited) written {
	w := written{Context: doc.Name(), Version: e.Version, Heads: e.Heads.Texts()}
	if e.Change != (kaijutsu.ChangeHash{}) {
		w.Change = e.Change.String()
	}
	return w
}

// rowOf shows a context.
func rowOf(info kernel.ContextInfo) contextRow {
	row := contextRow{
		ID: info.ID, Short: info.Short, Label: info.Label, URL: info.Doc.URL(), Title: info.Title, Blocks: info.Blocks, Archived: !info.Archived.IsZero(),
		Created: timeText(info.Created), CreatedBy: info.By.Name,
	}
	if !info.Fork.From.IsZero() {
		row.ForkedFrom = &forkPoint{info.Fork.From.Name(), info.Fork.Heads.Texts()}
	}
	return row
}

// blockRowOf shows a block.
func blockRowOf(v repo.View, b blocks.Block) blockRow {
	row := blockRow{
		ID: string(b.ID), Kind: string(b.Kind), Role: string(b.Role), Status: string(b.Status),
		Parent: string(b.Parent), Depth: b.Depth, Form: string(b.Form), Content: b.Content, Meta: b.Meta,
		Created: timeText(b.Created), Deleted: b.Deleted, Collapsed: b.Collapsed, Excluded: b.Excluded, Ephemeral: b.Ephemeral,
	}
	row.Author, row.Via = authorOf(v, b.Author)
	return row
}
