package courier

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/repo"
)

// resolve finds what a handle names among what the caller may read, and returns
// it with the ids in full and how the lines begin. A handle without heads means
// what is there now. One into another kernel is taken as it is written, if there
// is a link. The error wraps kaijutsu.ErrNotFound, ErrConflict or ErrInvalid.
func (s *sheet) resolve(ctx context.Context, h drift.Handle) (drift.Citation, error) {
	c := s.c
	if h.Kernel != "" && h.Kernel != c.cfg.Name {
		if c.cfg.Carrier == nil || !c.cfg.Carrier.Knows(h.Kernel) {
			return drift.Citation{}, fmt.Errorf("handle %.100q: %w: there is no link to the kernel %q", h.String(), kaijutsu.ErrNotFound, h.Kernel)
		}
		return drift.Citation{Handle: h}, nil
	}
	doc, err := c.cfg.Kernel.Resolve(ctx, s.own, h.Context, kaijutsu.RightRead)
	if err != nil {
		return drift.Citation{}, err
	}
	id, err := blocks.ParseID(h.Block)
	if err != nil {
		return drift.Citation{}, err
	}
	h.Kernel, h.Context = "", doc.Name()
	type seen struct {
		heads               []string
		content, kind, meta string
	}
	texts := h.Heads
	was, err := view(ctx, c, s.call, doc, func(v repo.View) (seen, error) {
		heads, err := completeHeads(v, texts)
		if err != nil {
			return seen{}, err
		}
		then, err := v.ContentAt(id, heads)
		if err != nil {
			return seen{}, err
		}
		if then.Deleted {
			return seen{}, fmt.Errorf("block %s at these heads: %w: it was deleted then", id, kaijutsu.ErrConflict)
		}
		b, _ := v.Block(id)
		return seen{heads.Texts(), then.Content, string(then.Kind), b.Meta}, nil
	})
	if err != nil {
		return drift.Citation{}, err
	}
	h.Heads = was.heads
	quote, err := linesOf(was.content, h)
	if err != nil {
		return drift.Citation{}, err
	}
	s.passed(was.kind, was.meta)
	return drift.Citation{Handle: h, Quote: quote}, nil
}

// linesOf returns the lines of a content that a handle names.
func linesOf(content string, h drift.Handle) (string, error) {
	if h.First == 0 {
		return content, nil
	}
	lines := strings.SplitAfter(content, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if h.Last > len(lines) {
		return "", fmt.Errorf("handle %.200q: line %d: %w: the block had %d then", h.String(), h.Last, kaijutsu.ErrInvalid, len(lines))
	}
	return strings.Join(lines[h.First-1:h.Last], ""), nil
}

// completeHeads returns the heads that their full hashes or unique beginnings
// name; none are those of now.
func completeHeads(v repo.View, texts []string) (kaijutsu.Heads, error) {
	if len(texts) == 0 {
		return v.Heads, nil
	}
	var heads []kaijutsu.ChangeHash
	for _, text := range texts {
		h, err := kaijutsu.ParseChangeHash(text)
		if err != nil {
			if h, err = completeHead(v.Log(), text); err != nil {
				return nil, err
			}
		}
		heads = append(heads, h)
	}
	return kaijutsu.NewHeads(heads...), nil
}

var errTwoHeads = errors.New("several changes begin so: give more of it")

// completeHead returns the change whose hash begins so.
func completeHead(log repo.Log, text string) (found kaijutsu.ChangeHash, err error) {
	n := 0
	for i := range log.Len() {
		if h := log.Hash(i); strings.HasPrefix(h.String(), text) {
			found = h
			n++
		}
	}
	switch n {
	case 0:
		return found, fmt.Errorf("head %q: %w", text, kaijutsu.ErrNotFound)
	case 1:
		return found, nil
	}
	return found, fmt.Errorf("head %q: %w: %w", text, kaijutsu.ErrConflict, errTwoHeads)
}
