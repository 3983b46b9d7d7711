package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode"

	"kaijutsu/internal/door/shelldoor"
	"kaijutsu/internal/op"
)

// connection says how to reach the running server.
type connection struct {
	server, token, data string
	ca                  string // PEM file with further authorities

	trusted sync.Once
}

// address returns the server's base URL: the flag, the environment, the file
// that a running server leaves in its data directory, the default.
func (c *connection) address() string {
	c.trusted.Do(c.trust)
	return c.where()
}

func (c *connection) where() string {
	if c.server != "" {
		return strings.TrimSuffix(c.server, "/")
	}
	if s := os.Getenv("KJ_SERVER"); s != "" {
		return strings.TrimSuffix(s, "/")
	}
	if b, err := os.ReadFile(filepath.Join(c.data, "server.url")); err == nil {
		return strings.TrimSpace(string(b))
	}
	return "http://127.0.0.1:7433"
}

// secret returns the token to present, which may be empty on loopback.
func (c *connection) secret() string {
	if c.token != "" {
		return c.token
	}
	if t := os.Getenv("KJ_TOKEN"); t != "" {
		return t
	}
	if !c.onThisMachine() { // the owner's token is nobody else's business
		return ""
	}
	if b, err := os.ReadFile(filepath.Join(c.data, "owner.token")); err == nil {
		return strings.TrimSpace(string(b))
	}
	return ""
}

// onThisMachine reports whether the server's address is a loopback one.
func (c *connection) onThisMachine() bool {
	u, err := url.Parse(c.where())
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// do sends a request and returns the answer, which the caller closes. An
// answer that is not 200 becomes a shelldoor.Failure with the server's words.
func (c *connection) do(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	return c.send(ctx, method, path, body, "")
}

// send is do for a request from within a context; "" from none.
func (c *connection) send(ctx context.Context, method, path string, body io.Reader, within string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.address()+path, body)
	if err != nil {
		return nil, fmt.Errorf("server address %q: %w", c.address(), err)
	}
	if t := c.secret(); t != "" {
		req.Header.Set("Authorization", "Bearer "+t)
	}
	req.Header.Set("Content-Type", "application/json")
	if i := os.Getenv("KJ_INSTANCE"); i != "" {
		req.Header.Set("Kaijutsu-Instance", i)
	}
	if within != "" {
		req.Header.Set("Kaijutsu-Context", within)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, c.unreached(ctx, err)
	}
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	defer resp.Body.Close()
	var answer struct {
		Error op.Problem `json:"error"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&answer); err != nil || answer.Error.Message == "" {
		return nil, fmt.Errorf("%s answered %s: is it a kaijutsu server?", c.address(), resp.Status)
	}
	return nil, &shelldoor.Failure{Problem: answer.Error}
}

// here returns the context that KJ_CONTEXT names, "" for none and for what no
// header can say.
func here() string {
	name := os.Getenv("KJ_CONTEXT")
	if strings.ContainsFunc(name, unicode.IsControl) {
		return ""
	}
	return name
}

// unreached says why no server answered.
func (c *connection) unreached(ctx context.Context, err error) error {
	var ue *url.Error
	if !errors.As(err, &ue) || ctx.Err() != nil {
		return err
	}
	return &shelldoor.Failure{Problem: op.Problem{
		Kind:    "unavailable",
		Message: fmt.Sprintf("no server at %s: %v", c.address(), ue.Err),
		Hint:    "start one with kj serve, or name it with --server",
	}}
}

// run runs an operation, in the context that KJ_CONTEXT names, and returns the
// bytes of its result.
func (c *connection) run(ctx context.Context, name string, params json.RawMessage) (json.RawMessage, error) {
	resp, err := c.send(ctx, http.MethodPost, "/v1/ops/"+url.PathEscape(name), bytes.NewReader(params), here())
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	result, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("result of %s: %w", name, err)
	}
	return result, nil
}

// get reads the JSON at an address of the server.
func (c *connection) get(ctx context.Context, path string, out any) error {
	resp, err := c.do(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return json.NewDecoder(resp.Body).Decode(out)
}
