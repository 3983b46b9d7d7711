package peer_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/peer"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
	"kaijutsu/internal/wire"
)

const (
	serverID  = "server"
	storageID = "5f7a1c1e-0000-4000-8000-000000000001"

	// patience is how long a test waits for an event before it fails.
	patience = time.Minute
)

// server is a Hub over a real repo and store, behind a real HTTP server.
type server struct {
	t     testing.TB
	hub   *peer.Hub
	repo  *repo.Repo
	store *store.Store
	url   string
}

// start serves. Editors act as the principal in the query parameter "as",
// "amy" without one.
func start(t testing.TB, change func(*peer.Config)) *server {
	t.Helper()
	return startOn(t, repo.Config{}, change)
}

// startOn is start with options for the repo.
func startOn(t testing.TB, config repo.Config, change func(*peer.Config)) *server {
	t.Helper()
	log := slog.New(slog.NewTextHandler(testLog{t}, &slog.HandlerOptions{Level: slog.LevelInfo}))
	st, err := store.Open(store.Options{Dir: t.TempDir(), Log: log})
	if err != nil {
		t.Fatal(err)
	}
	config.Log, config.Store, config.UnavailableAfter = log, st, 20*time.Millisecond
	r := repo.Start(config)
	cfg := peer.Config{Log: log, Repo: r, PeerID: serverID, StorageID: storageID}
	if change != nil {
		change(&cfg)
	}
	s := &server{t: t, hub: peer.NewHub(cfg), repo: r, store: st}
	web := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.URL.Query().Get("as")
		switch name {
		case "stranger":
			s.hub.Refuse(w, r, fmt.Errorf("no token: %w", kaijutsu.ErrDenied))
		case "":
			name = "amy"
			fallthrough
		default:
			s.hub.Serve(w, r, kaijutsu.Principal{Name: name, Kind: kaijutsu.Person})
		}
	}))
	if cfg.Door != nil {
		_ = web.Listener.Close() // the Door has its own
		web.Listener = cfg.Door
	}
	// Small buffers in the kernel, so that a peer that does not read is felt.
	web.Config.ConnContext = func(ctx context.Context, nc net.Conn) context.Context {
		if inner, ok := nc.(interface{ NetConn() net.Conn }); ok {
			nc = inner.NetConn()
		}
		_ = nc.(*net.TCPConn).SetWriteBuffer(64 << 10)
		return ctx
	}
	web.Start()
	s.url = "ws" + strings.TrimPrefix(web.URL, "http")
	t.Cleanup(func() {
		s.hub.Close()
		web.Close()
		if err := errors.Join(r.Close(), st.Close()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// testLog sends the log to the test's.
type testLog struct{ t testing.TB }

func (l testLog) Write(b []byte) (int, error) {
	l.t.Logf("%s", strings.TrimSpace(string(b)))
	return len(b), nil
}

// client is a connection that speaks frames. What it has read stays in its
// list.
type client struct {
	t  testing.TB
	id string
	ws *websocket.Conn

	mu     sync.Mutex
	moved  chan struct{} // closed and replaced when something below changes
	got    []wire.Message
	ended  bool
	code   websocket.StatusCode // of the close frame; -1 without one
	reason string
	pings  int
	take   func(wire.Message) // called by the reader
}

var lastID struct {
	sync.Mutex
	n int
}

// fresh returns an id nobody else has.
func fresh(name string) string {
	lastID.Lock()
	defer lastID.Unlock()
	lastID.n++
	return fmt.Sprintf("%s-%d", name, lastID.n)
}

// dial connects without joining.
func (s *server) dial(name, query string) *client {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c := &client{t: s.t, id: fresh(name), moved: make(chan struct{})}
	ws, _, err := websocket.Dial(ctx, s.url+"/"+query, &websocket.DialOptions{
		CompressionMode: websocket.CompressionContextTakeover,
		OnPingReceived:  func(context.Context, []byte) bool { c.pinged(); return true },
	})
	if err != nil {
		s.t.Fatal(err)
	}
	ws.SetReadLimit(256 << 20)
	c.ws = ws
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.read()
	}()
	s.t.Cleanup(func() {
		_ = ws.CloseNow()
		<-ended
	})
	return c
}

func (c *client) pinged() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pings++
	c.signalLocked()
}

// signalLocked wakes until; c.mu is held.
func (c *client) signalLocked() {
	close(c.moved)
	c.moved = make(chan struct{})
}

func (c *client) read() {
	for {
		_, frame, err := c.ws.Read(context.Background())
		var m wire.Message
		if err == nil {
			if m, err = wire.Decode(frame); err != nil {
				c.t.Errorf("%s: the server sent a frame that does not decode: %v", c.id, err)
				continue
			}
		}
		c.mu.Lock()
		if err != nil {
			var closed websocket.CloseError
			c.ended, c.code = true, -1
			if errors.As(err, &closed) {
				c.code, c.reason = closed.Code, closed.Reason
			}
		} else {
			c.got = append(c.got, m)
		}
		take := c.take
		c.signalLocked()
		c.mu.Unlock()
		if err != nil {
			return
		}
		if take != nil {
			take(m)
		}
	}
}

// until waits until cond, which is asked with c.mu held, is true.
func (c *client) until(what string, cond func() bool) {
	c.t.Helper()
	deadline := time.After(patience)
	for {
		c.mu.Lock()
		done, moved := cond(), c.moved
		ended, code, reason := c.ended, c.code, c.reason
		c.mu.Unlock()
		if done {
			return
		}
		if ended {
			c.t.Fatalf("%s: closed with %d %q while waiting for %s", c.id, code, reason, what)
		}
		select {
		case <-moved:
		case <-deadline:
			c.mu.Lock()
			defer c.mu.Unlock()
			c.t.Fatalf("%s: no %s; got %d messages, the last: %#v", c.id, what, len(c.got), c.got[max(0, len(c.got)-3):])
		}
	}
}

// wait returns the first message, from the n-th on, for which f holds.
func wait[M wire.Message](c *client, what string, f func(M) bool) M {
	c.t.Helper()
	var found M
	c.until(what, func() bool {
		i := slices.IndexFunc(c.got, func(m wire.Message) bool {
			typed, ok := m.(M)
			return ok && f(typed)
		})
		if i >= 0 {
			found = c.got[i].(M)
		}
		return i >= 0
	})
	return found
}

// all returns the messages of a type that came so far.
func all[M wire.Message](c *client) []M {
	c.mu.Lock()
	defer c.mu.Unlock()
	var found []M
	for _, m := range c.got {
		if typed, ok := m.(M); ok {
			found = append(found, typed)
		}
	}
	return found
}

// closed waits for the end of the connection and returns its close frame.
func (c *client) closed() (websocket.StatusCode, string) {
	c.t.Helper()
	deadline := time.After(patience)
	for {
		c.mu.Lock()
		ended, code, reason, moved := c.ended, c.code, c.reason, c.moved
		c.mu.Unlock()
		if ended {
			return code, reason
		}
		select {
		case <-moved:
		case <-deadline:
			c.t.Fatalf("%s: not closed", c.id)
		}
	}
}

// send writes a message; an error is the test's business only if it waits for
// an answer.
func (c *client) send(m wire.Message) { c.raw(wire.Encode(m)) }

func (c *client) raw(frame []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_ = c.ws.Write(ctx, websocket.MessageBinary, frame)
}

// shake joins and waits for the answer.
func (c *client) shake(storage string) *client {
	c.t.Helper()
	c.send(wire.Join{SenderID: c.id, Metadata: wire.Metadata{StorageID: storage}, Versions: []string{"1"}})
	wait(c, "answer to the join", func(wire.Peer) bool { return true })
	return c
}

// join connects and joins.
func (s *server) join(name string) *client { return s.dial(name, "").shake("") }

// eventually waits for something that no client sees.
func eventually(t testing.TB, what string, cond func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(patience)
	for !cond() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("never: %s", what)
		}
	}
}

// canary edits a document over two fresh connections: the server is well.
func (s *server) canary() {
	s.t.Helper()
	doc := newDocument()
	a := s.join("canary").replica(doc)
	h := a.edit("k", amfile.IntValue(1))
	a.acked(h)
	b := s.join("canary").replica(doc).open()
	b.has(h)
	h = b.edit("k2", amfile.IntValue(2))
	a.has(h)
}
