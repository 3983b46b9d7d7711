package cluster

import (
	"context"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/repo"
)

// twice returns two changes of one actor with one number, of a document that a
// house holds.
func twice(h *house, doc kaijutsu.DocumentID) (one, other *amfile.Change) {
	h.t.Helper()
	m := blocks.NewModel()
	changes, err := h.repo.Changes(context.Background(), doc, 0, 100)
	if err != nil {
		h.t.Fatal(err)
	}
	var heads []kaijutsu.ChangeHash
	startOp := uint64(1)
	for _, c := range changes {
		m.Apply(c)
		heads, startOp = []kaijutsu.ChangeHash{c.Hash}, c.MaxOp()+1
	}
	write := func(title string) *amfile.Change {
		c, err := m.Commit(blocks.CommitOptions{Actor: "an actor of it", Seq: 1, StartOp: startOp, Deps: heads, Time: time.Unix(1, 0)},
			func(tx *blocks.Tx) error { return tx.SetTitle(title) })
		if err != nil {
			h.t.Fatal(err)
		}
		return c
	}
	return write("one"), write("another")
}

// TestSplit has a client write one thing at one node and another at the other,
// under one number: that cannot be mended by nodes. They say so, and how people
// mend it, and lose nothing.
func TestSplit(t *testing.T) {
	s := newStreet(t)
	a, b := s.house("a"), s.house("b")
	doc := a.create("context")
	together(a, b)
	one, other := twice(a, doc)
	s.stop() // so that neither hears of the other's in time
	for h, c := range map[*house]*amfile.Change{a: one, b: other} {
		session, err := h.repo.Join(context.Background(), doc, repo.Joining{Principal: amy, Notify: func() {}})
		if err != nil {
			t.Fatal(err)
		}
		defer session.Leave()
		m := &amfile.SyncMessage{Version: 1, Heads: kaijutsu.Heads{c.Hash}}
		if err := session.ReceiveWhole(context.Background(), m, []*amfile.Change{c}, false); err != nil {
			t.Fatal(err)
		}
	}
	ours, theirs := a.edit(doc, "honest at a"), b.edit(doc, "honest at b")
	s.start()
	for _, h := range []*house{a, b} {
		h.await("it is said that the context is split", func() bool {
			return strings.Contains(strings.Join(h.status().Problems, "\n"), "context "+doc.Name()+" is split")
		})
	}
	a.holds(doc, one.Hash, ours)
	b.holds(doc, other.Hash, theirs)

	var forks []kaijutsu.DocumentID
	for _, h := range []*house{a, b} {
		fork, err := h.repo.Fork(context.Background(), amy, doc, nil, "as at "+h.name)
		if err != nil {
			t.Fatal(err)
		}
		forks = append(forks, fork.Document())
	}
	for _, h := range []*house{a, b} {
		if err := h.repo.Delete(context.Background(), doc); err != nil {
			t.Fatal(err)
		}
		h.holds(forks[0], one.Hash, ours)
		h.holds(forks[1], other.Hash, theirs)
	}
	same(a, b)
	a.await("no problems", func() bool { return len(a.status().Problems) == 0 })
}
