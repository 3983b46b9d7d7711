package courier

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

const (
	maxSelected = 100 // blocks pushed at a time
	maxCited    = 100 // handles given at a time
	maxFound    = 128 // citations of one drift
	maxTried    = 128 // handles of one text that are looked up
	maxChain    = 64  // contexts that a finding has passed
)

// selected is a block that is pushed.
type selected struct {
	id                          blocks.ID
	kind, role, author, content string
	meta                        string
}

// compose fills in what an item says and what is known of its source.
func (c *Courier) compose(ctx context.Context, call op.Call, it *drift.Item, p Push) error {
	ids, err := c.blockIDs(ctx, call, it.From, p.Blocks)
	if err != nil {
		return err
	}
	chosen, err := c.look(ctx, call, it, ids)
	if err != nil {
		return err
	}
	it.Meta.Model = p.Model
	if _, model := c.cfg.Kernel.Model(it.From); it.Meta.Model == "" {
		it.Meta.Model = model
	}
	if p.Act {
		it.Meta.Act = drift.ActAsked
	}
	s := c.sheet(call, it)
	if p.Summarize {
		src, err := c.conversation(ctx, call, it, ids)
		if err == nil {
			err = c.distil(ctx, s, src, wish{p.Focus, p.Distiller, p.Fallback})
		}
		if err == nil {
			err = s.cite(ctx, p.Cite)
		}
		if err != nil {
			return err
		}
	} else if err := s.write(ctx, p, chosen); err != nil {
		return err
	}
	s.finish(chosen)
	if len(chosen) == 1 && p.Content == "" && !p.Summarize {
		it.Meta.Finding = findingOf(chosen[0])
	}
	return checkItem(it)
}

// findingOf returns the fingerprint of what a block says: of one that drifted
// here, that of what was pushed first, whatever stands around it since.
func findingOf(b selected) string {
	if b.kind == string(blocks.KindDrift) {
		if m, ok := drift.ParseMeta(b.meta); ok && m.Finding != "" {
			return m.Finding
		}
	}
	return drift.Fingerprint(b.content)
}

// finish enters what was found while the content was written.
func (s *sheet) finish(chosen []selected) {
	it := s.it
	it.Meta.Citations = s.citations
	it.Meta.Finding = drift.Fingerprint(it.Content)
	for _, b := range chosen {
		s.passed(b.kind, b.meta)
	}
	it.Meta.Chain = append(s.chain[:min(len(s.chain), maxChain-1)], s.c.cfg.Name+":"+it.From.Name())
}

// checkItem refuses an item whose block could not be written.
func checkItem(it *drift.Item) error {
	if len(it.Content) > drift.MaxContent {
		return fmt.Errorf("content of %d bytes: at most %d: push fewer blocks, or summarize them: %w", len(it.Content), drift.MaxContent, kaijutsu.ErrTooLarge)
	}
	_, err := it.Meta.Encode("")
	return err
}

