package blocks

import (
	"slices"
	"strings"
	"testing"
)

func TestTreeQueries(t *testing.T) {
	h := newHandmade(t)
	for _, b := range [][3]int{{1, 0, 'a'}, {2, 1, 'b'}, {3, 1, 'a'}, {4, 3, 'a'}, {5, 0, 'b'}, {6, 5, 'a'}} {
		parent := ID("")
		if b[1] > 0 {
			parent = testID(b[1])
		}
		h.apply(0, blockOps(h.next, testID(b[0]), parent, string(rune(b[2]))), "mm", genesisActor)
	}
	m := h.model
	numbers := func(ids []ID) string {
		var out strings.Builder
		for _, id := range ids {
			out.WriteString(string(id[len(id)-1:]))
		}
		return out.String()
	}
	check := func(what string, got []ID, want string) {
		t.Helper()
		if g := numbers(got); g != want {
			t.Errorf("%s = %s, want %s", what, g, want)
		}
	}
	check("Roots", m.Roots(), "15")
	check("Children(1)", m.Children(testID(1)), "32")
	check("Children(4)", m.Children(testID(4)), "")
	check("Children(9)", m.Children(testID(9)), "")
	check("Ancestors(4)", m.Ancestors(testID(4)), "31")
	check("Ancestors(1)", m.Ancestors(testID(1)), "")
	check("Ancestors(9)", m.Ancestors(testID(9)), "")
	check("Subtree(1)", m.Subtree(testID(1)), "1342")
	check("Subtree(9)", m.Subtree(testID(9)), "")

	p := newPair(t, "actor")
	var ids []ID
	for i, parent := range []int{0, 1, 2, 1} {
		spec := BlockSpec{Content: string(rune('1' + i))}
		if parent > 0 {
			spec.Parent = ids[parent-1]
		}
		ids = append(ids, p.insert(spec))
	}
	p.must(func(tx *Tx) error { return tx.Delete(ids[1]) })
	if got, want := p.model.Children(ids[0]), []ID{ids[3]}; !slices.Equal(got, want) {
		t.Errorf("Children with one deleted = %v, want %v", got, want)
	}
	if got, want := p.model.Subtree(ids[0]), []ID{ids[0], ids[3]}; !slices.Equal(got, want) {
		t.Errorf("Subtree with one deleted = %v, want %v", got, want)
	}
	if got, want := p.model.Subtree(ids[1]), []ID{ids[1], ids[2]}; !slices.Equal(got, want) {
		t.Errorf("Subtree of a deleted block = %v, want %v", got, want)
	}
}

// TestACircleThatMergingMakes lets two replicas hang two blocks below each
// other.
func TestACircleThatMergingMakes(t *testing.T) {
	a := newPair(t, "aaaa")
	x := a.insert(BlockSpec{Content: "x"})
	y := a.insert(BlockSpec{Content: "y"})
	z := a.insert(BlockSpec{Content: "z", Parent: y})
	b := newPair(t, "bbbb", a.raws...)
	a.must(func(tx *Tx) error { return tx.Move(x, z, Last()) })
	b.must(func(tx *Tx) error { return tx.Move(y, x, Last()) })
	a.pull(b)
	b.pull(a)
	for name, p := range map[string]*pair{"a": a, "b": b} {
		lowest := min(x, y, z)
		if got := p.model.Roots(); !slices.Equal(got, []ID{lowest}) {
			t.Errorf("%s: Roots = %v, want %v", name, got, lowest)
		}
		if got := p.model.Subtree(lowest); len(got) != 3 || len(p.model.Ancestors(got[2])) != 2 || len(p.model.Ancestors(lowest)) != 0 {
			t.Errorf("%s: Subtree = %v", name, got)
		}
		if p.model.Len() != 3 {
			t.Errorf("%s: %d blocks show, want 3", name, p.model.Len())
		}
		checkModel(t, p.model)
	}
}

