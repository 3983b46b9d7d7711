package blocks

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"kaijutsu"
)

// The scenarios of the block model by number.

func TestScenario1InsertedBehindABlockInTurn(t *testing.T) {
	p := newPair(t, "amy.")
	a := p.insert(BlockSpec{Content: "A"})
	p.insert(BlockSpec{Content: "B", Position: After(a)})
	p.insert(BlockSpec{Content: "C", Position: After(a)})
	q := newPair(t, "ben.", p.raws...)
	for name, p := range map[string]*pair{"amy": p, "ben": q} {
		if got, want := p.contents(), "A C B"; got != want {
			t.Errorf("%s sees %q, want %q", name, got, want)
		}
	}
}

func TestScenario2UnknownNeighboursAndParentsChangeNothing(t *testing.T) {
	p := newPair(t, "amy.")
	heads := p.graph.Heads()
	unknown := NewID(p.now)
	for name, spec := range map[string]BlockSpec{"after": {Position: After(unknown)}, "before": {Position: Before(unknown)}, "parent": {Parent: unknown}} {
		spec.ID = NewID(p.now)
		if raw, err := p.commit(func(tx *Tx) error { return tx.InsertBlock(spec) }); raw != nil || !errors.Is(err, kaijutsu.ErrNotFound) || !p.graph.Heads().Equal(heads) {
			t.Errorf("%s: %v, want an error that wraps ErrNotFound and the same heads", name, err)
		}
	}
}

func TestScenario3NoIDIsUsedAgain(t *testing.T) {
	p := newPair(t, "amy.")
	id := p.insert(BlockSpec{Content: "x"})
	p.must(func(tx *Tx) error { return tx.Delete(id) })
	for _, p := range []*pair{p, newPair(t, "new.", p.raws...)} { // also after a start from the changes
		_, err := p.commit(func(tx *Tx) error { return tx.InsertBlock(BlockSpec{ID: id}) })
		if !errors.Is(err, kaijutsu.ErrConflict) {
			t.Errorf("InsertBlock = %v, want an error that wraps ErrConflict", err)
		}
	}
	_, err := p.commit(func(tx *Tx) error {
		id := NewID(p.now)
		return errors.Join(tx.InsertBlock(BlockSpec{ID: id}), tx.InsertBlock(BlockSpec{ID: id}))
	})
	if !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("twice in one transaction: %v, want an error that wraps ErrConflict", err)
	}
}

func TestScenario5AResultStandsBehindItsCall(t *testing.T) {
	p := newPair(t, "amy.")
	call1 := p.insert(BlockSpec{Kind: KindToolCall, Content: "call 1"})
	call2 := p.insert(BlockSpec{Kind: KindToolCall, Content: "call 2"})
	note := p.insert(BlockSpec{Content: "note", Parent: call1})
	if b := p.block(call1); b.Role != RoleModel || b.Status != StatusRunning || b.Form != FormBody {
		t.Errorf("call = %+v, want role model, running, a body", b)
	}
	failed := p.insert(BlockSpec{Kind: KindToolResult, Content: "failed 2", Meta: fmt.Sprintf(`{"tool_call_id":%q,"is_error":true}`, call2)})
	ok := p.insert(BlockSpec{Kind: KindToolResult, Content: "ok 1", Parent: call1})
	p.insert(BlockSpec{Kind: KindToolResult, Content: "more 1", Parent: call1, Meta: `{"exit_code":0}`})
	p.insert(BlockSpec{Kind: KindToolResult, Content: "at the end", Parent: call1, Position: Last()})
	if got, want := p.contents(), "call 1 ok 1 more 1 at the end note call 2 failed 2"; got != want {
		t.Errorf("contents = %q, want %q", got, want)
	}
	if b := p.block(failed); b.Role != RoleTool || b.Status != StatusError || b.Parent != call2 {
		t.Errorf("failed result = %+v, want role tool, status error, parent %s", b, call2)
	}
	if b := p.block(ok); b.Status != StatusDone || b.Meta != fmt.Sprintf(`{"tool_call_id":%q}`, call1) {
		t.Errorf("result = %+v, want done, and the call in its meta", b)
	}
	for name, tt := range map[string]struct {
		spec BlockSpec
		want error
	}{
		"another role":                 {BlockSpec{Parent: call1, Role: RoleUser}, kaijutsu.ErrInvalid},
		"done and in error":            {BlockSpec{Parent: call1, Status: StatusDone, Meta: `{"is_error":true}`}, kaijutsu.ErrInvalid},
		"a call that does not exist":   {BlockSpec{Meta: fmt.Sprintf(`{"tool_call_id":%q}`, NewID(p.now))}, kaijutsu.ErrNotFound},
		"a call that is none":          {BlockSpec{Meta: fmt.Sprintf(`{"tool_call_id":%q}`, note)}, kaijutsu.ErrNotFound},
		"a call that is not a string":  {BlockSpec{Meta: `{"tool_call_id":7}`}, kaijutsu.ErrInvalid},
		"another call than the parent": {BlockSpec{Parent: call1, Meta: fmt.Sprintf(`{"tool_call_id":%q}`, call2)}, kaijutsu.ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			tt.spec.ID, tt.spec.Kind = NewID(p.now), KindToolResult
			if _, err := p.commit(func(tx *Tx) error { return tx.InsertBlock(tt.spec) }); !errors.Is(err, tt.want) {
				t.Errorf("InsertBlock = %v, want an error that wraps %q", err, tt.want)
			}
		})
	}
}

