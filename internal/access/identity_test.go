package access_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/access"
	"kaijutsu/internal/op"
)

var (
	amy = kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person}
	bot = kaijutsu.Principal{Name: "bot", Kind: kaijutsu.Agent}
)

// identified opens a table where amy and bot have tokens.
func identified(t *testing.T, now func() time.Time) *access.Table {
	t.Helper()
	table := openTable(t, openStore(t, t.TempDir()), now)
	create(t, table, access.NewToken{Name: "amy", Right: kaijutsu.RightEdit})
	create(t, table, access.NewToken{Name: "bot", Kind: kaijutsu.Agent, Right: kaijutsu.RightEdit})
	return table
}

func TestIdentityLife(t *testing.T) {
	dir := t.TempDir()
	st := openStore(t, dir)
	table := openTable(t, st, nil)
	create(t, table, access.NewToken{Name: "amy", Right: kaijutsu.RightEdit})
	create(t, table, access.NewToken{Name: "bot", Kind: kaijutsu.Agent, Right: kaijutsu.RightEdit})
	if p, ok := table.Identity(amy); ok {
		t.Errorf("Identity before there is one = %+v, want none", p)
	}
	of := access.Person{Name: "Amy Ünal", Email: "amy@example.org"}
	agent := access.Person{Email: "bot@example.org", Model: "model-5", Tool: "helper"}
	for _, step := range []struct {
		by, of kaijutsu.Principal
		p      access.Person
	}{{amy, amy, access.Person{Name: "Amy"}}, {amy, amy, of}, {owner, bot, agent}, {owner, owner, access.Person{Name: "The Owner"}}} {
		if err := table.SetIdentity(t.Context(), step.by, step.of, step.p); err != nil {
			t.Fatalf("SetIdentity of %s by %s: %v", step.of, step.by, err)
		}
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	table = openTable(t, openStore(t, dir), nil)
	if got, ok := table.Identity(amy); !ok || got != of {
		t.Errorf("Identity after a restart = %+v, %v, want %+v", got, ok, of)
	}
	want := []access.Identified{{Of: bot, Person: agent}, {Of: amy, Person: of}, {Of: owner, Person: access.Person{Name: "The Owner"}}}
	got := table.Identities()
	if len(got) != len(want) {
		t.Fatalf("Identities = %+v, want %+v", got, want)
	}
	for i := range want {
		if got[i].Of != want[i].Of || got[i].Person != want[i].Person {
			t.Errorf("Identities[%d] = %+v, want %+v", i, got[i], want[i])
		}
	}
	if err := table.SetIdentity(t.Context(), amy, amy, access.Person{}); err != nil {
		t.Fatal(err)
	}
	if got, ok := table.Identity(amy); ok {
		t.Errorf("Identity that was taken back = %+v, want none", got)
	}
}

func TestSetIdentityRefuses(t *testing.T) {
	table := identified(t, nil)
	if err := table.SetIdentity(t.Context(), owner, bot, access.Person{Name: "The Bot", Email: "bot@example.org"}); err != nil {
		t.Fatal(err)
	}
	long := func(n int) string { return strings.Repeat("x", n) }
	tests := []struct {
		name   string
		by, of kaijutsu.Principal
		p      access.Person
		kind   error
		field  string
	}{
		{"nobody asks", kaijutsu.Principal{}, amy, access.Person{Name: "Amy"}, kaijutsu.ErrDenied, ""},
		{"somebody else's", amy, bot, access.Person{Name: "Bot"}, kaijutsu.ErrDenied, ""},
		{"somebody else's by an agent", bot, amy, access.Person{Name: "Amy"}, kaijutsu.ErrDenied, ""},
		{"nobody of this name", owner, kaijutsu.Principal{Name: "ann", Kind: kaijutsu.Person}, access.Person{Name: "Ann"}, kaijutsu.ErrNotFound, ""},
		{"another kind", owner, kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Agent}, access.Person{Name: "Amy"}, kaijutsu.ErrNotFound, ""},
		{"a part of the server", owner, kaijutsu.Principal{Name: "git", Kind: kaijutsu.Service}, access.Person{Name: "Git"}, kaijutsu.ErrInvalid, ""},
		{"an address that is another's", amy, amy, access.Person{Email: "BOT@example.org"}, kaijutsu.ErrConflict, "email"},
		{"a full name that is another's", bot, bot, access.Person{Name: "AMY"}, kaijutsu.ErrConflict, "name"},
		{"a full name in wide letters", bot, bot, access.Person{Name: "\uff21\uff4d\uff59"}, kaijutsu.ErrConflict, "name"},
		{"a full name on record", amy, amy, access.Person{Name: "the. bot"}, kaijutsu.ErrConflict, "name"},
		{"angle brackets", amy, amy, access.Person{Name: "Amy <root@example.org>"}, kaijutsu.ErrInvalid, "name"},
		{"a line feed in the name", amy, amy, access.Person{Name: "Amy\ncommitter Ben"}, kaijutsu.ErrInvalid, "name"},
		{"nothing that git keeps", amy, amy, access.Person{Name: "..,"}, kaijutsu.ErrInvalid, "name"},
		{"a direction override", amy, amy, access.Person{Name: "Amy\u202e"}, kaijutsu.ErrInvalid, "name"},
		{"not UTF-8", amy, amy, access.Person{Name: "Amy\xff"}, kaijutsu.ErrInvalid, "name"},
		{"a space at the end", amy, amy, access.Person{Name: "Amy "}, kaijutsu.ErrInvalid, "name"},
		{"a long name", amy, amy, access.Person{Name: long(129)}, kaijutsu.ErrInvalid, "name"},
		{"a control character in the model", amy, amy, access.Person{Model: "m\x00"}, kaijutsu.ErrInvalid, "model"},
		{"a long model", amy, amy, access.Person{Model: long(201)}, kaijutsu.ErrInvalid, "model"},
		{"a long tool", amy, amy, access.Person{Tool: long(65)}, kaijutsu.ErrInvalid, "tool"},
		{"no at", amy, amy, access.Person{Email: "amy"}, kaijutsu.ErrInvalid, "email"},
		{"two ats", amy, amy, access.Person{Email: "amy@b@c"}, kaijutsu.ErrInvalid, "email"},
		{"a space inside", amy, amy, access.Person{Email: "a my@example.org"}, kaijutsu.ErrInvalid, "email"},
		{"an angle bracket", amy, amy, access.Person{Email: "<amy@example.org"}, kaijutsu.ErrInvalid, "email"},
		{"a line feed at the end", amy, amy, access.Person{Email: "amy@example.org\n"}, kaijutsu.ErrInvalid, "email"},
		{"no domain", amy, amy, access.Person{Email: "amy@"}, kaijutsu.ErrInvalid, "email"},
		{"two dots", amy, amy, access.Person{Email: "amy@example..org"}, kaijutsu.ErrInvalid, "email"},
		{"a long local part", amy, amy, access.Person{Email: long(65) + "@example.org"}, kaijutsu.ErrInvalid, "email"},
		{"a long address", amy, amy, access.Person{Email: "a@" + strings.Repeat("x.", 130) + "org"}, kaijutsu.ErrInvalid, "email"},
		{"an address of nobody's", amy, amy, access.Person{Email: "bot@Kaijutsu.invalid"}, kaijutsu.ErrInvalid, "email"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := table.SetIdentity(t.Context(), test.by, test.of, test.p)
			if !errors.Is(err, test.kind) {
				t.Fatalf("SetIdentity = %v, want %v", err, test.kind)
			}
			var field *op.FieldError
			if named := errors.As(err, &field); test.kind == kaijutsu.ErrInvalid && test.field != "" && (!named || field.Field != test.field) {
				t.Errorf("SetIdentity = %v, want that it names %q", err, test.field)
			}
		})
	}
	if got := table.Identities(); len(got) != 1 {
		t.Errorf("Identities after refusals = %+v, want the bot's alone", got)
	}
	if err := table.SetIdentity(t.Context(), owner, amy, access.Person{Email: "bot@example.org"}); err != nil {
		t.Errorf("an owner gives an address to two: %v", err)
	}
}

