package amfile

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/automerge/automerge-go"
)

// TestNoChangeOfTheNativeEngineIsRefused edits with automerge-go, whose engine
// is of 2023 and shares no code with today's JavaScript package.
func TestNoChangeOfTheNativeEngineIsRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	total := 0
	for round := range 20 {
		doc := nativeHistory(t, r)
		changes, err := doc.Changes()
		if err != nil {
			t.Fatal(err)
		}
		h := newHistory()
		for i, change := range changes {
			c, err := DecodeChange(change.Save())
			if err == nil {
				err = h.add(c)
			}
			if err != nil {
				t.Fatalf("round %d: change %d: %v", round, i, err)
			}
			if c.Hash.String() != change.Hash().String() {
				t.Errorf("round %d: change %d: hash %v, want %v", round, i, c.Hash, change.Hash())
			}
			wantSameAgain(t, c)
		}
		total += len(changes)
	}
	t.Logf("%d changes", total)
}

// nativeHistory returns a document that four replicas have edited and merged.
func nativeHistory(t *testing.T, r *rand.Rand) *automerge.Doc {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	doc := automerge.New()
	root := doc.RootMap()
	must(root.Set("text", automerge.NewText("hello")))
	must(root.Set("list", []any{1, "two", 3.5, true, nil, []byte{1}, time.Now()}))
	must(root.Set("map", map[string]any{"a": map[string]any{"b": int64(5)}, "c": "x"}))
	must(root.Set("counter", automerge.NewCounter(3)))
	_, err := doc.Commit("begin")
	must(err)
	docs := []*automerge.Doc{doc}
	for range 3 {
		fork, err := doc.Fork()
		must(err)
		docs = append(docs, fork)
	}
	for step := range 150 {
		d := docs[r.IntN(len(docs))]
		for n := r.IntN(4); n >= 0; n-- {
			must(nativeEdit(d, r))
		}
		_, err := d.Commit(fmt.Sprint("step ", step), automerge.CommitOptions{AllowEmpty: true})
		must(err)
		if other := docs[r.IntN(len(docs))]; other != d && r.IntN(5) == 0 {
			_, err := other.Merge(d)
			must(err)
		}
	}
	for _, d := range docs[1:] {
		_, err := doc.Merge(d)
		must(err)
	}
	return doc
}

func nativeEdit(d *automerge.Doc, r *rand.Rand) error {
	at := func(key string) *automerge.Value {
		v, err := d.RootMap().Get(key)
		if err != nil {
			panic(err)
		}
		return v
	}
	list, key := at("list").List(), fmt.Sprint(r.IntN(5))
	switch kind := r.IntN(9); {
	case kind == 0:
		text := at("text").Text()
		length := text.Len()
		pos := r.IntN(length + 1)
		return text.Splice(pos, r.IntN(min(3, length-pos)+1), []string{"é", "ab", "😀", ""}[r.IntN(4)])
	case kind == 1:
		return d.Path("map", key).Set([]any{1, "s", 2.5, map[string]any{"q": 1}, uint64(7)}[r.IntN(5)])
	case kind == 2:
		return d.Path("map", key).Delete()
	case kind == 3:
		return list.Insert(r.IntN(list.Len()+1), map[string]any{"z": 1})
	case kind == 4 && list.Len() > 0:
		return list.Delete(r.IntN(list.Len()))
	case kind == 5 && list.Len() > 0:
		return list.Set(r.IntN(list.Len()), "v")
	case kind == 6:
		return at("counter").Counter().Inc(int64(r.IntN(10) - 5))
	case kind == 7:
		return d.RootMap().Set("counter", automerge.NewCounter(int64(r.IntN(100))))
	}
	return list.Append(r.IntN(100))
}
