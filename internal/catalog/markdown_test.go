package catalog_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"kaijutsu/internal/catalog"
)

func TestOperationsPage(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "operations.md")
	want := catalog.Markdown(catalog.New(catalog.Parts{}))
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/operations.md is stale: run go test ./internal/catalog -run TestOperationsPage -update")
	}
}
