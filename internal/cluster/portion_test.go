package cluster

import (
	"context"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/repo"
)

// dense makes n changes of so many operations each, in few bytes, behind the
// last of a document.
func dense(h *house, doc kaijutsu.DocumentID, n, ops int) []repo.Change {
	h.t.Helper()
	all, err := h.repo.Raw(context.Background(), doc, 0, 100)
	if err != nil {
		h.t.Fatal(err)
	}
	last, err := amfile.DecodeChange(all[len(all)-1].Raw)
	if err != nil {
		h.t.Fatal(err)
	}
	deps, start := kaijutsu.Heads{last.Hash}, last.MaxOp()+1
	var out []repo.Change
	for i := range n {
		c := &amfile.Change{Deps: deps, Actors: []kaijutsu.ActorID{"a dense actor"}, Seq: uint64(i + 1), StartOp: start}
		c.Ops = append(c.Ops, amfile.Op{Action: amfile.MakeList, Key: "dense"})
		if i > 0 {
			c.Ops[0].Pred = []amfile.OpID{{Counter: start - uint64(ops)}}
		}
		for k := 1; k < ops; k++ {
			op := amfile.Op{Action: amfile.Put, Obj: amfile.OpID{Counter: start}, Seq: true, Insert: true}
			if k > 1 {
				op.Elem = amfile.OpID{Counter: start + uint64(k) - 1}
			}
			c.Ops = append(c.Ops, op)
		}
		if err := amfile.EncodeChange(c); err != nil {
			h.t.Fatal(err)
		}
		deps, start = kaijutsu.Heads{c.Hash}, start+uint64(ops)
		out = append(out, repo.Change{Change: c})
	}
	return out
}

// TestDenseChanges brings changes of few bytes that take much memory when they
// are decoded: they are taken in portions.
func TestDenseChanges(t *testing.T) {
	s := newStreet(t)
	a := s.house("a")
	doc := a.create("context")
	changes := dense(a, doc, 45, 20_000)
	var parcels []*parcel
	for _, part := range [][]repo.Change{changes[:3], changes[3:3], changes[3:40], changes[40:]} {
		for _, b := range split(doc, repo.Origin{}, part) {
			parcels = append(parcels, &parcel{from: fromAsk, node: "b", batch: b})
		}
	}
	var wants []wantedOf
	for _, p := range parcels {
		w := wantedOf{p: p}
		for i := range p.batch.hashes {
			w.at = append(w.at, i)
		}
		wants = append(wants, w)
	}
	count := 0
	for part, ops := range portions(wants) {
		claimed := 0
		for _, w := range part {
			for i, raw := range w.p.batch.raws {
				if w.has(i) {
					claimed += amfile.CountOps(raw) + 1
					if w.p.batch.hashes[i] != changes[count].Hash {
						t.Fatalf("change %d is not the next", count)
					}
					count++
				}
			}
		}
		if claimed != ops || ops > portionOps {
			t.Errorf("a portion of %d operations, said to be %d, want at most %d", claimed, ops, portionOps)
		}
	}
	if count != len(changes) {
		t.Errorf("%d changes in all portions, want %d", count, len(changes))
	}
	if err := a.cluster.absorb(t.Context(), doc, parcels); err != nil {
		t.Fatal(err)
	}
	a.holds(doc, changes[len(changes)-1].Hash)
	if got := a.status().Counts.Taken; got != int64(len(changes)) {
		t.Errorf("took %d changes, want %d", got, len(changes))
	}
}
