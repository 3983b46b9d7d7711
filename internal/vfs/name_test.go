package vfs

import (
	"errors"
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"kaijutsu"
)

func TestClean(t *testing.T) {
	for name, want := range map[string]string{
		"": ".", ".": ".", "./": ".", "./.": ".", "a": "a", "a/": "a", "./a/./b/.": "a/b", "a/b.c": "a/b.c", ".git": ".git", "a..b": "a..b",
		"..a": "..a", "a.": "a.", "a..": "a..", `dev\x2dsda`: `dev\x2dsda`, "C:": "C:", "a b": "a b", "größe/日本": "größe/日本", "-rf": "-rf", "a:b/c": "a:b/c",
		strings.Repeat("x", 255): strings.Repeat("x", 255),
	} {
		if got, err := Clean(name); err != nil || got != want {
			t.Errorf("Clean(%q) = %q, %v, want %q", name, got, err, want)
		}
	}
}

// FuzzClean holds that what Clean lets through is clean, stays below, and is
// let through again unchanged.
func FuzzClean(f *testing.F) {
	for _, seed := range []string{"a/b", "../x", "a//b", `..\x`, "a/. ./..", "\xff", "C:/x", "a\x00", ". ", "./a/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got, err := Clean(name)
		if err != nil {
			if !errors.Is(err, kaijutsu.ErrInvalid) && !errors.Is(err, ErrEscapes) {
				t.Errorf("Clean(%q) = %v, want an error of a kind", name, err)
			}
			return
		}
		if again, err := Clean(got); err != nil || again != got {
			t.Errorf("Clean(%q) = %q; of that %q, %v", name, got, again, err)
		}
		if got != path.Clean(got) || path.IsAbs(got) || !utf8.ValidString(got) || strings.Contains("/"+got+"/", "/../") {
			t.Errorf("Clean(%q) = %q", name, got)
		}
	})
}

// FuzzGlob holds that no glob does more than be refused.
func FuzzGlob(f *testing.F) {
	for _, seed := range []string{"*.go", "src/**/*.{go,mod}", "[!a-z]?", `\*`, "{a", "[", "**", "[]]", "[^]", "{,}"} {
		f.Add(seed, "src/a/b.go")
	}
	f.Fuzz(func(t *testing.T, text, name string) {
		g, err := parseGlob(text)
		if err != nil {
			if !errors.Is(err, kaijutsu.ErrInvalid) {
				t.Errorf("glob %q = %v, want %v", text, err, kaijutsu.ErrInvalid)
			}
			return
		}
		g.matches(name)
	})
}
