package mcpdoor

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// errSessionLost says that the server does not know the session any more: what
// was sent was not looked at.
var errSessionLost = errors.New("the server has lost the session")

// deliver sends a message and passes on what comes back. A call that gets no
// answer gets one here.
func (b *bridge) deliver(ctx context.Context, line []byte, m *message) {
	err := b.post(ctx, line, m, b.write)
	for try := 0; err != nil && try < 2; try++ {
		var lost *lostError
		switch {
		case errors.As(err, &lost):
			if err = b.renew(ctx, lost.session); err == nil {
				err = b.post(ctx, line, m, b.write)
			}
		case isDial(err) && b.wasReached():
			if err = b.await(ctx, err); err == nil {
				err = b.post(ctx, line, m, b.write)
			}
		default:
			try = 2
		}
	}
	if err == nil || ctx.Err() != nil {
		return
	}
	if isDial(err) {
		err = fmt.Errorf("no server at %s: %w: start it: kj serve", b.URL, kaijutsu.ErrUnavailable)
	}
	b.Log.Debug("a message was not delivered", "method", m.Method, "err", err)
	if m.isCall() {
		b.write(failure(m.ID, err))
	}
	if !b.wasReached() {
		b.fail(err)
	}
}

// failure answers a call with an error.
func failure(id json.RawMessage, err error) []byte {
	msg, _ := marshal(map[string]any{ // it is made of JSON
		"jsonrpc": "2.0", "id": id,
		"error": map[string]any{"code": -32000, "message": err.Error()},
	})
	return msg
}

// lostError is errSessionLost, of a session.
type lostError struct{ session string }

func (e *lostError) Error() string { return errSessionLost.Error() }
func (e *lostError) Unwrap() error { return errSessionLost }

// isDial reports whether a request failed because nobody listens: it was not
// sent.
func isDial(err error) bool {
	var e *net.OpError
	return errors.As(err, &e) && e.Op == "dial"
}

func (b *bridge) wasReached() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.reached
}

// await waits for a server that was there before, as long as it may take.
func (b *bridge) await(ctx context.Context, err error) error {
	patience := time.NewTimer(b.Patience)
	defer patience.Stop()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-patience.C:
			return err
		case <-again.C:
		}
		req, bad := b.request(ctx, http.MethodHead, nil, &message{})
		if bad != nil {
			return bad
		}
		resp, failed := b.client.Do(req)
		if failed == nil {
			_ = resp.Body.Close() // it has none
			return nil
		}
		if !isDial(failed) {
			return nil // somebody is there
		}
	}
}

// request makes a request of a message.
func (b *bridge) request(ctx context.Context, method string, line []byte, m *message) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, b.URL, bytes.NewReader(line))
	if err != nil {
		return nil, fmt.Errorf("address %q: %w: %w", b.URL, err, kaijutsu.ErrInvalid)
	}
	for name, values := range b.Header {
		req.Header[name] = values
	}
	if b.Token != "" {
		req.Header.Set("Authorization", "Bearer "+b.Token)
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
		if m.Method != "tools/call" { // may be sent again when the connection turns out to be dead
			req.Header["Idempotency-Key"] = nil // it is for net/http, and not sent
		}
	}
	if v := m.Params.Meta.Version; v >= firstWithoutSessions {
		req.Header.Set(versionHeader, v)
		req.Header.Set("Mcp-Method", headerValue(m.Method))
		if name := m.Params.Name + m.Params.URI; name != "" && m.isCall() {
			req.Header.Set("Mcp-Name", headerValue(name))
		}
		return req, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if m.Method != "initialize" && b.session != "" {
		req.Header.Set(sessionHeader, b.session)
		req.Header.Set(versionHeader, b.version)
	}
	return req, nil
}

// headerValue writes a value as the protocol wants it in a header.
func headerValue(s string) string {
	plain := s == strings.TrimSpace(s) && !strings.HasPrefix(s, "=?base64?")
	for _, c := range []byte(s) {
		plain = plain && c >= ' ' && c <= '~'
	}
	if plain {
		return s
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}

// post sends a message and passes what comes back to f.
func (b *bridge) post(ctx context.Context, line []byte, m *message, f func([]byte)) error {
	req, err := b.request(ctx, http.MethodPost, line, m)
	if err != nil {
		return err
	}
	resp, err := b.client.Do(req)
	if err != nil {
		if isDial(err) {
			return err
		}
		return fmt.Errorf("the connection broke: %w: whether it was done is not known: %w", kaijutsu.ErrUnavailable, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNotFound && req.Header.Get(sessionHeader) != "" {
		return &lostError{req.Header.Get(sessionHeader)}
	}
	answered := false
	pass := func(msg []byte) {
		var got message
		if json.Unmarshal(msg, &got) == nil && got.Method == "" {
			answered = true
			if m.Method == "initialize" && got.Error == nil {
				b.mu.Lock()
				b.session, b.version = resp.Header.Get(sessionHeader), got.Result.Version
				b.mu.Unlock()
			}
		}
		f(msg)
	}
	if err := b.receive(resp, pass); err != nil {
		return err
	}
	b.mu.Lock()
	b.reached = true
	b.mu.Unlock()
	if m.isCall() && !answered {
		return fmt.Errorf("the server sent no answer: %w: whether it was done is not known", kaijutsu.ErrUnavailable)
	}
	return nil
}

// receive passes the messages of an answer to f. What the server refused is
// an error, unless it said so in the protocol's own words.
func (b *bridge) receive(resp *http.Response, f func([]byte)) error {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind == "text/event-stream" && resp.StatusCode == http.StatusOK {
		return readEvents(resp.Body, func(e event) error {
			if len(e.data) > 0 {
				f(e.data)
			}
			return nil
		})
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxMessage+1))
	switch {
	case err != nil:
		return fmt.Errorf("the answer broke off: %w: %w", kaijutsu.ErrUnavailable, err)
	case len(body) > maxMessage:
		return fmt.Errorf("an answer of more than %d bytes: %w", maxMessage, kaijutsu.ErrTooLarge)
	case kind == "application/json" && isMessage(body):
		f(body)
	case resp.StatusCode >= 300:
		return refusal(resp.Status, body)
	}
	return nil
}

// isMessage reports whether a body is JSON-RPC: a message, or some.
func isMessage(body []byte) bool {
	var m struct {
		Version string `json:"jsonrpc"`
	}
	return bytes.HasPrefix(body, []byte("[")) || json.Unmarshal(body, &m) == nil && m.Version != ""
}

// refusal is what a server says that did not get as far as the protocol.
func refusal(status string, body []byte) error {
	var said struct {
		Error op.Problem `json:"error"`
	}
	if json.Unmarshal(body, &said) == nil && said.Error.Message != "" {
		return said.Error.Err()
	}
	return fmt.Errorf("the server answered %s: %.200s: %w", status, bytes.TrimSpace(body), kaijutsu.ErrUnavailable)
}
