package provenance_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// inbox returns the contents of a caller's letters, those that are unread with
// a star.
func (w *world) inbox(c op.Call, doc kaijutsu.DocumentID) string {
	w.Helper()
	list, unread, err := w.index.Inbox(w.ctx, c, doc)
	if err != nil {
		w.Fatal(err)
	}
	var out []string
	n := 0
	for _, l := range list {
		if l.Unread {
			n++
			l.Content = "*" + l.Content
		}
		out = append(out, l.Content)
		if l.By.IsZero() || l.Meta.DriftID == "" || l.At.IsZero() {
			w.Errorf("letter %+v says too little", l)
		}
	}
	if n != unread {
		w.Errorf("%d letters are unread, and %d are said to be", n, unread)
	}
	if !doc.IsZero() {
		if got := w.index.Unread(c.By, doc); got != unread {
			w.Errorf("Unread = %d, want %d", got, unread)
		}
	}
	return strings.Join(out, " ")
}

func (w *world) wantInbox(c op.Call, doc kaijutsu.DocumentID, want string) {
	w.Helper()
	if got := w.inbox(c, doc); got != want {
		w.Errorf("inbox of %s = %q, want %q", c.By.Name, got, want)
	}
}

func (w *world) markRead(c op.Call, doc kaijutsu.DocumentID) {
	w.Helper()
	if err := w.index.MarkRead(w.ctx, c, doc); err != nil {
		w.Fatal(err)
	}
}

func TestInbox(t *testing.T) {
	w := newWorld(t)
	amy, bot := w.member("amy", kaijutsu.RightEdit), w.member("bot", kaijutsu.RightEdit)
	a, b := w.context("A"), w.context("B")
	w.text(b, "no letter")
	w.wantInbox(amy, b, "")
	_, one := w.drift(bot.By, a, b, "one")
	w.wantInbox(amy, b, "*one")
	w.wantInbox(bot, b, "one") // its own
	w.markRead(amy, b)
	w.wantInbox(amy, b, "one")
	w.drift(bot.By, a, b, "two")
	w.drift(amy.By, a, b, "three")
	w.wantInbox(amy, b, "one *two three")
	w.wantInbox(bot, b, "one two *three")
	w.wantInbox(owner, b, "*one *two *three")
	w.restart()
	w.wantInbox(amy, b, "one *two three")
	w.wantInbox(owner, b, "*one *two *three")
	w.delete(b, one)
	w.wantInbox(owner, b, "*two *three")
	w.undelete(b, one)
	w.wantInbox(owner, b, "*one *two *three")
	w.wantInbox(amy, b, "one *two three")
	w.markRead(amy, b)
	w.wantInbox(amy, b, "one two three")
	w.wantInbox(owner, b, "*one *two *three")
}

// TestInboxOfAll holds that it is of what one may read and is not archived.
func TestInboxOfAll(t *testing.T) {
	w := newWorld(t)
	eve := w.member("eve", kaijutsu.RightNone)
	a, b, c := w.context("A"), w.context("B"), w.context("C")
	w.drift(owner.By, a, b, "one")
	w.drift(owner.By, a, c, "two")
	var all kaijutsu.DocumentID
	w.wantInbox(eve, all, "")
	if _, err := w.access.Grant(t.Context(), owner.By, c, "eve", kaijutsu.RightRead); err != nil {
		t.Fatal(err)
	}
	w.wantInbox(eve, all, "*two")
	if _, _, err := w.index.Inbox(t.Context(), eve, b); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("the inbox of what one may not read: %v, want ErrNotFound", err)
	}
	if err := w.index.MarkRead(t.Context(), eve, b); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("to mark read what one may not read: %v, want ErrNotFound", err)
	}
	w.wantInbox(owner, all, "one two")
	if _, err := w.kernel.Archive(t.Context(), owner, c, true); err != nil {
		t.Fatal(err)
	}
	w.wantInbox(owner, all, "one")
	w.wantInbox(owner, c, "two")
}

// TestUnreadIsByHistory holds that a letter which was made without knowing of
// what was read is unread, also when it comes from elsewhere later.
func TestUnreadIsByHistory(t *testing.T) {
	w, there := newWorld(t), newWorld(t)
	a, b := w.context("A"), w.context("B")
	amy := w.member("amy", kaijutsu.RightEdit)
	w.drift(owner.By, a, b, "one")
	w.send(there, b)
	there.drift(owner.By, a, b, "elsewhere")
	w.drift(owner.By, a, b, "two")
	w.markRead(amy, b)
	w.wantInbox(amy, b, "one two")
	there.send(w, b)
	list, unread, err := w.index.Inbox(t.Context(), amy, b)
	if err != nil || unread != 1 || len(list) != 3 {
		t.Fatalf("inbox = %d letters, %d unread, %v; want 3, 1", len(list), unread, err)
	}
	i := slices.IndexFunc(list, func(l provenanceLetter) bool { return l.Unread })
	if got := list[i].Content; got != "elsewhere" {
		t.Errorf("unread is %q, want what came from elsewhere", got)
	}
	w.markRead(amy, b)
	// A marker of another node may name changes that are not here yet.
	w.send(there, b)
	there.drift(owner.By, a, b, "three")
	var heads kaijutsu.Heads
	if err := there.repo.View(t.Context(), b, func(v repo.View) error { heads = v.Heads; return nil }); err != nil {
		t.Fatal(err)
	}
	value := fmt.Sprintf(`{"v":1,"heads":[%q]}`, heads[0])
	if err := w.table.Put(t.Context(), owner.By, "read/person/owner/"+b.String(), []byte(value)); err != nil {
		t.Fatal(err)
	}
	if err := w.table.Put(t.Context(), owner.By, "read/"+string(amy.By.Kind)+"/amy/"+b.String(), []byte(value)); err != nil {
		t.Fatal(err)
	}
	there.send(w, b)
	if _, unread, err := w.index.Inbox(t.Context(), amy, b); err != nil || unread != 0 {
		t.Errorf("behind a marker from elsewhere %d are unread, %v; want 0", unread, err)
	}
}

// TestMarkersThatAreNone holds that records which are no markers do no harm.
func TestMarkersThatAreNone(t *testing.T) {
	w := newWorld(t)
	a, b := w.context("A"), w.context("B")
	amy := w.member("amy", kaijutsu.RightEdit)
	for _, name := range []string{"read/", "read/person", "read/person/amy", "read/person/amy/x", "read/agent/amy/" + b.String()} {
		for _, value := range []string{"", "5", `{"v":2}`, `{"v":1,"heads":["x"]}`} {
			if err := w.table.Put(t.Context(), owner.By, name, []byte(value)); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.drift(owner.By, a, b, "one")
	w.wantInbox(amy, b, "*one")
	w.markRead(amy, b)
	w.wantInbox(amy, b, "one")
}

// TestUnreadIsNotMadeOfEdits holds that only a new letter is unread.
func TestUnreadIsNotMadeOfEdits(t *testing.T) {
	w := newWorld(t)
	a, b := w.context("A"), w.context("B")
	amy := w.member("amy", kaijutsu.RightEdit)
	_, one := w.drift(owner.By, a, b, "one")
	w.markRead(amy, b)
	w.edit(owner.By, b, func(_ repo.View, tx *blocks.Tx) error { return tx.SetFlag(one, blocks.FlagExcluded, true) })
	w.text(b, "a text")
	w.wantInbox(amy, b, "one")
}
