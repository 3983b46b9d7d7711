package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// editing is an edit of one block.
type editing struct {
	view repo.View
	tx   *blocks.Tx
	id   blocks.ID
}

// edit finds the block and makes one change of what f does to it; name is the
// operation's.
func (o *operations) edit(ctx context.Context, c op.Call, in onBlock, name string, f func(editing) error) (writtenBlock, error) {
	doc, id, err := o.parts.Kernel.ResolveBlock(ctx, c, in.Context, in.Block, kaijutsu.RightComment)
	if err != nil {
		return writtenBlock{}, err
	}
	edited, err := o.parts.Kernel.Edit(ctx, c, doc, name, func(v repo.View, tx *blocks.Tx) error {
		return f(editing{v, tx, id})
	})
	if err != nil {
		return writtenBlock{}, err
	}
	return writtenBlock{string(id), writtenOf(doc, edited)}, nil
}

// read finds the block and runs f on its context.
func (o *operations) read(ctx context.Context, c op.Call, in onBlock, f func(v repo.View, doc kaijutsu.DocumentID, id blocks.ID) error) error {
	doc, id, err := o.parts.Kernel.ResolveBlock(ctx, c, in.Context, in.Block, kaijutsu.RightRead)
	if err != nil {
		return err
	}
	return o.parts.Kernel.View(ctx, c, doc, func(v repo.View) error { return f(v, doc, id) })
}

// readContext finds the context and runs f on it.
func (o *operations) readContext(ctx context.Context, c op.Call, in inContext, f func(v repo.View, doc kaijutsu.DocumentID) error) error {
	doc, err := o.parts.Kernel.Resolve(ctx, c, in.Context, kaijutsu.RightRead)
	if err != nil {
		return err
	}
	return o.parts.Kernel.View(ctx, c, doc, func(v repo.View) error {
		if !v.IsContext() {
			return fmt.Errorf("document %s: %w: it is not a context of blocks; context_export writes it as an automerge file", doc, kaijutsu.ErrInvalid)
		}
		return f(v, doc)
	})
}

// noBlock says that a context does not hold a block, or did not.
func noBlock(id blocks.ID, doc kaijutsu.DocumentID) error {
	return kaijutsu.About("block_id", fmt.Errorf("block %s: %w in context %s", id, kaijutsu.ErrNotFound, doc.Name()))
}

// check refuses an edit of a context that has moved on.
func (in ifHeads) check(v repo.View) error {
	if len(in.IfHeads) == 0 {
		return nil
	}
	want, err := parseHeads("if_heads", in.IfHeads)
	if err != nil {
		return err
	}
	if !want.Equal(v.Heads) {
		return fmt.Errorf("if_heads: the context has moved on to %s: %w: read it again", strings.Join(v.Heads.Texts(), ","), kaijutsu.ErrConflict)
	}
	return nil
}

// expect refuses an edit of a block that says something else than expected.
func expect(field string, expected *string, content string) error {
	if expected == nil || *expected == content {
		return nil
	}
	return fmt.Errorf("%s: %w: content mismatch\nexpected:\n%s\nactual:\n%s", field, kaijutsu.ErrConflict, *expected, content)
}

// place is where a block goes.
type place struct{ position, after, before string }

// find returns the position, and whether it is relative to another block.
func (p place) find(v repo.View) (pos blocks.Position, relative bool, err error) {
	given := 0
	for _, s := range [...]string{p.position, p.after, p.before} {
		if s != "" {
			given++
		}
	}
	if given > 1 {
		return pos, false, &op.FieldError{Field: "position", Reason: "it is given more than once", Hint: "give one of position, after and before"}
	}
	switch {
	case p.after != "":
		id, err := blockIn(v, "after", p.after)
		return blocks.After(id), true, err
	case p.before != "":
		id, err := blockIn(v, "before", p.before)
		return blocks.Before(id), true, err
	case p.position == "first":
		return blocks.First(), false, nil
	case p.position == "last":
		return blocks.Last(), false, nil
	}
	return pos, false, nil
}

// minPrefix is the shortest beginning of an id that may name a block.
const minPrefix = 6

// blockIn returns the block of a context that a parameter names by its id or
// the beginning of it. The error names the field.
func blockIn(v repo.View, field, word string) (blocks.ID, error) {
	word = strings.ToLower(word)
	if id, err := blocks.ParseID(word); err == nil {
		if _, ok := v.Model().Summary(id); !ok {
			return "", fmt.Errorf("%s: there is no block %s in this context: %w", field, id, kaijutsu.ErrNotFound)
		}
		return id, nil
	}
	if len(word) < minPrefix || len(word) >= 36 {
		return "", &op.FieldError{Field: field, Reason: fmt.Sprintf("%.64q is no block", word), Hint: fmt.Sprintf("want a UUID of 36 characters, or its first %d or more", minPrefix)}
	}
	var found []blocks.ID
	for s := range v.Model().Summaries() {
		if strings.HasPrefix(string(s.ID), word) {
			found = append(found, s.ID)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("%s: there is no block %q in this context: %w", field, word, kaijutsu.ErrNotFound)
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%s: %q may mean %s or %s: %w: give more of the id", field, word, found[0], found[1], kaijutsu.ErrConflict)
}

// metaText returns a metadata parameter as blocks keep it: "" for none.
func metaText(meta json.RawMessage) string {
	text := strings.TrimSpace(string(meta))
	if strings.Trim(text, "{} \t\r\n") == "" {
		return ""
	}
	return text
}

// metaObject returns the meta of a block as JSON; nothing when it has none, or
// when an editor put something else there.
func metaObject(meta string) json.RawMessage {
	if !strings.HasPrefix(strings.TrimLeft(meta, " \t\r\n"), "{") || !json.Valid([]byte(meta)) {
		return nil
	}
	return json.RawMessage(meta)
}

// linesOf returns the lines of a text without their line feeds. What is behind
// the last line feed is a line if it is not empty.
func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
