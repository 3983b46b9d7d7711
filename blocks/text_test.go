package blocks

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/automerge/automerge-go"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// writer is a replica that types with automerge-go, and the model that follows.
type writer struct {
	doc   *automerge.Doc
	text  *automerge.Text
	model *Model
	since []automerge.ChangeHash
}

// follow lets the model take in what the document has and the model has not.
func (w *writer) follow(t *testing.T) []Delta {
	t.Helper()
	changes, err := w.doc.Changes(w.since...)
	if err != nil {
		t.Fatal(err)
	}
	w.since = w.doc.Heads()
	var deltas []Delta
	for _, c := range changes {
		deltas = append(deltas, w.model.Apply(must(amfile.DecodeChange(c.Save()))))
	}
	return deltas
}

// TestTextsReadAsInAutomergeGo types into one text from three replicas: words
// one key at a time, pastes, deletions, with reads in between.
func TestTextsReadAsInAutomergeGo(t *testing.T) {
	for seed := range envInt("KJ_ROUNDS", 2) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rng := rand.New(rand.NewSource(int64(seed)))
			p := newPair(t, "base")
			id := p.insert(BlockSpec{Content: "start"})
			var writers []*writer
			for range 3 {
				w := &writer{doc: p.library(), model: NewModel()}
				w.text = w.doc.Path("pages", id.Page(), string(id), "text").Text()
				w.follow(t)
				writers = append(writers, w)
			}
			for range 60 {
				w := writers[rng.Intn(len(writers))]
				w.edit(t, rng)
				if rng.Intn(5) == 0 {
					other := writers[rng.Intn(len(writers))]
					if other != w {
						if _, err := w.doc.Merge(other.doc); err != nil {
							t.Fatal(err)
						}
					}
				}
				w.follow(t)
				if rng.Intn(3) == 0 {
					w.compare(t, id)
				}
			}
			for _, w := range writers {
				for _, other := range writers {
					if other != w {
						if _, err := w.doc.Merge(other.doc); err != nil {
							t.Fatal(err)
						}
					}
				}
				w.follow(t)
				w.compare(t, id)
				checkModel(t, w.model)
				var changes []*amfile.Change
				for _, c := range must(w.doc.Changes()) {
					changes = append(changes, must(amfile.DecodeChange(c.Save())))
				}
				follow(t, changes)
			}
		})
	}
}

// edit types, pastes or deletes somewhere.
func (w *writer) edit(t *testing.T, rng *rand.Rand) {
	t.Helper()
	size := w.text.Len()
	pos := rng.Intn(size + 1)
	if rng.Intn(3) == 0 {
		pos = size
	}
	var err error
	switch rng.Intn(4) {
	case 0: // typed, a change for each key
		for range rng.Intn(400) {
			err = w.text.Insert(pos, string([]rune("abcé漢😀")[rng.Intn(6)]))
			pos++
			commitLibrary(t, w.doc)
		}
	case 1:
		err = w.text.Insert(pos, strings.Repeat("paste é😀 ", 1+rng.Intn(60)))
	case 2: // deleted backwards, as with a key held down
		for range min(rng.Intn(40), pos) {
			pos--
			err = w.text.Delete(pos, 1)
			commitLibrary(t, w.doc)
		}
	case 3:
		err = w.text.Delete(pos, rng.Intn(size-pos+1))
	}
	if err != nil {
		t.Fatal(err)
	}
	_, _ = w.doc.Commit("") // an error says that nothing was written
}

func (w *writer) compare(t *testing.T, id ID) {
	t.Helper()
	want, err := w.text.Get()
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := w.model.Block(id); b.Content != want {
		t.Fatalf("Content = %q\nwant      %q", b.Content, want)
	}
}

// handmade makes changes of operations that no editor makes.
type handmade struct {
	t     *testing.T
	model *Model
	next  uint64
	seq   map[kaijutsu.ActorID]uint64
	// examined is called with each change before it is applied, if set, and
	// applied with what the model said of it.
	examined func(*amfile.Change)
	applied  func(*amfile.Change, Delta)
}

// take gives a change to the model.
func (h *handmade) take(c *amfile.Change) Delta {
	if h.examined != nil {
		h.examined(c)
	}
	d := h.model.Apply(c)
	if h.applied != nil {
		h.applied(c, d)
	}
	return d
}

func newHandmade(t *testing.T) *handmade {
	h := &handmade{t: t, model: NewModel(), seq: make(map[kaijutsu.ActorID]uint64)}
	h.model.Apply(Genesis())
	h.next = Genesis().MaxOp() + 1
	return h
}

