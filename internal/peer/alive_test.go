package peer_test

import (
	"context"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/peer"
	"kaijutsu/internal/wire"
)

func TestAPeerThatDoesNotPongIsCut(t *testing.T) {
	s := start(t, func(c *peer.Config) { c.Timing.Ping = 40 * time.Millisecond })
	nc := s.handshake()
	if _, err := nc.Write(masked(wire.Encode(wire.Join{SenderID: "mute", Versions: []string{"1"}}))); err != nil {
		t.Fatal(err)
	}
	polite := s.join("polite") // whose library answers pings
	eventually(t, "the mute peer is cut", func() bool { return s.hub.Stats().TimedOut == 1 })
	got, err := io.ReadAll(nc)
	if err != nil {
		t.Logf("end of the mute connection: %v", err)
	}
	if !slices.Contains(got, 0x89) {
		t.Errorf("no ping among what the mute peer was sent: %x", got)
	}
	polite.until("ten pings", func() bool { return polite.pings >= 10 })
	r := polite.replica(newDocument())
	r.acked(r.edit("k", amfile.IntValue(1)))
	if got := s.hub.Stats(); got.Peers != 1 || got.TimedOut != 1 {
		t.Errorf("Stats() = %+v, want 1 peer, 1 timed out", got)
	}
}

// TestASlowUploadIsAlive has a peer send one frame slowly: its pongs cannot
// come in the middle of it.
func TestASlowUploadIsAlive(t *testing.T) {
	s := start(t, func(c *peer.Config) { c.Timing.Ping = 500 * time.Millisecond }) // cut after a second of silence
	nc := s.handshake()
	frame := masked(wire.Encode(wire.Join{SenderID: "slow" + strings.Repeat(".", 200), Versions: []string{"1"}}))
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for i := range frame {
		<-tick.C
		if _, err := nc.Write(frame[i : i+1]); err != nil {
			t.Fatalf("cut after %d of %d bytes: %v", i, len(frame), err)
		}
	}
	eventually(t, "the slow peer has joined", func() bool { return s.hub.Stats().Peers == 1 })
}

