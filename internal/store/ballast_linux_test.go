package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"kaijutsu"
)

// TestBallast fills the disk to the last byte: thanks to the ballast a store
// closes in order, and one that was not closed opens.
func TestBallast(t *testing.T) {
	t.Parallel()
	mount := mountSmall(t, "tmpfs", 160)
	o := Options{Dir: filepath.Join(mount, "store"), MinFree: 32 << 20}
	crashed := Options{Dir: filepath.Join(mount, "crashed"), MinFree: 32 << 20}
	filler := filepath.Join(mount, "filler")
	full := func(want bool) {
		t.Helper()
		if !want {
			if err := os.Remove(filler); err != nil {
				t.Fatal(err)
			}
		} else if err := fill(filler, 0); err != nil {
			t.Fatal(err)
		}
	}
	check := func(s *Store) {
		t.Helper()
		checkChanges(t, mustLoad(t, s, 1), 1, 0, 20, 50_000)
		if err := commit(s, t.Context(), testWrite(1, 20, 1, 10)); !errors.Is(err, kaijutsu.ErrUnavailable) {
			t.Errorf("Commit to a full disk = %v, want %v", err, kaijutsu.ErrUnavailable)
		}
	}
	s := openTest(t, o)
	for i := range uint64(20) {
		mustCommit(t, s, testWrite(1, i, 1, 50_000))
	}
	waitFor(t, func() bool { return s.Stats().BallastBytes == ballastBytes(s.minFree) })
	if err := os.CopyFS(crashed.Dir, os.DirFS(o.Dir)); err != nil {
		t.Fatal(err)
	}
	markNow(t, s, crashed.Dir)
	full(true)
	check(s)
	closeTest(t, s)
	if _, err := os.Stat(filepath.Join(o.Dir, "ballast")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the ballast is still there, %v", err)
	}
	full(false)
	full(true) // with what the ballast gave back
	s = openTest(t, o)
	check(s)
	full(false)
	waitFor(t, func() bool { return s.Trouble() == nil && s.Stats().BallastBytes > 0 })
	full(true)
	c := openTest(t, crashed)
	check(c)
	if got := c.Stats(); got.BallastGiven != 1 || got.Trouble == nil {
		t.Errorf("ballast given back %d times, trouble %v; want once, some", got.BallastGiven, got.Trouble)
	}
	full(false)
	waitFor(t, func() bool { return c.Trouble() == nil })
	mustCommit(t, c, testWrite(1, 20, 1, 10))
	closeTest(t, c)
	closeTest(t, s)
}
