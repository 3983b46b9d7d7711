package follow_test

import (
	"testing"

	"kaijutsu/internal/follow"
)

// TestSnapshotsAreShared has many ask for the same snapshot: it is there once,
// and each goes on from its own place.
func TestSnapshotsAreShared(t *testing.T) {
	h := open(t, t.TempDir(), follow.Config{})
	id := h.newContext("Plan")
	block := h.insert(id, "x")
	shot := func(f *follow.Follower) follow.Item {
		t.Helper()
		items := h.next(f)
		if len(items) != 2 || items[1].Name != follow.Snapshot || string(items[1].Head) != "id: "+items[1].ID+"\n" {
			t.Fatalf("first come %v, want hello and a snapshot with an id", names(items))
		}
		return items[1]
	}
	begin := func() *follow.Follower {
		t.Helper()
		f, err := h.hub.Follow(t.Context(), follow.Want{Pattern: "ctx." + id.String() + ".>", Snapshot: true, Right: owns})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(f.Close)
		return f
	}
	f, g := begin(), begin()
	one, other := shot(f), shot(g)
	if &one.Frame[0] != &other.Frame[0] {
		t.Error("two snapshots of one version are two times in memory")
	}
	h.appendText(id, block, "y")
	late := begin()
	if items := h.next(f); len(items) != 1 || items[0].Name != "block.text" {
		t.Errorf("behind the snapshot comes %v, want the text", names(items))
	}
	if newer := shot(late); string(newer.Data) == string(one.Data) {
		t.Error("a snapshot that is asked for later is the old one")
	}
	if again := h.follow("ctx."+id.String()+".>", one.ID); names(h.next(again))[0] != follow.Hello {
		t.Error("the id of the snapshot is not one to go on from")
	} else if items := h.next(again); len(items) != 1 || items[0].Name != "block.text" {
		t.Errorf("behind the snapshot's id comes %v, want the text", names(items))
	}
}
