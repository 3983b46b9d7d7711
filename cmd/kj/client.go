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
)

// connection says how to reach the running server.
type connection struct {
	server, token, data string
}

// address returns the server's base URL: the flag, the environment, the file
// that a running server leaves in its data directory, the default.
func (c *connection) address() string {
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
	u, err := url.Parse(c.address())
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// do sends a request and returns the answer, which the caller closes. An
// answer that is not 200 becomes an error with the server's words.
func (c *connection) do(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.address()+path, body)
	if err != nil {
		return nil, fmt.Errorf("server address %q: %w", c.address(), err)
	}
	if t := c.secret(); t != "" {
		req.Header.Set("Authorization", "Bearer "+t)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		var ue *url.Error
		if errors.As(err, &ue) && ctx.Err() == nil {
			return nil, fmt.Errorf("no server at %s: %w\nhint: start one with kj serve, or name it with --server", c.address(), ue.Err)
		}
		return nil, err
	}
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	defer resp.Body.Close()
	var answer struct {
		Error struct{ Kind, Message string }
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&answer); err != nil || answer.Error.Message == "" {
		return nil, fmt.Errorf("%s answered %s: is it a kaijutsu server?", c.address(), resp.Status)
	}
	return nil, errors.New(answer.Error.Message)
}

// call runs an operation: in becomes its parameters, out receives its result.
func (c *connection) call(ctx context.Context, op string, in, out any) error {
	params, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("parameters of %s: %w", op, err)
	}
	resp, err := c.do(ctx, http.MethodPost, "/v1/ops/"+op, bytes.NewReader(params))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		return fmt.Errorf("result of %s: %w", op, err)
	}
	return nil
}
