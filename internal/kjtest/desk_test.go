package kjtest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kaijutsu/internal/kjtest"
	"kaijutsu/internal/op"
)

// desk is somebody at a server over HTTP, with a token of their own.
type desk struct {
	t     testing.TB
	url   string
	token string
}

// answer is a JSON object of a result.
type answer map[string]any

// office starts a server that wants tokens, in which people and agents get one
// each, and returns the owner's desk.
func office(t testing.TB, dir string, args ...string) (owner desk, p interface{ Kill() }) {
	t.Helper()
	process := kjtest.Serve(t, dir, append([]string{"--auth", "token"}, args...)...)
	token, err := os.ReadFile(filepath.Join(dir, "owner.token"))
	if err != nil {
		t.Fatal(err)
	}
	return desk{t, process.URL, strings.TrimSpace(string(token))}, process
}

// desk makes a desk for somebody with a role on the kernel.
func (d desk) desk(name, kind, role string) desk {
	d.t.Helper()
	made := d.ok("token_create", answer{"name": name, "kind": kind, "role": role})
	return desk{d.t, d.url, made.str("token")}
}

// post runs an operation and returns its result, or its problem.
func (d desk) post(name string, in answer) (answer, *op.Problem) {
	d.t.Helper()
	params, err := json.Marshal(in)
	if err != nil {
		d.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(d.t.Context(), http.MethodPost, d.url+"/v1/ops/"+name, bytes.NewReader(params))
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+d.token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, &op.Problem{Kind: "gone", Message: err.Error()}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, &op.Problem{Kind: "gone", Message: err.Error()}
	}
	if resp.StatusCode != http.StatusOK {
		var wrong struct{ Error op.Problem }
		if err := json.Unmarshal(body, &wrong); err != nil {
			d.t.Fatalf("%s: %s %s", name, resp.Status, body)
		}
		return nil, &wrong.Error
	}
	var out answer
	if err := json.Unmarshal(body, &out); err != nil {
		d.t.Fatalf("%s: %v in %s", name, err, body)
	}
	return out, nil
}

// ok runs an operation that has to work.
func (d desk) ok(name string, in answer) answer {
	d.t.Helper()
	out, problem := d.post(name, in)
	if problem != nil {
		d.t.Fatalf("%s %v: %+v", name, in, problem)
	}
	return out
}

// refused runs an operation that has to fail with a problem of a kind whose
// text has some words in it.
func (d desk) refused(name string, in answer, kind string, words ...string) {
	d.t.Helper()
	out, problem := d.post(name, in)
	if problem == nil || problem.Kind != kind {
		d.t.Fatalf("%s %v = %v, %+v, want a problem of kind %s", name, in, out, problem, kind)
	}
	for _, w := range words {
		if !strings.Contains(problem.Message, w) {
			d.t.Errorf("%s %v: %q does not say %q", name, in, problem.Message, w)
		}
	}
}

// context makes a context and returns its id.
func (d desk) context(title string) string {
	d.t.Helper()
	return d.ok("context_create", answer{"title": title}).str("id")
}

// write adds a block to a context and returns its id.
func (d desk) write(context, content string) string {
	d.t.Helper()
	return d.ok("block_create", answer{"context": context, "content": content}).str("block_id")
}

// drifts returns the drift blocks that show in a context.
func (d desk) drifts(context string) (all []answer) {
	d.t.Helper()
	for _, b := range d.ok("context_get", answer{"context": context}).list("block_list") {
		if b.str("kind") == "drift" {
			all = append(all, b)
		}
	}
	return all
}

// said returns what the drift blocks of a context say, in their order.
func (d desk) said(context string) (all []string) {
	d.t.Helper()
	for _, b := range d.drifts(context) {
		all = append(all, b.str("content"))
	}
	return all
}

// numbers returns the numbers of what waits.
func (d desk) numbers() (all []int) {
	d.t.Helper()
	for _, item := range d.ok("drift_queue", answer{}).list("items") {
		all = append(all, item.num("number"))
	}
	return all
}

func (a answer) str(key string) string { s, _ := a[key].(string); return s }

func (a answer) num(key string) int { n, _ := a[key].(float64); return int(n) }

func (a answer) list(key string) (all []answer) {
	list, _ := a[key].([]any)
	for _, v := range list {
		m, _ := v.(map[string]any)
		all = append(all, m)
	}
	return all
}

// equal compares lists.
func equal[T comparable](t testing.TB, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
