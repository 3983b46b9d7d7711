package blocks

import (
	"errors"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// change commits and returns the change.
func (p *pair) change(f func(*Tx) error) *amfile.Change {
	p.t.Helper()
	return must(amfile.DecodeChange(p.must(f)))
}

func TestThaw(t *testing.T) {
	p := newPair(t, "actor")
	body := p.insert(BlockSpec{Role: RoleModel, Content: "a récord 😀"})
	c := p.change(func(tx *Tx) error { return tx.Thaw(body) })
	if b := p.block(body); b.Form != FormText || b.Content != "a récord 😀" {
		t.Errorf("thawed: %s %q", b.Form, b.Content)
	}
	if want := 2 + 10; len(c.Ops) != want {
		t.Errorf("thawing takes %d operations, want %d", len(c.Ops), want)
	}
	if raw, err := p.commit(func(tx *Tx) error { return tx.Thaw(body) }); raw != nil || err != nil {
		t.Errorf("thawing again = %x, %v, want no change", raw, err)
	}
	stream := p.insert(BlockSpec{Role: RoleModel, Status: StatusRunning, Content: "x"})
	gone := p.insert(BlockSpec{Role: RoleModel, Content: "x"})
	huge := p.insert(BlockSpec{Role: RoleModel, Content: strings.Repeat("x", maxTextRunes+1)})
	p.must(func(tx *Tx) error { return tx.Delete(gone) })
	for _, tt := range []struct {
		name string
		id   ID
		want error
	}{
		{"a stream", stream, kaijutsu.ErrConflict},
		{"a deleted block", gone, kaijutsu.ErrConflict},
		{"a huge record", huge, kaijutsu.ErrTooLarge},
		{"an unknown block", NewID(p.now), kaijutsu.ErrNotFound},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for what, f := range map[string]func(*Tx) error{
				"Thaw":        func(tx *Tx) error { return tx.Thaw(tt.id) },
				"SpliceText":  func(tx *Tx) error { return tx.SpliceText(tt.id, 0, 0, "y") },
				"ReplaceText": func(tx *Tx) error { return tx.ReplaceText(tt.id, "y") },
				"EditLines":   func(tx *Tx) error { return tx.EditLines(tt.id, []LineEdit{{Op: LineInsert, Content: "y"}}) },
			} {
				if raw, err := p.commit(f); raw != nil || !errors.Is(err, tt.want) {
					t.Errorf("%s = %v, want an error that wraps %q", what, err, tt.want)
				}
			}
		})
	}
}

func TestTheFirstEditOfARecordThawsIt(t *testing.T) {
	for name, tt := range map[string]struct {
		edit func(tx *Tx, id ID) error
		want string
	}{
		"a splice":      {func(tx *Tx, id ID) error { return tx.SpliceText(id, 0, 3, "two") }, "two\n"},
		"a replacement": {func(tx *Tx, id ID) error { return tx.ReplaceText(id, "once\n") }, "once\n"},
		"a line edit": {func(tx *Tx, id ID) error {
			return tx.EditLines(id, []LineEdit{{Op: LineInsert, Line: 1, Content: "b"}})
		}, "one\nb\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPair(t, "actor")
			id := p.insert(BlockSpec{Role: RoleTool, Content: "one\n"})
			n := len(p.raws)
			p.must(func(tx *Tx) error { return tt.edit(tx, id) })
			if b := p.block(id); b.Form != FormText || b.Content != tt.want || len(p.raws) != n+1 {
				t.Errorf("%s %q by %d changes, want a text %q by one", b.Form, b.Content, len(p.raws)-n, tt.want)
			}
		})
	}
	p := newPair(t, "actor")
	id := p.insert(BlockSpec{Role: RoleTool, Content: "one\n"})
	for _, f := range []func(*Tx) error{
		func(tx *Tx) error { return tx.SpliceText(id, 2, 0, "") },
		func(tx *Tx) error { return tx.ReplaceText(id, "one\n") },
		func(tx *Tx) error { return tx.EditLines(id, nil) },
	} {
		if raw, err := p.commit(f); raw != nil || err != nil {
			t.Errorf("an edit that changes nothing = %x, %v, want no change", raw, err)
		}
	}
}

