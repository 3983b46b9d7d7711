package mcpdoor

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// bridged connects a client of the library through a bridge.
func bridged(t *testing.T, url, as, version string) (*client, <-chan error) {
	t.Helper()
	fromClient, toBridge := io.Pipe()
	fromBridge, toClient := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- Bridge(t.Context(), Options{URL: url, Token: as, In: fromClient, Out: toClient})
		toClient.Close()
	}()
	return connect(t, &mcp.IOTransport{Reader: fromBridge, Writer: toBridge}, version), done
}

func TestBridge(t *testing.T) {
	for _, version := range []string{withSessions, "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			p := open(t, nil)
			c, done := bridged(t, p.url+"?context=plan", "amy", version)
			c.call(t, "context_create", `{"title":"plan"}`)
			r := c.call(t, "block_write", `{"block_id":"b1","text":"<b> 🙂 \n"}`)
			if got, want := said(t, r), `{"context":"c0001","block_id":"b1","text":"<b> 🙂 \n","by":"amy"}`; got != want {
				t.Errorf("text = %s, want %s", got, want)
			}
			const uri = "kaijutsu://context/plan/block/b1"
			if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
				t.Fatal(err)
			}
			if got := c.toldAfter(t, func() { c.call(t, "block_write", `{"block_id":"b1","text":"2"}`) }); got != uri {
				t.Errorf("told of %s", got)
			}
			seat := wait(t, "taking a seat", p.came)
			if seat.Nick != "tester" || seat.Context != "plan" {
				t.Errorf("seat = %+v", seat)
			}
			c.Close()
			if err := wait(t, "the bridge's end", done); err != nil {
				t.Errorf("bridge: %v", err)
			}
			if version == withSessions {
				wait(t, "leaving the seat", p.went) // not for idleness: the bridge said so
			}
		})
	}
}

// toldAfter does something until the client is told: where subscribing does not
// wait for the server, one does not know from when on it is.
func (c *client) toldAfter(t *testing.T, do func()) string {
	t.Helper()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for from := time.Now(); time.Since(from) < patience; {
		do()
		select {
		case uri := <-c.updated:
			return uri
		case <-again.C:
		}
	}
	t.Fatalf("telling did not happen in %v", patience)
	return ""
}

// TestBridgeSurvivesTheServer has the server start again under a client.
func TestBridgeSurvivesTheServer(t *testing.T) {
	s := newShelf()
	start := func(ln net.Listener) func() {
		door := New(Config{Set: s.set(op.Gates{}), Identify: identify, Resources: s, Watcher: s, Join: s.join})
		server := &http.Server{Handler: door}
		go server.Serve(ln)
		return func() {
			door.Close()
			server.Close()
		}
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	stop := start(ln)
	address := ln.Addr().String()
	c, _ := bridged(t, "http://"+address+"/mcp", "amy", withSessions)
	c.call(t, "context_create", `{"title":"plan"}`)
	const uri = "kaijutsu://context/plan"
	if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
		t.Fatal(err)
	}
	first := wait(t, "taking a seat", s.came)
	stop()
	wait(t, "leaving it", s.went)
	if ln, err = net.Listen("tcp", address); err != nil {
		t.Skipf("the port was taken meanwhile: %v", err)
	}
	defer start(ln)()
	c.names(t) // a call that may be sent twice
	c.call(t, "block_write", `{"context":"plan","block_id":"b1","text":"1"}`)
	if seat := wait(t, "taking another", s.came); seat.Nick != first.Nick || seat.Instance == first.Instance {
		t.Errorf("seat = %+v, want another of %s", seat, first.Nick)
	}
	if got := wait(t, "telling of what may have been missed", c.updated); got != uri {
		t.Errorf("told of %s", got)
	}
	c.call(t, "block_write", `{"context":"plan","block_id":"b1","text":"2"}`)
	if got := wait(t, "telling of what changed", c.updated); got != uri {
		t.Errorf("told of %s", got)
	}
}

