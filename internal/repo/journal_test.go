package repo_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// told keeps what a repo says is committed.
type told struct {
	mu  sync.Mutex
	all []repo.Committed // guarded by mu
}

// listen has a house tell, and trace every document.
func (l *told) listen(c *repo.Config, _ *store.Options) {
	c.Trace = func(kaijutsu.DocumentID) bool { return true }
	c.Committed = func(c repo.Committed) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.all = append(l.all, c)
	}
}

func (l *told) of(doc kaijutsu.DocumentID) []repo.Committed {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(l.all), func(c repo.Committed) bool { return c.Doc != doc || c.Deleted })
}

func journal(t testing.TB, r *repo.Repo, after uint64) []repo.Entry {
	t.Helper()
	var entries []repo.Entry
	for e, err := range r.Journal(after) {
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	return entries
}

// checkJournal holds a journal that was never pruned against the documents: its
// numbers have no gaps, and of every document its entries name each change of
// its own once, in order.
func checkJournal(t testing.TB, h *house) {
	t.Helper()
	upTo := make(map[kaijutsu.DocumentID]uint64)
	for i, e := range journal(t, h.repo, 0) {
		if e.Seq != uint64(i)+1 {
			t.Fatalf("entry %d of the journal has number %d", i+1, e.Seq)
		}
		at, known := upTo[e.Doc]
		if !known {
			at = e.From
			if info, err := h.store.Info(t.Context(), e.Doc); err == nil && info.Before != e.From {
				t.Errorf("entry %d is the first of document %s and begins at %d, want %d", e.Seq, e.Doc, e.From, info.Before)
			}
		}
		if e.From != at || e.N == 0 {
			t.Errorf("entry %d has %d changes of document %s from %d on, want from %d", e.Seq, e.N, e.Doc, e.From, at)
		}
		upTo[e.Doc] = e.From + e.N
	}
	for s, err := range h.store.Summaries() {
		if err != nil {
			t.Fatal(err)
		}
		if upTo[s.Doc] != s.Changes {
			t.Errorf("the journal has document %s up to %d, the store up to %d", s.Doc, upTo[s.Doc], s.Changes)
		}
		if heads := headsOf(t, h.repo, s.Doc); !heads.Equal(s.Heads) {
			t.Errorf("the summary of document %s has heads %v, want %v", s.Doc, s.Heads, heads)
		}
	}
}

// TestCommittedTellsTheJournal edits documents at once, by peers and here, and
// holds what is told against the journal.
func TestCommittedTellsTheJournal(t *testing.T) {
	var l told
	h := open(t, t.TempDir(), l.listen)
	var docs []kaijutsu.DocumentID
	for range 6 {
		docs = append(docs, newContext(t, h.repo, "Plan"))
	}
	var writers sync.WaitGroup
	for _, doc := range docs {
		for range 3 {
			writers.Go(func() {
				for n := range 20 {
					_, err := h.repo.Edit(t.Context(), doc, repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error {
						if n%7 == 3 {
							return errors.New("no")
						}
						return tx.InsertBlock(blocks.BlockSpec{ID: blocks.NewID(time.Now()), Content: "one"})
					})
					if err != nil && n%7 != 3 {
						t.Error(err)
					}
				}
			})
		}
	}
	writers.Wait()
	past := headsOf(t, h.repo, docs[0])
	docs = append(docs, fork(t, h.repo, docs[0], nil, "Fork"), fork(t, h.repo, docs[0], past, "Past"))
	insert(t, h.repo, docs[6], "two")
	checkJournal(t, h)
	entries := journal(t, h.repo, 0)
	seen := make(map[uint64]bool)
	for _, doc := range docs {
		list := l.of(doc)
		for i, c := range list {
			e := repo.Entry{Seq: c.Seq, Doc: doc, From: c.From, N: c.Version - c.From}
			if seen[c.Seq] || entries[c.Seq-1] != e || int(e.N) != len(c.Changes) {
				t.Errorf("told %+v of %d changes, twice: %v; the journal has %+v", e, len(c.Changes), seen[c.Seq], entries[c.Seq-1])
			}
			seen[c.Seq] = true
			if i > 0 && (c.From != list[i-1].Version || !c.Before.Equal(list[i-1].Heads)) {
				t.Errorf("told of document %s from %d at %v, behind %d at %v", doc, c.From, c.Before, list[i-1].Version, list[i-1].Heads)
			}
			if fork := c.Base != nil; fork != (i == 0 && list[0].From > 0) || fork == c.Traced {
				t.Errorf("document %s: commit %d says it makes a fork: %v, traced: %v", doc, i, fork, c.Traced)
			}
			if anchored := c.Anchor != (kaijutsu.ChangeHash{}); anchored != (i == 0) {
				t.Errorf("document %s: commit %d has anchor %v", doc, i, c.Anchor)
			}
			if last := c.Changes[len(c.Changes)-1]; c.Traced && !last.Heads.Equal(c.Heads) {
				t.Errorf("document %s: the last change leaves heads %v, the commit %v", doc, last.Heads, c.Heads)
			}
		}
		if last := list[len(list)-1]; !last.Heads.Equal(headsOf(t, h.repo, doc)) {
			t.Errorf("last told heads %v, want %v", last.Heads, headsOf(t, h.repo, doc))
		}
	}
	if len(seen) != len(entries) {
		t.Errorf("told of %d entries, the journal has %d", len(seen), len(entries))
	}
}

// TestJournalIsPruned deletes entries from its beginning, also all, and closes.
func TestJournalIsPruned(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir, nil)
	doc := newContext(t, h.repo, "Plan")
	for range 40 {
		insert(t, h.repo, doc, "one")
	}
	whole := journal(t, h.repo, 0)
	last := whole[len(whole)-1].Seq
	for _, upTo := range []uint64{0, 1, 17, 5, last - 1, last} {
		if err := h.repo.PruneJournal(t.Context(), upTo); err != nil {
			t.Fatal(err)
		}
		first, end := h.repo.JournalEnds()
		upTo = max(upTo, whole[0].Seq-1)
		if upTo != 5 && first != upTo+1 || end != last {
			t.Errorf("JournalEnds() after pruning up to %d = %d, %d, want %d, %d", upTo, first, end, upTo+1, last)
		}
		if got := journal(t, h.repo, 0); !slices.Equal(got, whole[first-1:]) {
			t.Errorf("after pruning up to %d the journal has %d entries, want %d", upTo, len(got), len(whole[first-1:]))
		}
		if after := first + 3; after < last && !slices.Equal(journal(t, h.repo, after), whole[after:]) {
			t.Errorf("Journal(%d) after pruning up to %d is not the end of the whole", after, upTo)
		}
	}
	if err := h.repo.PruneJournal(t.Context(), last+1); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("PruneJournal(%d) = %v, want ErrInvalid: there is no such entry", last+1, err)
	}
	h.close(t)
	h = open(t, dir, nil)
	insert(t, h.repo, doc, "two")
	if got := journal(t, h.repo, 0); len(got) != 1 || got[0].Seq != last+1 || got[0].From != 42 {
		t.Errorf("the journal after another edit is %+v, want one entry %d from 42 on", got, last+1)
	}
}

