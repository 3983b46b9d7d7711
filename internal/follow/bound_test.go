package follow_test

import (
	"errors"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/follow"
)

// TestNobodyTakesAllPlaces has one principal follow until it may not: others
// still can, and it can again when it has ended one.
func TestNobodyTakesAllPlaces(t *testing.T) {
	h := open(t, t.TempDir(), follow.Config{Followers: 12, FollowersEach: 3})
	id := h.newContext("Plan")
	eve := kaijutsu.Principal{Name: "eve", Kind: kaijutsu.Person}
	begin := func(by kaijutsu.Principal, pattern string) (*follow.Follower, error) {
		f, err := h.hub.Follow(t.Context(), follow.Want{Pattern: pattern, By: by, Right: owns})
		if err == nil {
			t.Cleanup(f.Close)
		}
		return f, err
	}
	var last *follow.Follower
	for _, pattern := range []string{">", "ctx." + id.String() + ".>", "sys.>"} {
		var err error
		if last, err = begin(eve, pattern); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := begin(eve, ">"); !errors.Is(err, kaijutsu.ErrUnavailable) || !strings.Contains(err.Error(), "eve follows with 3 streams already") {
		t.Errorf("a fourth stream of eve: %v, want ErrUnavailable that says why", err)
	}
	if _, err := begin(amy, ">"); err != nil {
		t.Errorf("a stream of amy, beside those of eve: %v", err)
	}
	last.Close()
	last.Close()
	if _, err := begin(eve, ">"); err != nil {
		t.Errorf("a stream of eve behind one that ended: %v", err)
	}
	if _, err := begin(eve, ">"); !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("a fourth stream of eve again: %v, want ErrUnavailable", err)
	}
}

// TestNobodyFillsTheSnapshots has one principal ask for large snapshots and read
// none: others still get theirs, and so does it when it is done with one.
func TestNobodyFillsTheSnapshots(t *testing.T) {
	h := open(t, t.TempDir(), follow.Config{SnapshotBytes: 400 << 10})
	eve := kaijutsu.Principal{Name: "eve", Kind: kaijutsu.Person}
	begin := func(by kaijutsu.Principal, id kaijutsu.ContextID) (*follow.Follower, error) {
		f, err := h.hub.Follow(t.Context(), follow.Want{Pattern: "ctx." + id.String() + ".>", Snapshot: true, By: by, Right: owns})
		if err == nil {
			t.Cleanup(f.Close)
		}
		return f, err
	}
	var all []kaijutsu.ContextID
	for range 3 {
		id := h.newContext("Large")
		h.insert(id, strings.Repeat("x", 50_000))
		h.insert(id, strings.Repeat("y", 40_000))
		all = append(all, id)
	}
	first, err := begin(eve, all[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := begin(eve, all[1]); err != nil {
		t.Fatal(err)
	}
	if _, err := begin(eve, all[2]); !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("a third snapshot of eve, who has read none: %v, want ErrUnavailable", err)
	}
	if _, err := begin(eve, all[0]); err != nil {
		t.Errorf("a snapshot that is there already: %v", err)
	}
	if _, err := begin(amy, all[2]); err != nil {
		t.Errorf("a snapshot of amy, beside those of eve: %v", err)
	}
	first.Close()
	if _, err := begin(eve, all[2]); err != nil {
		t.Errorf("a snapshot that amy has asked for: %v", err)
	}
}
