package access_test

import (
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/access"
	"kaijutsu/internal/records"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

var (
	owner = kaijutsu.Principal{Name: "owner", Kind: kaijutsu.Person}
	epoch = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
)

// openStore opens a store in a directory; it is closed with the test, or by
// the returned function.
func openStore(t *testing.T, dir string) *store.Store {
	t.Helper()
	st, err := store.Open(store.Options{Dir: dir, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return st
}

// openRecords opens the records of a store; they are closed before it.
func openRecords(t testing.TB, st *store.Store) *records.Table {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	var table *records.Table
	rp := repo.Start(repo.Config{Log: log, Store: st, Committed: func(c repo.Committed) { table.Note(c) }})
	t.Cleanup(func() { _ = rp.Close() })
	table, err := records.Open(records.Config{Log: log, Repo: rp, Kernel: "main"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = table.Close() })
	return table
}

func openTable(t testing.TB, st *store.Store, now func() time.Time) *access.Table {
	t.Helper()
	return openOn(t, openRecords(t, st), st, access.Config{Now: now})
}

// openOn opens a table on records that are open.
func openOn(t testing.TB, rs *records.Table, st *store.Store, cfg access.Config) *access.Table {
	t.Helper()
	cfg.Log, cfg.Records, cfg.Store, cfg.Owners = slog.New(slog.DiscardHandler), rs, st, []kaijutsu.Principal{owner}
	table, err := access.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func create(t *testing.T, table *access.Table, n access.NewToken) (string, access.Token) {
	t.Helper()
	n.By = owner
	secret, made, err := table.CreateToken(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return secret, made
}

func TestTokenLife(t *testing.T) {
	dir := t.TempDir()
	clock := epoch
	now := func() time.Time { return clock }
	st := openStore(t, dir)
	table := openTable(t, st, now)
	secret, made := create(t, table, access.NewToken{Name: "amy", Right: kaijutsu.RightEdit, Deny: []string{"context_*", "undo"}})
	amy := kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person}
	got, err := table.Identify(secret)
	if err != nil || got.Principal != amy || got.Right != kaijutsu.RightEdit || len(got.Deny) != 2 || got.TokenID != made.ID {
		t.Fatalf("Identify = %+v, %v", got, err)
	}
	clock = epoch.Add(time.Second)
	short, _ := create(t, table, access.NewToken{Name: "amy", Right: kaijutsu.RightEdit, Deny: []string{"undo", "context_*"}, Expires: epoch.Add(time.Hour)})
	clock = epoch.Add(time.Hour)
	if _, err := table.Identify(short); !errors.Is(err, kaijutsu.ErrDenied) || !strings.Contains(err.Error(), "expired") {
		t.Errorf("Identify of an expired token = %v, want that it has expired", err)
	}
	if tokens := table.Tokens(); len(tokens) != 2 || tokens[0].Used != epoch || !tokens[1].Used.IsZero() {
		t.Errorf("Tokens = %+v, want the first used at %v", tokens, epoch)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}

	st = openStore(t, dir)
	table = openTable(t, st, now)
	if got, err := table.Identify(secret); err != nil || got.Principal != amy || got.Right != kaijutsu.RightEdit {
		t.Fatalf("Identify after a restart = %+v, %v", got, err)
	}
	for name := range st.Records("") {
		value, err := st.Record(name)
		if err != nil || strings.Contains(string(value), strings.TrimPrefix(secret, "kj_")) {
			t.Errorf("record %q holds the secret: %s, %v", name, value, err)
		}
	}
	gone, err := table.Revoke(t.Context(), owner, "amy")
	if err != nil || len(gone) != 2 {
		t.Fatalf("Revoke = %v, %v, want both tokens", gone, err)
	}
	if _, err := table.Identify(secret); !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("Identify of a revoked token = %v, want ErrDenied", err)
	}
	if right := table.Kernel(amy); right != kaijutsu.RightNone {
		t.Errorf("right without a token = %v, want none", right)
	}
	if _, err := table.Revoke(t.Context(), owner, "amy"); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Revoke twice = %v, want ErrNotFound", err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	table = openTable(t, openStore(t, dir), now)
	if _, err := table.Identify(secret); !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("Identify of a revoked token after a restart = %v, want ErrDenied", err)
	}
	if m, ok := table.Member("amy"); !ok || m.Tokens != 0 || m.Principal != amy {
		t.Errorf("Member = %+v, %v, want amy without tokens: histories refer to her", m, ok)
	}
}

func TestCreateTokenRefuses(t *testing.T) {
	table := openTable(t, openStore(t, t.TempDir()), func() time.Time { return epoch })
	create(t, table, access.NewToken{Name: "bot", Kind: kaijutsu.Agent, Right: kaijutsu.RightEdit})
	tests := []struct {
		name string
		new  access.NewToken
		kind error
		want string
	}{
		{"no name", access.NewToken{}, kaijutsu.ErrInvalid, "empty"},
		{"long name", access.NewToken{Name: strings.Repeat("é", 33)}, kaijutsu.ErrInvalid, "66 bytes"},
		{"longest name", access.NewToken{Name: strings.Repeat("é", 32)}, nil, ""},
		{"name with a slash", access.NewToken{Name: "a/b"}, nil, ""},
		{"space at the end", access.NewToken{Name: "amy "}, kaijutsu.ErrInvalid, "space"},
		{"control character", access.NewToken{Name: "a\x07b"}, kaijutsu.ErrInvalid, "does not print"},
		{"direction override", access.NewToken{Name: "a\u202eb"}, kaijutsu.ErrInvalid, "does not print"},
		{"not UTF-8", access.NewToken{Name: "a\xff"}, kaijutsu.ErrInvalid, "UTF-8"},
		{"the owner's name", access.NewToken{Name: "owner"}, kaijutsu.ErrConflict, "choose another"},
		{"unknown kind", access.NewToken{Name: "amy", Kind: "robot"}, kaijutsu.ErrInvalid, "person, agent or service"},
		{"unknown role", access.NewToken{Name: "amy", Right: 9}, kaijutsu.ErrInvalid, "role"},
		{"past expiry", access.NewToken{Name: "amy", Expires: epoch}, kaijutsu.ErrInvalid, "past"},
		{"denied word", access.NewToken{Name: "amy", Deny: []string{"Block Edit"}}, kaijutsu.ErrInvalid, "no operation"},
		{"another kind", access.NewToken{Name: "bot", Kind: kaijutsu.Person, Right: kaijutsu.RightEdit}, kaijutsu.ErrConflict, "known here as agent"},
		{"another role", access.NewToken{Name: "bot", Kind: kaijutsu.Agent, Right: kaijutsu.RightOwn}, kaijutsu.ErrConflict, "has the role editor"},
		{"other denials", access.NewToken{Name: "bot", Kind: kaijutsu.Agent, Right: kaijutsu.RightEdit, Deny: []string{"undo"}}, kaijutsu.ErrConflict, "denied nothing"},
		{"one more token", access.NewToken{Name: "bot", Kind: kaijutsu.Agent, Right: kaijutsu.RightEdit}, nil, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.new.By = owner
			_, _, err := table.CreateToken(t.Context(), test.new)
			if test.kind == nil {
				if err != nil {
					t.Errorf("CreateToken = %v, want no error", err)
				}
				return
			}
			if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("CreateToken = %v, want %v with %q", err, test.kind, test.want)
			}
		})
	}
	if _, _, err := table.CreateToken(t.Context(), access.NewToken{Name: "amy"}); !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("CreateToken by nobody = %v, want ErrDenied", err)
	}
}

