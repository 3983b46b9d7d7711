package shelldoor_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/door/shelldoor"
	"kaijutsu/internal/op"
)

const (
	block   = "00000000-0000-7000-8000-000000000001"
	another = "00000000-0000-7000-8000-0000000000ff"
)

func TestLines(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "text.txt")
	if err := os.WriteFile(file, []byte("from a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name    string
		line    []string
		context string // KJ_CONTEXT
		in      string
		op      string
		want    string // parameters
	}{
		{"words of a text", []string{"block", "append", block, "two", "words"}, "", "", "block_append", `{"block_id":"` + block + `","text":"two words"}`},
		{"text that begins with a dash", []string{"block", "append", block, "- one"}, "", "", "block_append", `{"block_id":"` + block + `","text":"- one"}`},
		{"a flag that begins with a dash", []string{"block", "append", block, "--text", "- one"}, "", "", "block_append", `{"block_id":"` + block + `","text":"- one"}`},
		{"standard input", []string{"block", "append", block, "-"}, "", "piped\n", "block_append", `{"block_id":"` + block + `","text":"piped\n"}`},
		{"a file", []string{"block", "append", block, "@" + file}, "", "", "block_append", `{"block_id":"` + block + `","text":"from a file\n"}`},
		{"an at sign", []string{"block", "append", block, "@@amy: look"}, "", "", "block_append", `{"block_id":"` + block + `","text":"@amy: look"}`},
		{"a dash that is no content", []string{"ctx", "new", "-"}, "", "", "context_create", `{"title":"-"}`},
		{"a context in front of a block", []string{"block", "append", "Release", block, "x"}, "", "", "block_append", `{"context":"Release","block_id":"` + block + `","text":"x"}`},
		{"an id of a context in front of a block", []string{"block", "append", another, block, "x"}, "", "", "block_append", `{"context":"` + another + `","block_id":"` + block + `","text":"x"}`},
		{"a short id of a context in front of a block", []string{"block", "read", "a1b2c3", "01a1fe", "--json"}, "", "", "block_read", `{"context":"a1b2c3","block_id":"01a1fe"}`},
		{"and words behind it", []string{"block", "status", "a1b2c3", block, "done"}, "", "", "block_status", `{"context":"a1b2c3","block_id":"` + block + `","status":"done"}`},
		{"the beginning of a block's id", []string{"block", "append", "a1b2c3", block}, "", "", "block_append", `{"block_id":"a1b2c3","text":"` + block + `"}`},
		{"an address of an ancestor", []string{"block", "append", ".parent", block, "x"}, "", "", "block_append", `{"context":".parent","block_id":"` + block + `","text":"x"}`},
		{"an empty list", []string{"drift", "policy-set", "--rules", "[]"}, "", "", "drift_policy_set", `{"rules":[]}`},
		{"all contexts", []string{"drift", "inbox", "--all"}, "Release", "", "drift_inbox", `{"all":true}`},
		{"a label", []string{"ctx", "label", "notes"}, "Release", "", "context_label", `{"context":"Release","label":"notes"}`},
		{"a label taken away", []string{"ctx", "label", "Plan", ""}, "", "", "context_label", `{"context":"Plan","label":""}`},
		{"a context by flag", []string{"block", "append", "--context", "Release", block, "x"}, "", "", "block_append", `{"context":"Release","block_id":"` + block + `","text":"x"}`},
		{"a context by flag in front of all", []string{"--context", "Release", "block", "append", block, "x"}, "", "", "block_append", `{"context":"Release","block_id":"` + block + `","text":"x"}`},
		{"a context by environment", []string{"block", "append", block, "x"}, "Release", "", "block_append", `{"context":"Release","block_id":"` + block + `","text":"x"}`},
		{"a new block", []string{"block", "add", "Release", "some", "text"}, "", "", "block_create", `{"context":"Release","content":"some text"}`},
		{"a new block where a context is meant", []string{"block", "add", "some", "text"}, "Release", "", "block_create", `{"context":"Release","content":"some text"}`},
		{"a new block by flag", []string{"block", "add", "--context", "Plan", "some", "text"}, "Release", "", "block_create", `{"context":"Plan","content":"some text"}`},
		{"an append that makes a block", []string{"block", "append", "Release", "- some", "text"}, "", "", "block_create", `{"context":"Release","content":"- some text"}`},
		{"with what it is", []string{"block", "append", "Release", "x", "--kind", "comment", "--parent", block}, "Plan", "", "block_create", `{"context":"Release","content":"x","kind":"comment","parent_id":"` + block + `"}`},
		{"an id of a context, with what it is", []string{"block", "append", another, "x", "--role", "tool"}, "Plan", "", "block_create", `{"context":"` + another + `","content":"x","role":"tool"}`},
		{"an append of a word", []string{"block", "append", block, "text"}, "Release", "", "block_append", `{"context":"Release","block_id":"` + block + `","text":"text"}`},
		{"a context that is meant", []string{"ctx", "get"}, "Release", "", "context_get", `{"context":"Release"}`},
		{"a context instead of the one meant", []string{"ctx", "get", "Plan"}, "Release", "", "context_get", `{"context":"Plan"}`},
		{"the required word first", []string{"ctx", "diff", "12"}, "Release", "", "context_diff", `{"context":"Release","from":"12"}`},
		{"then the context", []string{"ctx", "diff", "Plan", "12"}, "Release", "", "context_diff", `{"context":"Plan","from":"12"}`},
		{"a title of words", []string{"ctx", "rename", "Plan", "a", "new", "title"}, "", "", "context_rename", `{"context":"Plan","title":"a new title"}`},
		{"what is deleted is named", []string{"ctx", "rm", "Plan"}, "Release", "", "context_delete", `{"context":"Plan"}`},
		{"a role counts everywhere", []string{"role", "set", "bot", "reader"}, "Release", "", "role_set", `{"principal":"bot","role":"reader"}`},
		{"a search is everywhere", []string{"search", "fast", "sync"}, "Release", "", "kernel_search", `{"query":"fast sync"}`},
		{"a negative number", []string{"block", "splice", block, "-5", "0"}, "", "", "block_splice", `{"block_id":"` + block + `","offset":-5,"delete_count":0}`},
		{"the last place left out", []string{"block", "splice", block, "3", "4"}, "", "", "block_splice", `{"block_id":"` + block + `","offset":3,"delete_count":4}`},
		{"edits", []string{"block", "edit", block, "--insert", "0:a: b", "--replace", "1:2:@@c", "--expect", "old", "--delete=4:5"}, "", "", "block_edit",
			`{"block_id":"` + block + `","operations":[{"op":"insert","line":0,"content":"a: b"},{"op":"replace","start_line":1,"end_line":2,"content":"@c","expected_text":"old"},{"op":"delete","start_line":4,"end_line":5}]}`},
		{"edits as JSON", []string{"block", "edit", block, `[{"op":"insert","line":0,"content":"a"}]`, `{"op":"delete","start_line":0,"end_line":1}`}, "", "", "block_edit",
			`{"block_id":"` + block + `","operations":[{"op":"insert","line":0,"content":"a"},{"op":"delete","start_line":0,"end_line":1}]}`},
		{"lines of a block", []string{"block", "read", block, "--range", "2:5"}, "", "", "block_read", `{"block_id":"` + block + `","line_numbers":false,"range":{"start":2,"end":5}}`},
		{"what people like, not with --json", []string{"block", "read", block, "--json"}, "", "", "block_read", `{"block_id":"` + block + `"}`},
		{"blame by lines", []string{"block", "blame", block}, "", "", "block_blame", `{"block_id":"` + block + `","by":"lines"}`},
		{"no-flags", []string{"ctx", "archive", "Plan", "--no-archived"}, "", "", "context_archive", `{"context":"Plan","archived":false}`},
		{"many of one flag", []string{"search", "x", "--contexts", "a, b", "--contexts", "c"}, "", "", "kernel_search", `{"query":"x","contexts":["a, b","c"]}`},
		{"everything at once", []string{"block", "ls", "--params", `{"context":"Plan","kind":"text"}`, "--kind", "comment"}, "", "", "block_list", `{"context":"Plan","kind":"comment"}`},
		{"everything from standard input", []string{"block", "ls", "--params", "-"}, "", `{"context":"Plan"}`, "block_list", `{"context":"Plan"}`},
		{"an older name", []string{"block", "add", "Plan", "x", "--parent", block, "--meta", `{"a":1}`}, "", "", "block_create", `{"context":"Plan","content":"x","parent_id":"` + block + `","metadata":{"a":1}}`},
		{"metadata from standard input", []string{"block", "set", block, "--metadata", "-"}, "", `{"a":1}`, "block_set", `{"block_id":"` + block + `","metadata":{"a":1}}`},
		{"an import by its name", []string{"ctx", "import", file, "--format", "markdown"}, "", "", "context_import", `{"format":"markdown","content":"from a file\n"}`},
		{"an import of bytes", []string{"ctx", "import", file, "--format", "automerge"}, "", "", "context_import", `{"format":"automerge","content_base64":"ZnJvbSBhIGZpbGUK"}`},
		{"an import of standard input", []string{"ctx", "import", "-", "--format", "json"}, "", `{}`, "context_import", `{"format":"json","content":"{}"}`},
		{"the server's words on bad JSON", []string{"block", "ls", "--params", `{"context":`}, "", "", "block_list", `{"context":`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k := &kj{context: tt.context, in: tt.in}
			if err := k.run(tt.line...); err != nil {
				t.Fatalf("%q: %v", tt.line, err)
			}
			var want map[string]any
			if json.Unmarshal([]byte(tt.want), &want) != nil {
				want = nil
			}
			if len(k.calls) != 1 || k.calls[0].op != tt.op || !reflect.DeepEqual(k.calls[0].params, want) {
				t.Errorf("%q calls %+v, want %s %s", tt.line, k.calls, tt.op, tt.want)
			}
		})
	}
}