func TestReplaceTextTouchesOnlyWhatDiffers(t *testing.T) {
	p := newPair(t, "actor")
	id := p.insert(BlockSpec{Content: strings.Repeat("the quick brown fox\n", 500)})
	now := p.block(id).Content
	c := p.change(func(tx *Tx) error { return tx.ReplaceText(id, strings.Replace(now, "quick", "quiet", 1)) })
	if len(c.Ops) > 6 {
		t.Errorf("one word takes %d operations", len(c.Ops))
	}
	if _, err := p.commit(func(tx *Tx) error { return tx.ReplaceText(id, "\xff") }); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("ReplaceText(bad UTF-8) = %v, want an error that wraps ErrInvalid", err)
	}
	if _, err := p.commit(func(tx *Tx) error { return tx.ReplaceText(id, strings.Repeat("é", maxTextRunes+1)) }); !errors.Is(err, kaijutsu.ErrTooLarge) {
		t.Errorf("ReplaceText(a long text) = %v, want an error that wraps ErrTooLarge", err)
	}
}

func TestMove(t *testing.T) {
	p := newPair(t, "actor")
	ids := map[string]ID{}
	add := func(name, parent string) {
		ids[name] = p.insert(BlockSpec{Content: name, Parent: ids[parent]})
	}
	add("a", "")
	add("b", "")
	add("c", "")
	add("a1", "a")
	add("a11", "a1")
	for _, tt := range []struct {
		name, block, parent string
		pos                 Position
		want                string
		err                 error
	}{
		{"to the front", "c", "", First(), "c a a1 a11 b", nil},
		{"to the end", "c", "", Last(), "a a1 a11 b c", nil},
		{"behind a block", "a", "", After(ids["b"]), "b a a1 a11 c", nil},
		{"in front of a block", "c", "", Before(ids["b"]), "c b a a1 a11", nil},
		{"below a block", "b", "c", Position{}, "c b a a1 a11", nil},
		{"a whole tree below a leaf", "a", "b", First(), "c b a a1 a11", nil},
		{"next to a block of another parent", "a11", "", Before(ids["a"]), "c b a11 a a1", nil},
		{"out to the root", "a", "", Last(), "c b a11 a a1", nil},
		{"below itself", "a", "a", Last(), "", kaijutsu.ErrInvalid},
		{"below its child", "c", "b", Last(), "", kaijutsu.ErrInvalid},
		{"next to its grandchild", "c", "", After(ids["a11"]), "", kaijutsu.ErrInvalid},
		{"next to itself", "c", "", After(ids["c"]), "", kaijutsu.ErrInvalid},
		{"below an unknown block", "c", "?", Last(), "", kaijutsu.ErrNotFound},
		{"next to an unknown block", "c", "", After(testID(99)), "", kaijutsu.ErrNotFound},
	} {
		t.Run(tt.name, func(t *testing.T) {
			parent := ids[tt.parent]
			if tt.parent == "?" {
				parent = NewID(p.now)
			}
			before := p.contents()
			raw, err := p.commit(func(tx *Tx) error { return tx.Move(ids[tt.block], parent, tt.pos) })
			if tt.err != nil {
				tt.want = before
			}
			if got := p.contents(); got != tt.want || !errors.Is(err, tt.err) || (raw == nil) != (tt.err != nil) {
				t.Errorf("Move = %v, contents %q, want %v, %q", err, got, tt.err, tt.want)
			}
			if tt.err == nil {
				again, err := p.commit(func(tx *Tx) error { return tx.Move(ids[tt.block], parent, tt.pos) })
				if again != nil || err != nil {
					t.Errorf("the same move again = %x, %v, want no change", again, err)
				}
			}
		})
	}
}

