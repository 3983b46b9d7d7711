package torture

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"kaijutsu"
)

// mcpVersion is the version of the protocol that the agents speak.
const mcpVersion = "2025-11-25"

// mcpDoor calls operations as tools, in a session over streamable HTTP. It is
// for one goroutine.
type mcpDoor struct {
	api
	session string // empty: there is none
	id      int
}

// rpc is a JSON-RPC message, as far as it matters here.
type rpc struct {
	Version string `json:"jsonrpc"`
	ID      int    `json:"id,omitempty"`
	Method  string `json:"method,omitempty"`
	Params  any    `json:"params,omitempty"`

	Result json.RawMessage `json:"result,omitempty"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// call runs an operation as a tool.
func (d *mcpDoor) call(ctx context.Context, op string, in, out any) error {
	if err := d.begin(ctx); err != nil {
		return err
	}
	answer, err := d.ask(ctx, "tools/call", map[string]any{"name": op, "arguments": in})
	if err != nil {
		d.session = "" // the next call begins a new one
		return fmt.Errorf("%s: %w", op, err)
	}
	var result struct {
		IsError    bool            `json:"isError"`
		Content    json.RawMessage `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
	}
	if err := json.Unmarshal(answer, &result); err != nil {
		return fmt.Errorf("%s: answer: %w", op, err)
	}
	if result.IsError {
		return &refused{http.StatusOK, string(result.Content)}
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(result.Structured, out)
}

// begin makes a session unless there is one.
func (d *mcpDoor) begin(ctx context.Context) error {
	if d.session != "" {
		return nil
	}
	_, err := d.ask(ctx, "initialize", map[string]any{
		"protocolVersion": mcpVersion, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "torture", "version": "1"},
	})
	if err != nil {
		return fmt.Errorf("begin an MCP session: %w", err)
	}
	if _, err := d.ask(ctx, "notifications/initialized", nil); err != nil {
		d.session = ""
		return fmt.Errorf("begin an MCP session: %w", err)
	}
	return nil
}

// ask sends a request and returns its result; a notification has none.
func (d *mcpDoor) ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	m := rpc{Version: "2.0", Method: method, Params: params}
	if !strings.HasPrefix(method, "notifications/") {
		d.id++
		m.ID = d.id
	}
	body, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.base+"/mcp", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+d.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if d.session != "" {
		req.Header.Set("Mcp-Session-Id", d.session)
		req.Header.Set("Mcp-Protocol-Version", mcpVersion)
	}
	resp, err := d.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		d.session = id
	}
	answer, err := readAnswer(resp)
	if err != nil || m.ID == 0 {
		return nil, err
	}
	var got rpc
	if err := json.Unmarshal(answer, &got); err != nil {
		return nil, fmt.Errorf("answer %.200q: %w", answer, err)
	}
	if got.Error != nil {
		return nil, &refused{got.Error.Code, got.Error.Message}
	}
	return got.Result, nil
}

// readAnswer returns the message of an answer, which may be a stream of events
// of which the last is it.
func readAnswer(resp *http.Response) ([]byte, error) {
	body := io.LimitReader(resp.Body, maxAnswerBytes)
	if resp.StatusCode >= http.StatusMultipleChoices {
		said, _ := io.ReadAll(body)
		return nil, &refused{resp.StatusCode, string(bytes.TrimSpace(said))}
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return io.ReadAll(body)
	}
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 64<<10), maxFrameBytes)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
		if ok && (bytes.Contains(data, []byte(`"result"`)) || bytes.Contains(data, []byte(`"error"`))) {
			return bytes.Clone(data), nil
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("the stream ended without an answer: %w", kaijutsu.ErrUnavailable)
}
