package vfs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kaijutsu"
)

// library is a table with a folder and memory in it, and things to find.
func library(t *testing.T) *Table {
	t.Helper()
	dir := t.TempDir()
	f := openFolder(t, dir)
	for name, text := range map[string]string{
		"main.go":           "package main\n\nfunc main() {}\n",
		"src/a.go":          "package src\r\n// Needle here\r\nvar x = 1\n",
		"src/b.txt":         "needle\nno\nneedle again",
		"src/deep/c.go":     "// needle",
		"src/deep/d.md":     "nothing",
		"vendor/v.go":       "needle in vendor",
		"binary":            "needle\x00needle",
		"latin1":            "needle \xe4\n",
		"empty":             "",
		"big":               strings.Repeat("needle\n", 400_000),
		"long":              strings.Repeat("ä", 5000) + "needle" + strings.Repeat("ö", 5000),
		"covered/by/mount":  "needle that nobody sees",
		"weird [x]{y}*?.go": "needle",
	} {
		put(t, f, name, text)
	}
	if err := os.Symlink("src", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	table := NewTable()
	m := NewMemory(0)
	put(t, m, "notes/n.txt", "a needle in memory\n")
	for at, fsys := range map[string]FS{"/mnt/app": f, "/mnt/app/covered/by": m, "/scratch": m} {
		if err := table.Mount(at, fsys, false); err != nil {
			t.Fatal(err)
		}
	}
	return table
}

func TestSearch(t *testing.T) {
	table := library(t)
	tests := []struct {
		name string
		spec SearchSpec
		want []string
	}{
		{"below a directory", SearchSpec{Path: "/mnt/app/src", Pattern: "needle"},
			[]string{"/mnt/app/src/b.txt:1", "/mnt/app/src/b.txt:3", "/mnt/app/src/deep/c.go:1"}},
		{"ignoring case", SearchSpec{Path: "/mnt/app/src", Pattern: "NEEDLE h", IgnoreCase: true}, []string{"/mnt/app/src/a.go:2"}},
		{"expression", SearchSpec{Path: "/mnt/app/src", Pattern: `^var \w = \d$`}, []string{"/mnt/app/src/a.go:3"}},
		{"end of a line before a carriage return", SearchSpec{Path: "/mnt/app/src", Pattern: `here$`}, []string{"/mnt/app/src/a.go:2"}},
		{"by name", SearchSpec{Path: "/mnt/app", Pattern: "needle", Glob: "*.go"},
			[]string{"/mnt/app/src/deep/c.go:1", "/mnt/app/vendor/v.go:1", "/mnt/app/weird [x]{y}*?.go:1"}},
		{"by path", SearchSpec{Path: "/mnt/app", Pattern: "needle", Glob: "src/**/*.{go,txt}"},
			[]string{"/mnt/app/src/b.txt:1", "/mnt/app/src/b.txt:3", "/mnt/app/src/deep/c.go:1"}},
		{"by class", SearchSpec{Path: "/mnt/app", Pattern: "needle", Glob: "[!s]*/?.go"}, []string{"/mnt/app/vendor/v.go:1"}},
		{"one file", SearchSpec{Path: "/mnt/app/vendor/v.go", Pattern: "vendor"}, []string{"/mnt/app/vendor/v.go:1"}},
		{"a link is not followed", SearchSpec{Path: "/mnt/app", Pattern: "needle again"}, []string{"/mnt/app/src/b.txt:3"}},
		{"into a mount, over what it covers", SearchSpec{Path: "/mnt/app/covered", Pattern: "needle"}, []string{"/mnt/app/covered/by/notes/n.txt:1"}},
		{"through all mounts", SearchSpec{Path: "/", Pattern: "in memory"}, []string{"/mnt/app/covered/by/notes/n.txt:1", "/scratch/notes/n.txt:1"}},
		{"leaving out", SearchSpec{Path: "/", Pattern: "needle in", Skip: func(m Mounted, rel string, dir bool) bool {
			return m.Path == "/mnt/app" && (dir && rel == "vendor" || rel == "covered")
		}}, []string{"/scratch/notes/n.txt:1"}},
		{"nothing", SearchSpec{Path: "/", Pattern: "no such thing"}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			found, err := table.Search(bg, test.spec)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range found.Matches {
				got = append(got, fmt.Sprintf("%s:%d", m.Path, m.Line))
			}
			if !slices.Equal(got, test.want) || found.Truncated {
				t.Errorf("found %v (truncated %v), want %v", got, found.Truncated, test.want)
			}
		})
	}
}