func TestMovesWithinOneTransaction(t *testing.T) {
	p := newPair(t, "actor")
	a, b, c := p.insert(BlockSpec{Content: "a"}), p.insert(BlockSpec{Content: "b"}), p.insert(BlockSpec{Content: "c"})
	_, err := p.commit(func(tx *Tx) error {
		return errors.Join(tx.Move(a, b, Last()), tx.Move(b, c, Last()), tx.Move(c, a, Last()))
	})
	if !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("three moves in a circle = %v, want an error that wraps ErrInvalid", err)
	}
	d := NewID(p.now)
	p.must(func(tx *Tx) error {
		return errors.Join(tx.Move(c, "", First()), tx.InsertBlock(BlockSpec{ID: d, Content: "d", Position: After(c)}), tx.Move(b, d, First()), tx.Move(d, a, Last()))
	})
	if got, want := p.contents(), "c a d b"; got != want {
		t.Errorf("contents = %q, want %q", got, want)
	}
	if got := p.block(b).Depth; got != 2 {
		t.Errorf("b is at depth %d, want 2", got)
	}
}

func TestMoveCountsWhatHangsBelow(t *testing.T) {
	p := newPair(t, "actor")
	chain := func(n int) (top, bottom ID) {
		p.must(func(tx *Tx) error {
			for range n {
				id := NewID(p.now)
				if err := tx.InsertBlock(BlockSpec{ID: id, Parent: bottom, Form: FormBody}); err != nil {
					return err
				}
				if bottom = id; top == "" {
					top = id
				}
			}
			return nil
		})
		return top, bottom
	}
	_, bottom := chain(300)
	short, _ := chain(maxDepth - 300)
	long, _ := chain(maxDepth - 299)
	p.must(func(tx *Tx) error { return tx.Move(short, bottom, Last()) })
	if _, err := p.commit(func(tx *Tx) error { return tx.Move(long, bottom, Last()) }); !errors.Is(err, kaijutsu.ErrTooLarge) {
		t.Errorf("one level too many = %v, want an error that wraps ErrTooLarge", err)
	}
	deepest := 0
	for _, b := range p.model.Blocks() {
		deepest = max(deepest, b.Depth)
	}
	if deepest != maxDepth-1 {
		t.Errorf("the deepest block is at %d, want %d", deepest, maxDepth-1)
	}
}

func TestACircleThatAMergeMadeCanBeMended(t *testing.T) {
	a := newPair(t, "amy.")
	x, y := a.insert(BlockSpec{Content: "x"}), a.insert(BlockSpec{Content: "y"})
	b := newPair(t, "ben.", a.raws...)
	one := a.must(func(tx *Tx) error { return tx.Move(x, y, Last()) })
	two := b.must(func(tx *Tx) error { return tx.Move(y, x, Last()) })
	a.receive(two)
	b.receive(one)
	if a.contents() != b.contents() || a.model.Len() != 2 {
		t.Fatalf("amy sees %q, ben %q", a.contents(), b.contents())
	}
	low, high := x, y // x hangs below y below x; the one with the lower id shows at the root
	if y < x {
		low, high = y, x
	}
	if _, err := a.commit(func(tx *Tx) error { return tx.Move(low, high, Last()) }); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("back into the circle = %v, want an error that wraps ErrInvalid", err)
	}
	a.must(func(tx *Tx) error { return tx.Move(high, "", Last()) })
	if d := a.block(high).Depth; d != 0 {
		t.Errorf("depth of what was moved to the root = %d", d)
	}
	if got := a.block(low); got.Depth != 1 || got.Parent != high {
		t.Errorf("what is left of the circle: %+v", got)
	}
}

