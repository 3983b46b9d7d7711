package courier

import (
	"bytes"
	"context"
	"encoding/hex"
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
	var short []*beginning
	for _, text := range texts {
		if h, err := kaijutsu.ParseChangeHash(text); err == nil {
			heads = append(heads, h)
			continue
		}
		b, err := parseBeginning(text)
		if err != nil {
			return nil, err
		}
		short = append(short, b)
	}
	lookUp(v.Log(), short)
	for _, b := range short {
		switch b.n {
		case 0:
			return nil, fmt.Errorf("head %q: %w", b.text, kaijutsu.ErrNotFound)
		case 1:
			heads = append(heads, b.hash)
		default:
			return nil, fmt.Errorf("head %q: %w: several changes begin so: give more of it", b.text, kaijutsu.ErrConflict)
		}
	}
	return kaijutsu.NewHeads(heads...), nil
}

// beginning is how the hash of a change begins, and what begins so.
type beginning struct {
	text  string
	bytes []byte
	half  byte // a last half byte, when there is an odd number of digits
	odd   bool
	hash  kaijutsu.ChangeHash
	n     int // of changes that begin so
}

// keyBytes are what each beginning has at least.
const keyBytes = 4

func parseBeginning(text string) (*beginning, error) {
	b := &beginning{text: text, odd: len(text)%2 == 1}
	even := text
	if b.odd {
		even += "0"
	}
	raw, err := hex.DecodeString(even)
	if err != nil || len(text) < 2*keyBytes || len(raw) > len(b.hash) {
		return nil, fmt.Errorf("head %q: %w: want 8 to 64 hexadecimal digits", cut(text, 80), kaijutsu.ErrInvalid)
	}
	if b.bytes = raw; b.odd {
		b.bytes, b.half = raw[:len(raw)-1], raw[len(raw)-1]
	}
	return b, nil
}

func (b *beginning) fits(h *kaijutsu.ChangeHash) bool {
	return bytes.HasPrefix(h[:], b.bytes) && (!b.odd || h[len(b.bytes)]&0xf0 == b.half)
}

// lookUp finds the changes that begin so, of all in one pass.
func lookUp(log repo.Log, all []*beginning) {
	if len(all) == 0 {
		return
	}
	by := make(map[[keyBytes]byte][]*beginning, len(all))
	for _, b := range all {
		key := [keyBytes]byte(b.bytes)
		by[key] = append(by[key], b)
	}
	for i := range log.Len() {
		h := log.Hash(i)
		for _, b := range by[[keyBytes]byte(h[:])] {
			if b.fits(&h) {
				b.hash = h
				b.n++
			}
		}
	}
}

// findHandles is drift.FindHandles, which takes its time, for texts most of which
// hold nothing like a handle.
func findHandles(text string) []drift.Found {
	if strings.Contains(text, "[[") {
		return drift.FindHandles(text)
	}
	const id = 36 // characters of a UUID, with a - before each of the last four parts
	for i := 0; ; {
		at := strings.IndexByte(text[i:], '/')
		if at < 0 {
			return nil
		}
		i += at
		if i >= id && i+id < len(text) && text[i-13] == '-' && text[i-18] == '-' && text[i+9] == '-' && text[i+14] == '-' {
			return drift.FindHandles(text)
		}
		i++
	}
}