// TestTheTreeAfterMergesIsBounded merges two deep trees into one that is too
// deep.
func TestTheTreeAfterMergesIsBounded(t *testing.T) {
	a := newPair(t, "aaaa")
	chain := func(p *pair) (top, bottom ID) {
		p.must(func(tx *Tx) error {
			for range maxDepth - 10 {
				spec := BlockSpec{ID: NewID(p.now), Parent: bottom, Form: FormBody}
				if err := tx.InsertBlock(spec); err != nil {
					return err
				}
				if bottom = spec.ID; top == "" {
					top = spec.ID
				}
			}
			return nil
		})
		return top, bottom
	}
	_, middle := chain(a)
	b := newPair(t, "bbbb", a.raws...)
	top := b.insert(BlockSpec{})
	a.pull(b)
	a.must(func(tx *Tx) error { return tx.Move(top, middle, Last()) })
	b.must(func(tx *Tx) error {
		parent := top
		for range maxDepth - 10 {
			spec := BlockSpec{ID: NewID(b.now), Parent: parent, Form: FormBody}
			if err := tx.InsertBlock(spec); err != nil {
				return err
			}
			parent = spec.ID
		}
		return nil
	})
	a.pull(b)
	b.pull(a)
	for name, p := range map[string]*pair{"a": a, "b": b} {
		deepest := 0
		for _, block := range p.model.Blocks() {
			deepest = max(deepest, block.Depth)
			if n := len(p.model.Ancestors(block.ID)); n != block.Depth {
				t.Fatalf("%s: %d ancestors at depth %d", name, n, block.Depth)
			}
		}
		if deepest != maxDepth-1 || p.model.Len() != 2*(maxDepth-10)+1 {
			t.Errorf("%s: %d blocks, the deepest at %d", name, p.model.Len(), deepest)
		}
	}
}

func TestSummaries(t *testing.T) {
	long := strings.Repeat("é😀", 80)
	tests := []struct {
		name, content, head string
		lines               int
	}{
		{"nothing", "", "", 0},
		{"a line", "one", "one", 1},
		{"an ended line", "one\n", "one\n", 1},
		{"lines", "one\ntwo\n\nfour", "one\ntwo\n\nfour", 4},
		{"a line feed", "\n", "\n", 1},
		{"a long line", long, strings.Repeat("é😀", 50), 1},
		{"long lines", long + "\n" + long + "\n", strings.Repeat("é😀", 50), 2},
	}
	for _, tt := range tests {
		for _, form := range []Form{FormText, FormBody, FormChunks} {
			t.Run(tt.name+" as "+string(form), func(t *testing.T) {
				p := newPair(t, "actor")
				id := p.insert(BlockSpec{Form: form, Role: RoleModel, Status: StatusRunning})
				if form == FormBody {
					id = p.insert(BlockSpec{Form: form, Content: tt.content})
				} else {
					for part := range strings.SplitAfterSeq(tt.content, "😀") {
						p.must(func(tx *Tx) error { return tx.AppendText(id, part) })
					}
				}
				check := func(s Summary) {
					t.Helper()
					b := p.block(id)
					if s.Content != tt.head || s.Lines != tt.lines || s.More != (tt.head != tt.content) {
						t.Errorf("summary = %q of %d lines, more %v, want %q of %d", s.Content, s.Lines, s.More, tt.head, tt.lines)
					}
					if s.Content = b.Content; s.Block != b {
						t.Errorf("summary = %+v, want %+v", s.Block, b)
					}
				}
				s, ok := p.model.Summary(id)
				if !ok {
					t.Fatal("no summary")
				}
				check(s)
				for s := range p.model.Summaries() {
					if s.ID == id {
						check(s)
					}
				}
				s, _ = p.model.Summary(id) // now that the content was put together
				check(s)
			})
		}
	}
}

// BenchmarkSummaries lists the 10,000 blocks of a large context.
func BenchmarkSummaries(b *testing.B) {
	m, _ := largeModel()
	list := func() (n int) {
		for s := range m.Summaries() {
			n += s.Lines
		}
		return n
	}
	b.Run("unchanged", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			list()
		}
	})
	b.Run("after an insert", func(b *testing.B) {
		for b.Loop() {
			m.tree.invalid = true
			list()
		}
	})
}
