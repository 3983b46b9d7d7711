package torture

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

const (
	// callTimeout is how long an operation may take before its writer gives up
	// and does not know what became of it.
	callTimeout = 20 * time.Second
	// maxAnswerBytes bounds what is read of an answer.
	maxAnswerBytes = 256 << 20
)

// api calls one node's operations.
type api struct {
	base  string
	token string // empty: none is sent
	http  *http.Client
}

// as returns the same with somebody's token.
func (a api) as(token string) api {
	a.token = token
	return a
}

func newAPI(base string) api {
	return api{base: base, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}, Timeout: callTimeout}}
}

// close gives connections that are idle back.
func (a api) close() { a.http.CloseIdleConnections() }

// call runs an operation. The error of an answer that is not 200 wraps
// errRefused, for then nothing was done; after any other error the outcome is
// not known.
func (a api) call(ctx context.Context, op string, in, out any) error {
	params, err := json.Marshal(in)
	if err != nil {
		return err
	}
	body, err := a.do(ctx, http.MethodPost, "/v1/ops/"+op, params)
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("%s: answer: %w", op, err)
	}
	return nil
}

// refused is an answer other than 200.
type refused struct {
	status int
	body   string
}

func (r *refused) Error() string { return fmt.Sprintf("status %d: %.300s", r.status, r.body) }

func (a api) do(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, a.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if a.token != "" {
		req.Header.Set("Authorization", "Bearer "+a.token)
	}
	resp, err := a.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswerBytes))
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, &refused{resp.StatusCode, string(bytes.TrimSpace(answer))}
	}
	return answer, nil
}

// row is a block as context_get and the events show it.
type row struct {
	ID        string `json:"id"`
	Kind      string `json:"kind"`
	Role      string `json:"role"`
	Status    string `json:"status"`
	Parent    string `json:"parent"`
	Depth     int    `json:"depth"`
	Form      string `json:"form"`
	Content   string `json:"content"`
	Meta      string `json:"meta"`
	Deleted   bool   `json:"deleted"`
	Collapsed bool   `json:"collapsed"`
	Excluded  bool   `json:"excluded"`
	Ephemeral bool   `json:"ephemeral"`
}

// state is a context as a node has it.
type state struct {
	Heads   []string `json:"heads"`
	Version uint64   `json:"version"`
	Blocks  []row    `json:"block_list"`
}

// context asks for a context with all its blocks.
func (a api) context(ctx context.Context, id string) (state, error) {
	var s state
	err := a.call(ctx, "context_get", map[string]any{"context": id}, &s)
	return s, err
}

// export returns every change that the node holds of a document.
func (a api) export(ctx context.Context, doc kaijutsu.DocumentID) ([]*amfile.Change, error) {
	chunk, err := a.do(ctx, http.MethodGet, "/v1/contexts/"+url.PathEscape(doc.String())+"/export", nil)
	if err != nil {
		return nil, fmt.Errorf("export %s: %w", doc, err)
	}
	changes, err := amfile.DecodeDocument(chunk)
	if err != nil {
		return nil, fmt.Errorf("export %s: %w", doc, err)
	}
	return changes, nil
}

// written is the answer of an operation that writes.
type written struct {
	Block   string `json:"block_id"`
	ID      string `json:"id"`
	Context string `json:"context"`
	Change  string `json:"change"`
}
