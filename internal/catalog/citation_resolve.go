package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/textdiff"
)

type citationResolveIn struct {
	Handle string `json:"handle" jsonschema:"context/block@heads#first-last, as texts and meta.citations have it. The context may be any address, the heads beginnings of 8 characters or more; without heads it is what the block says now, without lines the whole block." rule:"minlen=1,maxlen=8192"`
}

type citationResolveOut struct {
	Handle  string   `json:"handle" jsonschema:"The same in its canonical form."`
	Context string   `json:"context"`
	Kernel  string   `json:"kernel,omitempty" jsonschema:"The kernel that was asked. Absent: this one."`
	Block   string   `json:"block_id"`
	Heads   []string `json:"heads"`
	First   int      `json:"first,omitempty" jsonschema:"The first line, from 1. Absent: the whole block."`
	Last    int      `json:"last,omitempty"`
	Kind    string   `json:"kind" jsonschema:"Of the block."`
	Author  string   `json:"author" jsonschema:"Who made the block, or the actor id when nobody is on record; block_blame says who wrote which line."`
	Text    string   `json:"text" jsonschema:"Exactly what the lines said."`
	State   string   `json:"state" jsonschema:"fresh: they stand as they were. stale: they do not. deleted: the block is deleted."`
	Now     string   `json:"now,omitempty" jsonschema:"When stale: what stands in their place."`
	Diff    string   `json:"diff,omitempty" jsonschema:"When stale: a unified diff from what they said to what stands there."`
	// NowFirst and NowLast are where the lines stand now.
	NowFirst int `json:"now_first,omitempty" jsonschema:"When fresh or stale: the first of the lines that stand there now, from 1."`
	NowLast  int `json:"now_last,omitempty"`
}

func (o *operations) citationResolve() *op.Op {
	return define(o, op.Spec{
		Name: "citation_resolve", Title: "Read a citation", Command: []string{"cite", "show"}, Args: []string{"handle"},
		Summary: "Return the exact text that a handle cites, as it was, and whether it still stands",
		Description: "Edits elsewhere, lines before or behind, and moves do not make a citation stale, nor does a change that was taken back. " +
			"A handle of another kernel is read there, as far as the link to it may. Whoever may read the context may resolve it.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("citation_resolve"),
	}, o.resolveCitation)
}

func (o *operations) resolveCitation(ctx context.Context, c op.Call, in citationResolveIn) (out citationResolveOut, err error) {
	h, err := drift.ParseHandle(strings.TrimSpace(in.Handle))
	if err != nil {
		return out, err
	}
	if !o.own(h.Kernel) {
		return o.resolveElsewhere(ctx, h)
	}
	doc, err := o.parts.Kernel.Resolve(ctx, c, h.Context, kaijutsu.RightRead)
	if err != nil {
		return out, fmt.Errorf("handle: %w", err)
	}
	var read citationResolveOut // still written, perhaps, when the call is given up
	err = o.parts.Kernel.View(ctx, c, doc, func(v repo.View) error {
		var err error
		read, err = cited(v, doc, h)
		return err
	})
	if err != nil {
		return out, err
	}
	return read, nil
}

// cited reads a citation of a context.
func cited(v repo.View, doc kaijutsu.DocumentID, h drift.Handle) (out citationResolveOut, err error) {
	heads, err := citedHeads(v, h.Heads)
	if err != nil {
		return out, fmt.Errorf("handle: context %s %q: %w", doc.Name(), beginning(v.Title(), 60), err)
	}
	id := blocks.ID(h.Block)
	then, err := v.ContentAt(id, heads)
	if errors.Is(err, kaijutsu.ErrNotFound) {
		return out, kaijutsu.About("handle", fmt.Errorf("handle: %w: context %s %q had no block %s then", kaijutsu.ErrNotFound, doc.Name(), beginning(v.Title(), 60), id))
	}
	if err != nil {
		return out, fmt.Errorf("handle: %w", err)
	}
	if n := len(linesOf(then.Content)); h.Last > n {
		return out, fmt.Errorf("handle: lines %d-%d: the block had %d: %w", h.First, h.Last, n, kaijutsu.ErrNotFound)
	}
	fate, err := v.Fate(id, heads, h.First, h.Last)
	if err != nil {
		return out, fmt.Errorf("handle: %w", err)
	}
	h.Kernel, h.Context, h.Heads = "", doc.Name(), heads.Texts()
	slices.Sort(h.Heads)
	out = citationResolveOut{
		Handle: h.String(), Context: h.Context, Block: h.Block, Heads: h.Heads, First: h.First, Last: h.Last,
		Kind: string(then.Kind), Author: then.By.Name, Text: citedText(then.Content, h.First, h.Last), State: "fresh",
		NowFirst: fate.NowFirst, NowLast: fate.NowLast,
	}
	if then.By.IsZero() {
		out.Author = then.Author.String()
	}
	switch {
	case fate.Stale && fate.Reason == blocks.FateDeleted:
		out.State, out.NowFirst, out.NowLast = "deleted", 0, 0
	case fate.Stale:
		out.State, out.Now, out.Diff = "stale", fate.Now, textdiff.Unified(fate.Then, fate.Now, h.Block)
	}
	return out, nil
}