// apply makes a change whose first operation has the counter at, 0 for the
// next. References are to the author's own operations unless others are given.
func (h *handmade) apply(at uint64, ops []amfile.Op, actors ...kaijutsu.ActorID) Delta {
	h.t.Helper()
	if at == 0 {
		at = h.next
	}
	h.seq[actors[0]]++
	c := &amfile.Change{Actors: actors, Seq: h.seq[actors[0]], StartOp: at, Time: 1, Ops: ops}
	if err := amfile.EncodeChange(c); err != nil {
		h.t.Fatal(err)
	}
	h.next = max(h.next, c.MaxOp()+1)
	return h.take(c)
}

// genesisActor is behind the author in a change that refers to the pages.
const genesisActor = kaijutsu.ActorID("kaijutsu-genesis")

// pageID returns the operation that made a block's page.
func pageID(id ID) amfile.OpID {
	return amfile.OpID{Counter: 4 + uint64(pageOf(string(id))), Actor: 1}
}

func own(counter uint64) amfile.OpID { return amfile.OpID{Counter: counter} }

func TestElementsWithSeveralValues(t *testing.T) {
	h := newHandmade(t)
	id := NewID(testTime)
	at := h.next
	text, a, b := at+1, at+2, at+3
	h.apply(0, []amfile.Op{
		{Action: amfile.MakeMap, Obj: pageID(id), Key: string(id)},
		{Action: amfile.MakeText, Obj: own(at), Key: "text"},
		{Action: amfile.Put, Obj: own(text), Seq: true, Insert: true, Value: amfile.StringValue("a")},
		{Action: amfile.Put, Obj: own(text), Seq: true, Insert: true, Elem: own(a), Value: amfile.StringValue("b")},
		{Action: amfile.Put, Obj: own(text), Seq: true, Insert: true, Elem: own(b), Value: amfile.StringValue("c")},
	}, "mm", genesisActor)
	content := func(want string) {
		t.Helper()
		if got, _ := h.model.Block(id); got.Content != want {
			t.Errorf("Content = %q, want %q", got.Content, want)
		}
	}
	content("abc")
	theirs := func(counter uint64) amfile.OpID { return amfile.OpID{Counter: counter, Actor: 1} }
	over := func(elem uint64, action amfile.Action, value amfile.Value, preds ...amfile.OpID) amfile.Op {
		return amfile.Op{Action: action, Obj: theirs(text), Seq: true, Elem: theirs(elem), Value: value, Pred: preds}
	}
	// Two put a value over b at once, a third deletes it at the same time.
	at = h.next
	h.apply(at, []amfile.Op{over(b, amfile.Put, amfile.StringValue("X"), theirs(b))}, "aa", "mm")
	content("aXc")
	h.apply(at, []amfile.Op{over(b, amfile.Put, amfile.StringValue("Y"), theirs(b))}, "zz", "mm")
	content("aYc")
	h.apply(at, []amfile.Op{over(b, amfile.Delete, amfile.NullValue(), theirs(b))}, "dd", "mm")
	content("aYc")
	// The winner is deleted: the other value surfaces.
	h.apply(0, []amfile.Op{{Action: amfile.Delete, Obj: amfile.OpID{Counter: text, Actor: 1}, Seq: true, Elem: amfile.OpID{Counter: b, Actor: 1},
		Pred: []amfile.OpID{{Counter: at, Actor: 2}}}}, "dd", "mm", "zz")
	content("aXc")
	h.apply(0, []amfile.Op{{Action: amfile.Delete, Obj: amfile.OpID{Counter: text, Actor: 2}, Seq: true, Elem: amfile.OpID{Counter: b, Actor: 2},
		Pred: []amfile.OpID{{Counter: at, Actor: 1}}}}, "dd", "aa", "mm")
	content("ac")
	// A value put over a deleted element by one who did not know.
	h.apply(at, []amfile.Op{over(b, amfile.Put, amfile.IntValue(7), theirs(b))}, "ee", "mm")
	content("a\uFFFCc")
	// Deleted twice at once.
	at = h.next
	h.apply(at, []amfile.Op{over(a, amfile.Delete, amfile.NullValue(), theirs(a))}, "ff", "mm")
	h.apply(at, []amfile.Op{over(a, amfile.Delete, amfile.NullValue(), theirs(a))}, "gg", "mm")
	content("\uFFFCc")
	checkModel(t, h.model)
}

