package peer_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/peer"
	"kaijutsu/internal/wire"
)

func TestFramesThatAreNotCBORClose(t *testing.T) {
	frames := map[string][]byte{
		"empty":            {},
		"a break":          {0xff},
		"half a map":       []byte("\xb9\x00\x02\x64type"),
		"JSON":             []byte(`{"type":"join"}`),
		"a huge array":     []byte("\x9b\xff\xff\xff\xff\xff\xff\xff\xff"),
		"nested deeply":    bytes.Repeat([]byte{0x81}, 50_000),
		"bytes behind it":  append(wire.Encode(wire.Leave{SenderID: "x"}), 0),
		"random bytes":     randomBytes(1000),
		"compressible 1 K": bytes.Repeat([]byte{0x1f}, 1<<10),
	}
	s := start(t, nil)
	for name, frame := range frames {
		for _, joined := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, joined %v", name, joined), func(t *testing.T) {
				c := s.dial("amy", "")
				if joined {
					c.shake("")
				}
				c.raw(frame)
				code, reason := c.closed()
				errs := all[wire.Error](c)
				if code != websocket.StatusUnsupportedData || reason == "" || len(errs) != 1 {
					t.Errorf("closed with %d %q after %+v, want %d, a reason and an error", code, reason, errs, websocket.StatusUnsupportedData)
				}
			})
		}
	}
	s.canary()
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range b {
		b[i] = byte(random.Uint32()) | 0xf8 // reserved as a first byte
	}
	return b
}

func TestTextFramesClose(t *testing.T) {
	s := start(t, nil)
	c := s.join("amy")
	if err := c.ws.Write(t.Context(), websocket.MessageText, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	if code, _ := c.closed(); code != websocket.StatusUnsupportedData {
		t.Errorf("closed with %d, want %d", code, websocket.StatusUnsupportedData)
	}
	s.canary()
}

func TestBadMessagesAreCountedAndThenClose(t *testing.T) {
	doc := newDocument().String()
	kinds := []any{
		nil, 1, "text", []int{1},
		map[string]any{},
		map[string]any{"type": 7},
		map[string]any{"type": "sync"},
		map[string]any{"type": "join"},
		map[string]any{"type": "sync", "senderId": "x", "documentId": 7, "data": []byte{1}},
		map[string]any{"type": "sync", "senderId": "x", "documentId": doc, "data": "text"},
		map[string]any{"type": "sync", "senderId": "x", "documentId": doc, "data": []byte{}},
		map[string]any{"type": "ephemeral", "senderId": "x", "documentId": doc, "count": -1, "sessionId": "s", "data": []byte{1}},
		map[string]any{"type": "ephemeral", "senderId": "x", "documentId": doc, "count": 1, "sessionId": "s", "data": []byte{0xff}},
		map[string]any{"type": "remote-heads-changed", "senderId": "x", "documentId": doc},
		map[string]any{"type": "remote-subscription-change", "senderId": "x", "add": 7},
	}
	s := start(t, nil)
	for i, v := range kinds {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			c := s.join("amy")
			frame := mustCBOR(t, v)
			for range 19 {
				c.raw(frame)
			}
			r := c.replica(newDocument())
			r.acked(r.edit("k", amfile.IntValue(1))) // still served
			c.raw(frame)
			code, reason := c.closed()
			if code != websocket.StatusPolicyViolation || !strings.Contains(reason, "20 invalid messages, the last") {
				t.Errorf("closed with %d %q, want %d and the last reason", code, reason, websocket.StatusPolicyViolation)
			}
		})
	}
	s.canary()
}

func TestOneByteFramesBeforeTheJoinAreIgnored(t *testing.T) {
	s := start(t, nil)
	for _, b := range []byte{0xf6, 0xf7, 0x01} {
		c := s.dial("amy", "")
		c.raw([]byte{b})
		c.shake("")
	}
}