func TestSearchBounds(t *testing.T) {
	table := library(t)
	found, err := table.Search(bg, SearchSpec{Path: "/mnt/app", Pattern: "needle", MaxMatches: 2})
	if err != nil || len(found.Matches) != 2 || !found.Truncated {
		t.Errorf("found %d, truncated %v, %v, want 2 of more", len(found.Matches), found.Truncated, err)
	}
	found, err = table.Search(bg, SearchSpec{Path: "/mnt/app", Pattern: "öneedle|needleö", MaxMatches: 10})
	if err != nil || found.Skipped != 3 { // binary, latin1, big
		t.Errorf("skipped %d, %v, want 3", found.Skipped, err)
	}
	if len(found.Matches) != 1 || len(found.Matches[0].Text) > 510 || !strings.Contains(found.Matches[0].Text, "needleö") || !strings.HasPrefix(found.Matches[0].Text, "…ä") {
		t.Errorf("found %+v, want what is around the match", found.Matches)
	}
	for name, bad := range map[string]SearchSpec{
		"no pattern":      {Path: "/"},
		"bad pattern":     {Path: "/", Pattern: "("},
		"back reference":  {Path: "/", Pattern: `(a)\1`},
		"huge repetition": {Path: "/", Pattern: `((a{100}){100}){100}`},
		"bad glob":        {Path: "/", Pattern: "x", Glob: "[a"},
		"bad class":       {Path: "/", Pattern: "x", Glob: "[z-a]"},
		"open brace":      {Path: "/", Pattern: "x", Glob: "{a,b"},
		"bad path":        {Path: "x", Pattern: "x"},
	} {
		if _, err := table.Search(bg, bad); !errors.Is(err, kaijutsu.ErrInvalid) {
			t.Errorf("%s = %v, want %v", name, err, kaijutsu.ErrInvalid)
		}
	}
	if _, err := table.Search(bg, SearchSpec{Path: "/mnt/app/none", Pattern: "x"}); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("search nothing = %v", err)
	}
	if _, err := table.Search(bg, SearchSpec{Path: "/", Pattern: "(a|b){900}x"}); !errors.Is(err, kaijutsu.ErrTooLarge) {
		t.Errorf("search for what takes long = %v", err)
	}
	if _, err := table.Search(bg, SearchSpec{Path: "/mnt/app/big", Pattern: "x"}); !errors.Is(err, kaijutsu.ErrTooLarge) {
		t.Errorf("search one file that is too large = %v", err)
	}
	ctx, cancel := context.WithCancel(bg)
	_, err = table.Search(ctx, SearchSpec{Path: "/", Pattern: "needle", Skip: func(Mounted, string, bool) bool {
		cancel()
		return false
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("search that was cancelled = %v", err)
	}
}

// peeking is an FS whose Read must not be used to search.
type peeking struct {
	*Memory
	t *testing.T
}

func (p peeking) Read(context.Context, kaijutsu.Principal, string, int64) ([]byte, Info, error) {
	p.t.Error("Read was used")
	return nil, Info{}, nil
}

func (p peeking) Peek(ctx context.Context, name string, limit int64) ([]byte, Info, error) {
	return p.Memory.Read(ctx, kaijutsu.Principal{}, name, limit)
}

func TestSearchPeeks(t *testing.T) {
	m := NewMemory(0)
	put(t, m, "f", "needle")
	table := NewTable()
	if err := table.Mount("/m", peeking{m, t}, false); err != nil {
		t.Fatal(err)
	}
	if found, err := table.Search(bg, SearchSpec{Path: "/", Pattern: "needle"}); err != nil || len(found.Matches) != 1 {
		t.Errorf("found %+v, %v", found, err)
	}
}