func TestWrongLines(t *testing.T) {
	tests := []struct {
		name string
		line []string
		want string
	}{
		{"unknown flag", []string{"block", "ls", "--statu", "done"}, "there is no flag --statu; did you mean --status?"},
		{"far from any flag", []string{"block", "ls", "--zzzzzz"}, "there is no flag --zzzzzz"},
		{"a place left out", []string{"block", "append", block}, "TEXT missing: kj block append [CONTEXT] BLOCK TEXT..."},
		{"a flag left out", []string{"block", "edit", block, "--expect", "x"}, "it stands behind the --replace or --delete"},
		{"no number", []string{"block", "splice", block, "x", "0"}, `OFFSET: "x" is no integer`},
		{"one word too many", []string{"block", "status", block, "done", "now"}, `"now" is one word too many`},
		{"given twice", []string{"block", "ls", "--kind", "text", "--kind", "file"}, "given twice"},
		{"input twice", []string{"block", "replace", block, "-", "--expected-text", "-"}, "cannot all be standard input"},
		{"no such file", []string{"block", "append", block, "@/nonexistent/file"}, "a text that begins with @ is written @@"},
		{"no object", []string{"block", "set", block, "--metadata", "x"}, `"x" is no JSON object`},
		{"no block behind the context", []string{"block", "replace", "Release", "x"}, "kj block add makes a new one"},
		{"what a new block is, of an old one", []string{"block", "append", "Release", block, "x", "--role", "tool"}, "--role is for a new block"},
		{"no format", []string{"ctx", "import", "notes.txt"}, "add --format"},
		{"no edit", []string{"block", "edit", block, "--replace", "1:x"}, "want START:END:TEXT"},
		{"not UTF-8", []string{"block", "append", block, "a\xff"}, "not UTF-8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k := &kj{}
			err := k.run(tt.line...)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("%q: %v, want %q", tt.line, err, tt.want)
			}
			if message, exit := shelldoor.Report(err); exit != shelldoor.ExitUsage || !strings.Contains(message, "\nhint: kj ") {
				t.Errorf("%q is shown as %q with status %d", tt.line, message, exit)
			}
			if len(k.calls) > 0 {
				t.Errorf("%q called %+v", tt.line, k.calls)
			}
		})
	}
}

