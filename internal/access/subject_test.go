package access_test

import (
	"errors"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/access"
)

// TestSubjects: whom another authority vouches for is the same principal every
// time, has the role that the authority's word stands for, and is gone when it
// is revoked, on every node.
func TestSubjects(t *testing.T) {
	clock := epoch
	st := openStore(t, t.TempDir())
	rs := openRecords(t, st)
	now := func() time.Time { return clock }
	here, there := openOn(t, rs, st, access.Config{Now: now}), openOn(t, rs, st, access.Config{Now: now})
	amy := access.Visitor{Subject: access.Subject{Issuer: "https://id.example", ID: "1"}, Name: "amy", Right: kaijutsu.RightEdit, Issued: epoch.Add(-time.Second), Via: "oidc"}
	id, err := here.Admit(t.Context(), amy, "jwt-1", epoch.Add(time.Hour))
	want := kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person}
	if err != nil || id.Principal != want || id.Right != kaijutsu.RightEdit {
		t.Fatalf("Admit = %+v, %v, want amy, editor", id, err)
	}
	if got := there.Kernel(want); got != kaijutsu.RightEdit {
		t.Errorf("role on another node = %v, want editor: what amy staged is delivered there", got)
	}
	ended := make(chan struct{})
	defer here.Watch(id, func() { close(ended) })()

	// A role of an owner stays until the authority's word is another.
	if _, err := here.SetRole(t.Context(), owner, "amy", kaijutsu.RightRead); err != nil {
		t.Fatal(err)
	}
	amy.Name = "amelia" // what it calls her does not matter any more
	if by, err := here.Welcome(t.Context(), amy); err != nil || by != want || here.Kernel(want) != kaijutsu.RightRead {
		t.Errorf("Welcome = %v, %v, role %v, want amy, a reader still", by, err, here.Kernel(want))
	}
	amy.Right = kaijutsu.RightComment
	if _, err := here.Welcome(t.Context(), amy); err != nil || here.Kernel(want) != kaijutsu.RightComment {
		t.Errorf("Welcome with another role = %v, role %v, want commenter", err, here.Kernel(want))
	}

	// Another subject does not become amy, whatever it is called.
	eve := access.Visitor{Subject: access.Subject{Issuer: "https://id.example", ID: "2"}, Name: "amy", Right: kaijutsu.RightOwn, Issued: epoch, Via: "oidc"}
	if _, err := here.Welcome(t.Context(), eve); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("Welcome of another amy = %v, want ErrConflict", err)
	}
	for _, name := range []string{"owner", "git", " ", "a\nb"} {
		eve.Name = name
		if by, err := here.Welcome(t.Context(), eve); err == nil {
			t.Errorf("Welcome of %q = %v, want an error", name, by)
		}
	}

	// Revoked by name on another node: gone here, at once; what was given out
	// before is refused, what comes later is not.
	clock = epoch.Add(time.Minute)
	if _, err := there.Revoke(t.Context(), owner, "amy"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended:
	default:
		t.Error("who watches a token that another node revokes has not heard of it")
	}
	if _, err := here.Identify("jwt-1"); !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("Identify after the revocation = %v, want ErrDenied", err)
	}
	if _, err := here.Admit(t.Context(), amy, "jwt-1", epoch.Add(time.Hour)); !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("Admit of what was given out before = %v, want ErrDenied", err)
	}
	if k := here.Kernel(want); k != kaijutsu.RightNone {
		t.Errorf("role after the revocation = %v, want none", k)
	}
	clock = epoch.Add(2 * time.Minute)
	amy.Issued = clock
	if id, err = here.Admit(t.Context(), amy, "jwt-2", epoch.Add(time.Hour)); err != nil || id.Principal != want || here.Kernel(want) != kaijutsu.RightComment {
		t.Errorf("Admit of what was given out later = %+v, %v, want amy, commenter", id, err)
	}
	clock = epoch.Add(2 * time.Hour)
	if _, err := here.Identify("jwt-2"); !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("Identify after its end = %v, want ErrDenied", err)
	}
}

// TestASubjectTakesOverByAddress: who is here already is known by the address
// that an owner put on record, and by no other.
func TestASubjectTakesOverByAddress(t *testing.T) {
	table := openTable(t, openStore(t, t.TempDir()), nil)
	_, ben := create(t, table, access.NewToken{Name: "ben", Right: kaijutsu.RightOwn})
	_, cyd := create(t, table, access.NewToken{Name: "cyd", Right: kaijutsu.RightEdit})
	if err := table.SetIdentity(t.Context(), owner, ben.Principal, access.Person{Email: "ben@example.org"}); err != nil {
		t.Fatal(err)
	}
	if err := table.SetIdentity(t.Context(), cyd.Principal, cyd.Principal, access.Person{Email: "dan@example.org"}); err != nil {
		t.Fatal(err)
	}
	v := access.Visitor{Subject: access.Subject{Issuer: "https://id.example", ID: "7"}, Name: "benjamin", Email: "Ben@example.org", Right: kaijutsu.RightRead, Issued: time.Now(), Via: "oidc"}
	by, err := table.Welcome(t.Context(), v)
	if err != nil || by != ben.Principal || table.Kernel(by) != kaijutsu.RightOwn {
		t.Errorf("Welcome = %v, %v, role %v, want ben with the role that ben has", by, err, table.Kernel(by))
	}
	v.Subject.ID = "8"
	if _, err := table.Welcome(t.Context(), v); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("Welcome of another subject with that address = %v, want ErrConflict", err)
	}
	v.Subject.ID, v.Name, v.Email = "9", "dan", "dan@example.org"
	if by, err := table.Welcome(t.Context(), v); err != nil || by.Name != "dan" {
		t.Errorf("Welcome with an address that somebody gave themselves = %v, %v, want a new principal", by, err)
	}
}
