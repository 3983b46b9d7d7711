package changegraph

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// crowd is a document that several writers have edited at the same time: all
// changes, in an order in which each can be added.
func crowd(t tester, seed uint64, writers, edits int) []*amfile.Change {
	r := rand.New(rand.NewPCG(seed, 3))
	var all []*amfile.Change
	var ws []*writer
	for i := range writers {
		ws = append(ws, newWriter(t, actorID(100+i)))
	}
	for range edits {
		w := ws[r.IntN(writers)]
		c := w.edit(r)
		all = append(all, c)
		for _, other := range ws { // most hear of it at once, some later
			if other != w && r.IntN(3) > 0 {
				catchUp(other, all, r.IntN(2) == 0)
			}
		}
	}
	return all
}

// catchUp gives a writer all it lacks, or what it can take of the last few.
func catchUp(w *writer, all []*amfile.Change, fully bool) {
	if !fully {
		all = all[max(0, len(all)-3):]
	}
	for _, c := range all {
		if len(w.g.Missing(c.Deps)) == 0 {
			w.take(c)
		}
	}
}

func build(t tester, changes []*amfile.Change) *Graph {
	t.Helper()
	g := New()
	for i, c := range changes {
		added, err := g.Add(c)
		if err != nil || len(added) != 1 {
			t.Fatalf("add change %d: added %d, %v", i, len(added), err)
		}
	}
	return g
}

func TestGraphHoldsWhatWasAdded(t *testing.T) {
	changes := crowd(t, 1, 4, 400)
	g := build(t, changes)
	checkGraph(t, g)
	for i, c := range changes {
		if got := g.Hash(i); got != c.Hash {
			t.Fatalf("Hash(%d) = %v, want %v", i, got, c.Hash)
		}
		if !g.Has(c.Hash) || !bytes.Equal(g.Raw(i), c.Raw) || g.Author(i) != c.Author() {
			t.Fatalf("change %d differs from what was added", i)
		}
	}
	depended := make(map[kaijutsu.ChangeHash]bool)
	next := make(map[kaijutsu.ActorID]uint64)
	var maxOp uint64
	for _, c := range changes {
		for _, d := range c.Deps {
			depended[d] = true
		}
		next[c.Author()] = c.Seq + 1
		maxOp = max(maxOp, c.MaxOp())
	}
	var heads []kaijutsu.ChangeHash
	for _, c := range changes {
		if !depended[c.Hash] {
			heads = append(heads, c.Hash)
		}
	}
	if got, want := g.Heads(), kaijutsu.NewHeads(heads...); !got.Equal(want) {
		t.Errorf("Heads() = %v, want %v", got, want)
	}
	if got := g.MaxOp(); got != maxOp {
		t.Errorf("MaxOp() = %d, want %d", got, maxOp)
	}
	for actor, want := range next {
		if got := g.NextSeq(actor); got != want {
			t.Errorf("NextSeq(%v) = %d, want %d", actor, got, want)
		}
	}
	if got := g.NextSeq("nobody"); got != 1 {
		t.Errorf("NextSeq of an unknown actor = %d, want 1", got)
	}
	if g.Has(kaijutsu.ChangeHash{1}) {
		t.Error("the graph has a change that was never made")
	}
	if got := g.Bytes(); got < 200*int64(len(changes)) {
		t.Errorf("Bytes() = %d for %d changes", got, len(changes))
	}
}

// TestSince compares the walk with a plain search, also for answers that were
// remembered while the log grew.
func TestSince(t *testing.T) {
	for seed := range uint64(20) {
		changes := crowd(t, seed, 1+int(seed%5), 150)
		g := New()
		index := make(map[kaijutsu.ChangeHash]int)
		r := rand.New(rand.NewPCG(seed, 4))
		var asked [][]kaijutsu.ChangeHash
		for i, c := range changes {
			if _, err := g.Add(c); err != nil {
				t.Fatal(err)
			}
			index[c.Hash] = i
			for range 3 {
				var heads []kaijutsu.ChangeHash
				for range r.IntN(4) {
					heads = append(heads, changes[i-min(i, r.IntN(1+r.IntN(i+1)))].Hash)
				}
				asked = append(asked, heads)
			}
			for range 4 {
				heads := asked[len(asked)-1-min(len(asked)-1, r.IntN(12))]
				got, want := g.Since(heads), since(changes[:i+1], index, heads)
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d: Since(%v) of %d changes = %v, want %v", seed, kaijutsu.Heads(heads), i+1, got, want)
				}
			}
		}
		checkGraph(t, g)
	}
}

