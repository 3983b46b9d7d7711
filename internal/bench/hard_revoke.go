package bench

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/internal/kjproc"
)

// revokeRounds is how often a token is revoked.
const revokeRounds = 50

// doors are where somebody is with a token when it is revoked. Each goes in and
// returns a function that waits until the door has put them out.
var doors = []struct {
	name  string
	enter func(ctx context.Context, v visit) (func() error, error)
}{
	{"an editor's connection", enterSync},
	{"a stream of events", enterEvents},
	{"a tail", enterTail},
	{"an MCP session's stream", enterMCP},
	{"operations over HTTP", enterOps},
}

// visit is somebody with a token.
type visit struct {
	p              *kjproc.Process
	token, context string
}

// bearer is a client that shows a token.
type bearer string

// RoundTrip implements http.RoundTripper.
func (t bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(t))
	return http.DefaultTransport.RoundTrip(r)
}

func (v visit) client() *http.Client { return &http.Client{Transport: bearer(v.token)} }

// measureRevocation revokes tokens of somebody who is at every door, and measures
// from the moment that the owner asks for it until each door has put them out.
func measureRevocation(ctx context.Context, opt *ClusterOptions, dir string, _ *Table) ([]hardRow, error) {
	p, err := kjproc.Start(ctx, opt.Exe, dir, "--auth", "token", "--log-level", "warn")
	if err != nil {
		return nil, err
	}
	defer p.Kill()
	owner, err := ownerOf(dir)
	if err != nil {
		return nil, err
	}
	var made struct {
		ID string `json:"id"`
	}
	if err := callBy(ctx, owner, p, "context_create", map[string]any{"title": "Revoked"}, &made); err != nil {
		return nil, err
	}
	took := make(map[string][]time.Duration)
	for range revokeRounds {
		if err := revokeOnce(ctx, p, p, owner, made.ID, took); err != nil {
			return nil, err
		}
	}
	return refusals("", took), nil
}

// refusals are the rows of a measurement; where is the node, when it is another.
func refusals(where string, took map[string][]time.Duration) (rows []hardRow) {
	for _, d := range doors {
		rows = append(rows,
			hardRow{"revocation → refusal" + where + ", " + d.name + ", p50", quantile(took[d.name], 0.50), "ms", 0},
			hardRow{"revocation → refusal" + where + ", " + d.name + fmt.Sprintf(", worst of %d", len(took[d.name])), quantile(took[d.name], 1), "ms", 100})
	}
	return rows
}

// ownerOf returns a client with the token of the owner of a data directory.
func ownerOf(dir string) (*http.Client, error) {
	secret, err := os.ReadFile(filepath.Join(dir, "owner.token"))
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: bearer(strings.TrimSpace(string(secret)))}, nil
}

// measureFarRevocation is measureRevocation with the owner at one node and
// whoever is put out at another.
func measureFarRevocation(ctx context.Context, opt *ClusterOptions, _ string, _ *Table) ([]hardRow, error) {
	c := &cluster{opt: opt, args: []string{"--auth", "token"}}
	defer c.close()
	if err := c.open(ctx, 2); err != nil {
		return nil, err
	}
	owner, err := ownerOf(filepath.Join(c.dir, "node-1"))
	if err != nil {
		return nil, err
	}
	var made struct {
		ID string `json:"id"`
	}
	if err := callBy(ctx, owner, c.nodes[0], "context_create", map[string]any{"title": "Revoked"}, &made); err != nil {
		return nil, err
	}
	took := make(map[string][]time.Duration)
	for range revokeRounds {
		if err := revokeOnce(ctx, c.nodes[0], c.nodes[1], owner, made.ID, took); err != nil {
			return nil, err
		}
	}
	return refusals(" at another node", took), nil
}

// arrival waits until a node knows of a token and of a context.
func (v visit) arrival(ctx context.Context) error {
	for {
		err := callBy(ctx, v.client(), v.p, "context_get", map[string]any{"context": v.context}, nil)
		if err == nil {
			return nil
		}
		if waitErr := pause(ctx, 5*time.Millisecond); waitErr != nil {
			return err
		}
	}
}

