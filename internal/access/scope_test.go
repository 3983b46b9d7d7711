package access_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/access"
	"kaijutsu/internal/op"
)

// TestScopeNarrows: a token gives no more than its principal has, and what it
// narrows is the same after a restart.
func TestScopeNarrows(t *testing.T) {
	plan, other := kaijutsu.NewContextID(epoch).Document(), kaijutsu.NewContextID(epoch.Add(time.Second)).Document()
	tests := []struct {
		name                        string
		has                         kaijutsu.Right
		scope                       access.Scope
		kernel, inPlan, inOther     kaijutsu.Right
		takesSync, takesMCP, offers bool // offers block_edit
	}{
		{"nothing", kaijutsu.RightEdit, access.Scope{}, kaijutsu.RightEdit, kaijutsu.RightEdit, kaijutsu.RightEdit, true, true, true},
		{"a role", kaijutsu.RightEdit, access.Scope{Most: kaijutsu.RightRead}, kaijutsu.RightRead, kaijutsu.RightRead, kaijutsu.RightRead, true, true, true},
		{"a role above its own", kaijutsu.RightRead, access.Scope{Most: kaijutsu.RightOwn}, kaijutsu.RightRead, kaijutsu.RightRead, kaijutsu.RightRead, true, true, true},
		{"an owner to a context", kaijutsu.RightOwn, access.Scope{Contexts: []kaijutsu.DocumentID{plan}}, kaijutsu.RightNone, kaijutsu.RightOwn, kaijutsu.RightNone, true, true, true},
		{"a context and a role", kaijutsu.RightOwn, access.Scope{Most: kaijutsu.RightComment, Contexts: []kaijutsu.DocumentID{plan}}, kaijutsu.RightNone, kaijutsu.RightComment, kaijutsu.RightNone, true, true, true},
		{"operations", kaijutsu.RightEdit, access.Scope{Only: []string{"block_read", "context_*"}}, kaijutsu.RightEdit, kaijutsu.RightEdit, kaijutsu.RightEdit, false, true, false},
		{"operations and a door", kaijutsu.RightEdit, access.Scope{Only: []string{"block_*"}, Doors: []string{"sync"}}, kaijutsu.RightEdit, kaijutsu.RightEdit, kaijutsu.RightEdit, true, false, true},
		{"without an operation", kaijutsu.RightEdit, access.Scope{Deny: []string{"block_edit"}}, kaijutsu.RightEdit, kaijutsu.RightEdit, kaijutsu.RightEdit, true, true, false},
		{"a door", kaijutsu.RightEdit, access.Scope{Doors: []string{"mcp"}}, kaijutsu.RightEdit, kaijutsu.RightEdit, kaijutsu.RightEdit, false, true, true},
	}
	set := op.NewSet(op.Gates{}, op.Define(op.Spec{Name: "block_edit", Command: []string{"block", "edit"}, Summary: "Edit"}, nothing))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			st := openStore(t, dir)
			rs := openRecords(t, st)
			table := openOn(t, rs, st, access.Config{})
			secret, _ := create(t, table, access.NewToken{Name: "amy", Right: tt.has, Scope: tt.scope})
			for _, again := range []*access.Table{table, openOn(t, rs, st, access.Config{})} {
				id := identify(t, again, secret)
				at := func(doc kaijutsu.DocumentID) kaijutsu.Right {
					return id.Bounds.Document(doc, again.Current(id.Principal, doc))
				}
				if id.Right != tt.kernel || at(plan) != tt.inPlan || at(other) != tt.inOther {
					t.Errorf("rights = %v, %v, %v, want %v, %v, %v", id.Right, at(plan), at(other), tt.kernel, tt.inPlan, tt.inOther)
				}
				if got := id.Takes("sync"); got != tt.takesSync {
					t.Errorf("taken by sync: %v, want %v", got, tt.takesSync)
				}
				if got := id.Takes("mcp"); got != tt.takesMCP {
					t.Errorf("taken by mcp: %v, want %v", got, tt.takesMCP)
				}
				if got := len(set.List(op.Call{By: id.Principal, Deny: id.Deny, Bounds: id.Bounds})) == 1; got != tt.offers {
					t.Errorf("block_edit is there: %v, want %v", got, tt.offers)
				}
			}
		})
	}
}

func TestScopeRefuses(t *testing.T) {
	table := openTable(t, openStore(t, t.TempDir()), nil)
	tests := []struct {
		name  string
		scope access.Scope
		want  string
	}{
		{"a door that is none", access.Scope{Doors: []string{"window"}}, `no door "window"`},
		{"a word that is no operation", access.Scope{Only: []string{"Block Edit"}}, "no operation"},
		{"more operations than there are", access.Scope{Deny: make([]string, 300)}, "300 names"},
		{"more contexts than that", access.Scope{Contexts: make([]kaijutsu.DocumentID, 1001)}, "1001: at most"},
		{"no right there is", access.Scope{Most: 9}, "is none"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := table.CreateToken(t.Context(), access.NewToken{Name: "amy", By: owner, Scope: tt.scope})
			if !errors.Is(err, kaijutsu.ErrInvalid) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("CreateToken = %v, want ErrInvalid with %q", err, tt.want)
			}
		})
	}
}

// TestAScopeThatIsNotUnderstood: a narrower that a newer release wrote gives
// nothing here, not everything.
func TestAScopeThatIsNotUnderstood(t *testing.T) {
	st := openStore(t, t.TempDir())
	rs := openRecords(t, st)
	table := openOn(t, rs, st, access.Config{})
	secret, made := create(t, table, access.NewToken{Name: "amy", Right: kaijutsu.RightEdit})
	value, _ := rs.Get("access/token/" + made.ID)
	for name, field := range map[string]string{"a new field": `"moons":["full"]`, "a door": `"doors":["window"]`, "a role": `"most":"none"`, "a context": `"contexts":["x"]`} {
		row := strings.TrimSuffix(string(value), "}") + "," + field + "}"
		if err := rs.Put(t.Context(), owner, "access/token/"+made.ID, []byte(row)); err != nil {
			t.Fatal(err)
		}
		if _, err := table.Identify(secret); !errors.Is(err, kaijutsu.ErrDenied) {
			t.Errorf("%s: Identify = %v, want ErrDenied", name, err)
		}
	}
}
