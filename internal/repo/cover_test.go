package repo_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/changegraph"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// stored makes a document with a snapshot and changes behind it, and returns it
// on the disk of a house that is closed, with a replica that has it.
func stored(t *testing.T, n int) (dir string, id kaijutsu.DocumentID, a *replica) {
	t.Helper()
	dir, id = t.TempDir(), newDocument(t)
	h := open(t, dir, func(c *repo.Config, _ *store.Options) { c.SnapshotChanges = 50 })
	a = newReplica(t)
	a.join(h, id)
	for range n {
		a.put(1)
		if a.graph.Len()%100 == 0 {
			a.push()
		}
	}
	a.push()
	a.until("everything is told", func() bool { return a.last.Heads.Equal(a.graph.Heads()) })
	eventually(t, "a snapshot is written", func() bool { return h.repo.Stats().Snapshots > 0 })
	for range 7 { // a snapshot that covers less is there, or one that covers all
		a.put(1)
		a.push()
	}
	a.until("the rest is told", func() bool { return a.last.Heads.Equal(a.graph.Heads()) })
	a.leave()
	a.told = nil
	h.close(t)
	return dir, id, a
}

func covered(t *testing.T, h *house, want int) {
	t.Helper()
	if got := h.repo.Stats().Covered; got != want {
		t.Errorf("%d documents are under a cover, want %d", got, want)
	}
}

func TestCoverServesWithoutOpening(t *testing.T) {
	dir, id, a := stored(t, 120)
	h := open(t, dir, nil)
	for i := range 3 {
		b := newReplica(t)
		b.join(h, id)
		b.until("the newcomer has everything", func() bool { return b.graph.Heads().Equal(a.graph.Heads()) })
		if b.first[0] != 0x43 {
			t.Errorf("newcomer %d: the first message begins with %#x, want 0x43: a whole document", i, b.first[0])
		}
		if !b.told.Equal(a.graph.Heads()) {
			t.Errorf("newcomer %d was told the heads %v, want %v", i, b.told, a.graph.Heads())
		}
	}
	a.join(h, id)
	a.until("who has everything is told so", func() bool { return a.told.Equal(a.graph.Heads()) })
	h.repo.Review(id)
	covered(t, h, 1)
}

// TestCoverGivesWay asks a document under a cover for more, after three peers
// have been served by it: their sync goes on where it stood.
func TestCoverGivesWay(t *testing.T) {
	tests := map[string]func(t *testing.T, h *house, id kaijutsu.DocumentID, fresh, same *replica){
		"an edit of a newcomer": func(t *testing.T, h *house, id kaijutsu.DocumentID, fresh, same *replica) {
			fresh.put(1)
			fresh.push()
		},
		"an edit of who had everything": func(t *testing.T, h *house, id kaijutsu.DocumentID, fresh, same *replica) {
			same.put(1)
			same.push()
		},
		"both at once": func(t *testing.T, h *house, id kaijutsu.DocumentID, fresh, same *replica) {
			fresh.put(1)
			same.put(1)
			fresh.push()
			same.push()
		},
		"a peer that has something else": func(t *testing.T, h *house, id kaijutsu.DocumentID, fresh, same *replica) {
			other := newReplica(t)
			other.put(1)
			other.join(h, id)
			other.until("it has both", func() bool { return other.graph.Len() == same.graph.Len() })
		},
		"a peer that is behind": func(t *testing.T, h *house, id kaijutsu.DocumentID, fresh, same *replica) {
			other := newReplica(t)
			for i := range 100 {
				addRaw(t, other.graph, same.graph.Raw(i))
			}
			other.join(h, id)
			other.until("it has the rest", func() bool { return other.graph.Heads().Equal(same.graph.Heads()) })
			other.put(1)
			other.push()
		},
		"its heads": func(t *testing.T, h *house, id kaijutsu.DocumentID, fresh, same *replica) {
			if heads, err := h.repo.Heads(t.Context(), id); err != nil || !heads.Equal(same.graph.Heads()) {
				t.Errorf("Heads = %v, %v, want %v", heads, err, same.graph.Heads())
			}
		},
		"a peer that asks on and on": func(t *testing.T, h *house, id kaijutsu.DocumentID, fresh, same *replica) {
			for range 20 {
				m := &amfile.SyncMessage{Version: 1, Have: []amfile.Have{{}}, Flags: &amfile.SyncFlags{}}
				if err := fresh.session.Receive(t.Context(), m, nil, true); err != nil {
					t.Fatal(err)
				}
			}
			if heads, err := h.repo.Heads(t.Context(), id); err != nil || !heads.Equal(same.graph.Heads()) {
				t.Errorf("Heads = %v, %v, want %v", heads, err, same.graph.Heads())
			}
		},
	}
	for name, more := range tests {
		for _, changes := range []int{120, 2100} { // the longer one is opened beside its owner
			t.Run(fmt.Sprintf("%s, %d changes", name, changes), func(t *testing.T) { giveWay(t, changes, more) })
		}
	}
}

func giveWay(t *testing.T, changes int, more func(t *testing.T, h *house, id kaijutsu.DocumentID, fresh, same *replica)) {
	dir, id, same := stored(t, changes)
	h := open(t, dir, nil)
	fresh, slow := newReplica(t), newReplica(t)
	fresh.join(h, id)
	same.join(h, id)
	fresh.until("the newcomer has everything", func() bool { return fresh.graph.Heads().Equal(same.graph.Heads()) })
	same.until("who has everything is told so", func() bool { return same.told.Equal(same.graph.Heads()) })
	slow.join(h, id) // and takes nothing yet
	covered(t, h, 1)
	more(t, h, id, fresh, same)
	all := []*replica{fresh, same, slow}
	same.until("all have the same", func() bool {
		for _, r := range all {
			if !r.graph.Heads().Equal(fresh.graph.Heads()) || !r.told.Equal(r.graph.Heads()) {
				return false
			}
		}
		return true
	})
	covered(t, h, 0)
}

