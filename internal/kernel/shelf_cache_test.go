package kernel_test

import (
	"os"
	"path/filepath"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

// TestListsAfterARestartOpenNothing keeps the summaries of contexts between two
// starts, believes them only of documents that are as they were, and does
// without a file that is damaged or gone.
func TestListsAfterARestartOpenNothing(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(t *testing.T, w *world, file string)
		opens int64
	}{
		{"as it was", func(*testing.T, *world, string) {}, 0},
		{"a context was edited behind its back", func(t *testing.T, w *world, file string) {
			old, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			w.open()
			list, err := w.kernel.Contexts(t.Context(), owner, false)
			if err != nil || len(list) != 3 {
				t.Fatalf("Contexts = %v, %v, want three", list, err)
			}
			_, err = w.repo.Edit(t.Context(), list[0].Doc, repo.Edit{By: owner.By, Right: kaijutsu.RightOwn}, func(_ repo.View, tx *blocks.Tx) error { return tx.SetTitle("New") })
			if err != nil {
				t.Fatal(err)
			}
			w.close()
			if err := os.WriteFile(file, old, 0o600); err != nil {
				t.Fatal(err)
			}
		}, 1},
		{"damaged", func(t *testing.T, _ *world, file string) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			b[len(b)/2] ^= 1
			if err := os.WriteFile(file, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}, 3},
		{"gone", func(t *testing.T, _ *world, file string) {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			for _, title := range []string{"One", "Two", "Three"} {
				w.context(title)
			}
			if _, err := w.kernel.Contexts(t.Context(), owner, false); err != nil {
				t.Fatal(err)
			}
			w.close()
			tt.spoil(t, w, filepath.Join(w.dir, "contexts"))
			w.open()
			list, err := w.kernel.Contexts(t.Context(), owner, false)
			if err != nil || len(list) != 3 {
				t.Fatalf("Contexts = %v, %v, want three", list, err)
			}
			want := []string{"One", "Two", "Three"}
			if tt.opens == 1 {
				want[0] = "New"
			}
			for i, info := range list {
				if info.Title != want[i] || info.By != owner.By || info.Version == 0 {
					t.Errorf("context %d is %+v, want %q by the owner", i, info, want[i])
				}
			}
			if got := w.repo.Stats().Opened - 1; got != tt.opens { // one is the records
				t.Errorf("%d documents were opened, want %d", got, tt.opens)
			}
		})
	}
}
