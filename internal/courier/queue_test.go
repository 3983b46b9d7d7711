package courier_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/flowbus"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/records"
)

func TestQueue(t *testing.T) {
	t.Run("stage_and_queue", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		one, two := w.stage(owner, a.Doc, b.Doc, "one\nhundred"), w.stage(owner, a.Doc, b.Doc, "two")
		if one.Number != 1 || two.Number != 2 {
			t.Errorf("numbers %d and %d, want 1 and 2", one.Number, two.Number)
		}
		same(t, "queue", w.queued(courier.Filter{}), []string{"one hundred", "two"})
		shown, err := w.Queue(t.Context(), owner, courier.Filter{})
		if err != nil || shown[0].Content != "" || shown[0].Bytes != len("one\nhundred") || !shown[0].Mine {
			t.Errorf("Queue = %+v, %v, want previews", shown, err)
		}
		got, err := w.Show(t.Context(), owner, "1")
		if err != nil || got.Content != "one\nhundred" || got.Meta.SourceTitle != "A" {
			t.Errorf("Show(1) = %+v, %v, want the whole content", got, err)
		}
		if s := w.Stats(); s != (courier.Stats{Staged: 2}) {
			t.Errorf("Stats = %+v, want two staged", s)
		}
	})
	t.Run("cancel", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		w.stage(owner, a.Doc, b.Doc, "x")
		got, err := w.Cancel(t.Context(), owner, "#1")
		if err != nil || got.State != drift.StateCancelled {
			t.Fatalf("Cancel(#1) = %+v, %v", got, err)
		}
		if _, err := w.Cancel(t.Context(), owner, "1"); !errors.Is(err, kaijutsu.ErrNotFound) || !strings.Contains(err.Error(), "the queue is empty") {
			t.Errorf("Cancel again = %v, want not found, and that the queue is empty", err)
		}
		same(t, "queue", w.queued(courier.Filter{}), nil)
		same(t, "events of A", w.kinds(a.Doc), []flowbus.Kind{flowbus.DriftStaged, flowbus.DriftCancelled})
		if it := w.stage(owner, a.Doc, b.Doc, "y"); it.Number != 2 {
			t.Errorf("the next number = %d, want 2: none is used again", it.Number)
		}
	})
	t.Run("numbers are not used again after a restart", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		w.stage(owner, a.Doc, b.Doc, "x")
		w.flush(owner, a.Doc)
		w.restart()
		if it := w.stage(owner, a.Doc, b.Doc, "y"); it.Number != 2 {
			t.Errorf("number after a restart = %d, want 2", it.Number)
		}
	})
	t.Run("by the beginning of an id", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		for _, id := range []string{"0190aaaa-0000-7000-8000-000000000001", "0190aaaa-1111-7000-8000-000000000002"} {
			p := courier.Push{ID: id, From: a.ID, To: b.ID, Content: id, Stage: true}
			if _, err := w.Push(t.Context(), owner, p); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.Show(t.Context(), owner, "0190aaaa"); !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), "0190aaaa-1111") {
			t.Errorf("Show of an ambiguous beginning = %v, want ErrConflict that names both", err)
		}
		if got, err := w.Show(t.Context(), owner, "0190AAAA-1"); err != nil || !strings.HasPrefix(got.ID, "0190aaaa-1") {
			t.Errorf("Show of a beginning = %+v, %v", got, err)
		}
		if _, err := w.Show(t.Context(), owner, "0190a"); !errors.Is(err, kaijutsu.ErrNotFound) {
			t.Errorf("Show of 5 characters = %v, want not found", err)
		}
	})
}

