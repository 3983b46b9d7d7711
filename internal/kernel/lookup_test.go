package kernel_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/kernel"
)

// TestAContextOfAnotherNodeIsFoundByItsName: just made there, or renamed, and
// only by whoever may read it.
func TestAContextOfAnotherNodeIsFoundByItsName(t *testing.T) {
	a := newWorld(t)
	var b *world
	var asked []string
	b = newWorldWith(t, func(c *kernel.Config) {
		c.Seek = func(ctx context.Context, name string) bool {
			asked = append(asked, name)
			share(a, b)
			docs := a.kernel.Lookup(ctx, name)
			for _, doc := range docs {
				if err := b.bring(a, doc); err != nil {
					t.Error(err)
				}
			}
			return len(docs) > 0
		}
	})
	find := func(name string, want kaijutsu.DocumentID, others bool) {
		t.Helper()
		asked = nil
		got, err := b.kernel.Resolve(t.Context(), owner, name, kaijutsu.RightRead)
		if err != nil || got != want {
			t.Errorf("Resolve(%q) = %v, %v, want %v", name, got, err, want)
		}
		if slices.Contains(asked, name) != others {
			t.Errorf("Resolve(%q) asks other nodes for %q, want %v", name, asked, others)
		}
	}
	plan := a.context("Planning")
	find("Planning", plan.Doc, true)
	find("Planning", plan.Doc, false)
	short := a.context("Plan")
	find("Plan", short.Doc, true) // and not Planning, which begins so
	if _, err := a.kernel.Rename(t.Context(), owner, short.Doc, "Doing"); err != nil {
		t.Fatal(err)
	}
	find("Doing", short.Doc, true)
	third := a.context("Third")
	find(third.ID[:35], third.Doc, true)
	find("Third", third.Doc, false)

	if _, err := b.kernel.Resolve(t.Context(), owner, "Nowhere", kaijutsu.RightRead); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Resolve of what there is nowhere = %v, want ErrNotFound", err)
	}
	red := a.member("red", kaijutsu.RightRead)
	secret := a.context("Secret")
	if _, err := a.access.Grant(t.Context(), owner.By, secret.Doc, "red", kaijutsu.RightNone); err != nil {
		t.Fatal(err)
	}
	if _, err := b.kernel.Resolve(t.Context(), red, "Secret", kaijutsu.RightRead); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Resolve of what is not for them = %v, want ErrNotFound", err)
	}
}
