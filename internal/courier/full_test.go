package courier

import (
	"errors"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/drift"
)

func TestTheQueueHasRoom(t *testing.T) {
	amy := kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Agent}
	item := drift.Item{ID: "0190aaaa-0000-7000-8000-000000000001", By: amy}
	offered := item
	offered.State = drift.StateHeld
	for _, tt := range []struct {
		name string
		it   drift.Item
		q    *queue
		want string // of the error; empty: there is room
	}{
		{"empty", item, &queue{}, ""},
		{"nearly full", item, &queue{total: load{maxItems - 1, maxBytes - 10}}, ""},
		{"as many items as there may be", item, &queue{total: load{items: maxItems}}, "there are 100000 items"},
		{"as many bytes", item, &queue{total: load{bytes: maxBytes - 9}}, "the queue is full"},
		{"with what is being written", item, &queue{total: load{items: maxItems - 1}, awaited: load{items: 1}}, "there are 100000 items"},
		{"full of the caller's", item, &queue{loads: map[kaijutsu.Principal]load{amy: {maxItemsOf, 0}}}, "amy has 50000 items"},
		{"full of the caller's bytes", item, &queue{loads: map[kaijutsu.Principal]load{amy: {1, maxBytesOf}}}, "amy has 1 items"},
		{"and those being written", item, &queue{pending: map[kaijutsu.Principal]load{amy: {maxItemsOf, 0}}}, "amy has 50000 items"},
		{"of others", item, &queue{loads: map[kaijutsu.Principal]load{{Name: "ben"}: {maxItemsOf, maxBytesOf}}}, ""},
		{"it is there already", item, &queue{total: load{items: maxItems}, items: map[string]*entry{item.ID: {}}}, ""},
		{"many held", offered, &queue{held: load{items: maxHeld}}, "other kernels have 2000 items"},
		{"many held bytes", offered, &queue{held: load{bytes: maxHeldBytes - 9}}, "other kernels have 0 items"},
		{"many held of one", offered, &queue{heldOf: map[kaijutsu.Principal]load{amy: {items: maxHeldOf}}}, "amy has 200 items"},
		{"many held bytes of one", offered, &queue{heldOf: map[kaijutsu.Principal]load{amy: {bytes: maxHeldBytesOf - 9}}}, "amy has 0 items"},
		{"many held, of who stages", item, &queue{held: load{items: maxHeld}, heldOf: map[kaijutsu.Principal]load{amy: {items: maxHeldOf}}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.q.roomFor(&tt.it, 10)
			if tt.want == "" && err != nil || tt.want != "" && (!errors.Is(err, kaijutsu.ErrTooLarge) || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("roomFor = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestPreview(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"short", "a b", "a b"},
		{"lines", " a\n\n b\tc ", "a b c"},
		{"long", strings.Repeat("é", 101), strings.Repeat("é", 99) + "…"},
		{"very long", strings.Repeat("😀", 10_000), strings.Repeat("😀", 99) + "…"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := preview(tt.in); got != tt.want {
				t.Errorf("preview = %q, want %q", got, tt.want)
			}
		})
	}
	if got := clip(strings.Repeat("é", 400)); len(got) > maxReasonBytes || !strings.HasSuffix(got, "é…") {
		t.Errorf("clip = %d bytes, want at most %d, cut at a character", len(got), maxReasonBytes)
	}
}
