package peer_test

import (
	"bytes"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"kaijutsu/internal/amfile"
	"kaijutsu/internal/limit"
	"kaijutsu/internal/peer"
	"kaijutsu/internal/wire"
)

// startLimited starts a server with limits, as name=value.
func startLimited(t *testing.T, set ...string) (*server, *limit.Limiter) {
	t.Helper()
	values := make(map[limit.Name]int64)
	for _, text := range set {
		name, n, err := limit.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		values[name] = n
	}
	l, err := limit.New(values, nil)
	if err != nil {
		t.Fatal(err)
	}
	return start(t, func(c *peer.Config) { c.Limiter = l }), l
}

// hits returns how often a limit held something back.
func hits(t *testing.T, l *limit.Limiter, name limit.Name) int64 {
	t.Helper()
	row, err := l.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return row.Hits
}

func TestWhoSendsTooMuchIsSlowedAndLosesNothing(t *testing.T) {
	large := amfile.BytesValue(randomBytes(9 << 10)) // more than is assured
	for _, tt := range []struct {
		name  string
		set   string // what may come at once is five or more times as much
		value amfile.Value
	}{
		{"messages of a connection", "messages-per-second=2", amfile.IntValue(1)},
		{"messages of a principal", "principal-messages-per-second=2", large},
		{"bytes of a connection", "bytes-per-second=20000", large},
		{"bytes of a principal", "principal-bytes-per-second=20000", large},
		{"changes of a principal", "principal-changes-per-second=1", large},
		{"changes of a document", "document-changes-per-second=1", large},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, l := startLimited(t, tt.set)
			name, _, _ := limit.Parse(tt.set)
			c := s.join("amy")
			r := c.replica(newDocument())
			eventually(t, "it is slowed down", func() bool {
				r.acked(r.edit("k", tt.value))
				return hits(t, l, name) > 0
			})
			if err := l.Set(name, 0); err != nil { // who waits already waits on
				t.Fatal(err)
			}
			for range 3 {
				r.acked(r.edit("k", tt.value))
			}
			for _, m := range all[wire.Error](c) {
				if !strings.Contains(m.Message, string(name)) || !strings.Contains(m.Message, "nothing of it is lost") {
					t.Errorf("told %q, want the limit and that nothing is lost", m.Message)
				}
			}
		})
	}
}

func TestWhoHasToWaitLongIsTold(t *testing.T) {
	s, _ := startLimited(t, "messages-per-second=1") // 5 at once
	c := s.join("amy")
	r := c.replica(newDocument())
	for range 6 {
		r.edit("k", amfile.IntValue(1))
	}
	m := wait(c, "error", func(wire.Error) bool { return true })
	if !strings.Contains(m.Message, "limit messages-per-second") {
		t.Errorf("told %q, want the limit", m.Message)
	}
}

// TestPeopleTypeOnWhileTheirPrincipalFloods has one principal send far too much on
// one connection, and type on another into the same document.
func TestPeopleTypeOnWhileTheirPrincipalFloods(t *testing.T) {
	s, _ := startLimited(t, "principal-messages-per-second=2", "principal-bytes-per-second=20000", "principal-changes-per-second=1", "document-changes-per-second=1")
	doc := newDocument()
	person := s.join("amy").replica(doc)
	flood := s.join("amy").replica(doc)
	for range 100 {
		flood.edit("k", amfile.BytesValue(randomBytes(9<<10)))
	}
	last := flood.edit("k", amfile.IntValue(1))
	for range 20 {
		person.acked(person.edit("typed", amfile.IntValue(1)))
	}
	person.mu.Lock()
	defer person.mu.Unlock()
	if person.told.Contains(last) {
		t.Error("the flood was through before the person had typed: it was not slowed down")
	}
}

func TestConnectionsOfAPrincipalAreBounded(t *testing.T) {
	s, _ := startLimited(t, "principal-connections=2")
	first := s.join("amy")
	s.join("amy")
	c := s.dial("amy", "")
	c.send(wire.Join{SenderID: c.id, Versions: []string{"1"}})
	code, reason := c.closed()
	if code != websocket.StatusTryAgainLater || !strings.Contains(reason, "too many") {
		t.Errorf("closed with %d %q, want %d and the reason", code, reason, websocket.StatusTryAgainLater)
	}
	for _, m := range all[wire.Error](c) {
		if !strings.Contains(m.Message, "limit principal-connections") {
			t.Errorf("told %q, want the limit", m.Message)
		}
	}
	s.dial("ben", "?as=ben").shake("")
	_ = first.ws.CloseNow()
	eventually(t, "its place is free", func() bool { return s.hub.Stats().Peers == 2 })
	s.join("amy")
}

func TestMessagesBeforeTheJoinAreBounded(t *testing.T) {
	s := start(t, nil)
	c := s.dial("amy", "")
	for range 20 {
		c.send(wire.Ephemeral{SenderID: c.id, DocumentID: newDocument().String(), SessionID: "s", Count: 1, Data: []byte{1}})
	}
	if code, reason := c.closed(); code != websocket.StatusPolicyViolation || !strings.Contains(reason, "before the join") {
		t.Errorf("closed with %d %q, want %d and the reason", code, reason, websocket.StatusPolicyViolation)
	}
}

// TestFramesThatAreNoMessages sends what the WebSocket answers or swallows itself.
func TestFramesThatAreNoMessages(t *testing.T) {
	for _, tt := range []struct {
		name  string
		set   string
		frame []byte
	}{
		{"pings", "messages-per-second=10", []byte{0x89, 0x80, 0, 0, 0, 0}},
		{"pongs", "overhead-bytes-per-second=1000", []byte{0x8a, 0x80, 0, 0, 0, 0}},
		{"empty fragments", "overhead-bytes-per-second=1000", []byte{0x00, 0x80, 0, 0, 0, 0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, l := startLimited(t, tt.set)
			name, _, _ := limit.Parse(tt.set)
			nc := s.handshake()
			go func() { _, _ = io.Copy(io.Discard, nc) }()
			if _, err := nc.Write(append(masked(wire.Encode(wire.Join{SenderID: "raw", Versions: []string{"1"}})), 0x02, 0x81, 0, 0, 0, 0, 0xa1)); err != nil {
				t.Fatal(err)
			}
			many := bytes.Repeat(tt.frame, 1000)
			eventually(t, "it is slowed down", func() bool {
				_ = nc.SetWriteDeadline(time.Now().Add(time.Millisecond))
				_, _ = nc.Write(many)
				return hits(t, l, name) > 0
			})
			s.canary()
		})
	}
}

// TestWhoIsClosedIsNotReadAnyMore goes on sending after it was told why it is
// closed.
func TestWhoIsClosedIsNotReadAnyMore(t *testing.T) {
	s := start(t, func(c *peer.Config) { c.Timing.Close = time.Second })
	nc := s.handshake()
	if tcp, ok := nc.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(64 << 10)
	}
	if _, err := nc.Write(masked([]byte{0xff})); err != nil {
		t.Fatal(err)
	}
	sent := 0
	junk := masked(make([]byte, 60_000))
	_ = nc.SetWriteDeadline(time.Now().Add(patience))
	for {
		n, err := nc.Write(junk)
		sent += n
		if err != nil {
			if os.IsTimeout(err) {
				t.Errorf("still connected after %v", patience)
			}
			break
		}
		if sent > 64<<20 {
			t.Fatalf("%d bytes were taken after the end", sent)
		}
	}
	s.canary()
}
