package shelldoor_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaijutsu/internal/op"
)

// answering is a kj whose server answers everything with one result.
func answering(result string) *kj {
	return &kj{answer: func(*op.Op, json.RawMessage) (json.RawMessage, error) { return json.RawMessage(result), nil }}
}

func TestShows(t *testing.T) {
	t.Setenv("TZ", "UTC")
	tests := []struct {
		name         string
		line         []string
		result       string
		want, notes  string
		wantsNewline bool
	}{
		{"the result as it is", []string{"block", "read", block, "--json"}, `{"content":"<a&b>","x":1}`, "{\"content\":\"<a&b>\",\"x\":1}\n", "", false},
		{"content verbatim", []string{"block", "read", block}, `{"content":"a\n\tb"}`, "a\n\tb", "", false},
		{"a new context", []string{"ctx", "new", "x"}, `{"id":"i","url":"automerge:u"}`, "i  automerge:u\n", "", false},
		{"forks below their parents", []string{"ctx", "ls"},
			`{"contexts":[{"id":"1","short":"a","label":"plan","title":"A","url":"u"},{"id":"2","title":"B","url":"u"},{"id":"3","title":"C","url":"u","forked_from":{"context":"1"}},{"id":"4","title":"D","url":"u","forked_from":{"context":"3"}},{"id":"5","title":"E","url":"u","forked_from":{"context":"1"}}]}`,
			"ID  SHORT  BLOCKS  LABEL  TITLE    URL\n1   a      0       plan   A        u\n3          0              ├─ C     u\n4          0              │  └─ D  u\n5          0              └─ E     u\n2          0              B        u\n", "", false},
		{"contexts that fork from each other are all there", []string{"ctx", "ls"},
			`{"contexts":[{"id":"1","short":"a1b2c3","title":"A","forked_from":{"context":"1"}}],"next":"n"}`, "ID  SHORT   BLOCKS  TITLE  URL\n1   a1b2c3  0       A\n", "there are more: --cursor n\n", false},
		{"a lineage", []string{"ctx", "lineage", "B"},
			`{"contexts":[{"short":"a","title":"A"},{"short":"b","label":"try","title":"B","depth":1,"here":true,"forked_from":{"heads":["0123456789","abcdef012345"]}},{"short":"c","title":"C","depth":2,"archived":true,"forked_from":{"heads":["0123456789"]}},{"short":"d","depth":3,"deleted":true},{"short":"e","title":"E","depth":2}]}`,
			"  a                A\n* └─ b        try  B              @01234567,abcdef01\n     ├─ c          C  (archived)  @01234567\n     │  └─ d       (deleted)\n     └─ e          E\n", "", false},
		{"a context with all its names", []string{"ctx", "get", "Plan"},
			`{"id":"i","short":"s","label":"l","url":"automerge:u","title":"Plan","provider":"anthropic","model":"m","block_list":[]}`,
			"# Plan\ni  automerge:u\nshort s\nlabel l\nmodel anthropic m\n", "", false},
		{"a label", []string{"ctx", "label", "Plan", "notes"}, `{"id":"i","title":"Plan","label":"notes"}`, "i  Plan  [notes]\n", "", false},
		{"a model", []string{"ctx", "model", "Plan", "m", "--provider", "p"}, `{"id":"i","title":"Plan","model":"m","provider":"p"}`, "i  Plan  p m\n", "", false},
		{"no model", []string{"ctx", "model", "Plan", ""}, `{"id":"i","title":"Plan"}`, "i  Plan  no model is known\n", "", false},
		{"no contexts", []string{"ctx", "ls"}, `{"contexts":[]}`, "", "no contexts yet; make one with kj ctx new \"A title\"\n", false},
		{"a tree of blocks", []string{"block", "ls", "Plan"},
			`{"blocks":[{"id":"1","kind":"tool_call","role":"model","status":"done","author":"amy","summary":"go\ntest"},{"id":"2","depth":1,"kind":"tool_result","role":"tool","status":"error","author":"amy","summary":"bad","deleted":true}]}`,
			"ID  KIND           ROLE   STATUS          AUTHOR  SUMMARY\n1   tool_call      model  done            amy     go test\n2     tool_result  tool   error, deleted  amy     bad\n", "", false},
		{"a write", []string{"block", "status", block, "done"}, `{"block_id":"b","version":7,"change":"0123456789abcdef"}`, "b  version 7, change 01234567\n", "", false},
		{"nothing to write", []string{"block", "status", block, "done"}, `{"block_id":"b","version":7}`, "b  version 7, nothing to write\n", "", false},
		{"what waits", []string{"block", "append", block, "x"}, `{"block_id":"b","version":7,"buffered":1}`, "b  version 7, 1 character waiting\n", "", false},
		{"blame by lines", []string{"block", "blame", block},
			`{"runs":[{"line":0,"text":"one\n","author":"amy","change":"0123456789","time":"2026-11-21T10:00:00Z"},{"start":4,"line":1,"text":"two","author":"robot","via":"relay","change":"abcdefabcdef","time":"2026-11-21T10:00:00Z"}]}`,
			"01234567 (amy             2026-11-21 10:00    1) one\nabcdefab (robot via relay 2026-11-21 10:00    2) two\n", "", false},
		{"a difference", []string{"ctx", "diff", "Plan", "3"},
			`{"from":{"version":3},"to":{"version":5},"title":{"from":"a","to":"b"},"blocks":[{"id":"1","kind":"text","role":"user","how":["content","status"],"status":{"from":"running","to":"done"},"patch":"@@ -1 +1 @@\n-a\n+b\n"}]}`,
			"title: \"a\" → \"b\"\nblock 1  text · user · content, status\nstatus: running → done\n@@ -1 +1 @@\n-a\n+b\n", "", false},
		{"a dry run", []string{"block", "patch", block, "x", "--dry-run"}, `{"dry_run":true,"patch":"@@ -1 +1 @@\n-a\n+b\n"}`, "@@ -1 +1 @@\n-a\n+b\n", "dry run: nothing was written\n", false},
		{"lines found", []string{"search", "x"}, `{"matches":[{"context":"c","block_id":"b","line":4,"content":"x","before":["w"],"after":["y"]}],"truncated":true}`,
			"c  b\n     4- w\n     5: x\n     6- y\n", "there is more than these 1; --max-matches shows it\n", false},
		{"drift blocks say where they come from", []string{"ctx", "get", "Plan"},
			`{"id":"i","url":"u","title":"Plan","block_list":[{"id":"1","kind":"drift","role":"system","status":"done","author":"amy","created":"2026-11-21T10:00:00Z","content":"x","meta":"{\"drift_kind\":\"push\",\"source_context\":\"01a1fff8-9c40-718d-a90b-29fb1672d44e\",\"source_title\":\"Alpha\",\"stale\":[{\"ref\":1},{\"ref\":3}]}"},{"id":"2","kind":"drift","role":"system","status":"done","author":"bob","created":"2026-11-21T10:00:00Z","meta":"[]"}]}`,
			"# Plan\ni  u\n\n── drift · push from Alpha (72d44e) · stale [1][3] · amy  2026-11-21 10:00\n   1\nx\n\n── drift · system · done · bob  2026-11-21 10:00\n   2\n\n", "", false},
		{"what was flushed where", []string{"drift", "flush", "--context", "A"},
			`{"delivered":3,"items":[{"state":"delivered","to":{"title":"Beta","short":"a1380c"}},{"state":"delivered","to":{"title":"Beta","short":"a1380c"}},{"state":"delivered","to":{"label":"plan","short":"b1380c"}},{"state":"staged","to":{"title":"Gamma"}}]}`,
			"Flushed 3 drifts → Beta (a1380c), plan (b1380c)\n", "", false},
		{"what was refused", []string{"drift", "consent", "2", "--accept=false"}, `{"number":2,"state":"cancelled","to":{"title":"Beta"}}`, "Refused drift #2, which was for Beta\n", "", false},
		{"a token alone", []string{"token", "create", "bot"}, `{"id":"1","name":"bot","kind":"agent","role":"editor","token":"kj_secret"}`, "kj_secret\n", "", true},
		{"any fields", []string{"server", "status"}, `{"open_documents":2,"b":[1,2],"c":{"d":null}}`, "b               1 2\nc               {\"d\":null}\nopen documents  2\n", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k := answering(tt.result)
			if err := k.run(tt.line...); err != nil {
				t.Fatal(err)
			}
			if got := k.out.String(); got != tt.want {
				t.Errorf("kj %q prints\n%s, want\n%s", tt.line, got, tt.want)
			}
			if got := k.notes.String(); got != tt.notes && !tt.wantsNewline {
				t.Errorf("kj %q notes %q, want %q", tt.line, got, tt.notes)
			}
		})
	}
}

func TestExportWritesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.automerge")
	k := answering(`{"format":"automerge","content_base64":"hUpvgw=="}`)
	if err := k.run("ctx", "export", "Plan", "-o", path); err != nil {
		t.Fatal(err)
	}
	if got := k.calls[0].params["format"]; got != "automerge" {
		t.Errorf("format %v, want that of the file's name", got)
	}
	b, err := os.ReadFile(path)
	if err != nil || string(b) != "\x85Jo\x83" {
		t.Errorf("the file holds %q, %v", b, err)
	}
	if !strings.Contains(k.notes.String(), "(4 bytes, automerge)") {
		t.Errorf("notes %q", &k.notes)
	}
}
