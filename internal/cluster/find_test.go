package cluster

import (
	"context"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/repo"
)

// finds has a house find its documents by their titles.
func finds(h *house) {
	h.config = func(h *house, c *Config) {
		c.Find = func(ctx context.Context, name string) (docs []kaijutsu.DocumentID) {
			for doc, err := range h.store.Documents() {
				if err == nil && h.title(ctx, doc) == name {
					docs = append(docs, doc)
				}
			}
			return docs
		}
	}
}

// title returns the title of a document that is here; "" of any other.
func (h *house) title(ctx context.Context, doc kaijutsu.DocumentID) (title string) {
	if info, err := h.store.Info(ctx, doc); err != nil || info.Changes == 0 {
		return ""
	}
	_ = h.repo.View(ctx, doc, func(v repo.View) error { // what cannot be read has none
		title = v.Title()
		return nil
	})
	return title
}

// TestSeek gets what goes by a name elsewhere: made a moment ago, or renamed. It
// does not take long when nothing does.
func TestSeek(t *testing.T) {
	s := newStreet(t)
	a, b := s.house("a", finds), s.house("b", finds)
	together(a, b)
	ctx := t.Context()
	for range 5 {
		begun := time.Now()
		if b.cluster.Seek(ctx, "nothing") {
			t.Error("Seek of what there is nowhere = true")
		}
		if took := time.Since(begun); took > findTime/2 {
			t.Errorf("Seek of what there is nowhere took %v", took)
		}
		title := kaijutsu.NewContextID(time.Now()).String()
		doc := a.create(title)
		for _, want := range []string{title, "renamed " + title} {
			if want != title {
				a.edit(doc, want)
			}
			came := b.cluster.Seek(ctx, want)
			if got := b.title(ctx, doc); got != want {
				t.Errorf("Seek = %v, and the title is %q, want %q", came, got, want)
			}
		}
	}
}

// TestWhatIsFetchedComesBehindTheRecords: what says who may read a document
// counts before it is here.
func TestWhatIsFetchedComesBehindTheRecords(t *testing.T) {
	s := newStreet(t)
	a, b := s.house("a", finds), s.house("b", finds)
	together(a, b)
	records, doc := a.create("records"), a.create("Plan")
	settled := 0
	b.cluster.cfg.Records = records
	b.cluster.cfg.Settle = func(ctx context.Context) error {
		if settled++; b.title(ctx, records) != "records" {
			t.Error("the records are to count that are not here")
		}
		return nil
	}
	if err := b.cluster.bring(t.Context(), a.id(), []wanted{{doc: doc}}); err != nil {
		t.Fatal(err)
	}
	if settled != 1 || b.title(t.Context(), doc) != "Plan" {
		t.Errorf("the records were settled %d times, the title is %q", settled, b.title(t.Context(), doc))
	}
	b.cluster.cfg.Settle = func(context.Context) error { return kaijutsu.ErrUnavailable }
	if err := b.cluster.bring(t.Context(), a.id(), []wanted{{doc: doc}}); err == nil {
		t.Error("a document comes although the records do not count")
	}
}