// revokeOnce makes a token at p, enters everywhere at the node at, and revokes it
// at p.
func revokeOnce(ctx context.Context, p, at *kjproc.Process, owner *http.Client, context_ string, took map[string][]time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var token struct {
		ID    string `json:"id"`
		Token string `json:"token"`
	}
	if err := callBy(ctx, owner, p, "token_create", map[string]any{"name": "guest", "role": "editor"}, &token); err != nil {
		return err
	}
	guest := visit{at, token.Token, context_}
	if err := guest.arrival(ctx); err != nil {
		return err
	}
	out := make([]func() error, len(doors))
	for i, d := range doors {
		var err error
		if out[i], err = d.enter(ctx, guest); err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
	}
	type refusal struct {
		door string
		at   time.Time
		err  error
	}
	refusals := make(chan refusal, len(doors))
	for i, d := range doors {
		go func() {
			err := out[i]()
			refusals <- refusal{d.name, time.Now(), err}
		}()
	}
	began := time.Now()
	if err := callBy(ctx, owner, p, "token_revoke", map[string]any{"token": token.ID}, nil); err != nil {
		return err
	}
	for range doors {
		r := <-refusals
		if r.err != nil {
			return fmt.Errorf("%s: %w", r.door, r.err)
		}
		took[r.door] = append(took[r.door], r.at.Sub(began))
	}
	return nil
}

func enterSync(ctx context.Context, v visit) (func() error, error) {
	peer, err := dial(ctx, v.p.SyncURL()+"?token="+v.token)
	if err != nil {
		return nil, err
	}
	return func() error {
		select {
		case <-peer.done:
			return nil
		case <-ctx.Done():
			return fmt.Errorf("still connected: %w", ctx.Err())
		}
	}, nil
}

// stream asks for a stream and returns a function that waits for its end.
func (v visit) stream(req *http.Request) (func() error, error) {
	resp, err := v.client().Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		body, _ := io.ReadAll(io.LimitReader(resp.Body, 1000))
		return nil, fmt.Errorf("answered %s: %w: %s", resp.Status, kaijutsu.ErrUnavailable, body)
	}
	return func() error {
		defer resp.Body.Close()
		_, err := io.Copy(io.Discard, resp.Body)
		if ctx := req.Context(); ctx.Err() != nil {
			return fmt.Errorf("still open: %w", ctx.Err())
		}
		_ = err // cut or ended: it is over
		return nil
	}, nil
}

func (v visit) get(ctx context.Context, path string) (func() error, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.p.URL+path, nil)
	if err != nil {
		return nil, err
	}
	return v.stream(req)
}

func enterEvents(ctx context.Context, v visit) (func() error, error) { return v.get(ctx, "/v1/events") }

func enterTail(ctx context.Context, v visit) (func() error, error) {
	return v.get(ctx, "/v1/contexts/"+v.context+"/tail")
}

// enterMCP makes a session and opens its stream.
func enterMCP(ctx context.Context, v visit) (func() error, error) {
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, v.p.URL+"/mcp", strings.NewReader(hello))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := v.client().Do(req)
	if err != nil {
		return nil, err
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	_ = resp.Body.Close() // it is read
	session := resp.Header.Get("Mcp-Session-Id")
	if resp.StatusCode != http.StatusOK || session == "" {
		return nil, fmt.Errorf("initialize answered %s: %w: %.300s", resp.Status, kaijutsu.ErrUnavailable, body)
	}
	if req, err = http.NewRequestWithContext(ctx, http.MethodGet, v.p.URL+"/mcp", nil); err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Mcp-Session-Id", session)
	return v.stream(req)
}

// enterOps calls an operation again and again until it is refused.
func enterOps(ctx context.Context, v visit) (func() error, error) {
	client := v.client()
	ask := func() (int, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, v.p.URL+"/v1/ops/whoami", bytes.NewReader([]byte("{}")))
		if err != nil {
			return 0, err
		}
		resp, err := client.Do(req)
		if err != nil {
			return 0, err
		}
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, bufio.NewReader(resp.Body))
		return resp.StatusCode, err
	}
	if status, err := ask(); err != nil || status != http.StatusOK {
		return nil, fmt.Errorf("whoami: %d, %w", status, err)
	}
	return func() error {
		for {
			switch status, err := ask(); {
			case err != nil:
				return err
			case status == http.StatusUnauthorized:
				return nil
			case status != http.StatusOK:
				return fmt.Errorf("whoami: %d: %w", status, kaijutsu.ErrUnavailable)
			}
		}
	}, nil
}
