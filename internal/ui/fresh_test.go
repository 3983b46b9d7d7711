package ui

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// manifest is what the build script records of a build.
type manifest struct {
	Sources string            `json:"sources"` // SHA-256 of the sources
	First   []string          `json:"first"`   // the scripts that every view loads
	Files   map[string]string `json:"files"`   // path in dist → SHA-256
}

func readManifest(t *testing.T) manifest {
	t.Helper()
	b, err := os.ReadFile("dist/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var m manifest
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatalf("read dist/manifest.json: %v", err)
	}
	return m
}

// sourcesHash is SHA-256 over the name, length and bytes of everything that
// the page is made of, as build.mjs computes it.
func sourcesHash(t *testing.T) string {
	t.Helper()
	names := []string{"build.mjs", "index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts"}
	var below []string
	err := filepath.WalkDir("src", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			below = append(below, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(below)
	names = append(names, below...)
	sum := sha256.New()
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(sum, "%s\n%d\n%s", name, len(b), b)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func TestBuiltPageIsFresh(t *testing.T) {
	if got, want := readManifest(t).Sources, sourcesHash(t); got != want {
		t.Errorf("dist was built from sources %.12s…, they are %.12s… now; run: cd internal/ui && npm ci && npm run build", got, want)
	}
}

func TestBuiltFilesAreAsBuilt(t *testing.T) {
	want := readManifest(t).Files
	got := make(map[string]string)
	err := fs.WalkDir(os.DirFS("dist"), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == "manifest.json" {
			return err
		}
		b, err := os.ReadFile("dist/" + name)
		sum := sha256.Sum256(b)
		got[name] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(got, want) {
		t.Errorf("dist holds %v, want what the build made: %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}