func TestRights(t *testing.T) {
	dir := t.TempDir()
	st := openStore(t, dir)
	rs := openRecords(t, st)
	table := openOn(t, rs, st, access.Config{})
	plan, other := kaijutsu.NewContextID(epoch).Document(), kaijutsu.NewContextID(epoch).Document()
	principals := make(map[string]kaijutsu.Principal)
	for name, right := range map[string]kaijutsu.Right{"none": 0, "reader": 1, "commenter": 2, "editor": 3, "own": 4} {
		_, made := create(t, table, access.NewToken{Name: name, Right: right})
		principals[name] = made.Principal
	}
	for name, right := range map[string]kaijutsu.Right{"none": kaijutsu.RightEdit, "editor": kaijutsu.RightNone, "reader": kaijutsu.RightOwn, "own": kaijutsu.RightNone} {
		if _, err := table.Grant(t.Context(), owner, plan, name, right); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	st = openStore(t, dir)
	rs = openRecords(t, st)
	table = openOn(t, rs, st, access.Config{})
	tests := []struct {
		name        string
		plan, other kaijutsu.Right
	}{
		{"none", kaijutsu.RightEdit, kaijutsu.RightNone},
		{"reader", kaijutsu.RightOwn, kaijutsu.RightRead},
		{"commenter", kaijutsu.RightComment, kaijutsu.RightComment},
		{"editor", kaijutsu.RightNone, kaijutsu.RightEdit},
		{"own", kaijutsu.RightOwn, kaijutsu.RightOwn},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := principals[test.name]
			kernel := table.Kernel(p)
			for doc, want := range map[kaijutsu.DocumentID]kaijutsu.Right{plan: test.plan, other: test.other} {
				if got := table.Right(p, kernel, doc); got != want {
					t.Errorf("Right = %v, want %v", got, want)
				}
				if got := table.Current(p, doc); got != want {
					t.Errorf("Current = %v, want %v", got, want)
				}
			}
			impostor := kaijutsu.Principal{Name: p.Name, Kind: kaijutsu.Service}
			if got := table.Current(impostor, plan); got != kaijutsu.RightNone {
				t.Errorf("Current of another kind = %v, want none", got)
			}
		})
	}
	if got := table.Current(owner, plan); got != kaijutsu.RightOwn {
		t.Errorf("Current of the owner = %v, want owner", got)
	}
	if got := table.Current(kaijutsu.Principal{}, plan); got != kaijutsu.RightNone {
		t.Errorf("Current of nobody = %v, want none", got)
	}
	if _, err := table.Revoke(t.Context(), owner, "none"); err != nil {
		t.Fatal(err)
	}
	if got := table.Current(principals["none"], plan); got != kaijutsu.RightNone {
		t.Errorf("Current without a token = %v, want none in spite of the grant", got)
	}
	if err := table.Ungrant(t.Context(), owner, plan, "editor"); err != nil {
		t.Fatal(err)
	}
	if got := table.Current(principals["editor"], plan); got != kaijutsu.RightEdit {
		t.Errorf("Current after the grant was taken back = %v, want editor", got)
	}
	if err := table.Ungrant(t.Context(), owner, plan, "editor"); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Ungrant twice = %v, want ErrNotFound", err)
	}
	if _, err := table.SetRole(t.Context(), owner, "commenter", kaijutsu.RightRead); err != nil {
		t.Fatal(err)
	}
	if got := table.Current(principals["commenter"], plan); got != kaijutsu.RightRead {
		t.Errorf("Current with another role = %v, want reader", got)
	}
	if _, err := table.Grant(t.Context(), owner, plan, "owner", kaijutsu.RightRead); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("Grant to the owner = %v, want ErrConflict", err)
	}
	if _, err := table.Grant(t.Context(), owner, plan, "edittor", kaijutsu.RightRead); !errors.Is(err, kaijutsu.ErrNotFound) || !strings.Contains(err.Error(), `did you mean "editor"?`) {
		t.Errorf("Grant to nobody = %v, want a suggestion", err)
	}
}