// blockIDs finds the blocks of a context that are named.
func (c *Courier) blockIDs(ctx context.Context, call op.Call, from kaijutsu.DocumentID, names []string) ([]blocks.ID, error) {
	var ids []blocks.ID
	for _, name := range names {
		_, id, err := c.cfg.Kernel.ResolveBlock(ctx, call, from.Name(), name, kaijutsu.RightRead)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// look reads what an item says of its source as it is now, and the blocks that
// are pushed.
func (c *Courier) look(ctx context.Context, call op.Call, it *drift.Item, ids []blocks.ID) ([]selected, error) {
	type seen struct {
		title  string
		heads  []string
		chosen []selected
	}
	from := it.From
	s, err := view(ctx, c, call, from, func(v repo.View) (seen, error) {
		s := seen{title: cut(v.Title(), maxTitle), heads: v.Heads.Texts()}
		for _, id := range ids {
			b, ok := v.Block(id)
			switch {
			case !ok:
				return s, fmt.Errorf("block %s: %w in context %s", id, kaijutsu.ErrNotFound, from.Name())
			case b.Deleted:
				return s, fmt.Errorf("block %s: %w: it is deleted; restore it first, or leave it out", id, kaijutsu.ErrConflict)
			}
			s.chosen = append(s.chosen, selected{b.ID, string(b.Kind), string(b.Role), b.By.Name, b.Content, b.Meta})
		}
		return s, nil
	})
	it.Meta.SourceTitle, it.Meta.Heads = s.title, s.heads
	return s.chosen, err
}

// maxTitle bounds the title of a source in a meta, in bytes.
const maxTitle = 1 << 10

// sheet is a content that is being written, with what it rests on.
type sheet struct {
	c    *Courier
	call op.Call // who asks
	own  op.Call // the same, with From as its context: handles are read there
	it   *drift.Item

	citations []drift.Citation
	chain     []string
}

func (c *Courier) sheet(call op.Call, it *drift.Item) *sheet {
	s := &sheet{c: c, call: call, own: call, it: it}
	s.own.Context = it.From.Name()
	return s
}

// write puts the content and the chosen blocks together: each under a line that
// says what it is, with the number under which it is cited.
func (s *sheet) write(ctx context.Context, p Push, chosen []selected) error {
	if err := s.cite(ctx, p.Cite); err != nil {
		return err
	}
	var parts []string
	if p.Content != "" {
		parts = append(parts, p.Content)
	}
	for _, b := range chosen {
		if strings.TrimSpace(b.content) == "" {
			continue
		}
		ref := s.add(drift.Handle{Context: s.it.From.Name(), Block: string(b.id), Heads: s.it.Meta.Heads, First: 1, Last: countLines(b.content)}, b.content)
		parts = append(parts, heading(ref, b)+"\n\n"+b.content)
	}
	if len(parts) == 0 {
		return &op.FieldError{Field: "blocks", Reason: "there is nothing in them", Hint: "name blocks that hold text"}
	}
	s.it.Content = strings.Join(parts, "\n\n")
	if len(s.it.Content) > drift.MaxContent {
		return checkItem(s.it)
	}
	if p.Plain {
		return nil
	}
	return s.citeFound(ctx, p.Content)
}

// citeFound adds the handles that stand in a text and name something; a text has
// only so many looked up.
func (s *sheet) citeFound(ctx context.Context, text string) error {
	seen := make(map[string]bool)
	for _, f := range findHandles(text) {
		if len(seen) == maxTried || len(s.citations) >= maxFound {
			break
		}
		name := f.Handle.String()
		if seen[name] {
			continue
		}
		seen[name] = true
		if cited, err := s.resolve(ctx, f.Handle); err == nil { // else it only looks like one
			s.add(cited.Handle, cited.Quote)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// heading is the line above a block.
func heading(ref int, b selected) string {
	h := fmt.Sprintf("**[%d] %s", ref, strings.ReplaceAll(b.kind, "_", " "))
	if b.author != "" {
		h += " by " + b.author
	}
	return h + "**"
}

// cite adds the handles that the caller has given.
func (s *sheet) cite(ctx context.Context, handles []string) error {
	for i, text := range handles {
		h, err := drift.ParseHandle(text)
		if err == nil {
			var cited drift.Citation
			if cited, err = s.resolve(ctx, h); err == nil {
				s.add(cited.Handle, cited.Quote)
				continue
			}
		}
		return fmt.Errorf("cite[%d]: %w", i, err)
	}
	return nil
}

// add cites a handle, unless it is cited, and returns its number.
func (s *sheet) add(h drift.Handle, quote string) int {
	next := 1
	for _, cited := range s.citations {
		if cited.Handle.String() == h.String() {
			return cited.Ref
		}
		next = max(next, cited.Ref+1)
	}
	s.citations = append(s.citations, drift.Citation{Ref: next, Handle: h, Quote: drift.Quote(quote)})
	return next
}

// passed notes where a finding has been, when the block that it is taken from
// is a drift itself.
func (s *sheet) passed(kind, meta string) {
	if kind != string(blocks.KindDrift) {
		return
	}
	m, _ := drift.ParseMeta(meta)
	for _, at := range m.Chain {
		if !slices.Contains(s.chain, at) {
			s.chain = append(s.chain, at)
		}
	}
}

// countLines returns how many lines a text has: what is behind the last line
// break is one if it is not empty.
func countLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}