func TestFlagsMetaAndTombstones(t *testing.T) {
	p := newPair(t, "actor")
	id := p.insert(BlockSpec{Content: "x", Collapsed: true, Ephemeral: true})
	child := p.insert(BlockSpec{Content: "y", Parent: id})
	if b := p.block(id); !b.Collapsed || b.Excluded || !b.Ephemeral {
		t.Errorf("flags of the spec: %+v", b)
	}
	for _, tt := range []struct {
		name string
		f    func(tx *Tx) error
		ok   func(Block) bool
	}{
		{"collapsed off", func(tx *Tx) error { return tx.SetFlag(id, FlagCollapsed, false) }, func(b Block) bool { return !b.Collapsed }},
		{"excluded on", func(tx *Tx) error { return tx.SetFlag(id, FlagExcluded, true) }, func(b Block) bool { return b.Excluded }},
		{"meta", func(tx *Tx) error { return tx.SetMeta(id, `{"lang":"go"}`) }, func(b Block) bool { return b.Meta == `{"lang":"go"}` }},
		{"no meta", func(tx *Tx) error { return tx.SetMeta(id, "") }, func(b Block) bool { return b.Meta == "" }},
		{"delete", func(tx *Tx) error { return tx.Delete(id) }, func(b Block) bool { return b.Deleted && p.model.Len() == 0 }},
		{"restore", func(tx *Tx) error { return tx.Restore(id) }, func(b Block) bool { return !b.Deleted && p.model.Len() == 2 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if c := p.change(tt.f); len(c.Ops) != 1 {
				t.Errorf("%d operations, want 1", len(c.Ops))
			}
			if b := p.block(id); !tt.ok(b) {
				t.Errorf("block = %+v", b)
			}
			if raw, err := p.commit(tt.f); raw != nil || err != nil {
				t.Errorf("again = %x, %v, want no change", raw, err)
			}
		})
	}
	if b := p.block(child); b.Deleted {
		t.Errorf("the child has a tombstone of its own")
	}
	p.must(func(tx *Tx) error { return tx.Delete(id) })
	for name, f := range map[string]func(tx *Tx) error{
		"append":  func(tx *Tx) error { return tx.AppendText(id, "y") },
		"splice":  func(tx *Tx) error { return tx.SpliceText(id, 0, 0, "y") },
		"replace": func(tx *Tx) error { return tx.ReplaceText(id, "y") },
		"move":    func(tx *Tx) error { return tx.Move(id, "", First()) },
	} {
		if _, err := p.commit(f); !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), "restore") {
			t.Errorf("%s a deleted block = %v, want an error that wraps ErrConflict", name, err)
		}
	}
	for name, err := range map[string]error{
		"flag":      commitError(p, func(tx *Tx) error { return tx.SetFlag(id, 9, true) }),
		"meta":      commitError(p, func(tx *Tx) error { return tx.SetMeta(id, "[]") }),
		"block":     commitError(p, func(tx *Tx) error { return tx.Delete("x") }),
		"none":      commitError(p, func(tx *Tx) error { return tx.SetFlag("", FlagCollapsed, true) }),
		"and moves": commitError(p, func(tx *Tx) error { return tx.Move(child, "x", Last()) }),
	} {
		if !errors.Is(err, kaijutsu.ErrInvalid) {
			t.Errorf("a bad %s: %v, want an error that wraps ErrInvalid", name, err)
		}
	}
}

func commitError(p *pair, f func(*Tx) error) error {
	_, err := p.commit(f)
	return err
}

func TestStatusNeverGoesBack(t *testing.T) {
	p := newPair(t, "actor")
	id := p.insert(BlockSpec{Status: StatusRunning, Content: "x"})
	if err := commitError(p, func(tx *Tx) error { return tx.SetStatus(id, StatusPending) }); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("running → pending = %v, want an error that wraps ErrConflict", err)
	}
	for _, s := range []Status{StatusCancelled, StatusDone, StatusError} {
		p.must(func(tx *Tx) error { return tx.SetStatus(id, s) })
		if got := p.block(id).Status; got != s {
			t.Errorf("status = %s, want %s", got, s)
		}
	}
}

