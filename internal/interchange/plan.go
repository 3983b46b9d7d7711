package interchange

import (
	"fmt"
	"regexp"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/blocks"
)

// What one insert takes; see blocks.BlockSpec.
const (
	maxTextRunes   = 50_000
	maxRecordBytes = 1 << 20
)

// quotedID finds block ids in meta.
var quotedID = regexp.MustCompile(`"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"`)

// Plan returns what to insert for a context to hold c's blocks too, one after
// the other: parents come before their children, and siblings in their order.
// Every block gets a fresh id from newID; parents, and ids of c's blocks that
// stand in meta, follow. A text that is too long to be inserted as text becomes
// a record. The error wraps kaijutsu.ErrTooLarge when a content is too long for
// that too, kaijutsu.ErrInvalid when a block is not valid; both name the block.
func Plan(c Context, newID func() blocks.ID) ([]blocks.BlockSpec, error) {
	ids := make(map[blocks.ID]blocks.ID, len(c.Blocks))
	fresh := make([]blocks.ID, len(c.Blocks))
	for i, b := range c.Blocks {
		fresh[i] = newID()
		if b.ID != "" {
			ids[b.ID] = fresh[i]
		}
	}
	specs := make([]blocks.BlockSpec, len(c.Blocks))
	places := newPlacer()
	for i, b := range c.Blocks {
		fail := func(err error) ([]blocks.BlockSpec, error) {
			return nil, fmt.Errorf("block %d (%.40q): %w", i+1, b.Content, err)
		}
		if err := checkBlock(&b); err != nil {
			return fail(err)
		}
		if err := places.add(b, fmt.Sprintf("place %d", i+1)); err != nil {
			return fail(err)
		}
		if b.Form == blocks.FormText && utf8.RuneCountInString(b.Content) > maxTextRunes {
			b.Form = blocks.FormBody
		}
		if b.Form != blocks.FormText && len(b.Content) > maxRecordBytes {
			return fail(fmt.Errorf("content of %d bytes: at most %d: %w", len(b.Content), maxRecordBytes, kaijutsu.ErrTooLarge))
		}
		spec := blocks.BlockSpec{
			ID: fresh[i], Position: blocks.Last(), Kind: b.Kind, Role: b.Role, Status: b.Status, Form: b.Form, Content: b.Content,
			Collapsed: b.Collapsed, Excluded: b.Excluded, Ephemeral: b.Ephemeral,
			Meta: quotedID.ReplaceAllStringFunc(b.Meta, func(q string) string {
				if id, ok := ids[blocks.ID(q[1:len(q)-1])]; ok {
					return `"` + string(id) + `"`
				}
				return q
			}),
		}
		if b.Depth > 0 {
			spec.Parent = ids[b.Parent]
		}
		specs[i] = spec
	}
	return specs, nil
}