// resolveElsewhere asks the other kernel.
func (o *operations) resolveElsewhere(ctx context.Context, h drift.Handle) (out citationResolveOut, err error) {
	if o.parts.Links == nil {
		return out, fmt.Errorf("handle: it is of kernel %q: %w", h.Kernel, errNoLinks)
	}
	result, err := o.parts.Links.Resolve(ctx, h.Kernel, h.String())
	if err != nil {
		return out, fmt.Errorf("handle: %w", err)
	}
	if err := json.Unmarshal(result, &out); err != nil {
		return citationResolveOut{}, fmt.Errorf("handle: what kernel %q answers is no citation: %w", h.Kernel, kaijutsu.ErrUnavailable)
	}
	if answered, err := drift.ParseHandle(out.Handle); err == nil {
		h.Context, h.Heads = answered.Context, answered.Heads
	}
	out.Handle, out.Kernel = h.String(), h.Kernel
	return out, nil
}

// citedHeads returns the heads of a handle in full; none are those of now.
func citedHeads(v repo.View, texts []string) (kaijutsu.Heads, error) {
	if len(texts) == 0 {
		return v.Heads, nil
	}
	heads, short := []kaijutsu.ChangeHash{}, []string{}
	for _, text := range texts {
		full, err := kaijutsu.ParseChangeHash(text)
		if err != nil {
			short = append(short, text)
			continue
		}
		if _, ok := v.Log().Index(full); !ok {
			return nil, fmt.Errorf("heads %.64s: %w: it holds no such change", text, kaijutsu.ErrNotFound)
		}
		heads = append(heads, full)
	}
	if len(short) == 0 {
		return kaijutsu.NewHeads(heads...), nil
	}
	found, err := beginSo(v.Log(), short)
	return kaijutsu.NewHeads(append(heads, found...)...), err
}

// beginSo returns the changes of a log whose hashes begin so, one for each.
func beginSo(log repo.Log, prefixes []string) ([]kaijutsu.ChangeHash, error) {
	found, n := make([]kaijutsu.ChangeHash, len(prefixes)), make([]int, len(prefixes))
	by := make(map[byte][]int) // by the first byte of the hash: one pass for all
	for i, p := range prefixes {
		if first, err := strconv.ParseUint(p[:min(2, len(p))], 16, 8); err == nil {
			by[byte(first)] = append(by[byte(first)], i)
		}
	}
	for at := range log.Len() {
		h := log.Hash(at)
		for _, i := range by[h[0]] {
			if begins(h, prefixes[i]) {
				found[i] = h
				n[i]++
			}
		}
	}
	for i, p := range prefixes {
		switch n[i] {
		case 0:
			return nil, fmt.Errorf("heads %.64s: %w: it holds no such change", p, kaijutsu.ErrNotFound)
		case 1:
		default:
			return nil, fmt.Errorf("heads %.64s: %w: %d changes begin so; give more of it", p, kaijutsu.ErrConflict, n[i])
		}
	}
	return found, nil
}

// begins reports whether the hexadecimal digits of a hash begin so, without
// writing all of them.
func begins(h kaijutsu.ChangeHash, digits string) bool {
	const hexadecimal = "0123456789abcdef"
	if len(digits) > 2*len(h) {
		return false
	}
	for i := range len(digits) {
		half := h[i/2] >> 4
		if i%2 == 1 {
			half = h[i/2] & 15
		}
		if hexadecimal[half] != digits[i] {
			return false
		}
	}
	return true
}
