package courier

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/internal/op"
)

// minPrefix is the shortest beginning of an id that may name an item.
const minPrefix = 6

// find returns the one item that a reference names, of those that the caller
// may see: its number, with or without "#", its id, or the beginning of that.
// The error wraps kaijutsu.ErrNotFound and says what is in the queue, or
// ErrConflict and names the candidates.
func (c *Courier) find(call op.Call, ref string) (*entry, error) {
	if ref == "" || len(ref) > 64 {
		return nil, &op.FieldError{Field: "item", Reason: fmt.Sprintf("%.64q is none", ref), Hint: "want its number, or its id or the first 6 of it"}
	}
	bare := strings.TrimPrefix(ref, "#")
	var found []*entry
	if n, err := strconv.ParseUint(bare, 10, 64); err == nil {
		found = c.numbered(call, n)
	}
	if len(found) == 0 && len(bare) >= minPrefix && bare == ref {
		prefix := strings.ToLower(ref)
		found = c.queue.all(func(e *entry) bool { return strings.HasPrefix(e.ID, prefix) && c.maySee(call, &e.Item) })
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("staged drift #%s: %w; %s", bare, kaijutsu.ErrNotFound, c.contents(call))
	case 1:
		return found[0], nil
	}
	const most = 5
	var ids []string
	for _, e := range found[:min(len(found), most)] {
		ids = append(ids, e.ID)
	}
	if len(found) > most {
		ids = append(ids, fmt.Sprintf("… (%d in all)", len(found)))
	}
	return nil, fmt.Errorf("drift %q: %w: it may mean %s", ref, kaijutsu.ErrConflict, strings.Join(ids, ", "))
}

// numbered returns the items of a number that the caller may see: several, when
// nodes gave it without knowing of each other.
func (c *Courier) numbered(call op.Call, n uint64) []*entry {
	c.queue.mu.RLock()
	var found []*entry
	for _, id := range c.queue.numbers[n] {
		found = append(found, c.queue.items[id])
	}
	c.queue.mu.RUnlock()
	kept := found[:0]
	for _, e := range found {
		if c.maySee(call, &e.Item) {
			kept = append(kept, e)
		}
	}
	return kept
}

// contents says what is in the queue, for who looked for something else.
func (c *Courier) contents(call op.Call) string {
	const most = 5
	items := c.queue.all(func(e *entry) bool { return c.maySee(call, &e.Item) })
	if len(items) == 0 {
		return "the queue is empty"
	}
	var parts []string
	for _, e := range items[:min(len(items), most)] {
		parts = append(parts, fmt.Sprintf("#%d (%s) to %s", e.Number, e.State, c.place(call, &e.Item)))
	}
	if len(items) > most {
		parts = append(parts, fmt.Sprintf("… (%d in all)", len(items)))
	}
	return "the queue has " + strings.Join(parts, ", ")
}

// place names where an item goes to, for people: by its title, if the caller
// may read that.
func (c *Courier) place(call op.Call, it *drift.Item) string {
	if it.ToKernel != "" || !c.cfg.Kernel.MayRead(call, it.Target) {
		return destination(it)
	}
	info, err := c.cfg.Kernel.Context(context.Background(), call, it.Target)
	if err != nil || info.Title == "" {
		return destination(it)
	}
	return fmt.Sprintf("%q", preview(info.Title))
}
