package peer_test

import (
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/fxamacker/cbor/v2"

	"kaijutsu/internal/amfile"
	"kaijutsu/internal/peer"
	"kaijutsu/internal/wire"
)

func TestJoinIsAnswered(t *testing.T) {
	tests := []struct {
		name string
		join map[string]any
	}{
		{"as clients send it", map[string]any{"peerMetadata": map[string]any{"isEphemeral": true}, "supportedProtocolVersions": []string{"1"}}},
		{"as the protocol's README has it", map[string]any{"metadata": map[string]any{"storageId": "x"}, "supportedProtocolVersions": []string{"1"}}},
		{"without versions", map[string]any{"peerMetadata": map[string]any{}}},
		{"with more versions", map[string]any{"supportedProtocolVersions": []string{"2", "1"}}},
		{"with fields of the future", map[string]any{"future": map[string]any{"a": []int{1}}}},
	}
	s := start(t, nil)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := s.dial("amy", "")
			tt.join["type"], tt.join["senderId"] = "join", c.id
			c.raw(mustCBOR(t, tt.join))
			got := wait(c, "peer message", func(wire.Peer) bool { return true })
			want := wire.Peer{SenderID: serverID, TargetID: c.id, Metadata: wire.Metadata{StorageID: storageID}, Version: "1"}
			if got != want {
				t.Errorf("join answered with %+v, want %+v", got, want)
			}
		})
	}
}

func mustCBOR(t *testing.T, v any) []byte {
	t.Helper()
	b, err := cbor.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestJoinIsRefusedWithAReason(t *testing.T) {
	tests := []struct {
		name   string
		query  string
		join   map[string]any
		reason string
	}{
		{"version unknown", "", map[string]any{"senderId": "a", "supportedProtocolVersions": []string{"99"}}, "unsupported protocol version"},
		{"versions empty", "", map[string]any{"senderId": "a", "supportedProtocolVersions": []string{}}, "unsupported protocol version"},
		{"versions of the wrong type", "", map[string]any{"senderId": "a", "supportedProtocolVersions": 1}, "supportedProtocolVersions"},
		{"no sender", "", map[string]any{"supportedProtocolVersions": []string{"1"}}, "senderId"},
		{"sender empty", "", map[string]any{"senderId": ""}, "senderId"},
		{"sender too long", "", map[string]any{"senderId": strings.Repeat("x", 257)}, "senderId"},
		{"sender a number", "", map[string]any{"senderId": 7}, "senderId"},
		{"metadata of the wrong type", "", map[string]any{"senderId": "a", "peerMetadata": 7}, "peerMetadata"},
		{"the server's own peer id", "", map[string]any{"senderId": serverID}, "the server's own"},
		{"the server's own storage id", "", map[string]any{"senderId": "a", "peerMetadata": map[string]any{"storageId": storageID}}, "the server's own"},
		{"a stranger", "?as=stranger", map[string]any{"senderId": "a"}, "no token"},
	}
	s := start(t, nil)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := s.dial("amy", tt.query)
			tt.join["type"] = "join"
			c.raw(mustCBOR(t, tt.join))
			code, _ := c.closed()
			errs := all[wire.Error](c)
			if code != websocket.StatusPolicyViolation || len(errs) != 1 || !strings.Contains(errs[0].Message, tt.reason) {
				t.Errorf("closed with %d after %+v, want %d after an error about %q", code, errs, websocket.StatusPolicyViolation, tt.reason)
			}
			if peers := all[wire.Peer](c); len(peers) > 0 {
				t.Errorf("a refused join was answered with %+v", peers)
			}
		})
	}
	s.canary()
}

func TestNothingIsServedBeforeTheJoin(t *testing.T) {
	s := start(t, nil)
	doc := newDocument()
	a := s.join("amy").replica(doc)
	a.acked(a.edit("k", amfile.IntValue(1)))

	c := s.dial("early", "")
	r := c.replica(doc).open()
	c.send(wire.Ephemeral{SenderID: c.id, DocumentID: doc.String(), SessionID: "s", Count: 1, Data: []byte{1}})
	c.send(wire.SubscriptionChange{SenderID: c.id, Add: []string{storageID}})
	c.shake("")
	// Everything sent before has been read by now.
	if got := len(c.got); got != 1 {
		t.Errorf("%d messages before the join was answered, want none besides the answer", got-1)
	}
	if got := s.hub.Stats().Ignored; got != 3 {
		t.Errorf("Stats().Ignored = %d, want 3", got)
	}
	c.send(wire.Request{SenderID: c.id, DocumentID: doc.String(), Data: (&amfile.SyncMessage{Version: 1}).Encode()})
	wait(c, "sync after the join", func(wire.Sync) bool { return true })
	_ = r
}

func TestASilentConnectionMustJoin(t *testing.T) {
	s := start(t, func(c *peer.Config) { c.Timing.Join, c.Timing.Ping = 50*time.Millisecond, 20*time.Millisecond })
	c := s.dial("amy", "")
	code, reason := c.closed()
	if code != websocket.StatusPolicyViolation || !strings.Contains(reason, "no join") {
		t.Errorf("closed with %d %q, want %d and the reason", code, reason, websocket.StatusPolicyViolation)
	}
	joined := s.join("ben") // which is not measured by the same clock
	eventually(t, "the silent connection is forgotten", func() bool { return s.hub.Stats().Connections == 1 })
	joined.replica(newDocument()).open()
	wait(joined, "service", func(wire.DocUnavailable) bool { return true })
}