func TestReport(t *testing.T) {
	tests := []struct {
		name    string
		err     error
		message string
		exit    int
	}{
		{"a hint on its own line", &shelldoor.Failure{Problem: op.Problem{Kind: "invalid", Message: `kind: "x": bad; did you mean "y"?`, Hint: `did you mean "y"?`}}, "kj: kind: \"x\": bad\nhint: did you mean \"y\"?\n", 64},
		{"not found", &shelldoor.Failure{Problem: op.Problem{Kind: "not_found", Message: "no"}}, "kj: no\n", 66},
		{"denied", &shelldoor.Failure{Problem: op.Problem{Kind: "denied", Message: "no"}}, "kj: no\n", 77},
		{"conflict", &shelldoor.Failure{Problem: op.Problem{Kind: "conflict", Message: "no"}}, "kj: no\n", 73},
		{"too large", &shelldoor.Failure{Problem: op.Problem{Kind: "too_large", Message: "no"}}, "kj: no\n", 65},
		{"unavailable", &shelldoor.Failure{Problem: op.Problem{Kind: "unavailable", Message: "no"}}, "kj: no\n", 69},
		{"internal", &shelldoor.Failure{Problem: op.Problem{Kind: "internal", Message: "internal error (ref 7f3a)"}}, "kj: internal error (ref 7f3a)\n", 70},
		{"what others wrote steers no terminal", &shelldoor.Failure{Problem: op.Problem{Kind: "not_found", Message: "no:\n\tB\x1b]0;pwned\a \u202eevil", Hint: "\x1b[2J"}}, "kj: no:\n\tB\u241b]0;pwned\u2407 \ufffdevil\nhint: \u241b[2J\n", 66},
		{"one of our own", kaijutsu.ErrInvalid, "kj: invalid\n", 64},
		{"any other", errTest, "kj: test\n", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if message, exit := shelldoor.Report(tt.err); message != tt.message || exit != tt.exit {
				t.Errorf("Report = %q, %d, want %q, %d", message, exit, tt.message, tt.exit)
			}
		})
	}
}