func TestAResultThatStreamsEndsInErrorOrNot(t *testing.T) {
	p := newPair(t, "amy.")
	call := p.insert(BlockSpec{Kind: KindToolCall})
	id := p.insert(BlockSpec{Kind: KindToolResult, Parent: call, Status: StatusRunning})
	p.must(func(tx *Tx) error { return errors.Join(tx.AppendText(id, "oh "), tx.AppendText(id, "no")) })
	p.must(func(tx *Tx) error { return tx.SetStatus(id, StatusError) })
	want := fmt.Sprintf(`{"is_error":true,"tool_call_id":%q}`, call)
	if b := p.block(id); b.Status != StatusError || b.Form != FormBody || b.Content != "oh no" || b.Meta != want {
		t.Errorf("result = %+v, want error, a body, meta %s", b, want)
	}
	if _, err := p.commit(func(tx *Tx) error { return tx.SetMeta(id, `{"is_error":false}`) }); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("SetMeta(no error) = %v, want an error that wraps ErrInvalid", err)
	}
	p.must(func(tx *Tx) error { return tx.SetMeta(id, `{"exit_code":2}`) })
	if got, want := p.block(id).Meta, fmt.Sprintf(`{"exit_code":2,"is_error":true,"tool_call_id":%q}`, call); got != want {
		t.Errorf("meta = %s, want %s", got, want)
	}
	p.must(func(tx *Tx) error { return tx.SetStatus(id, StatusDone) })
	if b := p.block(id); strings.Contains(b.Meta, `"is_error":true`) {
		t.Errorf("meta of a result that is done = %s", b.Meta)
	}
}

func TestScenario6EditsBehindAnEmoji(t *testing.T) {
	a := newPair(t, "amy.")
	id := a.insert(BlockSpec{Content: "héllo😀"})
	b := newPair(t, "ben.", a.raws...)
	x := a.must(func(tx *Tx) error { return tx.SpliceText(id, 6, 0, "!") })
	y := b.must(func(tx *Tx) error { return tx.SpliceText(id, 5, 1, "👍🏼") })
	a.receive(y)
	b.receive(x)
	if got := a.block(id).Content; got != b.block(id).Content || len([]rune(got)) != 8 || !strings.Contains(got, "👍🏼") {
		t.Errorf("amy sees %q, ben %q", got, b.block(id).Content)
	}
	for _, tt := range []struct{ pos, del int }{{9, 0}, {8, 1}, {-1, 0}, {0, 9}, {0, -1}, {1 << 62, 1 << 62}} {
		if raw, err := a.commit(func(tx *Tx) error { return tx.SpliceText(id, tt.pos, tt.del, "") }); raw != nil || !errors.Is(err, kaijutsu.ErrInvalid) {
			t.Errorf("SpliceText(%d, %d) = %v, want an error that wraps ErrInvalid", tt.pos, tt.del, err)
		}
	}
}

func TestScenario7TwoReplicasInsertOffline(t *testing.T) {
	a, b := newPair(t, "amy."), newPair(t, "ben.")
	for i := range 3 {
		a.insert(BlockSpec{Content: fmt.Sprint("a", i)})
		b.insert(BlockSpec{Content: fmt.Sprint("b", i)})
	}
	ra, rb := a.raws, b.raws
	a.receive(rb...)
	b.receive(ra...)
	if a.model.Len() != 6 || a.contents() != b.contents() {
		t.Errorf("amy sees %q, ben %q", a.contents(), b.contents())
	}
}

func TestScenario8DeletedHereAndWrittenThere(t *testing.T) {
	a := newPair(t, "amy.")
	id := a.insert(BlockSpec{Content: "text"})
	b := newPair(t, "ben.", a.raws...)
	gone := a.must(func(tx *Tx) error { return tx.Delete(id) })
	more := b.must(func(tx *Tx) error { return tx.AppendText(id, " more") })
	a.receive(more)
	b.receive(gone)
	for name, p := range map[string]*pair{"amy": a, "ben": b} {
		if got := p.block(id); !got.Deleted || got.Content != "text more" || p.model.Len() != 0 {
			t.Errorf("%s sees %+v, want a tombstone that holds what was written", name, got)
		}
	}
	a.must(func(tx *Tx) error { return tx.Restore(id) })
	if got := a.contents(); got != "text more" {
		t.Errorf("restored: %q", got)
	}
}

func TestScenario9TwoHundredInsertsAtOnePlace(t *testing.T) {
	p := newPair(t, "amy.")
	first := p.insert(BlockSpec{Content: "first"})
	want := "first"
	for i := range 200 {
		p.insert(BlockSpec{Content: fmt.Sprint(i), Position: After(first)})
	}
	for i := range 200 {
		want += fmt.Sprint(" ", 199-i)
	}
	keys := make(map[string]bool)
	for _, b := range p.model.Blocks() {
		keys[b.Order] = true
	}
	if got := p.contents(); got != want || len(keys) != 201 {
		t.Errorf("%d keys, contents %q", len(keys), got)
	}
}