func TestDocumentIDsOfEveryWrongShape(t *testing.T) {
	ids := []string{
		"x", "not base58 0OIl", "11111111111111111111111111", "automerge:" + newDocument().String(),
		newDocument().String() + "1", newDocument().URL()[:30], "../../etc/passwd", strings.Repeat("1", 64),
		kaijutsu.EncodeBase58Check(nil), kaijutsu.EncodeBase58Check(make([]byte, 15)), kaijutsu.EncodeBase58Check(make([]byte, 20)), "é", "\x00",
	}
	s := start(t, nil)
	data := (&amfile.SyncMessage{Version: 1}).Encode()
	c := s.join("amy")
	for i, id := range ids {
		c.send(wire.Request{SenderID: c.id, TargetID: serverID, DocumentID: id, Data: data})
		c.until("error about "+id, func() bool { return len(c.got) == i+2 })
	}
	if got := len(all[wire.Error](c)); got != len(ids) {
		t.Errorf("%d errors for %d ids", got, len(ids))
	}
	r := c.replica(newDocument())
	r.acked(r.edit("k", amfile.IntValue(1)))
}

func TestOversizedFramesClose(t *testing.T) {
	s := start(t, func(c *peer.Config) { c.Limits.FrameBytes, c.Limits.JoinBytes = 256<<10, 1<<10 })
	doc := newDocument().String()
	for _, tt := range []struct {
		name   string
		joined bool
		bytes  int
	}{{"before the join", false, 2 << 10}, {"joined", true, 512 << 10}} {
		t.Run(tt.name, func(t *testing.T) {
			c := s.dial("amy", "")
			if tt.joined {
				c.shake("")
			}
			c.send(wire.Sync{SenderID: c.id, DocumentID: doc, Data: randomBytes(tt.bytes)})
			if code, reason := c.closed(); code != websocket.StatusMessageTooBig || !strings.Contains(reason, "bytes") {
				t.Errorf("closed with %d %q, want %d and the limit", code, reason, websocket.StatusMessageTooBig)
			}
		})
	}
	t.Run("a small frame that inflates", func(t *testing.T) {
		c := s.join("amy")
		c.send(wire.Sync{SenderID: c.id, DocumentID: doc, Data: make([]byte, 512<<10)}) // the client compresses it
		if code, _ := c.closed(); code != websocket.StatusMessageTooBig {
			t.Errorf("closed with %d, want %d", code, websocket.StatusMessageTooBig)
		}
	})
	t.Run("just below", func(t *testing.T) {
		c := s.join("amy")
		r := c.replica(newDocument())
		r.acked(r.edit("k", amfile.BytesValue(randomBytes(256<<10-1000))))
	})
	s.canary()
}