func TestOperationsWithoutAPastChangeNothing(t *testing.T) {
	h := newHandmade(t)
	id := NewID(testTime)
	at := h.next
	h.apply(0, []amfile.Op{
		{Action: amfile.MakeMap, Obj: pageID(id), Key: string(id)},
		{Action: amfile.MakeText, Obj: own(at), Key: "text"},
		{Action: amfile.Put, Obj: own(at + 1), Seq: true, Insert: true, Value: amfile.StringValue("a")},
	}, "mm", genesisActor)
	want, _ := h.model.Block(id)
	there := func(n uint64) amfile.OpID { return amfile.OpID{Counter: n, Actor: 1} }
	h.apply(0, []amfile.Op{
		{Action: amfile.Put, Obj: there(at + 1), Seq: true, Insert: true, Elem: there(3), Value: amfile.StringValue("b")},
		{Action: amfile.Delete, Obj: there(at + 1), Seq: true, Elem: there(2), Pred: []amfile.OpID{there(2)}},
		{Action: amfile.Put, Obj: there(1), Seq: true, Insert: true, Value: amfile.StringValue("b")},
		{Action: amfile.Put, Obj: there(at + 1), Key: "text", Value: amfile.StringValue("b")},
		{Action: amfile.Put, Obj: there(at), Seq: true, Insert: true, Value: amfile.StringValue("b")},
		{Action: amfile.Increment, Obj: there(at), Key: "kind", Value: amfile.IntValue(1), Pred: []amfile.OpID{there(at + 1)}},
	}, "aa", "mm")
	if got, _ := h.model.Block(id); got != want {
		t.Errorf("Block = %+v\nwant    %+v", got, want)
	}
	checkModel(t, h.model)
}

func TestApplyingAChangeTwiceDoesNothing(t *testing.T) {
	p := newPair(t, "actor")
	raw := p.must(func(tx *Tx) error { return tx.InsertBlock(BlockSpec{ID: NewID(p.now), Content: "x"}) })
	n := p.model.Changes()
	if d := p.model.Apply(must(amfile.DecodeChange(raw))); len(d.Blocks) != 0 || d.Title || p.model.Changes() != n || p.contents() != "x" {
		t.Errorf("Apply again = %+v, contents %q, %d changes", d, p.contents(), p.model.Changes())
	}
}

func TestTypingTouchesOneBlock(t *testing.T) {
	p := newPair(t, "actor")
	id := p.insert(BlockSpec{Content: "x"})
	other := p.insert(BlockSpec{Content: "y"})
	c, err := p.model.Commit(p.options(), func(tx *Tx) error { return tx.AppendText(id, "z") })
	if err != nil {
		t.Fatal(err)
	}
	got := p.model.Apply(c)
	if want := []Touched{{id, TouchContent}}; !slices.Equal(got.Blocks, want) || got.Actor != p.actor || !got.Time.Equal(p.now) || got.Title {
		t.Errorf("delta = %+v, want %v", got, want)
	}
	if b := p.block(other); b.Content != "y" {
		t.Errorf("the other block reads %q", b.Content)
	}
}

func TestModelForgetsWhatIsNoContext(t *testing.T) {
	doc := automerge.New()
	for i := range 50 {
		if err := doc.Path("todo", fmt.Sprint(i), "text").Set(automerge.NewText(strings.Repeat("x", 200))); err != nil {
			t.Fatal(err)
		}
	}
	m := NewModel()
	m.Apply(must(amfile.DecodeChange(commitLibrary(t, doc))))
	if m.IsContext() || m.Len() != 0 || m.Title() != "" || len(m.objects) != 0 || m.Bytes() > 1000 {
		t.Errorf("IsContext, Len, Title, objects, Bytes = %v, %d, %q, %d, %d", m.IsContext(), m.Len(), m.Title(), len(m.objects), m.Bytes())
	}
}

func TestTextsInsideChunks(t *testing.T) {
	p := newPair(t, "actor")
	id := p.insert(BlockSpec{Role: RoleModel, Status: StatusRunning, Content: "a"})
	doc := p.library()
	chunks := doc.Path("pages", id.Page(), string(id), "chunks").List()
	inside := automerge.NewText("plain")
	if err := chunks.Append(inside); err != nil {
		t.Fatal(err)
	}
	p.receive(commitLibrary(t, doc))
	if got, want := p.block(id).Content, "aplain"; got != want {
		t.Errorf("Content = %q, want %q", got, want)
	}
	if err := inside.Splice(0, 2, "x"); err != nil {
		t.Fatal(err)
	}
	p.receive(commitLibrary(t, doc))
	if got, want := p.block(id).Content, "axain"; got != want {
		t.Errorf("Content after an edit inside = %q, want %q", got, want)
	}
	p.must(func(tx *Tx) error { return tx.SetStatus(id, StatusDone) })
	if b := p.block(id); b.Form != FormBody || b.Content != "axain" {
		t.Errorf("sealed: %s %q, want body \"axain\"", b.Form, b.Content)
	}
}
