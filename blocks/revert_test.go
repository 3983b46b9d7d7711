package blocks

import (
	"errors"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// TestRevert lets amy do something, ben something after it, and takes back
// what amy did.
func TestRevert(t *testing.T) {
	type blockIDs struct{ text, record, stream, made ID }
	tests := []struct {
		name string
		amy  func(tx *Tx, b blockIDs) error
		ben  func(tx *Tx, b blockIDs) error
		want string // what text holds, or the whole of what holds is called
		what func(p *pair, b blockIDs) string
	}{
		{"typing", func(tx *Tx, b blockIDs) error { return tx.SpliceText(b.text, 3, 0, "new ") }, nil, "the text", nil},
		{"typing into which another typed", func(tx *Tx, b blockIDs) error { return tx.SpliceText(b.text, 0, 0, "0123456789") },
			func(tx *Tx, b blockIDs) error { return tx.SpliceText(b.text, 5, 0, "-ben-") }, "-ben-the text", nil},
		{"a deletion", func(tx *Tx, b blockIDs) error { return tx.SpliceText(b.text, 2, 4, "") }, nil, "the text", nil},
		{"a deletion where another typed", func(tx *Tx, b blockIDs) error { return tx.SpliceText(b.text, 2, 4, "") },
			func(tx *Tx, b blockIDs) error { return tx.SpliceText(b.text, 2, 0, "-ben-") }, "th-ben-e text", nil},
		{"a replacement", func(tx *Tx, b blockIDs) error { return tx.ReplaceText(b.text, "quite another") }, nil, "the text", nil},
		{"an edit of a record", func(tx *Tx, b blockIDs) error { return tx.SpliceText(b.record, 0, 3, "a") }, nil, "body the record",
			func(p *pair, b blockIDs) string {
				return string(p.block(b.record).Form) + " " + p.block(b.record).Content
			}},
		{"an edit of a record that another went on with", func(tx *Tx, b blockIDs) error { return tx.SpliceText(b.record, 0, 3, "a") },
			func(tx *Tx, b blockIDs) error { return tx.AppendText(b.record, " of ben") }, "text the record of ben",
			func(p *pair, b blockIDs) string {
				return string(p.block(b.record).Form) + " " + p.block(b.record).Content
			}},
		{"a chunk", func(tx *Tx, b blockIDs) error { return tx.AppendText(b.stream, "two ") },
			func(tx *Tx, b blockIDs) error { return tx.AppendText(b.stream, "three") }, "one three",
			func(p *pair, b blockIDs) string { return p.block(b.stream).Content }},
		{"the end of a stream", func(tx *Tx, b blockIDs) error { return tx.SetStatus(b.stream, StatusDone) }, nil, "running chunks one ",
			func(p *pair, b blockIDs) string {
				return string(p.block(b.stream).Status) + " " + string(p.block(b.stream).Form) + " " + p.block(b.stream).Content
			}},
		{"the title", func(tx *Tx, b blockIDs) error { return tx.SetTitle("amy's") }, nil, "", func(p *pair, b blockIDs) string { return p.model.Title() }},
		{"a title that another went on with", func(tx *Tx, b blockIDs) error { return tx.SetTitle("amy's") },
			func(tx *Tx, b blockIDs) error { return tx.SetTitle("amy's plan") }, " plan", func(p *pair, b blockIDs) string { return p.model.Title() }},
		{"meta and flags", func(tx *Tx, b blockIDs) error {
			return errors.Join(tx.SetMeta(b.text, `{"a":1}`), tx.SetFlag(b.text, FlagCollapsed, true))
		}, nil, "", func(p *pair, b blockIDs) string {
			if p.block(b.text).Collapsed {
				return "collapsed"
			}
			return p.block(b.text).Meta
		}},
		{"meta that another wrote since", func(tx *Tx, b blockIDs) error {
			return errors.Join(tx.SetMeta(b.text, `{"a":1}`), tx.AppendText(b.text, "x"))
		},
			func(tx *Tx, b blockIDs) error { return tx.SetMeta(b.text, `{"b":1}`) }, `{"b":1} the text`,
			func(p *pair, b blockIDs) string { return p.block(b.text).Meta + " " + p.block(b.text).Content }},
		{"a move", func(tx *Tx, b blockIDs) error { return tx.Move(b.text, b.stream, Last()) }, nil, "the text,the record,one ",
			func(p *pair, b blockIDs) string { return showing(p) }},
		{"a move that would close a circle", func(tx *Tx, b blockIDs) error {
			return errors.Join(tx.Move(b.text, "", Last()), tx.AppendText(b.text, "!"))
		}, func(tx *Tx, b blockIDs) error { return tx.Move(b.record, b.text, Last()) }, "one ,the text,the record", func(p *pair, b blockIDs) string { return showing(p) }},
		{"a deleted block", func(tx *Tx, b blockIDs) error { return tx.Delete(b.text) }, nil, "the text,the record,one ",
			func(p *pair, b blockIDs) string { return showing(p) }},
		{"a new block", func(tx *Tx, b blockIDs) error { return tx.InsertBlock(BlockSpec{ID: b.made, Content: "made"}) }, nil, "the text,the record,one ",
			func(p *pair, b blockIDs) string { return showing(p) }},
		{"a new block into which another wrote", func(tx *Tx, b blockIDs) error { return tx.InsertBlock(BlockSpec{ID: b.made, Content: "made"}) },
			func(tx *Tx, b blockIDs) error { return tx.SpliceText(b.made, 2, 0, "-ben-") }, "the text,the record,one ,-ben-",
			func(p *pair, b blockIDs) string { return showing(p) }},
		{"a new block below which another put one", func(tx *Tx, b blockIDs) error {
			return tx.InsertBlock(BlockSpec{ID: b.made, Role: RoleModel, Content: "made"})
		}, func(tx *Tx, b blockIDs) error {
			return tx.InsertBlock(BlockSpec{ID: NewID(testTime), Parent: b.made, Content: "ben's"})
		}, "the text,the record,one ,,ben's", func(p *pair, b blockIDs) string { return showing(p) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPair(t, "base")
			b := blockIDs{made: NewID(p.now)}
			b.text = p.insert(BlockSpec{Content: "the text"})
			b.record = p.insert(BlockSpec{Role: RoleModel, Content: "the record"})
			b.stream = p.insert(BlockSpec{Role: RoleModel, Status: StatusRunning, Content: "one "})
			if strings.Contains(tt.name, "circle") {
				p.must(func(tx *Tx) error { return tx.Move(b.text, b.record, Last()) })
			}
			what := tt.what
			if what == nil {
				what = func(p *pair, b blockIDs) string { return p.block(b.text).Content }
			}
			p.actor = "amy."
			unit := must(amfile.DecodeHeader(p.must(func(tx *Tx) error { return tt.amy(tx, b) }))).Hash
			if tt.ben != nil {
				p.actor = "ben."
				p.must(func(tx *Tx) error { return tt.ben(tx, b) })
			}
			before := p.state()
			p.actor = "undo"
			if err := p.undo(unit); err != nil {
				t.Fatal(err)
			}
			if got := what(p, b); got != tt.want {
				t.Errorf("after the undo: %q, want %q", got, tt.want)
			}
			for id := range p.model.blocks {
				for _, r := range must(p.model.Blame(id, graphLog{p.graph})) {
					if r.Actor == "undo" {
						t.Errorf("block %s: characters %d to %d are said to be of the undo", id, r.Start, r.Start+r.Len)
					}
				}
			}
			if err := p.undo(unit); !errors.Is(err, kaijutsu.ErrConflict) {
				t.Errorf("a second undo: %v, want an error that wraps ErrConflict", err)
			}
			if err := p.undo(p.graph.Heads()[0]); err != nil {
				t.Fatal(err)
			}
			if diff := diffStates(p.state(), before); diff != "" {
				t.Errorf("after the undo of the undo: %s", diff)
			}
			if err := p.undo(unit); err != nil {
				t.Errorf("an undo of what was done again: %v", err)
			}
		})
	}
}

// showing returns the contents of what shows, in order.
func showing(p *pair) string {
	var all []string
	for _, b := range p.model.Blocks() {
		all = append(all, b.Content)
	}
	return strings.Join(all, ",")
}

func TestRevertRefuses(t *testing.T) {
	p := newPair(t, "amy.")
	id := p.insert(BlockSpec{Content: "text"})
	typed := must(amfile.DecodeHeader(p.must(func(tx *Tx) error { return tx.AppendText(id, "!") }))).Hash
	p.must(func(tx *Tx) error { return tx.SpliceText(id, 4, 1, "") })
	heads := p.graph.Heads()
	for name, tt := range map[string]struct {
		unit []kaijutsu.ChangeHash
		want error
	}{
		"nothing":           {nil, kaijutsu.ErrInvalid},
		"an unknown change": {[]kaijutsu.ChangeHash{{1}}, kaijutsu.ErrNotFound},
		"what others took":  {[]kaijutsu.ChangeHash{typed}, kaijutsu.ErrConflict},
		"the genesis":       {[]kaijutsu.ChangeHash{Genesis().Hash}, kaijutsu.ErrInvalid},
	} {
		if err := p.undo(tt.unit...); !errors.Is(err, tt.want) || !p.graph.Heads().Equal(heads) {
			t.Errorf("undo of %s: %v, want an error that wraps %q", name, err, tt.want)
		}
	}
	var kept *Tx
	p.must(func(tx *Tx) error { kept = tx; return tx.AppendText(id, "?") })
	if err := kept.Revert(graphLog{p.graph}, heads); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("Revert afterwards: %v", err)
	}
}

