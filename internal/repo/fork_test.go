package repo_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// insert adds a block with this content, below parent, and returns its id.
func insert(t testing.TB, r *repo.Repo, doc kaijutsu.DocumentID, content string) blocks.ID {
	t.Helper()
	id := blocks.NewID(time.Now())
	_, err := r.Edit(t.Context(), doc, repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error {
		return tx.InsertBlock(blocks.BlockSpec{ID: id, Content: content})
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// contents lists the title and what the blocks of a context hold.
func contents(t testing.TB, r *repo.Repo, doc kaijutsu.DocumentID) []string {
	t.Helper()
	var got []string
	err := r.View(t.Context(), doc, func(v repo.View) error {
		got = append(got, v.Title())
		for _, b := range v.Blocks() {
			got = append(got, b.Content)
			if b.By != amy {
				return fmt.Errorf("block %q is by %v, want %v", b.Content, b.By, amy)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func wantContents(t testing.TB, r *repo.Repo, doc kaijutsu.DocumentID, want ...string) {
	t.Helper()
	if got := contents(t, r, doc); !slices.Equal(got, want) {
		t.Errorf("context %s holds %q, want %q", doc, got, want)
	}
}

func fork(t testing.TB, r *repo.Repo, doc kaijutsu.DocumentID, heads kaijutsu.Heads, title string) kaijutsu.DocumentID {
	t.Helper()
	cid, err := r.Fork(t.Context(), amy, doc, heads, title)
	if err != nil {
		t.Fatal(err)
	}
	return cid.Document()
}

func newContext(t testing.TB, r *repo.Repo, title string) kaijutsu.DocumentID {
	t.Helper()
	cid, err := r.CreateContext(t.Context(), amy, title)
	if err != nil {
		t.Fatal(err)
	}
	return cid.Document()
}

func headsOf(t testing.TB, r *repo.Repo, doc kaijutsu.DocumentID) kaijutsu.Heads {
	t.Helper()
	heads, err := r.Heads(t.Context(), doc)
	if err != nil {
		t.Fatal(err)
	}
	return heads
}

// TestForksGoTheirOwnWay forks a context now and in the past, and the fork
// again, and edits all of them, also after each of them was opened anew.
func TestForksGoTheirOwnWay(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir, nil)
	parent := newContext(t, h.repo, "Plan")
	insert(t, h.repo, parent, "one")
	past := headsOf(t, h.repo, parent)
	insert(t, h.repo, parent, "two")
	now := fork(t, h.repo, parent, nil, "")
	then := fork(t, h.repo, parent, past, "Before")
	both := fork(t, h.repo, parent, append(slices.Clone(past), headsOf(t, h.repo, parent)...), "") // one is behind the other
	again := fork(t, h.repo, now, nil, "Again")
	old := fork(t, h.repo, again, past, "Old")
	check := func(when string, extra ...string) {
		t.Helper()
		for doc, want := range map[kaijutsu.DocumentID][]string{
			parent: {"Plan", "one", "two"}, now: {"Plan", "one", "two"}, both: {"Plan", "one", "two"}, then: {"Before", "one"},
			again: {"Again", "one", "two"}, old: {"Old", "one"},
		} {
			want = slices.Clone(want)
			for _, e := range extra {
				want = append(want, doc.String()+e)
			}
			if got := contents(t, h.repo, doc); !slices.Equal(got, want) {
				t.Errorf("%s, context %s holds %q, want %q", when, doc, got, want)
			}
		}
	}
	edit := func(what string) {
		for _, doc := range []kaijutsu.DocumentID{parent, now, then, both, again, old} {
			insert(t, h.repo, doc, doc.String()+what)
		}
	}
	check("at first")
	edit(" a")
	check("after an edit", " a")
	h.close(t)
	h = open(t, dir, nil)
	check("after a restart", " a")
	edit(" b")
	check("after another edit", " a", " b")
	h.close(t)
	h = open(t, dir, nil)
	check("after another restart", " a", " b")
}

// TestForksTakeAsMuchAsAnEdit forks a small context and a large one: the fork
// has one change of its own, of the same size but for a longer number or two.
func TestForksTakeAsMuchAsAnEdit(t *testing.T) {
	h := open(t, t.TempDir(), nil)
	var sizes []uint64
	for _, n := range []int{1, 2000} {
		doc, _ := fillContext(t, h.repo, n)
		info, err := h.store.Info(t.Context(), fork(t, h.repo, doc, nil, ""))
		if err != nil || info.Changes-info.Before != 1 {
			t.Fatalf("Info of the fork = %+v, %v; want one change of its own", info, err)
		}
		sizes = append(sizes, info.Bytes)
	}
	if sizes[0] > 250 || sizes[1] > sizes[0]+16 {
		t.Errorf("forks of 1 and 2,000 blocks take %d bytes, want as much as an edit", sizes)
	}
}

func TestForkRefuses(t *testing.T) {
	h := open(t, t.TempDir(), nil)
	parent := newContext(t, h.repo, "Plan")
	plain := newDocument(t)
	a := newReplica(t)
	a.put(1)
	a.join(h, plain)
	a.until("the plain document is there", func() bool { return a.last.Heads.Equal(a.graph.Heads()) })
	for name, c := range map[string]struct {
		doc   kaijutsu.DocumentID
		heads kaijutsu.Heads
		by    kaijutsu.Principal
		want  error
		says  string
	}{
		"unknown document": {newDocument(t), nil, amy, kaijutsu.ErrNotFound, "fork document"},
		"unknown heads":    {parent, kaijutsu.Heads{{1, 2}}, amy, kaijutsu.ErrNotFound, "0102"},
		"no context":       {plain, nil, amy, kaijutsu.ErrInvalid, "no context"},
		"nobody":           {parent, nil, kaijutsu.Principal{}, kaijutsu.ErrDenied, "principal"},
	} {
		_, err := h.repo.Fork(t.Context(), c.by, c.doc, c.heads, "")
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("Fork(%s) = %v, want %v that says %q", name, err, c.want, c.says)
		}
	}
	if _, err := h.repo.Fork(t.Context(), amy, parent, nil, strings.Repeat("x", 1<<20)); !errors.Is(err, kaijutsu.ErrTooLarge) {
		t.Errorf("fork with a title too long: %v, want ErrTooLarge", err)
	}
	docs := 0
	for range h.store.Documents() {
		docs++
	}
	if docs != 2 {
		t.Errorf("there are %d documents, want the 2 that were forked in vain", docs)
	}
}

// TestForkIsWholeInTheEnd has a fork grow until it gets a snapshot: it rests on
// nothing then, and shows the same.
func TestForkIsWholeInTheEnd(t *testing.T) {
	dir := t.TempDir()
	small := func(c *repo.Config, _ *store.Options) { c.SnapshotChanges = 20 }
	h := open(t, dir, small)
	parent := newContext(t, h.repo, "Plan")
	insert(t, h.repo, parent, "one")
	doc := fork(t, h.repo, parent, nil, "Fork")
	want := []string{"Fork", "one"}
	info, err := h.store.Info(t.Context(), doc)
	if err != nil || info.Base == nil || info.Base.Doc != parent || info.Before != 3 || info.Changes != 4 {
		t.Fatalf("Info of the fork = %+v, %v; want 3 changes in %s and one more", info, err, parent)
	}
	for i := range 25 {
		insert(t, h.repo, doc, fmt.Sprint(i))
		want = append(want, fmt.Sprint(i))
	}
	eventually(t, "the fork is whole", func() bool {
		info, err := h.store.Info(t.Context(), doc)
		return err == nil && info.Base == nil && info.Covers > 0 && info.Changes == 29
	})
	wantContents(t, h.repo, doc, want...)
	h.close(t)
	h = open(t, dir, small)
	wantContents(t, h.repo, doc, want...)
	insert(t, h.repo, doc, "later")
	wantContents(t, h.repo, doc, append(want, "later")...)
	if err := h.repo.Delete(t.Context(), parent); err != nil {
		t.Fatal(err)
	}
	h.close(t)
	h = open(t, dir, small)
	wantContents(t, h.repo, doc, append(want, "later")...)
}

// TestDelete deletes a document that forks rest on, with a peer in it.
func TestDelete(t *testing.T) {
	dir := t.TempDir()
	var told []repo.Committed
	h := open(t, dir, func(c *repo.Config, _ *store.Options) {
		c.Committed = func(c repo.Committed) {
			if c.Deleted {
				told = append(told, c)
			}
		}
	})
	parent := newContext(t, h.repo, "Plan")
	insert(t, h.repo, parent, "one")
	doc := fork(t, h.repo, parent, nil, "Fork")
	again := fork(t, h.repo, doc, nil, "Again")
	insert(t, h.repo, doc, "two")
	a := newReplica(t)
	a.join(h, parent)
	a.until("the peer has it", func() bool { return a.graph.Len() == 3 })
	watch, err := h.repo.Watch(t.Context(), parent)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.repo.Delete(t.Context(), parent); err != nil {
		t.Fatal(err)
	}
	if len(told) != 1 || told[0].Doc != parent {
		t.Errorf("Committed was told %v, want that %s was deleted", told, parent)
	}
	if _, err := watch.Next(t.Context()); !errors.Is(err, repo.ErrDeleted) {
		t.Errorf("Next = %v, want ErrDeleted", err)
	}
	watch.Close()
	a.until("the peer is told", func() bool { return errors.Is(a.last.Ended, repo.ErrDeleted) })
	a.leave()
	check := func(when string) {
		t.Helper()
		_, err := h.repo.Edit(t.Context(), parent, repo.Edit{By: amy}, func(repo.View, *blocks.Tx) error { return nil })
		if !errors.Is(err, repo.ErrDeleted) || !errors.Is(err, kaijutsu.ErrNotFound) {
			t.Errorf("%s: Edit = %v, want ErrDeleted", when, err)
		}
		if _, err := h.repo.Fork(t.Context(), amy, parent, nil, ""); !errors.Is(err, repo.ErrDeleted) {
			t.Errorf("%s: Fork = %v, want ErrDeleted", when, err)
		}
		if err := h.repo.Delete(t.Context(), parent); !errors.Is(err, repo.ErrDeleted) {
			t.Errorf("%s: Delete = %v, want ErrDeleted", when, err)
		}
		if _, err := h.repo.Join(t.Context(), parent, repo.Joining{Principal: amy, Notify: func() {}}); !errors.Is(err, repo.ErrDeleted) {
			t.Errorf("%s: Join = %v, want ErrDeleted", when, err)
		}
		wantContents(t, h.repo, doc, "Fork", "one", "two")
		wantContents(t, h.repo, again, "Again", "one")
	}
	check("at once")
	h.close(t)
	h = open(t, dir, nil)
	check("after a restart")
	if err := h.repo.Delete(t.Context(), doc); err != nil { // it is under again
		t.Fatal(err)
	}
	wantContents(t, h.repo, again, "Again", "one")
	h.close(t)
	h = open(t, dir, nil)
	wantContents(t, h.repo, again, "Again", "one")
}

func TestImport(t *testing.T) {
	h := open(t, t.TempDir(), nil)
	parent := newContext(t, h.repo, "Plan")
	id := insert(t, h.repo, parent, "one")
	file, err := h.repo.Export(t.Context(), parent)
	if err != nil {
		t.Fatal(err)
	}
	ben := kaijutsu.Principal{Name: "ben", Kind: kaijutsu.Person}
	cid, err := h.repo.ImportDocument(t.Context(), ben, file)
	if err != nil {
		t.Fatal(err)
	}
	err = h.repo.View(t.Context(), cid.Document(), func(v repo.View) error {
		b, ok := v.Block(id)
		if !ok || b.Content != "one" || !b.By.IsZero() || b.Via != ben || v.Title() != "Plan" || v.Version() != 4 {
			t.Errorf("the imported context %q of %d changes has block %+v, want one by nobody known, via %v", v.Title(), v.Version(), b, ben)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	insert(t, h.repo, cid.Document(), "two")

	broken := slices.Clone(file)
	broken[len(broken)-1] ^= 1
	plain := newReplica(t)
	plain.put(1)
	orphan := newReplica(t)
	orphan.put(1)
	orphan.put(1)
	for name, file := range map[string][]byte{
		"nothing":      nil,
		"noise":        []byte("noise"),
		"damaged":      broken,
		"cut":          file[:len(file)-1],
		"no context":   plain.graph.Raw(0),
		"lacks a part": orphan.graph.Raw(1),
	} {
		if _, err := h.repo.ImportDocument(t.Context(), ben, file); !errors.Is(err, kaijutsu.ErrInvalid) {
			t.Errorf("ImportDocument(%s) = %v, want ErrInvalid", name, err)
		}
	}
}

// TestNewContextsHaveAnAnchor: the first change of a context says which it is,
// and is in the first message that a peer gets.
func TestNewContextsHaveAnAnchor(t *testing.T) {
	h := open(t, t.TempDir(), nil)
	parent := newContext(t, h.repo, "")
	insert(t, h.repo, parent, "one")
	for name, doc := range map[string]kaijutsu.DocumentID{"new": parent, "fork": fork(t, h.repo, parent, nil, "")} {
		a := newReplica(t)
		a.join(h, doc)
		a.until("it comes", func() bool { return a.first != nil })
		_, changes := decode(t, a.first)
		var named []string
		for _, c := range changes {
			for _, op := range c.Ops {
				if s, ok := op.Value.Str(); op.Key == "context" && op.Obj.Counter == 0 && op.Action == amfile.Put && ok {
					named = append(named, s)
				}
			}
		}
		want := kaijutsu.ContextID(doc.Bytes()).String()
		if len(named) == 0 || named[len(named)-1] != want {
			t.Errorf("the first message about the %s context names %q, want %s last", name, named, want)
		}
	}
}
