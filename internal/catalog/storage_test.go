package catalog_test

import (
	"context"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/catalog"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// disk is a house's disk, for the operations.
type disk struct {
	store *store.Store
	repo  *repo.Repo
}

func (d disk) StartScrub() error { return d.repo.StartScrub() }

func (d disk) Mend(ctx context.Context, doc kaijutsu.DocumentID) (catalog.Mended, error) {
	m, err := d.repo.Mend(ctx, doc)
	return catalog.Mended{Document: doc.String(), Aside: m.Path, Changes: m.Changes, Had: m.Had, Short: m.Short}, err
}

func (d disk) Check() catalog.StorageCheck {
	return catalog.StorageCheckOf(d.store.Stats(), d.store.Damaged(), d.repo.Stats().Healed)
}

// TestStorageOperations checks the disk of a house, and mends what is sound.
func TestStorageOperations(t *testing.T) {
	h := start(t)
	doc := h.context("Plan")
	h.call(owner(), "storage_scrub", `{}`)
	deadline := time.After(time.Minute)
	for done := false; !done; {
		check := h.call(owner(), "storage_scrub", `{"start":false}`)
		if done = check["last_scrub"] != nil; done {
			continue
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-deadline:
			t.Fatal("the scrub does not end")
		}
	}
	got := h.call(owner(), "storage_mend", quote(`{"document": %}`, doc))
	if got["set_aside_to"] != nil || got["changes"] == nil || got["short"] != nil {
		t.Errorf("mending what is sound = %v", got)
	}
}
