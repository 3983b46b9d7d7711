package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"kaijutsu/internal/llm"
	"kaijutsu/internal/server"
)

// modelServer speaks as OpenAI does: it answers with a status, or streams a
// briefing that cites the first passage, and keeps what it was asked last.
func modelServer(t *testing.T) (url string, status *atomic.Int64, asked *atomic.Pointer[string]) {
	status, asked = new(atomic.Int64), new(atomic.Pointer[string])
	status.Store(http.StatusOK)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Messages []struct{ Role, Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.Messages) != 2 || r.Header.Get("Authorization") != "Bearer sk-test" {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		asked.Store(&in.Messages[1].Content)
		if code := int(status.Load()); code != http.StatusOK {
			w.WriteHeader(code)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, words := range []string{"- The cache ", "is an LRU [1]"} {
			fmt.Fprintf(w, "data: {\"model\":\"tester-1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%q},\"finish_reason\":null}]}\n\n", words)
		}
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":90,\"completion_tokens\":9}}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1", status, asked
}

// TestDistilledByModel: a model that is configured writes briefings, and when it
// fails there is an error and nothing else, or an extract for who wants one.
func TestDistilledByModel(t *testing.T) {
	url, status, asked := modelServer(t)
	g := startGuarded(t, func(c *server.Config) {
		c.LLM = llm.Config{Provider: llm.OpenAI, BaseURL: url, Model: "tester", Key: "sk-test", Retries: -1}
	})
	if got := g.Distiller(); got != "openai tester" {
		t.Errorf("distiller = %q", got)
	}
	g.do("context_create", `{"title": "Source"}`)
	g.do("context_create", `{"title": "Target"}`)
	cited := g.do("block_create", `{"context": "Source", "content": "We decided that the cache is an LRU."}`)["block_id"].(string)
	letters := func() []any {
		return g.do("drift_inbox", `{"context": "Target"}`)["letters"].([]any)
	}

	g.do("drift_pull", `{"from": "Source", "context": "Target", "focus": "what was decided about caching?"}`)
	got := letters()
	if len(got) != 1 {
		t.Fatalf("letters = %v, want the briefing", got)
	}
	letter := got[0].(map[string]any)
	citations, _ := letter["citations"].([]any)
	if letter["content"] != "- The cache is an LRU [1]" || letter["model"] != "tester-1" || len(citations) != 1 || !strings.Contains(fmt.Sprint(citations[0]), cited) {
		t.Errorf("briefing = %v, want the model's words, citing %s", letter, cited)
	}
	if text := *asked.Load(); !strings.HasSuffix(text, "Focus your summary on: what was decided about caching?") || !strings.Contains(text, "cache is an LRU") {
		t.Errorf("the model was asked %q", text)
	}

	status.Store(http.StatusUnauthorized)
	for _, op := range []string{
		`drift_pull {"from": "Source", "context": "Target"}`,
		`drift_push {"context": "Source", "to": "Target", "summarize": true}`,
		`drift_push {"context": "Source", "to": "Target", "summarize": true, "stage": true}`,
	} {
		name, params, _ := strings.Cut(op, " ")
		code, out := g.try(g.owner, name, params)
		if text := fmt.Sprint(out); code != http.StatusForbidden || !strings.Contains(text, "--llm-key-file") || strings.Contains(text, "sk-test") {
			t.Errorf("%s = %d %v, want denied, with what mends it", op, code, out)
		}
	}
	if n, queue := len(letters()), g.do("drift_queue", `{}`)["items"].([]any); n != 1 || len(queue) != 0 {
		t.Errorf("after failures there are %d letters and the queue %v, want one and none", n, queue)
	}

	g.do("drift_pull", `{"from": "Source", "context": "Target", "fallback": true}`)
	got = letters()
	letter = got[len(got)-1].(map[string]any)
	if text := letter["content"].(string); len(got) != 2 || !strings.Contains(text, "openai tester") || !strings.Contains(text, "--llm-key-file") || !strings.Contains(text, "LRU") {
		t.Errorf("in place of the model: %v, want an extract that says why", letter)
	}
	g.do("drift_pull", `{"from": "Source", "context": "Target", "distiller": "extractive"}`)
	if len(letters()) != 3 {
		t.Errorf("letters = %v, want an extract without the model", letters())
	}
}
