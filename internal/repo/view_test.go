package repo_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// TestThePast looks at a context as it was at each of its heads.
func TestThePast(t *testing.T) {
	h := open(t, t.TempDir(), nil)
	doc := newContext(t, h.repo, "Plan")
	var heads []kaijutsu.Heads
	for i := range 8 {
		insert(t, h.repo, doc, fmt.Sprint(i))
		heads = append(heads, headsOf(t, h.repo, doc))
	}
	err := h.repo.View(t.Context(), doc, func(v repo.View) error {
		for range 2 {
			for i := range heads {
				m, err := v.At(heads[i])
				if err != nil || m.Len() != i+1 || m.Blocks()[i].Content != fmt.Sprint(i) {
					t.Errorf("At(%v) has %d blocks, %v; want %d", heads[i], m.Len(), err, i+1)
				}
				since, err := v.Changes(heads[i])
				if want := 7 - i; err != nil || len(since) != want {
					t.Errorf("Changes(%v) = %v, %v; want %d", heads[i], since, err, want)
				}
			}
		}
		if all, err := v.Changes(nil); err != nil || len(all) != v.Log().Len() || int(v.Version()) != len(all) {
			t.Errorf("Changes(nil) = %v, %v; want %d", all, err, v.Log().Len())
		}
		for _, unknown := range []kaijutsu.Heads{{{1}}, {heads[0][0], {1}}} {
			if _, err := v.At(unknown); !errors.Is(err, kaijutsu.ErrNotFound) {
				t.Errorf("At(%v) = %v, want ErrNotFound", unknown, err)
			}
		}
		if _, err := v.At(nil); !errors.Is(err, kaijutsu.ErrInvalid) {
			t.Errorf("At(nil) = %v, want ErrInvalid", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestLog finds every operation of a document in the change that holds it.
func TestLog(t *testing.T) {
	h := open(t, t.TempDir(), nil)
	doc := newContext(t, h.repo, "Plan")
	for range 5 {
		insert(t, h.repo, doc, "some text")
	}
	err := h.repo.View(t.Context(), doc, func(v repo.View) error {
		l := v.Log()
		for i := range l.Len() {
			c, err := l.Change(i)
			if err != nil {
				return err
			}
			if at, ok := l.Index(c.Hash); !ok || at != i || l.Hash(i) != c.Hash || l.Author(i) != c.Author() {
				t.Errorf("Index(%v) = %d, %v; want %d", c.Hash, at, ok, i)
			}
			for counter := c.StartOp; counter <= c.MaxOp(); counter++ {
				if at, ok := l.Find(c.Author(), counter); !ok || at != i {
					t.Errorf("Find(%d) = %d, %v; want %d", counter, at, ok, i)
				}
			}
			if _, ok := l.Find(c.Author(), c.StartOp-1); ok && i > 0 && l.Author(i) != l.Author(i-1) {
				t.Errorf("Find(%d) finds what is not there", c.StartOp-1)
			}
		}
		if _, ok := l.Find("nobody", 1); ok {
			t.Error("Find finds an operation of nobody")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestEditsOfOneBatchSeeEachOther has many edits wait for the owner at once.
func TestEditsOfOneBatchSeeEachOther(t *testing.T) {
	h := open(t, t.TempDir(), nil)
	doc := newContext(t, h.repo, "Plan")
	id := insert(t, h.repo, doc, "")
	const n = 40
	held, free := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = h.repo.View(t.Context(), doc, func(repo.View) error {
			close(held)
			<-free
			return nil
		})
	})
	<-held
	versions := make([]uint64, n)
	for i := range n {
		wg.Go(func() {
			done, err := h.repo.Edit(t.Context(), doc, repo.Edit{By: amy, Message: "count"}, func(v repo.View, tx *blocks.Tx) error {
				b, _ := v.Block(id)
				if i%4 == 3 {
					return fmt.Errorf("not this one: %w", kaijutsu.ErrConflict)
				}
				return tx.ReplaceText(id, b.Content+"x")
			})
			if i%4 == 3 {
				if !errors.Is(err, kaijutsu.ErrConflict) {
					t.Errorf("Edit that refuses = %v, want its own error", err)
				}
				return
			}
			if err != nil || !slices.Equal(done.Heads, kaijutsu.Heads{done.Change}) {
				t.Errorf("Edit = %+v, %v", done, err)
			}
			versions[i] = done.Version
		})
	}
	close(free)
	wg.Wait()
	slices.Sort(versions)
	if got := slices.Compact(versions); len(got) != n*3/4+1 {
		t.Errorf("the edits have %d versions, want one each", len(got)-1)
	}
	err := h.repo.View(t.Context(), doc, func(v repo.View) error {
		if b, _ := v.Block(id); len(b.Content) != n*3/4 {
			t.Errorf("the block holds %d characters, want %d: each edit adds one", len(b.Content), n*3/4)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCommittedIsTold follows two documents by what is told of commits.
func TestCommittedIsTold(t *testing.T) {
	var mu sync.Mutex
	told := make(map[kaijutsu.DocumentID][]repo.Committed)
	dir := t.TempDir()
	hook := func(c *repo.Config, _ *store.Options) {
		c.Committed = func(c repo.Committed) {
			mu.Lock()
			defer mu.Unlock()
			told[c.Doc] = append(told[c.Doc], c)
		}
	}
	h := open(t, dir, hook)
	doc := newContext(t, h.repo, "Plan")
	id := insert(t, h.repo, doc, "one")
	peer := newReplica(t)
	peer.join(h, doc)
	peer.until("it is there", peer.current)
	peer.edit(func(tx *blocks.Tx) error { return tx.AppendText(id, "!") })
	peer.until("it is taken", peer.current)
	last := func(doc kaijutsu.DocumentID) repo.Committed {
		mu.Lock()
		defer mu.Unlock()
		all := told[doc]
		for i := 1; i < len(all); i++ {
			if all[i].Version <= all[i-1].Version {
				t.Errorf("version %d was told after %d", all[i].Version, all[i-1].Version)
			}
		}
		return all[len(all)-1]
	}
	c := last(doc)
	if c.All || c.Version != 4 || !c.Heads.Equal(headsOf(t, h.repo, doc)) || len(c.Deltas) != 1 || c.Deltas[0].By != amy ||
		len(c.Deltas[0].Blocks) != 1 || c.Deltas[0].Blocks[0] != (blocks.Touched{ID: id, How: blocks.TouchContent}) {
		t.Errorf("Committed = %+v, want that amy touched the content of %s", c, id)
	}
	child := fork(t, h.repo, doc, nil, "")
	if c := last(child); !c.All || len(c.Deltas) > 0 || c.Version != 5 {
		t.Errorf("Committed of a fork = %+v, want that all is new", c)
	}
	h.close(t)

	h = open(t, dir, hook)
	again := newReplica(t)
	again.graph = peer.graph
	again.join(h, doc)
	again.edit(func(tx *blocks.Tx) error { return tx.AppendText(id, "?") })
	again.until("it is taken", again.current)
	if c := last(doc); !c.All || c.Version != 5 {
		t.Errorf("Committed without a read model = %+v, want that anything may have changed", c)
	}
}

// TestManyForksDeep forks forks of forks: opening the last does not cost more
// and more.
func TestManyForksDeep(t *testing.T) {
	h := open(t, t.TempDir(), nil)
	doc := newContext(t, h.repo, "Plan")
	want := []string{"Plan"}
	deepest := 0
	for i := range 30 {
		insert(t, h.repo, doc, fmt.Sprint(i))
		want = append(want, fmt.Sprint(i))
		doc = fork(t, h.repo, doc, nil, "")
		depth, at := 0, doc
		for {
			info, err := h.store.Info(t.Context(), at)
			if err != nil {
				t.Fatal(err)
			}
			if info.Base == nil {
				break
			}
			depth, at = depth+1, info.Base.Doc
		}
		deepest = max(deepest, depth)
	}
	if deepest > 30/2 {
		t.Errorf("%d forks rest on each other, want no more than a few", deepest)
	}
	wantContents(t, h.repo, doc, want...)
}

// TestReviewEndsSessions takes a right away while nothing else happens.
func TestReviewEndsSessions(t *testing.T) {
	h := open(t, t.TempDir(), nil)
	doc := newContext(t, h.repo, "Plan")
	r, can := guest(t, h, doc, kaijutsu.RightRead)
	r.until("it is there", r.current)
	can.set(kaijutsu.RightNone)
	h.repo.Review(doc)
	r.until("it is over", func() bool { return errors.Is(r.last.Ended, kaijutsu.ErrDenied) })
	h.repo.Review(newDocument(t)) // nobody is there
}
