package authorship

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"kaijutsu/git"
)

func TestKeysOfIsKeyAtForEveryLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a git.Authorship
		for range rapid.IntRange(0, 3).Draw(t, "files") {
			f := git.FileAttest{Path: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "path")}
			for e := range rapid.IntRange(0, 5).Draw(t, "entries") {
				entry := git.Attest{Key: fmt.Sprint("k", e)}
				for range rapid.IntRange(0, 4).Draw(t, "ranges") {
					entry.Ranges = append(entry.Ranges, git.LineRange{First: rapid.IntRange(-2, 25).Draw(t, "first"), Last: rapid.IntRange(-2, 25).Draw(t, "last")})
				}
				f.Entries = append(f.Entries, entry)
			}
			a.Files = append(a.Files, f)
		}
		n := rapid.IntRange(0, 20).Draw(t, "lines")
		for i, got := range keysOf(a, "a", n) {
			if want := a.KeyAt("a", i+1); got != want {
				t.Fatalf("line %d of %+v: key %q, want %q", i+1, a, got, want)
			}
		}
	})
}

func TestHostileRangesTakeNoTime(t *testing.T) {
	f := git.FileAttest{Path: "a"}
	for i := range 50_000 {
		f.Entries = append(f.Entries, git.Attest{Key: fmt.Sprint(i), Ranges: []git.LineRange{{First: 1, Last: 1 << 40}}})
	}
	began := time.Now()
	if keys := keysOf(git.Authorship{Files: []git.FileAttest{f}}, "a", 50_000); keys[0] != "49999" || keys[49_999] != "49999" {
		t.Errorf("keys = %s … %s, want the last entry's", keys[0], keys[49_999])
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("50,000 ranges over 50,000 lines took %v", took)
	}
}