// run passes lines through a bridge and returns the answers by id.
func run(t *testing.T, url, token string, lines ...string) (map[string]json.RawMessage, error) {
	t.Helper()
	var out bytes.Buffer
	err := Bridge(t.Context(), Options{URL: url, Token: token, In: strings.NewReader(strings.Join(lines, "\n") + "\n"), Out: &out})
	answers := make(map[string]json.RawMessage)
	in := bufio.NewScanner(&out)
	in.Buffer(nil, maxMessage)
	for in.Scan() {
		var m struct{ ID json.RawMessage }
		if err := json.Unmarshal(in.Bytes(), &m); err != nil {
			t.Fatalf("the bridge wrote %q: %v", in.Bytes(), err)
		}
		answers[string(m.ID)] = bytes.Clone(in.Bytes())
	}
	return answers, err
}

func TestBridgeLines(t *testing.T) {
	p := open(t, nil)
	large := strings.Repeat("x", 5<<20)
	answers, err := run(t, p.url, "amy", hello, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "", "nonsense",
		`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"context_create","arguments":{"title":"plan"}}}`,
		`{"jsonrpc":"2.0","id":"b","method":"no/such"}`,
		`{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"block_write","arguments":{"context":"none","block_id":"b","text":"`+large+`"}}}`,
		`{"jsonrpc":"2.0","id":"d","method":"ping"}`)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{
		"1": `"serverInfo"`, `null`: `-32700`, `"a"`: `"structuredContent":{"id":"c0001"`, `"b"`: `"error"`, `"c"`: `"isError":true`, `"d"`: `"result":{}`,
	} {
		if got := string(answers[id]); !strings.Contains(got, want) {
			t.Errorf("the answer to %s is %.300s, want %s in it", id, got, want)
		}
	}
	wait(t, "taking a seat", p.came)
	wait(t, "leaving it", p.went)
}

func TestBridgeWithoutServer(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + ln.Addr().String() + "/mcp"
	ln.Close()
	answers, err := run(t, url, "amy", hello)
	if !errors.Is(err, kaijutsu.ErrUnavailable) || !strings.Contains(err.Error(), "start it: kj serve") {
		t.Errorf("error = %v", err)
	}
	if got := string(answers["1"]); !strings.Contains(got, "start it: kj serve") {
		t.Errorf("the answer is %s", got)
	}
}

func TestBridgeWithoutToken(t *testing.T) {
	p := open(t, nil)
	answers, err := run(t, p.url, "", hello)
	if !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("error = %v", err)
	}
	if got := string(answers["1"]); !strings.Contains(got, "no token") {
		t.Errorf("the answer is %s", got)
	}
}

func TestBridgeEndsWithItsContext(t *testing.T) {
	p := open(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	in, client := io.Pipe()
	done := make(chan error, 1)
	answers, out := io.Pipe()
	go func() { done <- Bridge(ctx, Options{URL: p.url, Token: "amy", In: in, Out: out}) }()
	fmt.Fprintln(client, hello)
	if _, err := bufio.NewReader(answers).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(client, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	wait(t, "taking a seat", p.came)
	cancel()
	if err := wait(t, "the bridge's end", done); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v", err)
	}
	wait(t, "leaving the seat", p.went)
}

// TestBridgeResumes breaks the stream of what the server says by itself.
func TestBridgeResumes(t *testing.T) {
	p := open(t, nil)
	streams := make(chan context.CancelFunc, 10)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			ctx, cancel := context.WithCancel(r.Context())
			r = r.WithContext(ctx)
			streams <- cancel
		}
		p.door.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	c, _ := bridged(t, front.URL+"/mcp", "amy", withSessions)
	c.call(t, "context_create", `{"title":"plan"}`)
	if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "kaijutsu://context/plan"}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		wait(t, "listening", streams)()
		c.call(t, "block_write", `{"context":"plan","block_id":"b1","text":"x"}`)
		wait(t, "telling", c.updated)
	}
}

func FuzzReadEvents(f *testing.F) {
	f.Add([]byte("id: 1\ndata: {}\n\ndata: a\r\ndata: b\n\n:ok\n\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		n := 0
		err := readEvents(bytes.NewReader(stream), func(e event) error {
			n += len(e.data)
			return nil
		})
		if err == nil && n > len(stream) {
			t.Errorf("%d bytes of data in a stream of %d", n, len(stream))
		}
	})
}
