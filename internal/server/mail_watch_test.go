package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// TestMail: who follows an inbox looks where blocks came, is told not too often,
// and hears that it is over when its context may not be read any more.
func TestMail(t *testing.T) {
	id := func(n int64) kaijutsu.DocumentID { return kaijutsu.NewContextID(time.Unix(n, 0)).Document() }
	plan, hidden, other := id(1), id(2), id(3)
	touch := func(doc kaijutsu.DocumentID, how blocks.Touch) repo.Committed {
		return repo.Committed{Doc: doc, Deltas: []repo.Delta{{Delta: blocks.Delta{Blocks: []blocks.Touched{{ID: "b", How: how}}}}}}
	}
	insert := func(doc kaijutsu.DocumentID) repo.Committed { return touch(doc, blocks.TouchInserted) }
	tests := []struct {
		name  string
		doc   kaijutsu.DocumentID // zero: all
		came  []repo.Committed
		told  bool
		ended bool
	}{
		{"its context", plan, []repo.Committed{insert(plan)}, true, false},
		{"another context", plan, []repo.Committed{insert(other)}, false, false},
		{"one of all", kaijutsu.DocumentID{}, []repo.Committed{insert(other)}, true, false},
		{"a hidden one of all", kaijutsu.DocumentID{}, []repo.Committed{insert(hidden)}, false, false},
		{"a hidden one and another", kaijutsu.DocumentID{}, []repo.Committed{insert(hidden), insert(plan), insert(hidden)}, true, false},
		{"its context is hidden now", hidden, []repo.Committed{insert(hidden)}, false, true},
		{"typing", plan, []repo.Committed{touch(plan, blocks.TouchContent)}, false, false},
		{"anything", plan, []repo.Committed{{Doc: plan, All: true}}, true, false},
		{"a fork is made", kaijutsu.DocumentID{}, []repo.Committed{{Doc: plan, All: true, Base: &store.Base{}}}, false, false},
		{"it is deleted", hidden, []repo.Committed{{Doc: hidden, Deleted: true}}, false, true},
	}
	look := func(_ context.Context, doc kaijutsu.DocumentID, a *came) (bool, error) {
		if doc == hidden {
			return false, kaijutsu.ErrDenied
		}
		_, b := a.blocks["b"]
		return b || a.all, nil
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var m mail
				m.note(insert(plan)) // before anybody follows
				w := m.watch(tt.doc, look)
				defer w.Close()
				ctx, cancel := context.WithCancel(t.Context())
				next := make(chan error, 1)
				go func() {
					_, err := w.Next(ctx)
					next <- err
				}()
				synctest.Wait()
				for _, c := range tt.came {
					m.note(c)
				}
				synctest.Wait()
				cancel()
				err := <-next
				if told := err == nil; told != tt.told || errors.Is(err, kaijutsu.ErrDenied) != tt.ended {
					t.Errorf("told = %v, %v, want told = %v, ended = %v", told, err, tt.told, tt.ended)
				}
			})
		})
	}
	t.Run("many at once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var m mail
			w := m.watch(plan, look)
			for i := range 2 * maxCame {
				c := insert(plan)
				c.Deltas[0].Blocks[0].ID = blocks.ID(fmt.Sprint(i))
				m.note(c)
			}
			if got := w.came[plan]; len(got.blocks) > maxCame || !got.all {
				t.Errorf("%d blocks are noted, all = %v, want them bounded", len(got.blocks), got.all)
			}
			if _, err := w.Next(t.Context()); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			m.note(insert(plan))
			if _, err := w.Next(t.Context()); err != nil || time.Since(began) != eventsTold {
				t.Errorf("the next time after %v, %v, want %v", time.Since(began), err, eventsTold)
			}
			if w.Close(); len(m.watches) != 0 {
				t.Errorf("%d still follow", len(m.watches))
			}
		})
	})
}

// TestCame: of a context whose commits did not say which blocks they inserted, the
// drifts that came are those whose insertion is not in its past.
func TestCame(t *testing.T) {
	s, err := Start(Config{Dir: t.TempDir(), Listen: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	do := func(operation, params string) string {
		t.Helper()
		result, err := s.set.Call(t.Context(), ownCall, operation, []byte(params))
		if err != nil {
			t.Fatalf("%s: %v", operation, err)
		}
		var out struct {
			Block string `json:"block_id"`
		}
		if err := json.Unmarshal(result, &out); err != nil {
			t.Fatal(err)
		}
		return out.Block
	}
	do("context_create", `{"title": "Source"}`)
	do("context_create", `{"title": "Target"}`)
	doc, err := s.kernel.Resolve(t.Context(), ownCall, "Target", kaijutsu.RightRead)
	if err != nil {
		t.Fatal(err)
	}
	heads := func() (h kaijutsu.Heads) {
		if err := s.kernel.View(t.Context(), ownCall, doc, func(v repo.View) error { h = v.Heads; return nil }); err != nil {
			t.Fatal(err)
		}
		return h
	}
	arrived := func(a *came) bool {
		is, err := letters{s}.arrived(t.Context(), ownCall, doc, a)
		if err != nil {
			t.Fatal(err)
		}
		return is
	}
	empty := heads()
	text := do("block_create", `{"context": "Target", "content": "no drift"}`)
	if arrived(&came{before: empty, all: true}) {
		t.Error("a text is taken for a drift")
	}
	before := heads()
	letter := do("drift_push", `{"context": "Source", "to": "Target", "content": "a finding"}`)
	after := heads()
	do("block_append", `{"block_id": "`+text+`", "text": ", really"}`)
	ids := func(id string) map[blocks.ID]struct{} { return map[blocks.ID]struct{}{blocks.ID(id): {}} }
	for _, tt := range []struct {
		name string
		came came
		want bool
	}{
		{"before it came", came{before: before, all: true}, true},
		{"from the beginning", came{before: empty, all: true}, true},
		{"after it came", came{before: after, all: true}, false},
		{"the block by its id", came{before: before, blocks: ids(letter)}, true},
		{"another block", came{before: before, blocks: ids(text)}, false},
		{"a past that is not here", came{before: kaijutsu.Heads{{1}}, all: true}, true},
	} {
		if got := arrived(&tt.came); got != tt.want {
			t.Errorf("%s: arrived = %v, want %v", tt.name, got, tt.want)
		}
	}
	do("block_delete", `{"block_id": "`+letter+`"}`)
	if arrived(&came{before: before, blocks: ids(letter)}) {
		t.Error("a block that is deleted has arrived")
	}
}