// TestReplayIsWhatWasTold traces edits of several peers and replays them from
// many places, also in another process, and in one in which nobody followed.
func TestReplayIsWhatWasTold(t *testing.T) {
	dir := t.TempDir()
	var l told
	h := open(t, dir, l.listen)
	doc := newContext(t, h.repo, "Plan")
	ids := []blocks.ID{insert(t, h.repo, doc, "first")}
	peers := []*replica{newReplica(t), newReplica(t)}
	for _, p := range peers {
		p.join(h, doc)
		p.until("the peer has the document", func() bool { return p.graph.Heads().Equal(headsOf(t, h.repo, doc)) })
	}
	for n := range 150 {
		p := peers[n%2]
		if n%5 == 0 {
			p.until("the peer is up to date", func() bool { return p.graph.Heads().Equal(headsOf(t, h.repo, doc)) })
		}
		p.put(1)
		p.push()
		id := ids[rand.IntN(len(ids))]
		_, err := h.repo.Edit(t.Context(), doc, repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error {
			switch n % 4 {
			case 0:
				id := blocks.NewID(time.Now())
				ids = append(ids, id)
				return tx.InsertBlock(blocks.BlockSpec{ID: id, Content: fmt.Sprint("block ", n)})
			case 1:
				return tx.SetTitle(fmt.Sprint("title ", n))
			}
			return tx.AppendText(id, fmt.Sprint("+", n))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var want []repo.Change
	for _, c := range l.of(doc) {
		if !c.Traced {
			t.Errorf("the changes from %d on are not traced", c.From)
		}
		want = append(want, c.Changes...)
	}
	check := func(r *repo.Repo, from, to uint64) {
		t.Helper()
		at := from
		err := r.Replay(t.Context(), doc, from, to, func(version uint64, c repo.Change) error {
			w := want[at]
			if at++; version != at || c.Hash != w.Hash || c.By != w.By || c.Via != w.Via || !c.Heads.Equal(w.Heads) || fmt.Sprint(steps(c)) != fmt.Sprint(steps(w)) {
				t.Errorf("Replay(%d, %d) has at version %d (told %d) change %v by %v with %v, want %v by %v with %v", from, to, at, version, c.Hash, c.By, steps(c), w.Hash, w.By, steps(w))
			}
			return nil
		})
		if to == 0 {
			to = uint64(len(want))
		}
		if err != nil || at != to {
			t.Errorf("Replay(%d, %d) = %v, ends at %d, want %d", from, to, err, at, to)
		}
	}
	n := uint64(len(want))
	everywhere := func(r *repo.Repo) {
		t.Helper()
		for _, from := range []uint64{n, n - 1, 0, 7, 200, 3, n / 2} {
			check(r, from, 0)
			check(r, from, min(n, from+5))
		}
	}
	everywhere(h.repo)
	gone := errors.New("gone")
	if err := h.repo.Replay(t.Context(), doc, 0, 0, func(v uint64, _ repo.Change) error {
		if v == 9 {
			return gone
		}
		return nil
	}); !errors.Is(err, gone) {
		t.Errorf("Replay with a function that fails = %v, want its error", err)
	}
	for what, err := range map[string]error{
		"behind the end":      h.repo.Replay(t.Context(), doc, n+1, 0, nil),
		"an unknown document": h.repo.Replay(t.Context(), newDocument(t), 0, 0, nil),
	} {
		if !errors.Is(err, kaijutsu.ErrNotFound) {
			t.Errorf("Replay of %s = %v, want ErrNotFound", what, err)
		}
	}
	h.close(t)
	h = open(t, dir, func(c *repo.Config, _ *store.Options) { c.SnapshotChanges = 20 })
	var crowd sync.WaitGroup
	for range 8 {
		crowd.Go(func() { everywhere(h.repo) })
	}
	crowd.Wait()
}

// steps is what a change did, in a form that can be compared: numbers of blocks
// in the place of pointers.
func steps(c repo.Change) []string {
	var out []string
	for _, s := range c.Steps {
		var b blocks.Block
		if s.Block != nil {
			b = *s.Block
		}
		s.Block = nil
		out = append(out, fmt.Sprintf("%+v %+v", s, b))
	}
	return out
}
