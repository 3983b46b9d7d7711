package peer_test

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"kaijutsu/internal/limit"
	"kaijutsu/internal/peer"
	"kaijutsu/internal/wire"
)

// startBehindDoor starts a server whose connections come through a Door.
func startBehindDoor(t *testing.T, change func(*peer.Config)) (*server, *limit.Door) {
	t.Helper()
	l, err := limit.New(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := limit.NewDoor(ln, l)
	return start(t, func(c *peer.Config) {
		c.Limiter, c.Door = l, d
		if change != nil {
			change(c)
		}
	}), d
}

// joinRaw joins as a peer that sends bytes of the test's.
func (s *server) joinRaw(id string) net.Conn {
	s.t.Helper()
	nc := s.handshake()
	go func() { _, _ = io.Copy(io.Discard, nc) }()
	if _, err := nc.Write(masked(wire.Encode(wire.Join{SenderID: id, Versions: []string{"1"}}))); err != nil {
		s.t.Fatal(err)
	}
	return nc
}

func TestAPeerIsTrustedForWhatItSends(t *testing.T) {
	s, d := startBehindDoor(t, nil)
	nc := s.joinRaw("raw")
	v := d.Visitor(nc.LocalAddr().String())
	if v == nil {
		t.Fatal("the door does not know the connection")
	}
	eventually(t, "it is known", v.Known)
	if v.Trusted() {
		t.Error("it is trusted for the join alone")
	}
	send := func(m wire.Message) {
		t.Helper()
		if _, err := nc.Write(masked(wire.Encode(m))); err != nil {
			t.Fatal(err)
		}
	}
	good := wire.Ephemeral{SenderID: "raw", DocumentID: newDocument().String(), SessionID: "s", Count: 1, Data: []byte{1}}
	send(good)
	eventually(t, "it is trusted for a message", v.Trusted)
	send(wire.Sync{SenderID: "raw", DocumentID: newDocument().String(), Data: []byte("garbage")})
	eventually(t, "it is doubted for garbage", func() bool { return !v.Trusted() })
	for range 15 {
		good.Count++
		send(good)
	}
	send(wire.Sync{SenderID: "raw", DocumentID: "no id", Data: []byte("garbage")})
	for range 20 {
		good.Count++
		send(good)
	}
	eventually(t, "its messages were taken", func() bool { return s.hub.Stats().FramesIn >= 1+1+1+15+1+20 })
	if v.Trusted() {
		t.Error("it is trusted again for 20 messages that followed garbage")
	}
	good.Count++
	send(good)
	eventually(t, "it is trusted again", v.Trusted)
	s.canary()
}

func TestWhoSendsNoMessagesIsDoubtedAndCut(t *testing.T) {
	for _, tt := range []struct {
		name  string
		frame []byte
	}{
		{"pongs", []byte{0x8a, 0x80, 0, 0, 0, 0}},
		{"pings", []byte{0x89, 0x80, 0, 0, 0, 0}},
		{"empty fragments", []byte{0x00, 0x80, 0, 0, 0, 0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, d := startBehindDoor(t, func(c *peer.Config) { c.Timing.Waste, c.Timing.Close = 100*time.Millisecond, 100*time.Millisecond })
			nc := s.joinRaw("raw")
			if _, err := nc.Write([]byte{0x02, 0x81, 0, 0, 0, 0, 0xa1}); err != nil { // a message begins
				t.Fatal(err)
			}
			v := d.Visitor(nc.LocalAddr().String())
			many := bytes.Repeat(tt.frame, 1000)
			_ = nc.SetWriteDeadline(time.Now().Add(patience))
			for {
				if _, err := nc.Write(many); err != nil {
					break
				}
			}
			if v.Trusted() {
				t.Error("it is trusted")
			}
			eventually(t, "it is cut", func() bool { return s.hub.Stats().Connections == 0 })
			s.canary()
		})
	}
}

// TestPingsAreAnswered sends more than are answered at once: the last of many is
// waited for by libraries.
func TestPingsAreAnswered(t *testing.T) {
	s := start(t, nil)
	nc := s.handshake()
	const pings = 50
	if _, err := nc.Write(bytes.Repeat([]byte{0x89, 0x80, 0, 0, 0, 0}, pings)); err != nil {
		t.Fatal(err)
	}
	if _, err := nc.Write([]byte{0x88, 0x80, 0, 0, 0, 0}); err != nil { // the end
		t.Fatal(err)
	}
	pongs := 0
	for {
		first, _, err := readServerFrame(nc)
		if err != nil || first == 0x88 {
			break
		}
		if first == 0x8a {
			pongs++
		}
	}
	if pongs != pings {
		t.Errorf("%d of %d pings were answered, want all", pongs, pings)
	}
}

func TestBombsAreRefusedEarly(t *testing.T) {
	s := start(t, nil)
	c := s.join("amy")
	c.send(wire.Sync{SenderID: c.id, DocumentID: newDocument().String(), Data: make([]byte, 12<<20)}) // the client compresses it
	if code, reason := c.closed(); code != websocket.StatusMessageTooBig || !strings.Contains(reason, "compressed") {
		t.Errorf("closed with %d %q, want %d and the reason", code, reason, websocket.StatusMessageTooBig)
	}
	s.canary()
}
