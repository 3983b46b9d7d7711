package repo_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/repo"
)

// dense makes n changes of so many operations each, in some 130 bytes, behind
// the heads of a document.
func dense(t testing.TB, r *repo.Repo, doc kaijutsu.DocumentID, n, ops int) []*amfile.Change {
	t.Helper()
	var start uint64
	if err := r.View(t.Context(), doc, func(v repo.View) error {
		for i := range v.Log().Len() {
			c, err := v.Log().Change(i)
			if err != nil {
				return err
			}
			start = max(start, c.MaxOp()+1)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	deps := headsOf(t, r, doc)
	var out []*amfile.Change
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
			t.Fatal(err)
		}
		deps, start = kaijutsu.Heads{c.Hash}, start+uint64(ops)
		out = append(out, &amfile.Change{Raw: c.Raw})
	}
	return out
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestDenseChangesTakeLittle has a document take changes of few bytes that take
// 3 MB each when they are decoded: nothing that is kept of them, or told, has
// their operations.
func TestDenseChangesTakeLittle(t *testing.T) {
	const n, ops, most = 40, 20_000, 24 << 20 // decoded, all of them take 120 MB
	var l told
	h := open(t, t.TempDir(), l.listen)
	doc := newContext(t, h.repo, "Plan")
	changes := dense(t, h.repo, doc, n, ops)
	before := heap()
	for _, raw := range changes {
		c, err := amfile.DecodeChange(raw.Raw)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.repo.Absorb(t.Context(), doc, repo.Delivery{Node: "b", Changes: []*amfile.Change{c}}); err != nil {
			t.Fatal(err)
		}
	}
	told := 0
	for _, c := range l.of(doc) {
		for _, c := range c.Changes {
			told++
			if len(c.Ops) > 0 || len(c.Actors) != 1 || c.Author() == "" || len(c.Raw) == 0 {
				t.Fatalf("change %d was told with %d operations, %d actors and %d bytes", told, len(c.Ops), len(c.Actors), len(c.Raw))
			}
		}
	}
	list, err := h.repo.Raw(t.Context(), doc, 0, 1<<30)
	if err != nil || len(list) != told {
		t.Fatalf("Raw gives %d changes, %v, want %d", len(list), err, told)
	}
	for i, c := range list {
		if len(c.Ops) > 0 || len(c.Raw) == 0 {
			t.Errorf("change %d comes with %d operations and %d bytes", i, len(c.Ops), len(c.Raw))
		}
	}
	for at := 0; at < told; {
		part, err := h.repo.Changes(t.Context(), doc, uint64(at), 1<<30)
		if err != nil || len(part) == 0 || len(part) > 200_000/ops+2 {
			t.Fatalf("Changes from %d on gives %d, %v", at, len(part), err)
		}
		at += len(part)
	}
	if rest, err := h.repo.Changes(t.Context(), doc, uint64(told), 10); err != nil || len(rest) > 0 {
		t.Errorf("Changes behind the last gives %d, %v", len(rest), err)
	}
	for range 2 {
		at := uint64(1)
		if err := h.repo.Replay(t.Context(), doc, at, 0, func(version uint64, c repo.Change) error {
			if at++; version != at || len(c.Ops) > 0 {
				t.Errorf("version %d has %d operations, want version %d with none", version, len(c.Ops), at)
			}
			return nil
		}); err != nil || at != uint64(told) {
			t.Fatalf("Replay ends at %d, %v, want %d", at, err, told)
		}
	}
	if grown := heap() - before; grown > most {
		t.Errorf("the document, what was told of it and a replay take %d MB, want at most %d", grown>>20, most>>20)
	}
	runtime.KeepAlive(list)
	runtime.KeepAlive(changes)
}

// TestManySteps moves a block with many below it again and again. Each move is
// a few bytes and makes a step for every block: what is kept of them is bounded,
// and all are told.
func TestManySteps(t *testing.T) {
	const many, moves = 2000, 150 // 70 MB of steps
	from := open(t, t.TempDir(), nil)
	doc := newContext(t, from.repo, "Plan")
	top, other := insert(t, from.repo, doc, "top"), insert(t, from.repo, doc, "other")
	edit := func(f func(tx *blocks.Tx) error) {
		t.Helper()
		if _, err := from.repo.Edit(t.Context(), doc, repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error { return f(tx) }); err != nil {
			t.Fatal(err)
		}
	}
	edit(func(tx *blocks.Tx) error {
		for range many {
			if err := tx.InsertBlock(blocks.BlockSpec{ID: blocks.NewID(time.Now()), Parent: top}); err != nil {
				return err
			}
		}
		return nil
	})
	edit(func(tx *blocks.Tx) error { return tx.SetTitle(strings.Repeat("t", 100)) })
	base := whole(t, from.repo, doc)
	for i := range moves {
		edit(func(tx *blocks.Tx) error { return tx.Move(top, []blocks.ID{other, ""}[i%2], blocks.Position{}) })
	}

	var l told
	h := open(t, t.TempDir(), l.listen)
	if _, err := h.repo.Absorb(t.Context(), doc, base); err != nil {
		t.Fatal(err)
	}
	all := whole(t, from.repo, doc)
	all.Changes = all.Changes[len(base.Changes):]
	if _, err := h.repo.Absorb(t.Context(), doc, all); err != nil {
		t.Fatal(err)
	}
	var want []repo.Change
	for _, c := range l.of(doc) {
		bytes := 0
		for _, c := range c.Changes {
			bytes += c.Bytes()
		}
		if most := 17 << 20; bytes > most {
			t.Errorf("what is told of at once takes %d bytes, want at most %d", bytes, most)
		}
		want = append(want, c.Changes...)
	}
	var sums []int
	for _, r := range []*repo.Repo{from.repo, h.repo} {
		at, steps := uint64(0), 0
		err := r.Replay(t.Context(), doc, 0, 0, func(version uint64, c repo.Change) error {
			if w := want[at]; c.Hash != w.Hash {
				t.Errorf("change %d is %v, want %v", at, c.Hash, w.Hash)
			}
			if at++; version != at {
				t.Errorf("version %d, want %d", version, at)
			}
			steps += len(c.Steps)
			return nil
		})
		if err != nil || at != uint64(len(want)) {
			t.Fatalf("Replay ends at %d, %v, want %d", at, err, len(want))
		}
		if steps < many*moves {
			t.Errorf("%d steps in all, want at least %d", steps, many*moves)
		}
		said, changes := r.ReplayBytes()
		if most := int64(41 << 20); changes > most || said < changes {
			t.Errorf("what was traced takes %d bytes, said to be %d, want at most %d", changes, said, most)
		}
		sums = append(sums, steps)
	}
	if len(slices.Compact(sums)) != 1 {
		t.Errorf("replays give %d steps", sums)
	}
}
