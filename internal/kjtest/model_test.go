package kjtest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// model is a language model of which the answer is always the same, behind the
// wire format of chat completions.
type model struct {
	url string

	mu      sync.Mutex
	prompts []string
	broken  string
}

func newModel(t *testing.T) *model {
	m := &model{}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	m.url = server.URL + "/v1"
	return m
}

// asked returns what it was asked, without what it was told beforehand.
func (m *model) asked() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.prompts
}

// fail has it refuse from now on, for this reason; empty: answer again.
func (m *model) fail(why string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.broken = why
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var in struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err == nil {
		err = json.Unmarshal(body, &in)
	}
	m.mu.Lock()
	broken := m.broken
	if err == nil && len(in.Messages) > 0 {
		var prompt string
		if json.Unmarshal(in.Messages[len(in.Messages)-1].Content, &prompt) == nil {
			m.prompts = append(m.prompts, prompt)
		}
	}
	m.mu.Unlock()
	if err != nil || broken != "" {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized) // nothing that another try would mend
		fmt.Fprintf(w, `{"error":{"message":%q,"type":"invalid_request_error"}}`, broken)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, data := range []string{
		`{"id":"1","object":"chat.completion.chunk","model":"small","choices":[{"index":0,"delta":{"role":"assistant","content":"A brief"},"finish_reason":null}]}`,
		`{"id":"1","object":"chat.completion.chunk","model":"small","choices":[{"index":0,"delta":{"content":"ing."},"finish_reason":null}]}`,
		`{"id":"1","object":"chat.completion.chunk","model":"small","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
		`[DONE]`,
	} {
		fmt.Fprintf(w, "data: %s\n\n", data)
	}
}

// eventually waits for something that is told by nobody.
func eventually(t testing.TB, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(30 * time.Second)
	for !done() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waited 30 s for %s", what)
		}
	}
}