// TestWhoGaveAnAddress tells an owner's word from one's own, through later
// changes and a restart.
func TestWhoGaveAnAddress(t *testing.T) {
	dir := t.TempDir()
	st := openStore(t, dir)
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	now := func() time.Time { return at }
	table := openTable(t, st, now)
	create(t, table, access.NewToken{Name: "amy", Right: kaijutsu.RightEdit})
	start := at
	for _, step := range []struct {
		name      string
		by        kaijutsu.Principal
		p         access.Person
		confirmed bool
		since     time.Duration // after the start
	}{
		{"her own word", amy, access.Person{Email: "amy@example.org"}, false, 0},
		{"and a name", amy, access.Person{Name: "Amy", Email: "AMY@example.org"}, false, 0},
		{"an owner's word", owner, access.Person{Name: "Amy", Email: "amy@example.org"}, true, 0},
		{"a model, by herself", amy, access.Person{Email: "amy@example.org", Model: "m"}, true, 0},
		{"another address", amy, access.Person{Email: "olga@example.org"}, false, 4 * time.Hour},
		{"none", amy, access.Person{Name: "Amy"}, false, -1},
		{"the old one again", amy, access.Person{Email: "amy@example.org"}, false, 6 * time.Hour},
	} {
		if err := table.SetIdentity(t.Context(), step.by, amy, step.p); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		var since time.Time
		if step.since >= 0 {
			since = start.Add(step.since)
		}
		if got := table.Identities()[0]; got.Person != step.p || got.Confirmed != step.confirmed || !got.Since.Equal(since) {
			t.Errorf("%s: %+v, want confirmed %v since %v", step.name, got, step.confirmed, since)
		}
		at = at.Add(time.Hour)
	}
	was := table.Identities()[0]
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if got := openTable(t, openStore(t, dir), now).Identities(); len(got) != 1 || got[0] != was {
		t.Errorf("after a restart %+v, want %+v", got, was)
	}
}

