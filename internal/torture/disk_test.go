package torture

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"kaijutsu/internal/faultfs"
	"kaijutsu/internal/kjtest"
)

// TestLyingDisk takes the power from a server whose disk does not do what fsync
// asks: the checker has to find what is lost, or the server that something is.
func TestLyingDisk(t *testing.T) {
	exe := kjtest.Binary(t)
	var progress strings.Builder
	r := &Report{Fault: "lies", Lost: make(map[string]int), LostMarks: make(map[string]int), Doubled: make(map[string]int), Cuts: make(map[string]int)}
	f := fault{name: "lies", layout: layout{nodes: 1}}
	f.play = func(ctx context.Context, s *stage, opt Options, r *Report) error {
		return strikeDisk(ctx, s, opt, r, diskSort{power: true, lies: true})
	}
	err := f.run(t.Context(), t.TempDir(), Options{Exe: exe, Rounds: 9, Seed: 1, Progress: &progress}, r)
	if errors.Is(err, faultfs.ErrUnsupported) {
		t.Skip(err)
	}
	if err == nil && r.Lost["A"] == 0 || err != nil && !saysDamage(err.Error()) && !strings.Contains(err.Error(), "status 404") {
		t.Errorf("on a disk that lies nothing was lost in 9 losses of power, and the server did not say so: %v\n%s", err, &progress)
	}
	t.Logf("found: %v %v", err, r.Problems)
}

func TestSortOf(t *testing.T) {
	for path, want := range map[string]string{
		"data/badger/000012.sst": "data/badger/N.sst",
		"fresh-9/search/text-1":  "fresh-N/search/text-N",
		"hwm":                    "hwm",
		"7":                      "N",
	} {
		if got := sortOf(path); got != want {
			t.Errorf("sortOf(%q) = %q, want %q", path, got, want)
		}
	}
}

// TestAtlas: every spot that occurs is tried as often as any other, and is
// struck when it comes.
func TestAtlas(t *testing.T) {
	a, r := newAtlas(1), rand.New(rand.NewPCG(1, 1))
	life := func() (struck []spot) {
		for _, op := range []faultfs.Op{
			{Kind: faultfs.Create, Path: "1.sst"}, {Kind: faultfs.Write, Path: "1.sst"}, {Kind: faultfs.Write, Path: "2.sst"},
			{Kind: faultfs.Read, Path: "1.sst"}, {Kind: faultfs.Rename, Path: "MANIFEST"},
		} {
			if at, ok := a.saw(op, true); ok {
				struck = append(struck, at)
			}
		}
		return struck
	}
	a.begin()
	if got := life(); len(got) > 0 {
		t.Errorf("struck %v without being told to", got)
	}
	const spots = 7 // two of create and rename each, three of write
	for range 2 * spots {
		a.begin()
		at, ok := a.arm(r, false)
		if got := life(); !ok || len(got) != 1 || got[0] != at {
			t.Fatalf("chose %v (%t), struck %v", at, ok, got)
		}
	}
	d := &DiskReport{Points: make(map[string]int)}
	a.report(d)
	if len(d.Points) != spots || len(d.Never) > 0 {
		t.Errorf("struck %v, never %v, want %d spots", d.Points, d.Never, spots)
	}
	for name, n := range d.Points {
		if n != 2 {
			t.Errorf("struck %d times %s, want twice", n, name)
		}
	}
}
