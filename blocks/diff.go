package blocks

import (
	"cmp"
	"slices"

	"kaijutsu/internal/textdiff"
)

// BlockDiff says how a block differs between two states of a context.
type BlockDiff struct {
	ID ID
	// How has the words of deltas. A block that was only made or only deleted
	// in between is TouchInserted or TouchDeleted and nothing else.
	How Touch
	// Before and After are the block in either state, zero where it does not
	// exist.
	Before, After Block
	// Lines are the lines of content that differ; all of them when the block
	// was inserted or deleted.
	Lines []textdiff.Hunk
}

// Diff returns the blocks that differ between two states of one context: those
// that show afterwards in document order, then those that showed before in
// theirs, then the rest by id. Tombstones that came and went in between, or
// stayed, are left out.
func Diff(before, after *Model) []BlockDiff {
	var out []BlockDiff
	seen := make(map[ID]bool, len(after.blocks))
	compare := func(id ID) {
		if seen[id] {
			return
		}
		seen[id] = true
		if d, ok := diffBlock(before, after, id); ok {
			out = append(out, d)
		}
	}
	for _, m := range []*Model{after, before} {
		for _, r := range m.arranged() {
			compare(r.block.key)
		}
	}
	rest := len(out)
	for _, m := range []*Model{after, before} {
		for id := range m.blocks {
			compare(id)
		}
	}
	slices.SortFunc(out[rest:], func(a, b BlockDiff) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// diffBlock compares one block; false when it does not differ.
func diffBlock(before, after *Model, id ID) (BlockDiff, bool) {
	d := BlockDiff{ID: id}
	var was, is bool
	d.Before, was = before.Block(id)
	d.After, is = after.Block(id)
	wasAlive, isAlive := was && !d.Before.Deleted, is && !d.After.Deleted
	switch {
	case !wasAlive && !isAlive:
		return d, false
	case !was:
		d.How = TouchInserted
		d.Lines = textdiff.Hunks("", d.After.Content)
	case !isAlive:
		d.How = TouchDeleted
		d.Lines = textdiff.Hunks(d.Before.Content, "")
	default:
		d.How = touchesBetween(&d.Before, &d.After)
		if d.Before.Content != d.After.Content {
			d.Lines = textdiff.Hunks(d.Before.Content, d.After.Content)
		}
	}
	return d, d.How != 0
}

// touchesBetween says how a block that exists in two states differs.
func touchesBetween(a, b *Block) Touch {
	how := tombstone(a.Deleted, b.Deleted)
	if a.Content != b.Content || a.Form != b.Form {
		how |= TouchContent
	}
	if a.Status != b.Status {
		how |= TouchStatus
	}
	if a.Parent != b.Parent || a.Order != b.Order {
		how |= TouchMoved
	}
	if a.Meta != b.Meta || a.Kind != b.Kind || a.Role != b.Role {
		how |= TouchMeta
	}
	if a.Collapsed != b.Collapsed || a.Excluded != b.Excluded || a.Ephemeral != b.Ephemeral {
		how |= TouchFlags
	}
	return how
}