func TestASecondJoinReplacesTheFirst(t *testing.T) {
	s := start(t, nil)
	doc := newDocument()
	a := s.join("amy").replica(doc)
	first := a.edit("k", amfile.IntValue(1))
	a.acked(first)

	old := s.join("ben")
	old.replica(doc).open().has(first)
	young := s.dial("ben", "")
	young.id = old.id
	young.shake("")
	code, reason := old.closed()
	if code != websocket.StatusNormalClosure || !strings.Contains(reason, "replaced") {
		t.Errorf("old connection closed with %d %q, want %d and the reason", code, reason, websocket.StatusNormalClosure)
	}
	r := young.replica(doc).open()
	r.has(first)
	r.has(a.edit("k", amfile.IntValue(2)))
	a.has(r.edit("k", amfile.IntValue(3)))
	if got := s.hub.Stats(); got.Peers != 2 || got.Replaced != 1 {
		t.Errorf("Stats() = %+v, want 2 peers, 1 replaced", got)
	}
}

func TestAPeerIDBelongsToItsPrincipal(t *testing.T) {
	s := start(t, nil)
	doc := newDocument()
	a := s.join("amy")
	thief := s.dial("thief", "?as=mallory")
	thief.send(wire.Join{SenderID: a.id, Versions: []string{"1"}})
	if code, _ := thief.closed(); code != websocket.StatusPolicyViolation {
		t.Errorf("thief closed with %d, want %d", code, websocket.StatusPolicyViolation)
	}
	if errs := all[wire.Error](thief); len(errs) != 1 || !strings.Contains(errs[0].Message, "another principal") {
		t.Errorf("thief was told %+v", errs)
	}
	r := a.replica(doc)
	r.acked(r.edit("k", amfile.IntValue(1)))

	// Once the owner is gone, the id is free.
	_ = a.ws.CloseNow()
	eventually(t, "amy is gone", func() bool { return s.hub.Stats().Peers == 0 })
	again := s.dial("mallory", "?as=mallory")
	again.id = a.id
	again.shake("")
}

func TestAnotherSenderIsIgnored(t *testing.T) {
	s := start(t, nil)
	doc := newDocument()
	a := s.join("amy").replica(doc)
	a.acked(a.edit("k", amfile.IntValue(1)))
	spoof := s.join("spoof")
	data := (&amfile.SyncMessage{Version: 1}).Encode()
	for _, m := range []wire.Message{
		wire.Request{SenderID: a.client.id, TargetID: serverID, DocumentID: doc.String(), Data: data},
		wire.Sync{SenderID: "nobody", TargetID: serverID, DocumentID: doc.String(), Data: data},
		wire.Ephemeral{SenderID: a.client.id, DocumentID: doc.String(), SessionID: "s", Count: 1, Data: []byte{1}},
		wire.Leave{SenderID: a.client.id},
	} {
		spoof.send(m)
	}
	other := newDocument()
	spoof.replica(other).open()
	wait(spoof, "answer to a message of its own", func(m wire.DocUnavailable) bool { return m.DocumentID == other.String() })
	if got := all[wire.Sync](spoof); len(got) > 0 {
		t.Errorf("a spoofed sender was served: %+v", got)
	}
	if got := len(all[wire.Ephemeral](a.client)); got > 0 {
		t.Errorf("a spoofed ephemeral message was relayed")
	}
}

func TestLeaveCloses(t *testing.T) {
	s := start(t, nil)
	c := s.join("amy")
	c.send(wire.Leave{SenderID: c.id})
	if code, _ := c.closed(); code != websocket.StatusNormalClosure {
		t.Errorf("closed with %d, want %d", code, websocket.StatusNormalClosure)
	}
	eventually(t, "the peer is forgotten", func() bool { st := s.hub.Stats(); return st.Peers == 0 && st.Connections == 0 })
}

func TestTooManyConnectionsAreTold(t *testing.T) {
	s := start(t, func(c *peer.Config) { c.Limits.Connections = 2 })
	s.join("a")
	s.join("b")
	c := s.dial("c", "")
	c.send(wire.Join{SenderID: c.id, Versions: []string{"1"}})
	if code, _ := c.closed(); code != websocket.StatusTryAgainLater {
		t.Errorf("third connection closed with %d, want %d", code, websocket.StatusTryAgainLater)
	}
}

func TestCloseTellsEverybody(t *testing.T) {
	s := start(t, nil)
	clients := []*client{s.join("a"), s.join("b"), s.dial("not joined", "")}
	s.hub.Close()
	for _, c := range clients {
		if code, _ := c.closed(); code != websocket.StatusGoingAway {
			t.Errorf("%s closed with %d, want %d", c.id, code, websocket.StatusGoingAway)
		}
	}
	if got := s.hub.Stats(); got.Connections != 0 || got.Peers != 0 {
		t.Errorf("after Close: %+v", got)
	}
}
