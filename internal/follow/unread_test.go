package follow_test

import (
	"log/slog"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/follow"
	"kaijutsu/internal/store"
)

// spoil makes a context one that cannot be read, and starts anew.
func (h *house) spoil(id kaijutsu.ContextID) {
	h.t.Helper()
	_, version, _ := h.rows(id)
	h.shut()
	s, err := store.Open(store.Options{Dir: h.dir, Log: slog.New(slog.DiscardHandler), MinFree: 1})
	if err != nil {
		h.t.Fatal(err)
	}
	hash := kaijutsu.ChangeHash{7}
	noise := store.Change{Index: version, Hash: hash, Raw: []byte("noise")}
	if _, err := s.Commit(h.t.Context(), store.Write{Doc: id.Document(), Changes: []store.Change{noise}, Heads: kaijutsu.Heads{hash}}); err != nil {
		h.t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		h.t.Fatal(err)
	}
	h.start()
}

// TestAContextThatCannotBeReadStopsNobody resumes before changes of a damaged
// context: the stream names it, and goes on with the others.
func TestAContextThatCannotBeReadStopsNobody(t *testing.T) {
	h := open(t, t.TempDir(), follow.Config{})
	good, bad := h.newContext("Good"), h.newContext("Bad")
	f := h.follow(">", "")
	since := h.next(f)[0].ID
	f.Close()
	h.insert(good, "one")
	h.insert(bad, "two")
	h.insert(good, "three")
	h.insert(bad, "four")
	h.insert(good, "five")
	h.spoil(bad)
	f = h.follow("ctx.*.block.>", since)
	var got []string
	var last string
	for len(got) < 5 {
		for _, i := range h.next(f) {
			switch i.Name {
			case follow.Reset:
				if !strings.Contains(string(i.Data), `"context":"`+bad.String()+`"`) {
					t.Errorf("the reset is %s, want one that names the context", i.Data)
				}
				got = append(got, "reset")
				last = i.ID
			case follow.Hello:
				got = append(got, i.Name)
			default:
				got = append(got, h.decode(i).Data.(*flowbus.Inserted).Row.Content)
			}
		}
	}
	if got, want := strings.Join(got, " "), "hello one reset three five"; got != want {
		t.Errorf("it is told %q, want %q", got, want)
	}
	f = h.follow(">", last)
	items := h.next(f)
	items = append(items, h.next(f)...)
	if got, want := strings.Join(names(items), " "), "hello block.inserted"; !strings.HasPrefix(got, want) {
		t.Errorf("behind the reset comes %q, want %q", got, want)
	}
}