// addRaw adds a change as it is.
func addRaw(t *testing.T, g *changegraph.Graph, raw []byte) {
	t.Helper()
	c, err := amfile.DecodeChange(raw)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Add(c); err != nil {
		t.Fatal(err)
	}
}

// TestCoverIsSaidOnce listens to what a peer that has everything is sent.
func TestCoverIsSaidOnce(t *testing.T) {
	dir, id, a := stored(t, 120)
	h := open(t, dir, nil)
	a.join(h, id)
	a.until("it is told", func() bool { return a.told.Equal(a.graph.Heads()) })
	m := &amfile.SyncMessage{Version: 1, Heads: a.graph.Heads(), Have: []amfile.Have{{LastSync: a.graph.Heads()}}, Flags: &amfile.SyncFlags{}}
	for i := range 3 {
		if err := a.session.Receive(t.Context(), m, nil, false); err != nil {
			t.Fatal(err)
		}
		out, err := a.session.Pull(t.Context())
		if err != nil || out.Sync != nil {
			t.Errorf("acknowledgement %d is answered with %x, %v, want nothing", i, out.Sync, err)
		}
	}
	covered(t, h, 1)
}

// TestCoverServesWhileItOpens joins while the document is being taken apart for
// somebody else; who edits and leaves at once has edited.
func TestCoverServesWhileItOpens(t *testing.T) {
	dir, id, a := stored(t, 3000)
	h := open(t, dir, nil)
	editor := newReplica(t)
	editor.join(h, id)
	editor.until("the editor has it", func() bool { return editor.graph.Heads().Equal(a.graph.Heads()) })
	editor.put(1)
	editor.push()
	editor.leave()
	var all []*replica
	for range 20 {
		b := newReplica(t)
		b.join(h, id)
		all = append(all, b)
	}
	editor.until("all have the edit", func() bool {
		for _, b := range all {
			if !b.graph.Heads().Equal(editor.graph.Heads()) {
				return false
			}
		}
		return true
	})
}

func TestCoverEndsWithTheRight(t *testing.T) {
	dir, id, _ := stored(t, 120)
	h := open(t, dir, nil)
	right := kaijutsu.RightRead
	b := newReplica(t)
	b.joinAs(h, id, repo.Joining{Principal: amy, Right: func() kaijutsu.Right { return right }})
	right = kaijutsu.RightNone
	h.repo.Review(id)
	b.until("it is told that it is over", func() bool { return b.last.Ended != nil })
	if b.graph.Len() > 0 {
		t.Errorf("a peer without a right was sent %d changes", b.graph.Len())
	}
}

// TestCoverWithALongTailIsTakenTogether serves a newcomer a document whose server
// ended before it was quiet.
func TestCoverWithALongTailIsTakenTogether(t *testing.T) {
	dir, id := t.TempDir(), newDocument(t)
	h := open(t, dir, func(c *repo.Config, _ *store.Options) { c.SnapshotChanges, c.QuietAfter = 40, time.Hour })
	a := newReplica(t)
	a.join(h, id)
	grow := func(n int) {
		for range n {
			a.put(60)
			a.push()
		}
		a.until("everything is told", func() bool { return a.told.Equal(a.graph.Heads()) })
	}
	grow(50)
	eventually(t, "a snapshot is written", func() bool { return h.repo.Stats().Snapshots > 0 })
	grow(30) // 90 KB or so, and less than a snapshot is made for
	before, err := h.store.Info(t.Context(), id)
	if err != nil || before.Covers == 80 {
		t.Fatalf("the snapshot covers %d of 80 changes, %v: nothing is behind it", before.Covers, err)
	}
	a.leave()
	h.close(t)

	h = open(t, dir, func(c *repo.Config, _ *store.Options) { c.QuietAfter = 20 * time.Millisecond })
	b := newReplica(t)
	b.join(h, id)
	b.until("a newcomer has it", func() bool { return b.graph.Heads().Equal(a.graph.Heads()) })
	eventually(t, "a snapshot of all is written", func() bool {
		info, err := h.store.Info(context.Background(), id)
		return err == nil && info.Covers == 80
	})
}

// TestQuietDocumentIsTakenTogether leaves a document alone that has grown by
// less than a snapshot is made for.
func TestQuietDocumentIsTakenTogether(t *testing.T) {
	dir, id := t.TempDir(), newDocument(t)
	h := open(t, dir, func(c *repo.Config, _ *store.Options) {
		c.SnapshotChanges, c.QuietAfter = 60, 20*time.Millisecond
	})
	a := newReplica(t)
	a.join(h, id)
	for range 100 { // one snapshot is under way or there when the last comes
		a.put(100)
		a.push()
	}
	a.until("everything is told", func() bool { return a.last.Heads.Equal(a.graph.Heads()) })
	eventually(t, "a snapshot of all is written", func() bool {
		info, err := h.store.Info(context.Background(), id)
		return err == nil && info.Covers == 100
	})
	if n := h.repo.Stats().Snapshots; n > 3 {
		t.Errorf("%d snapshots of a document that was left alone, want one or so", n)
	}
}