// TestIdentityRecords writes the records themselves, as they come from another
// node.
func TestIdentityRecords(t *testing.T) {
	golden, err := os.ReadFile("testdata/identity_v1.json")
	if err != nil {
		t.Fatal(err)
	}
	st := openStore(t, t.TempDir())
	rs := openRecords(t, st)
	at := time.Date(2026, 11, 21, 12, 0, 0, 123456789, time.UTC)
	table := openOn(t, rs, st, access.Config{Now: func() time.Time { return at }})
	const name = "identity/person/amy"
	if err := rs.Put(t.Context(), owner, name, golden); err != nil {
		t.Fatal(err)
	}
	want := access.Person{Name: "Amy Ünal", Email: "amy+work@example.org", Model: "model-5", Tool: "editor"}
	if got, ok := table.Identity(amy); !ok || got != want {
		t.Errorf("the record of version 1 = %+v, %v, want %+v", got, ok, want)
	}
	for _, bad := range []string{
		`{"v":2,"name":"Amy"}`, `{"v":1,"name":"Amy","shoe":1}`, `{"v":1}`, `{"v":1,"name":"Amy\nBen"}`, `{"v":1,"email":"x"}`, `[]`, `{`, ``,
	} {
		if err := rs.Put(t.Context(), owner, name, []byte(bad)); err != nil {
			t.Fatal(err)
		}
		if got, ok := table.Identity(amy); ok || table.Unread() != 1 {
			t.Errorf("Identity by %s = %+v, and %d not read, want none and 1", bad, got, table.Unread())
		}
	}
	for _, odd := range []string{"identity/robot/amy", "identity/person", "identity/person/"} {
		if err := rs.Put(t.Context(), owner, odd, golden); err != nil {
			t.Fatal(err)
		}
	}
	if got := table.Identities(); len(got) != 0 {
		t.Errorf("Identities of nobody's records = %+v, want none", got)
	}
	create(t, table, access.NewToken{Name: "amy", Right: kaijutsu.RightEdit})
	if err := table.SetIdentity(t.Context(), owner, amy, want); err != nil {
		t.Fatal(err)
	}
	if got, _ := rs.Get(name); string(got) != string(bytes.TrimSpace(golden)) {
		t.Errorf("record = %s, want %s", got, golden)
	}
}

func TestNoTokenForAPartOfTheServer(t *testing.T) {
	table := openTable(t, openStore(t, t.TempDir()), nil)
	for _, name := range []string{"disk", "git", "kaijutsu", "Git"} {
		for _, kind := range []kaijutsu.PrincipalKind{kaijutsu.Person, kaijutsu.Agent, kaijutsu.Service} {
			_, _, err := table.CreateToken(t.Context(), access.NewToken{Name: name, Kind: kind, Right: kaijutsu.RightRead, By: owner})
			if !errors.Is(err, kaijutsu.ErrInvalid) || !strings.Contains(err.Error(), "choose another") {
				t.Errorf("CreateToken for %s %s = %v, want ErrInvalid", kind, name, err)
			}
		}
		if _, err := table.SetRole(t.Context(), owner, name, kaijutsu.RightOwn); !errors.Is(err, kaijutsu.ErrNotFound) {
			t.Errorf("SetRole of %s = %v, want ErrNotFound", name, err)
		}
	}
	if _, made := create(t, table, access.NewToken{Name: "github", Right: kaijutsu.RightRead}); made.Principal.Name != "github" {
		t.Errorf("token of %v, want github", made.Principal)
	}
}