// TestStreams feeds standard input in two pieces, and holds the calls against
// them.
func TestStreams(t *testing.T) {
	long := strings.Repeat("ü", 3000) // more than one piece, cut between bytes
	tests := []struct {
		name string
		line []string
		want []string // operations
	}{
		{"to a block", []string{"block", "append", block, "-"}, []string{"block_append", "block_append"}},
		{"to a new one", []string{"block", "add", "Plan", "-"}, []string{"block_create", "block_append"}},
		{"what a machine writes", []string{"block", "add", "Plan", "-", "--role", "tool"}, []string{"block_create", "block_append", "block_status"}},
		{"in chunks that stay open", []string{"block", "add", "Plan", "-", "--form", "chunks", "--status", "running"}, []string{"block_create", "block_append"}},
		{"a record at once", []string{"block", "add", "Plan", "-", "--form", "body"}, []string{"block_create"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k := &kj{in: long, answer: func(*op.Op, json.RawMessage) (json.RawMessage, error) {
				return json.RawMessage(`{"block_id":"` + block + `","context":"c"}`), nil
			}}
			if err := k.run(tt.line...); err != nil {
				t.Fatal(err)
			}
			var got []string
			var text strings.Builder
			for _, c := range k.calls {
				got = append(got, c.op)
				for _, name := range []string{"text", "content"} {
					s, _ := c.params[name].(string)
					text.WriteString(s)
				}
			}
			if !reflect.DeepEqual(got, tt.want) || text.String() != long {
				t.Errorf("calls %v with %d characters, want %v with %d", got, len([]rune(text.String())), tt.want, 3000)
			}
		})
	}
}

func TestStreamStopsAtAnError(t *testing.T) {
	k := &kj{in: strings.Repeat("x", 20000), answer: func(*op.Op, json.RawMessage) (json.RawMessage, error) { return nil, errTest }}
	if err := k.run("block", "append", block, "-"); !errors.Is(err, errTest) || len(k.calls) != 1 {
		t.Errorf("%v after %d calls, want the first error after one", err, len(k.calls))
	}
}