func identify(t *testing.T, table *access.Table, secret string) access.Identity {
	t.Helper()
	id, err := table.Identify(secret)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestWatch(t *testing.T) {
	table := openTable(t, openStore(t, t.TempDir()), nil)
	secret, made := create(t, table, access.NewToken{Name: "amy"})
	amy := identify(t, table, secret)
	var calls atomic.Int32
	stop := table.Watch(amy, func() { calls.Add(1) })
	table.Watch(amy, func() { calls.Add(10) })() // stopped before
	if _, err := table.Revoke(t.Context(), owner, made.ID); err != nil {
		t.Fatal(err)
	}
	if got := calls.Load(); got != 1 {
		t.Errorf("watchers called %d times, want 1", got)
	}
	stop()
	table.Watch(amy, func() { calls.Add(100) })
	if got := calls.Load(); got != 101 {
		t.Errorf("a watcher that came late: %d, want 101", got)
	}
	secret, _ = create(t, table, access.NewToken{Name: "ben", Expires: time.Now().Add(500 * time.Millisecond)})
	expired := make(chan struct{})
	defer table.Watch(identify(t, table, secret), func() { close(expired) })()
	<-expired
}

func TestOpenRefuses(t *testing.T) {
	tests := []struct{ name, record, value, want string }{
		{"newer version", "access/principal/amy", `{"v":2,"kind":"person","role":"editor"}`, "version 2, this server reads 1"},
		{"no JSON", "access/principal/amy", `?`, "invalid"},
		{"unknown field", "access/principal/amy", `{"v":1,"kind":"person","role":"editor","sudo":true}`, "unknown field"},
		{"unknown role", "access/principal/amy", `{"v":1,"kind":"person","role":"king"}`, `role "king"`},
		{"token of nobody", "access/token/1", `{"v":1,"principal":"amy","sha256":"","by":{"name":"o","kind":"person"},"created":"2026-11-21T12:00:00Z"}`, `no principal "amy"`},
		{"grant to nobody", "access/grant/" + kaijutsu.NewContextID(epoch).Document().String() + "/amy", `{"v":1,"role":"editor","by":{"name":"o","kind":"person"},"at":"2026-11-21T12:00:00Z"}`, `no principal "amy"`},
		{"grant in nothing", "access/grant/x/amy", `{"v":1,"role":"editor","by":{"name":"o","kind":"person"},"at":"2026-11-21T12:00:00Z"}`, "document id"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			st := openStore(t, t.TempDir())
			if err := st.PutRecord(t.Context(), test.record, []byte(test.value)); err != nil {
				t.Fatal(err)
			}
			rs := openRecords(t, st)
			_, err := access.Open(access.Config{Log: slog.New(slog.DiscardHandler), Records: rs, Store: st})
			if !errors.Is(err, kaijutsu.ErrInvalid) || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), test.record) {
				t.Errorf("Open = %v, want ErrInvalid with %q and the record's name", err, test.want)
			}
		})
	}
}

