package courier

import (
	"context"
	"fmt"
	"strings"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// wish says which briefing somebody wants.
type wish struct {
	focus, distiller string
	fallback         bool
}

// conversation reads what a briefing is made of: the blocks of an item's source
// that show and are not kept from models, or those of them that are named.
func (c *Courier) conversation(ctx context.Context, call op.Call, it *drift.Item, ids []blocks.ID) (drift.Source, error) {
	want := make(map[blocks.ID]bool, len(ids))
	for _, id := range ids {
		want[id] = true
	}
	return c.passages(ctx, call, it, func(_ repo.View, b repo.Block) (bool, error) { return len(ids) == 0 || want[b.ID], nil })
}

// passages reads the blocks of an item's source that keep wants. What it returns
// has at least one; the error wraps kaijutsu.ErrInvalid when there is none.
func (c *Courier) passages(ctx context.Context, call op.Call, it *drift.Item, keep func(repo.View, repo.Block) (bool, error)) (drift.Source, error) {
	from := it.From
	src, err := view(ctx, c, call, from, func(v repo.View) (drift.Source, error) {
		src := drift.Source{Title: v.Title(), Context: from.Name(), Heads: v.Heads}
		for _, b := range v.Blocks() {
			if b.Excluded || strings.TrimSpace(b.Content) == "" {
				continue
			}
			kept, err := keep(v, b)
			if err != nil {
				return src, err
			}
			if kept {
				src.Blocks = append(src.Blocks, drift.Passage{ID: b.ID, Kind: string(b.Kind), Role: string(b.Role), Author: b.By.Name, Content: b.Content})
			}
		}
		return src, nil
	})
	if err != nil {
		return src, err
	}
	it.Meta.SourceTitle, it.Meta.Heads = cut(src.Title, maxTitle), src.Heads.Texts()
	if len(src.Blocks) == 0 {
		return src, fmt.Errorf("context %s: %w: there is nothing to distil", it.From.Name(), kaijutsu.ErrInvalid)
	}
	return src, nil
}

// distil makes a briefing the content of an item. What it cites is looked up:
// what is not there is not cited.
func (c *Courier) distil(ctx context.Context, s *sheet, src drift.Source, w wish) error {
	d, err := c.distiller(w.distiller)
	if err != nil {
		return err
	}
	req := drift.Request{Source: src, Focus: w.focus}
	brief, err := d.Distil(ctx, req)
	if err != nil && w.fallback && ctx.Err() == nil && d.Name() != drift.Extractive().Name() {
		c.log.Warn("a distiller failed: the extractive one is asked", "distiller", d.Name(), "err", err)
		failed := clip(err.Error())
		if brief, err = drift.Extractive().Distil(ctx, req); err == nil {
			brief.Text = fmt.Sprintf("_%s could not be asked (%s); these are sentences as they stand._\n\n%s", d.Name(), failed, brief.Text)
		}
	}
	if err != nil {
		return fmt.Errorf("distil context %s: %w", src.Context, err)
	}
	brief.Text = strings.TrimSpace(strings.ToValidUTF8(brief.Text, "\uFFFD"))
	if brief.Text == "" {
		return fmt.Errorf("distil context %s: %s says nothing: %w", src.Context, d.Name(), kaijutsu.ErrUnavailable)
	}
	it := s.it
	it.Content, it.Meta.Distiller = brief.Text, cut(brief.Distiller, maxNameBytes)
	if brief.Model != "" {
		it.Meta.Model = cut(brief.Model, maxNameBytes)
	}
	s.citations = nil
	seen := make(map[int]bool)
	for _, cited := range brief.Citations {
		if good, err := s.resolve(ctx, cited.Handle); err == nil && cited.Ref > 0 && !seen[cited.Ref] && len(s.citations) < maxFound {
			seen[cited.Ref] = true
			s.citations = append(s.citations, drift.Citation{Ref: cited.Ref, Handle: good.Handle, Quote: drift.Quote(good.Quote)})
		}
	}
	return nil
}

// maxNameBytes bounds the name of a model or distiller in a meta.
const maxNameBytes = 160

// distiller returns the one that is named.
func (c *Courier) distiller(name string) (drift.Distiller, error) {
	if name == "" {
		return c.cfg.Distillers.Default, nil
	}
	if d := c.cfg.Distillers.ByName[name]; d != nil {
		return d, nil
	}
	if x := drift.Extractive(); x != nil && name == x.Name() {
		return x, nil
	}
	known := c.Distillers()
	hint := "leave it out for the default"
	if near := op.Nearest(name, known); near != "" {
		hint = "did you mean " + near + "?"
	} else if len(known) > 0 {
		hint = "there are " + strings.Join(known, ", ")
	}
	return nil, &op.FieldError{Field: "distiller", Reason: fmt.Sprintf("there is no %.64q", name), Hint: hint}
}