// TestRevertOfSeveralUnits takes several units back in one change.
func TestRevertOfSeveralUnits(t *testing.T) {
	p := newPair(t, "amy.")
	id := p.insert(BlockSpec{Content: "text"})
	var units []kaijutsu.ChangeHash
	for _, f := range []func(tx *Tx) error{
		func(tx *Tx) error { return tx.AppendText(id, " abc") },
		func(tx *Tx) error { return tx.SpliceText(id, 6, 1, "") },
		func(tx *Tx) error { return errors.Join(tx.SetMeta(id, `{"a":1}`), tx.SpliceText(id, 0, 1, "T")) },
		func(tx *Tx) error { return tx.SetMeta(id, `{"a":2}`) },
	} {
		units = append(units, must(amfile.DecodeHeader(p.must(f))).Hash)
	}
	before := p.state()
	var message strings.Builder
	message.WriteString(UndoMessage)
	for _, h := range units {
		message.WriteString(" " + h.String())
	}
	if _, err := p.say(message.String(), func(tx *Tx) error {
		for i := len(units) - 1; i >= 0; i-- {
			if err := tx.Revert(graphLog{p.graph}, units[i:i+1]); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if b := p.block(id); b.Content != "text" || b.Meta != "" {
		t.Errorf("after the undo: %q, meta %q", b.Content, b.Meta)
	}
	if err := p.undo(p.graph.Heads()...); err != nil {
		t.Fatal(err)
	}
	if diff := diffStates(p.state(), before); diff != "" {
		t.Errorf("after the undo of the undo: %s", diff)
	}
	_, err := p.commit(func(tx *Tx) error {
		return errors.Join(tx.AppendText(id, "x"), tx.Revert(graphLog{p.graph}, units[:1]))
	})
	if !errors.Is(err, kaijutsu.ErrInvalid) && !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("Revert behind other work: %v", err)
	}
}