// TestRecords holds the rows of version 1, which every later version reads.
func TestRecords(t *testing.T) {
	st := openStore(t, t.TempDir())
	doc := kaijutsu.ContextID{0x01, 0x9a, 6: 0x70, 8: 0x80}.Document()
	for name, value := range map[string]string{
		"access/principal/amy":                  `{"v":1,"kind":"agent","role":"editor","deny":["undo"]}`,
		"access/token/0a1b":                     `{"v":1,"principal":"amy","sha256":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad","by":{"name":"owner","kind":"person"},"created":"2026-11-21T12:00:00Z","expires":"2099-11-21T12:00:00Z"}`,
		"access/grant/" + doc.String() + "/amy": `{"v":1,"role":"commenter","by":{"name":"owner","kind":"person"},"at":"2026-11-21T12:00:00Z"}`,
	} {
		if err := st.PutRecord(t.Context(), name, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	table := openTable(t, st, func() time.Time { return epoch })
	got, err := table.Identify("abc") // what the hash is of
	if err != nil || got.Principal != (kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Agent}) || got.TokenID != "0a1b" || got.Right != kaijutsu.RightEdit {
		t.Errorf("Identify = %+v, %v", got, err)
	}
	if right := table.Current(got.Principal, doc); right != kaijutsu.RightComment {
		t.Errorf("Current = %v, want commenter", right)
	}
}

func BenchmarkCurrent(b *testing.B) {
	st, err := store.Open(store.Options{Dir: b.TempDir(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	table := openTable(b, st, time.Now)
	_, made, err := table.CreateToken(b.Context(), access.NewToken{Name: "amy", Right: kaijutsu.RightEdit, By: owner})
	if err != nil {
		b.Fatal(err)
	}
	doc := kaijutsu.NewContextID(epoch).Document()
	for b.Loop() {
		table.Current(made.Principal, doc)
	}
}