func since(changes []*amfile.Change, index map[kaijutsu.ChangeHash]int, heads []kaijutsu.ChangeHash) []int {
	past := make(map[int]bool)
	stack := slices.Clone(heads)
	for len(stack) > 0 {
		i := index[stack[len(stack)-1]]
		stack = stack[:len(stack)-1]
		if !past[i] {
			past[i] = true
			stack = append(stack, changes[i].Deps...)
		}
	}
	var rest []int
	for i := range changes {
		if !past[i] {
			rest = append(rest, i)
		}
	}
	return rest
}

// TestBranchesAreWalkedOnce adds a long branch beside a long history, one
// change after the other: each finds its past where the one before left it.
func TestBranchesAreWalkedOnce(t *testing.T) {
	w, away := newWriter(t, actorID(1)), newWriter(t, actorID(2))
	away.take(w.write("a"))
	for range 2000 {
		w.write("b")
	}
	for k := range 500 {
		c := away.write("c")
		if k > 0 {
			at, _ := w.g.index.find(w.g.log, &c.Deps[0])
			if _, known := w.g.recent.find([]int32{at}, w.g.Len()); !known {
				t.Fatalf("the past of change %d of the branch has to be searched", k)
			}
		}
		w.take(c)
	}
}

func TestSinceIgnoresUnknownHeads(t *testing.T) {
	g := build(t, crowd(t, 1, 2, 5))
	if got := g.Since([]kaijutsu.ChangeHash{{1}}); len(got) != g.Len() {
		t.Errorf("%d changes since an unknown head, want all %d", len(got), g.Len())
	}
}

func TestTruncateForgetsExactly(t *testing.T) {
	for seed := range uint64(12) {
		changes := crowd(t, seed, 1+int(seed%4), 80)
		r := rand.New(rand.NewPCG(seed, 5))
		g := build(t, changes)
		for n := len(changes); n > 0; {
			n = r.IntN(n)
			kept := g.Raw(n)
			want := bytes.Clone(kept)
			g.Since(g.Heads())
			g.Truncate(n)
			fresh := build(t, changes[:n])
			sameDocument(t, g, fresh)
			checkGraph(t, g)
			for _, c := range changes[:n] {
				if got, want := g.NextSeq(c.Author()), fresh.NextSeq(c.Author()); got != want {
					t.Fatalf("NextSeq(%v) = %d after Truncate(%d), want %d", c.Author(), got, n, want)
				}
			}
			for _, c := range changes[n:] {
				if _, err := g.Add(c); err != nil {
					t.Fatalf("add again after Truncate(%d): %v", n, err)
				}
			}
			checkGraph(t, g)
			if !bytes.Equal(kept, want) {
				t.Fatalf("Truncate(%d) and what came after changed bytes that were given out", n)
			}
		}
		g.Truncate(0)
		if g.Len() != 0 || len(g.Heads()) != 0 || g.MaxOp() != 0 || len(g.actors) != 0 {
			t.Errorf("after Truncate(0): %d changes, heads %v, max op %d, %d actors", g.Len(), g.Heads(), g.MaxOp(), len(g.actors))
		}
	}
}

