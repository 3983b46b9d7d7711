package access_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/access"
)

// TestWhatAnotherNodeWritesCountsAtOnce writes the records themselves, as they
// come from another node.
func TestWhatAnotherNodeWritesCountsAtOnce(t *testing.T) {
	st := openStore(t, t.TempDir())
	rs := openRecords(t, st)
	var changed []kaijutsu.DocumentID
	table := openOn(t, rs, st, access.Config{Changed: func(doc kaijutsu.DocumentID) { changed = append(changed, doc) }})
	put := func(name, value string) {
		t.Helper()
		if err := rs.Put(t.Context(), owner, name, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	told := func(what string, want ...kaijutsu.DocumentID) {
		t.Helper()
		if !slices.Equal(changed, want) {
			t.Errorf("%s: told of %v, want %v", what, changed, want)
		}
		changed = nil
	}
	hash := sha256.Sum256([]byte("kj_secret"))
	amy, doc, kernel := kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Agent}, kaijutsu.NewContextID(epoch).Document(), kaijutsu.DocumentID{}
	grant := "access/grant/" + doc.String() + "/amy"
	put("access/principal/amy", `{"v":1,"kind":"agent","role":"editor"}`)
	put("access/token/01", fmt.Sprintf(`{"v":1,"principal":"amy","sha256":%q,"by":{"name":"o","kind":"person"},"created":"2026-11-21T12:00:00Z"}`, hex.EncodeToString(hash[:])))
	got, err := table.Identify("kj_secret")
	if err != nil || got.Principal != amy || got.Right != kaijutsu.RightEdit {
		t.Fatalf("Identify = %+v, %v, want amy, editor", got, err)
	}
	told("somebody new")
	steps := []struct {
		name, record, value string
		kernel, there       kaijutsu.Right
		told                []kaijutsu.DocumentID
	}{
		{"a lesser role", "access/principal/amy", `{"v":1,"kind":"agent","role":"reader"}`, kaijutsu.RightRead, kaijutsu.RightRead, []kaijutsu.DocumentID{kernel}},
		{"a grant", grant, `{"v":1,"role":"editor","by":{"name":"o","kind":"person"},"at":"2026-11-21T12:00:00Z"}`, kaijutsu.RightRead, kaijutsu.RightEdit, []kaijutsu.DocumentID{doc}},
		{"a grant that cannot be read", grant, `{"v":2}`, kaijutsu.RightRead, kaijutsu.RightNone, []kaijutsu.DocumentID{doc}},
		{"a grant that can again", grant, `{"v":1,"role":"commenter","by":{"name":"o","kind":"person"},"at":"2026-11-21T12:00:00Z"}`, kaijutsu.RightRead, kaijutsu.RightComment, []kaijutsu.DocumentID{doc}},
		{"a principal that cannot be read", "access/principal/amy", `{"v":1,"kind":"agent","role":"king"}`, kaijutsu.RightNone, kaijutsu.RightNone, []kaijutsu.DocumentID{kernel}},
	}
	for _, step := range steps {
		put(step.record, step.value)
		if k, d := table.Kernel(amy), table.Current(amy, doc); k != step.kernel || d != step.there {
			t.Errorf("%s: rights = %v and %v in the context, want %v and %v", step.name, k, d, step.kernel, step.there)
		}
		told(step.name, step.told...)
	}
	if got := table.Unread(); got != 1 {
		t.Errorf("Unread = %d, want 1", got)
	}
	ended := make(chan struct{})
	defer table.Watch(got, func() { close(ended) })()
	if err := rs.Delete(t.Context(), owner, "access/token/01"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended:
	default:
		t.Error("who watches a token that another node revokes has not heard of it")
	}
	if _, err := table.Identify("kj_secret"); err == nil {
		t.Error("the token is good after another node has revoked it")
	}
}

// TestUnreadRecordsGiveNoRight starts with records that a node of another
// release has written: the server starts, and they open nothing.
func TestUnreadRecordsGiveNoRight(t *testing.T) {
	st := openStore(t, t.TempDir())
	rs := openRecords(t, st)
	for name, value := range map[string]string{
		"access/principal/amy": `{"v":2}`, "access/token/01": `{"v":1,"principal":"amy","sha256":"00","by":{},"created":"2026-11-21T12:00:00Z"}`,
		"access/grant/x/amy": `{}`, "access/other": `{}`,
	} {
		if err := rs.Put(t.Context(), owner, name, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	table := openOn(t, rs, st, access.Config{})
	if got := table.Unread(); got != 4 {
		t.Errorf("Unread = %d, want 4", got)
	}
	if len(table.Tokens()) != 0 || table.Kernel(kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Agent}) != kaijutsu.RightNone {
		t.Errorf("tokens = %v, want none and no right", table.Tokens())
	}
}

// TestRecordsMoveOnce opens rows of a server that kept them for itself: they are
// among the records then, and nowhere else.
func TestRecordsMoveOnce(t *testing.T) {
	st := openStore(t, t.TempDir())
	rows := map[string]string{
		"access/principal/amy": `{"v":1,"kind":"agent","role":"editor"}`,
		"access/token/0a1b":    `{"v":1,"principal":"amy","sha256":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad","by":{"name":"owner","kind":"person"},"created":"2026-11-21T12:00:00Z"}`,
	}
	for name, value := range rows {
		if err := st.PutRecord(t.Context(), name, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	rs := openRecords(t, st)
	for range 2 {
		table := openOn(t, rs, st, access.Config{Now: time.Now})
		if _, err := table.Identify("abc"); err != nil {
			t.Errorf("Identify = %v", err)
		}
	}
	for name, err := range st.Records("access/") {
		t.Errorf("the store keeps %q, %v", name, err)
	}
	for name, want := range rows {
		if got, _ := rs.Get(name); string(got) != want {
			t.Errorf("record %s = %s, want %s", name, got, want)
		}
	}
}

// TestCreateTokenLeavesARoleAlone: another token of a principal must not bring
// back a role that another node takes away at the same time.
func TestCreateTokenLeavesARoleAlone(t *testing.T) {
	st := openStore(t, t.TempDir())
	rs := openRecords(t, st)
	table := openOn(t, rs, st, access.Config{})
	create(t, table, access.NewToken{Name: "amy", Right: kaijutsu.RightEdit})
	var touched []string
	defer rs.Watch("", func(name string, _ []byte) { touched = append(touched, name) })()
	_, made := create(t, table, access.NewToken{Name: "amy", Right: kaijutsu.RightEdit})
	if want := []string{"access/token/" + made.ID}; !slices.Equal(touched, want) {
		t.Errorf("wrote %v, want %v", touched, want)
	}
}