func TestTheAnchorNamesTheContext(t *testing.T) {
	p := newPair(t, "actor")
	if got := p.model.Context(); got != (kaijutsu.ContextID{}) {
		t.Errorf("Context() of a fresh document = %v", got)
	}
	id := kaijutsu.NewContextID(p.now)
	c := p.change(func(tx *Tx) error { return tx.SetContext(id) })
	if got := p.model.Context(); got != id || len(c.Ops) != 1 || c.Ops[0].Key != "context" {
		t.Errorf("Context() = %v, want %v; operations %+v", got, id, c.Ops)
	}
	if raw, err := p.commit(func(tx *Tx) error { return tx.SetContext(id) }); raw != nil || err != nil {
		t.Errorf("again = %x, %v, want no change", raw, err)
	}
	fork := kaijutsu.NewContextID(p.now)
	p.must(func(tx *Tx) error { return errors.Join(tx.SetContext(fork), tx.SetTitle("fork")) })
	if got := p.model.Context(); got != fork || p.model.Title() != "fork" {
		t.Errorf("Context() = %v, want %v", got, fork)
	}
}

func TestPrimitivesOfUndo(t *testing.T) {
	p := newPair(t, "actor")
	id := p.insert(BlockSpec{Content: "one two three"})
	s := textOf(p.model, id)
	first := s.first.id
	p.must(func(tx *Tx) error { return tx.SpliceText(id, 3, 4, "") })
	p.must(func(tx *Tx) error {
		t := tx.text(s)
		if !t.insertAfter(tx, first.plus(6), " 2") { // behind a deleted element
			return errors.New("the element is gone")
		}
		if t.insertAfter(tx, opID{1, 99}, "x") || !t.insertAfter(tx, opID{}, "0 ") {
			return errors.New("an element that does not exist")
		}
		return nil
	})
	if got, want := p.block(id).Content, "0 one 2 three"; got != want {
		t.Errorf("content = %q, want %q", got, want)
	}
	p.must(func(tx *Tx) error {
		n := tx.text(s).deleteWhere(tx, func(elem opID) bool { return elem.counter >= first.counter && elem.counter < first.counter+13 })
		if n != 9 {
			return errors.New("it deletes others")
		}
		return nil
	})
	if got, want := p.block(id).Content, "0  2"; got != want {
		t.Errorf("content = %q, want %q", got, want)
	}
	checkModel(t, p.model)
}

// TestTheModelMayBeReadWhileATransactionWrites reads, which joins spans, while
// the transaction holds on to places between them.
func TestTheModelMayBeReadWhileATransactionWrites(t *testing.T) {
	p := newPair(t, "actor")
	id := p.insert(BlockSpec{Content: strings.Repeat("a", maxTyped)})
	for range 3 {
		p.must(func(tx *Tx) error { return tx.AppendText(id, strings.Repeat("b", maxTyped)) })
	}
	want := p.block(id).Content
	for i, pos := range []int{maxTyped, 2 * maxTyped, 2*maxTyped + 7} {
		p.must(func(tx *Tx) error {
			if err := tx.SpliceText(id, pos, 1, "x"); err != nil {
				return err
			}
			if got := p.block(id).Content; got != want {
				t.Errorf("read %d: the model shows what is not committed", i)
			}
			return tx.SpliceText(id, pos+1, 2, "yz")
		})
		want = want[:pos] + "xyz" + want[pos+3:]
		if got := p.block(id).Content; got != want {
			t.Errorf("edit %d: content = %q, want %q", i, got, want)
		}
		checkModel(t, p.model)
	}
	if textOf(p.model, id).pinned {
		t.Error("the text is held on to after the transaction")
	}
}