// TestTruncateForgetsTheOtherHistory goes on differently after a truncation:
// nothing that was remembered of the forgotten changes may come through.
func TestTruncateForgetsTheOtherHistory(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 6))
		w := newWriter(t, actorID(1))
		for range 20 {
			w.edit(r)
		}
		var given [][]byte
		var copies [][]byte
		for range 6 {
			n := w.g.Len() - r.IntN(5)
			for range 1 + r.IntN(8) {
				w.edit(r)
				w.g.Since([]kaijutsu.ChangeHash{w.g.Hash(r.IntN(w.g.Len()))})
				given = append(given, w.g.Raw(w.g.Len()-1))
				copies = append(copies, bytes.Clone(w.g.Raw(w.g.Len()-1)))
			}
			w.g.SetSnapshot([]byte("of the other history"), w.g.Len())
			w.g.Truncate(n)
			w.reread()
			if w.g.snapshot != nil {
				t.Fatal("the snapshot outlived what it holds")
			}
			var all []*amfile.Change
			index := make(map[kaijutsu.ChangeHash]int)
			for i := range w.g.Len() {
				c, err := amfile.DecodeChange(w.g.Raw(i))
				if err != nil {
					t.Fatal(err)
				}
				all, index[c.Hash] = append(all, c), i
			}
			for range 3 {
				c := w.edit(r)
				all, index[c.Hash] = append(all, c), len(all)
				heads := []kaijutsu.ChangeHash{all[r.IntN(len(all))].Hash}
				if got, want := w.g.Since(heads), since(all, index, heads); !slices.Equal(got, want) {
					t.Fatalf("Since(%v) = %v, want %v", kaijutsu.Heads(heads), got, want)
				}
			}
			checkGraph(t, w.g)
		}
		for k := range given {
			if !bytes.Equal(given[k], copies[k]) {
				t.Fatal("bytes that were given out have changed")
			}
		}
	}
}

// TestTruncateJudgesAnew lets a change that was refused because of another
// come in when the other is gone.
func TestTruncateJudgesAnew(t *testing.T) {
	w, twin := newWriter(t, actorID(1)), newWriter(t, actorID(1))
	twin.take(w.write("a"))
	w.write("b")
	c := twin.write("c")
	if _, err := w.g.Add(c); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Fatalf("Add = %v, want a conflict", err)
	}
	w.g.Truncate(1)
	if added, err := w.g.Add(c); err != nil || len(added) != 1 {
		t.Errorf("Add = %d changes, %v; want it added", len(added), err)
	}
}

func TestRestoreIsTheSameGraph(t *testing.T) {
	changes := crowd(t, 2, 3, 200)
	want := build(t, changes)
	stored, decoded := New(), New()
	for i, c := range changes {
		if err := stored.Restore(want.Raw(i)); err != nil {
			t.Fatal(err)
		}
		if err := decoded.RestoreChange(c); err != nil {
			t.Fatal(err)
		}
	}
	sameDocument(t, stored, want)
	sameDocument(t, decoded, want)
	w := &writer{t: t, actor: actorID(9), g: stored}
	w.reread()
	r := rand.New(rand.NewPCG(1, 1))
	for range 50 { // refers to what was restored and never decoded here
		if c := w.edit(r); !stored.Has(c.Hash) {
			t.Fatalf("an edit on a restored document was not added")
		}
	}
}

func TestRestoreRefusesDamage(t *testing.T) {
	w := newWriter(t, actorID(1))
	first, second, third := w.write("a"), w.write("b"), w.write("c")
	broken := bytes.Clone(second.Raw)
	broken[len(broken)-1] ^= 1
	for _, tt := range []struct {
		name string
		raw  []byte
	}{
		{"a dependency is missing", third.Raw},
		{"it comes twice", first.Raw},
		{"a bit has flipped", broken},
		{"it is cut short", second.Raw[:20]},
		{"it is empty", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := New()
			if err := g.Restore(first.Raw); err != nil {
				t.Fatal(err)
			}
			if err := g.Restore(tt.raw); !errors.Is(err, kaijutsu.ErrInvalid) {
				t.Errorf("Restore = %v, want an error wrapping ErrInvalid", err)
			}
			if g.Len() != 1 {
				t.Errorf("%d changes, want 1", g.Len())
			}
		})
	}
}

// TestSizes keeps the constants of the memory estimate true.
func TestSizes(t *testing.T) {
	for _, tt := range []struct {
		value any
		want  uintptr
	}{{node{}, nodeBytes}, {op{}, opBytes}, {element{}, elementBytes}} {
		if got := reflect.TypeOf(tt.value).Size(); got != tt.want {
			t.Errorf("%T has %d bytes, the constant says %d", tt.value, got, tt.want)
		}
	}
}