func TestAnOversizedFrameThatStalls(t *testing.T) {
	s := start(t, func(c *peer.Config) { c.Limits.JoinBytes, c.Timing.Close = 1<<10, 100*time.Millisecond })
	nc := s.handshake()
	// A masked binary frame of 1 GiB, of which only the first bytes ever come.
	head := binary.BigEndian.AppendUint64([]byte{0x82, 0xff}, 1<<30)
	if _, err := nc.Write(append(append(head, 0, 0, 0, 0), make([]byte, 4<<10)...)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the connection is given up", func() bool { return s.hub.Stats().Connections == 0 })
}

func TestLargeFramesShareABudget(t *testing.T) {
	s := start(t, func(c *peer.Config) { c.Limits.PendingBytes = 3 << 20 })
	// One peer holds most of the budget with a frame that does not end.
	hog := s.join("hog")
	w, err := hog.ws.Writer(t.Context(), websocket.MessageBinary)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(randomBytes(1200 << 10)); err != nil {
		t.Fatal(err)
	}
	doc := newDocument().String()
	eventually(t, "another large frame is refused", func() bool {
		c := s.join("amy")
		c.send(wire.Sync{SenderID: c.id, DocumentID: doc, Data: randomBytes(1200 << 10)})
		code, _ := c.closed()
		return code == websocket.StatusTryAgainLater
	})
	s.canary() // small frames need none of it
	_ = hog.ws.CloseNow()
	eventually(t, "the budget is free again", func() bool {
		r := s.join("amy").replica(newDocument())
		h := r.edit("k", amfile.BytesValue(randomBytes(1200<<10)))
		done := false
		eventually(t, "an answer", func() bool {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.client.mu.Lock()
			defer r.client.mu.Unlock()
			done = r.told.Contains(h)
			return done || r.ended
		})
		return done
	})
}

func TestBrokenSyncMessagesEndTheDocumentOnly(t *testing.T) {
	payloads := map[string][]byte{
		"garbage":              []byte("garbage"),
		"one byte":             {0x42},
		"a bloom of 0 bits":    {0x42, 0, 0, 1, 0, 3, 1, 0, 7, 0},
		"heads that are cut":   {0x42, 2, 1, 2, 3},
		"a change of garbage":  append([]byte{0x42, 0, 0, 0, 1, 5}, "hello"...),
		"a chunk of no type":   append([]byte{0x42, 0, 0, 0, 1, 10}, 0x85, 0x6f, 0x4a, 0x83, 1, 2, 3, 4, 9, 0),
		"a count of a billion": {0x42, 0xff, 0xff, 0xff, 0xff, 3},
	}
	s := start(t, nil)
	shared := newDocument()
	witness := s.join("witness").replica(shared)
	h := witness.edit("k", amfile.IntValue(1))
	witness.acked(h)
	for name, payload := range payloads {
		t.Run(name, func(t *testing.T) {
			c := s.join("amy")
			bad := func() {
				c.send(wire.Sync{SenderID: c.id, TargetID: serverID, DocumentID: shared.String(), Data: payload})
			}
			bad()
			m := wait(c, "error", func(wire.Error) bool { return true })
			if !strings.Contains(m.Message, shared.String()) {
				t.Errorf("error %q does not name the document", m.Message)
			}
			bad() // ignored from now on, as is a good one
			c.send(wire.Request{SenderID: c.id, TargetID: serverID, DocumentID: shared.String(), Data: (&amfile.SyncMessage{Version: 1}).Encode()})
			r := c.replica(newDocument()) // while another document is served
			r.acked(r.edit("k", amfile.IntValue(1)))
			if n := len(all[wire.Error](c)); n != 1 {
				t.Errorf("told %d times, want once", n)
			}
			for _, m := range all[wire.Sync](c) {
				if m.DocumentID == shared.String() {
					t.Errorf("the document is still served")
				}
			}
		})
	}
	again := s.join("amy").replica(shared).open()
	again.has(h)
	witness.has(again.edit("k", amfile.IntValue(2)))
	if got := all[wire.Error](witness.client); len(got) > 0 {
		t.Errorf("the witness was told %+v", got)
	}
}

func TestRefusedChangesEndTheDocumentOnly(t *testing.T) {
	s := start(t, nil)
	doc := newDocument()
	witness := s.join("witness").replica(doc)
	h := witness.edit("k", amfile.IntValue(1))
	witness.acked(h)

	// The same actor and sequence number twice: two histories under one name.
	c := s.join("amy")
	twin := c.replica(doc)
	twin.actor = witness.actor
	twin.edit("other", amfile.IntValue(2))
	m := wait(c, "error", func(wire.Error) bool { return true })
	if !strings.Contains(m.Message, doc.String()) {
		t.Errorf("error %q does not name the document", m.Message)
	}
	r := c.replica(newDocument())
	r.acked(r.edit("k", amfile.IntValue(1)))

	other := s.join("ben").replica(doc).open()
	other.has(h)
	witness.has(other.edit("k", amfile.IntValue(3)))
	if got := s.hub.Stats().Refused; got != 1 {
		t.Errorf("Stats().Refused = %d, want 1", got)
	}
}

func TestSeveralRefusedDocumentsClose(t *testing.T) {
	s := start(t, nil)
	c := s.join("amy")
	for range 5 {
		c.send(wire.Sync{SenderID: c.id, TargetID: serverID, DocumentID: newDocument().String(), Data: []byte("garbage")})
	}
	code, reason := c.closed()
	if code != websocket.StatusPolicyViolation || !strings.Contains(reason, "5 documents refused") {
		t.Errorf("closed with %d %q, want %d and the reason", code, reason, websocket.StatusPolicyViolation)
	}
	if n := len(all[wire.Error](c)); n != 5 {
		t.Errorf("told %d times, want 5", n)
	}
	s.canary()
}

func TestAStoreThatFailsIsTheServersFault(t *testing.T) {
	s := start(t, nil)
	c := s.join("amy")
	r := c.replica(newDocument())
	r.acked(r.edit("k", amfile.IntValue(1)))
	if err := s.store.Close(); err != nil {
		t.Fatal(err)
	}
	h := r.edit("k", amfile.IntValue(2))
	code, reason := c.closed()
	if code != websocket.StatusTryAgainLater || !strings.Contains(reason, "cannot do this now") {
		t.Errorf("closed with %d %q, want %d and no details", code, reason, websocket.StatusTryAgainLater)
	}
	if r.told.Contains(h) {
		t.Error("a change that is not on disk was acknowledged")
	}
	if got := s.hub.Stats().Refused; got != 0 {
		t.Errorf("Stats().Refused = %d: it is not the peer's fault", got)
	}
}

func TestAPanicEndsOneConnection(t *testing.T) {
	s := start(t, func(c *peer.Config) {
		c.Right = func(_ context.Context, by kaijutsu.Principal, _ kaijutsu.DocumentID) kaijutsu.Right {
			if by.Name == "unlucky" {
				panic("access table is gone")
			}
			return kaijutsu.RightOwn
		}
	})
	c := s.dial("ben", "?as=unlucky").shake("")
	c.replica(newDocument()).open()
	c.closed()
	eventually(t, "it is forgotten", func() bool { return s.hub.Stats().Connections == 0 })
	s.canary()
}

// TestLargeFramesAreCompressed reads the bit that marks a compressed frame
// (RFC 7692 §6).
func TestLargeFramesAreCompressed(t *testing.T) {
	s := start(t, nil)
	doc := newDocument()
	a := s.join("amy").replica(doc)
	nc := s.handshake("Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n")
	for _, m := range []wire.Message{
		wire.Join{SenderID: "raw", Versions: []string{"1"}},
		wire.Request{SenderID: "raw", DocumentID: doc.String(), Data: (&amfile.SyncMessage{Version: 1}).Encode()},
	} {
		if _, err := nc.Write(masked(wire.Encode(m))); err != nil {
			t.Fatal(err)
		}
	}
	const compressed = 0x40
	next := func() (first byte, n int) {
		t.Helper()
		first, payload, err := readServerFrame(nc)
		if err != nil {
			t.Fatal(err)
		}
		return first, len(payload)
	}
	for range 2 { // peer, doc-unavailable
		if first, n := next(); first&compressed != 0 {
			t.Errorf("a frame of %d bytes is compressed", n)
		}
	}
	a.edit("k", amfile.StringValue(strings.Repeat("compressible ", 10_000)))
	if first, n := next(); first&compressed == 0 || n > 20_000 {
		t.Errorf("a frame of 130,000 bytes has the first byte %#x and %d bytes, want it compressed", first, n)
	}
}

// TestRandomFrames throws mutated good frames at the server.
func TestRandomFrames(t *testing.T) {
	s := start(t, nil)
	doc := newDocument()
	a := s.join("amy").replica(doc)
	c := a.make("k", amfile.IntValue(1))
	sync := (&amfile.SyncMessage{Version: 1, Heads: []kaijutsu.ChangeHash{c.Hash}, Changes: [][]byte{c.Raw}}).Encode()
	random := rand.New(rand.NewPCG(3, 4))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for range 100 {
		ws, _, err := websocket.Dial(ctx, s.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		frames := [][]byte{
			wire.Encode(wire.Join{SenderID: "fuzz", Versions: []string{"1"}}),
			wire.Encode(wire.Sync{SenderID: "fuzz", TargetID: serverID, DocumentID: doc.String(), Data: sync}),
			wire.Encode(wire.Ephemeral{SenderID: "fuzz", DocumentID: doc.String(), SessionID: "s", Count: 1, Data: []byte{1}}),
			wire.Encode(wire.SubscriptionChange{SenderID: "fuzz", Add: []string{storageID}}),
		}
		for n, f := range frames {
			if n > 0 || random.IntN(4) == 0 {
				for range 1 + random.IntN(3) {
					f[random.IntN(len(f))] ^= byte(1 << random.IntN(8))
				}
			}
			if ws.Write(ctx, websocket.MessageBinary, f) != nil {
				break
			}
		}
		_ = ws.CloseNow()
	}
	eventually(t, "all are gone", func() bool { return s.hub.Stats().Connections == 1 })
	a.open().acked(c.Hash)
	s.canary()
}