// TestWhoSeesAnItem holds that items exist for their stager, for who may edit
// where they come from, and for owners.
func TestWhoSeesAnItem(t *testing.T) {
	w := newWorld(t)
	a, b := w.context("A"), w.context("B")
	amy, ben, eve := w.member("amy", kaijutsu.RightEdit), w.member("ben", kaijutsu.RightEdit), w.member("eve", kaijutsu.RightRead)
	if _, err := w.access.Grant(t.Context(), owner.By, a.Doc, "amy", kaijutsu.RightRead); err != nil {
		t.Fatal(err)
	}
	it := w.stage(amy, a.Doc, b.Doc, "secret") // amy may only read A
	for _, tt := range []struct {
		name        string
		sees, flush bool
	}{{"amy", true, false}, {"ben", true, true}, {"owner", true, true}, {"eve", false, false}} {
		t.Run(tt.name, func(t *testing.T) {
			call := owner
			switch tt.name {
			case "amy":
				call = amy
			case "ben":
				call = ben
			case "eve":
				call = eve
			}
			shown, err := w.Queue(t.Context(), call, courier.Filter{})
			if err != nil || (len(shown) == 1) != tt.sees {
				t.Errorf("Queue = %+v, %v, want it seen: %v", shown, err, tt.sees)
			}
			if _, err := w.Show(t.Context(), call, it.ID); (err == nil) != tt.sees {
				t.Errorf("Show = %v, want it seen: %v", err, tt.sees)
			}
			if !tt.sees {
				if _, err := w.Cancel(t.Context(), call, "1"); !errors.Is(err, kaijutsu.ErrNotFound) || strings.Contains(err.Error(), "secret") {
					t.Errorf("Cancel = %v, want not found", err)
				}
			}
			if !tt.flush {
				if _, err := w.Flush(t.Context(), call, a.ID); !errors.Is(err, kaijutsu.ErrDenied) {
					t.Errorf("Flush = %v, want ErrDenied", err)
				}
			}
		})
	}
	if got, err := w.Flush(t.Context(), amy, "#1"); err != nil || got.Delivered != 1 {
		t.Errorf("the stager flushes the item = %+v, %v, want it delivered", got, err)
	}
	if got := w.shown(b.Doc)[0]; got.By != amy.By {
		t.Errorf("author %v, want amy", got.By)
	}
}

func TestStageIsGrouped(t *testing.T) {
	w := newWorld(t)
	a, b := w.context("A"), w.context("B")
	before := w.queue.Stats().Changes
	took := w.stageMany(1000, a.Doc, b.Doc)
	changes := w.queue.Stats().Changes - before
	t.Logf("1000 items staged in %v with %d changes", took, changes)
	if changes > 500 {
		t.Errorf("%d changes for 1000 items, want them grouped", changes)
	}
	seen := make(map[uint64]bool)
	shown, err := w.Queue(t.Context(), owner, courier.Filter{From: a.ID})
	if err != nil || len(shown) != 1000 {
		t.Fatalf("Queue = %d items, %v, want 1000", len(shown), err)
	}
	for i, s := range shown {
		if seen[s.Number] || s.Number != uint64(i+1) {
			t.Fatalf("item %d has the number %d, want each number once and in order", i, s.Number)
		}
		seen[s.Number] = true
	}
}

// TestAnItemThatCannotBeRead stays, and nothing else suffers.
func TestAnItemThatCannotBeRead(t *testing.T) {
	w := newWorld(t)
	a, b := w.context("A"), w.context("B")
	for name, value := range map[string]string{
		"item/0190aaaa-0000-7000-8000-000000000001": `{"v":9}`, "item/x": "", "item/": "{}", "last": "minus one", "lost_found": "nowhere",
		"flush/nothing": "{}", "refused/x": "[]", "fence/n": "x",
	} {
		if err := w.queue.Put(t.Context(), owner.By, name, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	w.restart()
	w.stage(owner, a.Doc, b.Doc, "good")
	if got := w.flush(owner, a.Doc); got.Delivered != 1 {
		t.Errorf("Flush = %+v, want the good one delivered", got)
	}
	if _, there := w.queue.Get("item/0190aaaa-0000-7000-8000-000000000001"); !there {
		t.Error("the record of a newer version is gone, want it kept")
	}
}

// TestCancelOfWhatCannotBeRead stays until an owner takes it away.
func TestCancelOfWhatCannotBeRead(t *testing.T) {
	w := newWorld(t)
	amy := w.member("amy", kaijutsu.RightEdit)
	id := drift.NewID(time.Now())
	if err := w.queue.Put(t.Context(), records.Mover, "item/"+id, []byte(`{"v":99}`)); err != nil {
		t.Fatal(err)
	}
	if s := w.Stats(); s != (courier.Stats{Unread: 1}) {
		t.Errorf("Stats = %+v, want one that cannot be read", s)
	}
	same(t, "ids", w.Unread(), []string{id})
	if _, err := w.Cancel(t.Context(), amy, id); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Cancel by an editor = %v, want ErrNotFound", err)
	}
	if got, err := w.Cancel(t.Context(), owner, id); err != nil || got.State != drift.StateCancelled {
		t.Errorf("Cancel by an owner = %+v, %v, want it cancelled", got, err)
	}
	if _, there := w.queue.Get("item/" + id); there || w.Stats() != (courier.Stats{}) {
		t.Errorf("the record is there: %v; Stats = %+v, want none", there, w.Stats())
	}
}
