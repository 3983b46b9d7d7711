package audit_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kaijutsu/internal/audit"
)

var epoch = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

// clock is one that the test sets.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time      { return epoch.Add(time.Duration(c.at.Load())) }
func (c *clock) add(d time.Duration) { c.at.Add(int64(d)) }

func open(t *testing.T, cfg audit.Config) *audit.Log {
	t.Helper()
	cfg.Log = slog.New(slog.DiscardHandler)
	l, err := audit.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func list(t *testing.T, l *audit.Log, f audit.Filter) []audit.Entry {
	t.Helper()
	entries, _, err := l.List(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func TestEntriesOutliveTheirLog(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	l := open(t, audit.Config{Dir: dir})
	l.Add(audit.Entry{Action: "role_set", Outcome: audit.Done, Principal: "amy", About: map[string]string{"role": "owner"}})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l.Add(audit.Entry{Action: "late", Outcome: audit.Done}) // is lost, and does no harm
	names, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(names) != 1 {
		t.Fatalf("files = %v, want one", names)
	}
	f, err := os.OpenFile(names[0], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(f, `{"at":"2026-11-22T10:00:00Z","action":"torn`) // by a power cut
	f.Close()
	l = open(t, audit.Config{Dir: dir})
	l.Add(audit.Entry{Action: "login", Outcome: audit.Done, Principal: "ben"})
	got := list(t, l, audit.Filter{})
	if len(got) != 2 || got[0].Principal != "amy" || got[0].About["role"] != "owner" || got[1].Principal != "ben" {
		t.Errorf("entries = %+v, want those of before and after", got)
	}
}

func TestFilters(t *testing.T) {
	c := &clock{}
	l := open(t, audit.Config{Dir: t.TempDir(), Now: c.now, MaxBytes: 300}) // a few entries a file
	for i, action := range []string{"token_create", "token_revoke", "login", "role_set"} {
		for _, who := range []string{"amy", "ben"} {
			l.Add(audit.Entry{Action: action, Outcome: audit.Done, Principal: who, From: fmt.Sprintf("192.0.2.%d", i)})
			c.add(time.Minute)
		}
	}
	tests := []struct {
		name string
		f    audit.Filter
		want string
	}{
		{"all", audit.Filter{}, "token_create token_create token_revoke token_revoke login login role_set role_set"},
		{"a principal", audit.Filter{Principal: "ben"}, "token_create token_revoke login role_set"},
		{"a family", audit.Filter{Action: "token_*", Principal: "amy"}, "token_create token_revoke"},
		{"an address", audit.Filter{From: "192.0.2.2"}, "login login"},
		{"since", audit.Filter{Since: epoch.Add(6 * time.Minute)}, "role_set role_set"},
		{"until", audit.Filter{Until: epoch.Add(time.Minute)}, "token_create"},
		{"the newest", audit.Filter{Limit: 3}, "login role_set role_set"},
		{"none", audit.Filter{Outcome: audit.Refused}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, e := range list(t, l, tt.f) {
				got = append(got, e.Action)
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("actions = %q, want %q", s, tt.want)
			}
		})
	}
}

// TestRefusalsDoNotWashTheLogOut: however often somebody is refused, it is one
// entry a minute, with the number.
func TestRefusalsDoNotWashTheLogOut(t *testing.T) {
	c := &clock{}
	l := open(t, audit.Config{Dir: t.TempDir(), Now: c.now})
	l.Add(audit.Entry{Action: "role_set", Outcome: audit.Done, Principal: "owner"})
	for range 100_000 {
		l.Add(audit.Entry{Action: "block_edit", Outcome: audit.Refused, Principal: "eve", From: "192.0.2.1"})
	}
	l.Add(audit.Entry{Action: "block_edit", Outcome: audit.Refused, Principal: "ben", From: "192.0.2.2"})
	c.add(2 * time.Minute)
	l.Add(audit.Entry{Action: "block_edit", Outcome: audit.Refused, Principal: "eve", From: "192.0.2.1"})
	var got []string
	for _, e := range list(t, l, audit.Filter{}) {
		got = append(got, fmt.Sprint(e.Principal, " ", e.Times))
	}
	if want := "[owner 0 eve 0 ben 0 eve 99999 eve 0]"; fmt.Sprint(got) != want {
		t.Errorf("entries = %v, want %s", got, want)
	}
}

func TestOldFilesGo(t *testing.T) {
	dir, c := t.TempDir(), &clock{}
	l := open(t, audit.Config{Dir: dir, Now: c.now, Keep: 72 * time.Hour})
	for day := range 10 {
		l.Add(audit.Entry{Action: fmt.Sprint("day-", day), Outcome: audit.Done})
		c.add(24 * time.Hour)
	}
	got := list(t, l, audit.Filter{})
	if len(got) < 3 || len(got) > 5 || got[len(got)-1].Action != "day-9" {
		t.Errorf("entries = %+v, want those of the last days", got)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) > 5 {
		t.Errorf("%d files, want those of the last days", len(names))
	}
}

// TestNothingThatLooksLikeASecret: what a caller put into the wrong parameter is
// not kept, nor what would break a line.
func TestNothingThatLooksLikeASecret(t *testing.T) {
	l := open(t, audit.Config{Dir: t.TempDir()})
	secret, jwt := "kj_"+strings.Repeat("aB3-", 11), "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln"
	l.Add(audit.Entry{Action: "token_revoke\n{}", Outcome: audit.Failed, Reason: "no token " + jwt, About: map[string]string{"token": secret, "name": strings.Repeat("é", 1000) + "\xff"}})
	got := list(t, l, audit.Filter{})
	if len(got) != 1 {
		t.Fatalf("entries = %+v, want one", got)
	}
	b, err := json.Marshal(got)
	if err != nil || strings.Contains(string(b), secret) || strings.Contains(string(b), jwt) || got[0].About["token"] != "(a secret)" || len(got[0].About["name"]) > 256 {
		t.Errorf("entry = %s, %v, want it without secrets, and short", b, err)
	}
}

// TestADiskThatFails: who adds does not wait and does not fail, and what comes
// later is written.
func TestADiskThatFails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	l := open(t, audit.Config{Dir: dir})
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	l.Add(audit.Entry{Action: "lost", Outcome: audit.Done})
	if _, _, err := l.List(t.Context(), audit.Filter{}); err == nil {
		t.Error("List without a directory says nothing")
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	l.Add(audit.Entry{Action: "kept", Outcome: audit.Done})
	if got := list(t, l, audit.Filter{}); len(got) != 1 || got[0].Action != "kept" {
		t.Errorf("entries = %+v, want the later one", got)
	}
}
