package server_test

import (
	"strings"
	"testing"
)

// told are the types of the events that events_follow tells, of some domain,
// and where to go on.
func (g *guarded) told(token, params, domain string) (string, string) {
	g.t.Helper()
	code, out := g.try(token, "events_follow", params)
	if code != 200 {
		g.t.Fatalf("events_follow %s = %d %v", params, code, out)
	}
	var kinds []string
	for _, e := range out["events"].([]any) {
		if kind := e.(map[string]any)["type"].(string); strings.HasPrefix(kind, domain) {
			kinds = append(kinds, kind)
		}
	}
	return strings.Join(kinds, " "), out["next"].(string)
}

// TestWhatWasRecordedMeanwhileIsTold to who goes on where it was, once and in
// order, and to nobody from whom the context was hidden.
func TestWhatWasRecordedMeanwhileIsTold(t *testing.T) {
	g := startGuarded(t, nil)
	plan := g.do("context_create", `{"title": "Plan"}`)["id"].(string)
	old := g.do("context_create", `{"title": "Old"}`)["id"].(string)
	red := g.token("red", "reader")
	g.do("role_set", `{"principal": "red", "role": "none", "context": "`+old+`"}`)
	_, next := g.told(g.owner, `{"pattern": ">", "wait_ms": 1}`, "context.")
	_, kinds := g.told(g.owner, `{"pattern": "ctx.*.context.archived", "wait_ms": 1}`, "context.")
	version, _ := g.told(g.owner, `{"context": "Plan", "since": "1", "wait_ms": 1}`, "context.archived")
	if version != "" {
		t.Errorf("before it is archived, %q is told", version)
	}

	g.do("context_archive", `{"context": "Plan"}`)
	g.do("context_archive", `{"context": "Plan", "archived": false}`)
	g.do("context_delete", `{"context": "Old", "force": true}`)
	g.do("context_archive", `{"context": "Plan"}`)
	const want = "context.archived context.restored context.deleted context.archived"
	got, after := "", next
	for more := "."; more != "" && len(got) < len(want); { // what was committed is told a moment later
		more, after = g.told(g.owner, `{"pattern": ">", "wait_ms": 10000, "since": "`+after+`"}`, "context.")
		got = strings.TrimSpace(got + " " + more)
	}
	if got != want {
		t.Errorf("told behind what came is %q, want %q", got, want)
	}
	if got, _ := g.told(g.owner, `{"pattern": ">", "wait_ms": 1, "since": "`+after+`"}`, "context."); got != "" {
		t.Errorf("told behind that is %q, want nothing twice", got)
	}
	if got, _ := g.told(g.owner, `{"pattern": "ctx.*.context.archived", "wait_ms": 1, "since": "`+kinds+`"}`, "context."); got != "context.archived context.archived" {
		t.Errorf("told of what was archived is %q", got)
	}
	if got, _ := g.told(g.owner, `{"context": "`+plan+`", "wait_ms": 1, "since": "2"}`, "context."); got != "context.archived" {
		t.Errorf("who goes on in the context is told %q, want what it is now", got)
	}
	if got, _ := g.told(red, `{"pattern": ">", "wait_ms": 1, "since": "`+next+`"}`, "context."); got != "context.archived context.restored context.archived" {
		t.Errorf("from whom it was hidden is told %q, want nothing of the deletion", got)
	}
}