// TestASlowReaderHarmsNobody pauses one editor's socket while others edit. The
// others are served at their pace; the slow one gets what it missed in few
// messages when it reads again.
func TestASlowReaderHarmsNobody(t *testing.T) {
	s := start(t, func(c *peer.Config) { c.Timing.Ping, c.Timing.Write = time.Hour, time.Hour })
	doc := newDocument()
	a, b := s.join("amy").replica(doc), s.join("ben").replica(doc)
	h := a.edit("k", amfile.IntValue(0))
	b.open().has(h)

	slow := s.handshake()
	_ = slow.(*net.TCPConn).SetReadBuffer(32 << 10)
	for _, m := range []wire.Message{
		wire.Join{SenderID: "slow", Versions: []string{"1"}},
		wire.Sync{SenderID: "slow", TargetID: serverID, DocumentID: doc.String(), Data: (&amfile.SyncMessage{Version: 1, Heads: []kaijutsu.ChangeHash{h}, Have: []amfile.Have{{LastSync: []kaijutsu.ChangeHash{h}}}}).Encode()},
	} {
		if _, err := slow.Write(masked(wire.Encode(m))); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the slow peer has joined", func() bool { return s.hub.Stats().Peers == 3 })

	const edits, size = 80, 32 << 10 // far beyond what the sockets buffer
	took := make([]time.Duration, edits)
	for i := range edits {
		began := time.Now()
		b.has(a.edit("k", amfile.BytesValue(randomBytes(size))))
		took[i] = time.Since(began)
		a.say(doc, uint64(i+1))
	}
	slices.Sort(took)
	t.Logf("edit to visible beside a paused reader: median %v, p99 %v", took[edits/2], took[edits*99/100])
	if took[edits/2] > time.Second {
		t.Errorf("median edit took %v", took[edits/2])
	}
	before := s.hub.Stats()
	eventually(t, "the slow reader is seen to be behind", func() bool {
		worst, behind := s.hub.Connections(2)
		return behind == 1 && len(worst) == 2 && worst[0].PeerID == "slow" && !worst[0].Behind.IsZero() &&
			worst[0].BytesWaiting > 0 && worst[0].MessagesWaiting > 0 && worst[0].Documents == 1 && worst[1].Behind.IsZero()
	})

	// It wakes up and reads to the end of what there is for it.
	want := a.edit("k", amfile.IntValue(1))
	syncs, total := readUntil(t, slow, want)
	t.Logf("the slow reader got %d sync messages, %d bytes", syncs, total)
	if syncs > edits/2 || total > 2*edits*size {
		t.Errorf("the slow reader was sent %d sync messages, %d bytes for %d edits", syncs, total, edits)
	}
	if before.Peers != 3 {
		t.Errorf("%d peers while one slept, want 3", before.Peers)
	}
	b.has(a.edit("k", amfile.IntValue(2)))
	eventually(t, "nobody is behind any more", func() bool { _, behind := s.hub.Connections(2); return behind == 0 })
}

// readUntil reads frames, acknowledging what it is sent, until a sync message
// tells a head. It returns the number of sync messages and of bytes.
func readUntil(t *testing.T, nc net.Conn, head kaijutsu.ChangeHash) (syncs, total int) {
	t.Helper()
	if err := nc.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	for {
		_, payload, err := readServerFrame(nc)
		if err != nil {
			t.Fatalf("after %d sync messages: %v", syncs, err)
		}
		total += len(payload)
		m, err := wire.Decode(payload)
		if err != nil {
			continue // a ping
		}
		if m, ok := m.(wire.Sync); ok {
			syncs++
			sync, err := amfile.DecodeSync(m.Data)
			if err != nil {
				t.Fatal(err)
			}
			if slices.Contains(sync.Heads, head) {
				return syncs, total
			}
			// Acknowledge, so that the server goes on.
			ack := &amfile.SyncMessage{Version: 1, Heads: sync.Heads, Have: []amfile.Have{{LastSync: sync.Heads}}}
			if _, err := nc.Write(masked(wire.Encode(wire.Sync{SenderID: "slow", DocumentID: m.DocumentID, Data: ack.Encode()}))); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestAPeerThatNeverReadsIsCut fills the socket of a peer for good.
func TestAPeerThatNeverReadsIsCut(t *testing.T) {
	s := start(t, func(c *peer.Config) { c.Timing.Ping, c.Timing.Write = time.Hour, 100*time.Millisecond })
	doc := newDocument()
	stuck := s.handshake()
	_ = stuck.(*net.TCPConn).SetReadBuffer(32 << 10)
	for _, m := range []wire.Message{
		wire.Join{SenderID: "stuck", Versions: []string{"1"}},
		wire.Request{SenderID: "stuck", DocumentID: doc.String(), Data: (&amfile.SyncMessage{Version: 1}).Encode()},
	} {
		if _, err := stuck.Write(masked(wire.Encode(m))); err != nil {
			t.Fatal(err)
		}
	}
	a := s.join("amy").replica(doc)
	eventually(t, "the stuck peer is cut", func() bool {
		a.acked(a.edit("k", amfile.BytesValue(randomBytes(64<<10))))
		st := s.hub.Stats()
		return st.TimedOut == 1 && st.Peers == 1
	})
}

// TestARefusalSpammerWaits has a peer ask for what it is not given without
// reading the answers: what waits for it is bounded. It is cut for not taking
// them, or for not answering a ping when the two kernels, both with full
// buffers, stop talking altogether.
func TestARefusalSpammerWaits(t *testing.T) {
	s := start(t, func(c *peer.Config) {
		c.Timing.Ping, c.Timing.Write = time.Second, 200*time.Millisecond
		c.Right = func(context.Context, kaijutsu.Principal, kaijutsu.DocumentID) kaijutsu.Right {
			return kaijutsu.RightNone
		}
	})
	nc := s.handshake()
	_ = nc.(*net.TCPConn).SetReadBuffer(32 << 10)
	ask := masked(wire.Encode(wire.Request{SenderID: "spam", DocumentID: newDocument().String(), Data: (&amfile.SyncMessage{Version: 1}).Encode()}))
	burst := slices.Repeat(ask, 1000)
	if _, err := nc.Write(masked(wire.Encode(wire.Join{SenderID: "spam", Versions: []string{"1"}}))); err != nil {
		t.Fatal(err)
	}
	if err := nc.SetWriteDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	for { // until the server does not listen any more
		if _, err := nc.Write(burst); err != nil {
			break
		}
	}
	eventually(t, "the spammer is cut", func() bool { return s.hub.Stats().Connections == 0 })
}
