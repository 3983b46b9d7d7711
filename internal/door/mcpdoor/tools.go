package mcpdoor

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"kaijutsu/internal/op"
)

// tools are the operations as the protocol describes them; made once.
type tools struct{ byName map[string]*mcp.Tool }

func newTools(set *op.Set) *tools {
	t := &tools{make(map[string]*mcp.Tool)}
	for _, o := range set.All() {
		t.byName[o.Name] = toolOf(o)
	}
	return t
}

// toolOf describes an operation. It panics when a schema cannot be written:
// the program is wrong.
func toolOf(o *op.Op) *mcp.Tool {
	destroys, open := o.Effect == op.Destroys, false
	return &mcp.Tool{
		Name:         o.Name,
		Title:        o.Title,
		Description:  describe(o),
		InputSchema:  schema(o.In),
		OutputSchema: schema(o.Out),
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint:    o.Effect == op.Reads,
			DestructiveHint: &destroys,
			IdempotentHint:  o.Repeatable || o.Effect == op.Reads,
			OpenWorldHint:   &open,
		},
	}
}

// schema writes a schema once for all lists to come.
func schema(s any) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("mcpdoor: schema: %v", err))
	}
	return b
}

// describe returns what a model needs to know to use an operation.
func describe(o *op.Op) string {
	var b strings.Builder
	b.WriteString(o.Summary + ".")
	if o.Description != "" {
		b.WriteString("\n\n" + o.Description)
	}
	for _, e := range o.Examples {
		text := e.Text
		if text == "" {
			text = "Example"
		}
		fmt.Fprintf(&b, "\n\n%s: %s", text, e.In)
	}
	return b.String()
}

// listTools answers tools/list with what is there for the caller.
func (s *session) listTools(req *mcp.ListToolsRequest) (*mcp.ListToolsResult, error) {
	if req.Params != nil && req.Params.Cursor != "" {
		return nil, errCursor
	}
	call, err := s.call(req.Extra)
	if err != nil {
		return nil, protocolError(err)
	}
	all := s.door.cfg.Set.List(call)
	result := &mcp.ListToolsResult{Tools: make([]*mcp.Tool, len(all))}
	for i, o := range all {
		result.Tools[i] = s.door.tools.byName[o.Name]
	}
	result.CacheScope = "private" // it depends on who asks
	return result, nil
}

var errCursor = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "this cursor is none that the server gave: begin the list anew, without one"}

// callTool answers tools/call: it runs the operation.
func (s *session) callTool(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	call, err := s.call(req.Extra)
	if err != nil {
		return nil, protocolError(err)
	}
	if _, err := s.door.cfg.Set.Get(call, req.Params.Name); err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "unknown tool: " + err.Error()}
	}
	params := req.Params.Arguments
	if len(params) == 0 || string(params) == "null" {
		params = json.RawMessage("{}")
	}
	result, err := s.door.cfg.Set.Call(ctx, call, req.Params.Name, params)
	if err != nil {
		return &mcp.CallToolResult{IsError: true, Content: text(problemJSON(op.ProblemOf(err)))}, nil
	}
	return &mcp.CallToolResult{Content: text(result), StructuredContent: result}, nil
}

func text(b []byte) []mcp.Content { return []mcp.Content{&mcp.TextContent{Text: string(b)}} }

// marshal writes JSON as the other doors do: no HTML escapes, no newline.
func marshal(v any) ([]byte, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return []byte(strings.TrimSuffix(b.String(), "\n")), nil
}

// codes are the JSON-RPC codes of problems, for what is no tool; the others
// are -32000, the server's own. The data of the error says more.
var codes = map[string]int64{
	"not_found":     jsonrpc.CodeInvalidParams,
	"invalid":       jsonrpc.CodeInvalidParams,
	op.KindInternal: jsonrpc.CodeInternalError,
}

// rpcError returns a problem as an error of the protocol.
func rpcError(p op.Problem) error {
	code, ok := codes[p.Kind]
	if !ok {
		code = -32000
	}
	return &jsonrpc.Error{Code: code, Message: p.Message, Data: problemJSON(p)}
}
