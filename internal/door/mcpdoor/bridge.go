package mcpdoor

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"kaijutsu"
)

// Options says what a bridge connects.
type Options struct {
	// URL is the server's MCP address: "http://127.0.0.1:7433/mcp"; required.
	URL string
	// Token is who asks; empty where the server wants none.
	Token string
	// Header is sent with each request; may be nil.
	Header http.Header
	// In and Out are the client: one JSON-RPC message a line; required. In is
	// closed when the context ends, if it can be.
	In  io.Reader
	Out io.Writer
	// Log receives what the client is not told; nil for no log. It must not
	// write to Out.
	Log *slog.Logger
	// Patience is how long a server that was there before is waited for; 0
	// means 10 seconds.
	Patience time.Duration
}

// maxUnderWay is how many calls a bridge has under way at a time; more wait.
const maxUnderWay = 64

// Bridge passes messages between a client on a pair of streams and a server on
// HTTP, until In ends or the context does: calls and notifications one way,
// results and what the server tells by itself the other. It changes nothing in
// them. Should the server lose the session, as when it is started again, the
// bridge begins a new one as the client did, and follows the same resources.
//
// When In ends, calls under way are finished first. The error wraps
// kaijutsu.ErrUnavailable when there never was a server.
func Bridge(ctx context.Context, o Options) error {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Patience == 0 {
		o.Patience = 10 * time.Second
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	b := &bridge{
		Options:  o,
		client:   &http.Client{Transport: transport()},
		fail:     fail,
		slots:    make(chan struct{}, maxUnderWay),
		followed: make(map[string][]byte),
	}
	defer b.client.CloseIdleConnections()
	return b.run(ctx)
}

// transport returns one of our own: its connections end with the bridge.
func transport() http.RoundTripper {
	if t, ok := http.DefaultTransport.(*http.Transport); ok {
		t = t.Clone()
		t.MaxIdleConnsPerHost = maxUnderWay
		return t
	}
	return http.DefaultTransport
}

// bridge is a client and what is known of its session.
type bridge struct {
	Options
	client *http.Client
	fail   context.CancelCauseFunc // ends the bridge
	slots  chan struct{}
	calls  sync.WaitGroup // under way
	ears   sync.WaitGroup // what listens: it has no end of its own

	outMu sync.Mutex // one line at a time

	renewing sync.Mutex // one at a time

	mu       sync.Mutex
	session  string            // guarded by mu
	version  string            // of the protocol, in a session; guarded by mu
	hello    []byte            // the client's initialize; guarded by mu
	ready    []byte            // and what it sent then; guarded by mu
	followed map[string][]byte // by resource the message that asked for it; guarded by mu
	reached  bool              // the server has answered; guarded by mu
	listens  bool              // guarded by mu
}

// message is what a bridge needs to know of one.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name string `json:"name"`
		URI  string `json:"uri"`
		Meta struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	} `json:"params"`
	Result struct {
		Version string `json:"protocolVersion"`
	} `json:"result"`
	Error *struct{} `json:"error"`
}

// isCall reports whether somebody waits for an answer.
func (m *message) isCall() bool { return m.Method != "" && len(m.ID) > 0 && string(m.ID) != "null" }

// run reads the client until it ends, then cleans up.
func (b *bridge) run(ctx context.Context) error {
	lines := b.read(ctx)
	listening, stopListening := context.WithCancel(ctx)
	defer stopListening()
	for open := true; open; {
		select {
		case line, ok := <-lines:
			if open = ok; ok {
				b.forward(ctx, listening, line)
			}
		case <-ctx.Done():
			open = false
		}
	}
	b.calls.Wait()
	stopListening()
	b.ears.Wait()
	b.bye()
	if cause := context.Cause(ctx); ctx.Err() != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return ctx.Err()
}

// read returns the client's lines. Its goroutine ends with the client; a read
// that cannot be broken off outlives the bridge.
func (b *bridge) read(ctx context.Context) <-chan []byte {
	lines := make(chan []byte)
	if c, ok := b.In.(io.Closer); ok {
		context.AfterFunc(ctx, func() { _ = c.Close() }) // nothing is read any more
	}
	go func() {
		defer close(lines)
		in := bufio.NewScanner(b.In)
		in.Buffer(make([]byte, 0, 64<<10), maxMessage)
		for in.Scan() {
			line := bytes.TrimSpace(in.Bytes())
			if len(line) == 0 {
				continue
			}
			select {
			case lines <- bytes.Clone(line):
			case <-ctx.Done():
				return
			}
		}
		if err := in.Err(); err != nil && ctx.Err() == nil {
			b.fail(fmt.Errorf("read the client: %w: %w", err, kaijutsu.ErrInvalid))
		}
	}()
	return lines
}

// forward passes one message on. Calls go beside each other, the rest in
// order: a notification is at the server before what the client sent after it.
func (b *bridge) forward(ctx, listening context.Context, line []byte) {
	var m message
	if err := json.Unmarshal(line, &m); err != nil && line[0] != '[' {
		b.write([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"this line is no JSON-RPC message"}}`))
		return
	}
	switch {
	case m.Method == "initialize":
		b.mu.Lock()
		b.hello = line
		b.mu.Unlock()
		b.deliver(ctx, line, &m)
	case m.Method == "subscriptions/listen": // has no end of its own
		b.ears.Go(func() { b.deliver(listening, line, &m) })
	case m.isCall() || line[0] == '[':
		select {
		case b.slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		b.calls.Go(func() {
			defer func() { <-b.slots }()
			b.deliver(ctx, line, &m)
			b.note(line, &m)
		})
	default:
		b.deliver(ctx, line, &m)
		if m.Method == "notifications/initialized" {
			b.mu.Lock()
			b.ready = line
			first := !b.listens && b.session != ""
			b.listens = b.listens || first
			b.mu.Unlock()
			if first {
				b.ears.Go(func() { b.listen(listening) })
			}
		}
	}
}

// note remembers which resources the client follows.
func (b *bridge) note(line []byte, m *message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch m.Method {
	case "resources/subscribe":
		b.followed[m.Params.URI] = line
	case "resources/unsubscribe":
		delete(b.followed, m.Params.URI)
	}
}

// write gives the client a message, as one line.
func (b *bridge) write(msg []byte) {
	if bytes.IndexByte(msg, '\n') >= 0 {
		var one bytes.Buffer
		if err := json.Compact(&one, msg); err != nil {
			b.Log.Warn("the server sent no JSON", "err", err)
			return
		}
		msg = one.Bytes()
	}
	b.outMu.Lock()
	defer b.outMu.Unlock()
	if _, err := b.Out.Write(append(bytes.Clone(msg), '\n')); err != nil {
		if errors.Is(err, io.ErrClosedPipe) {
			return // the client is going: its end of the other pipe comes too
		}
		b.fail(fmt.Errorf("write to the client: %w", err))
	}
}
