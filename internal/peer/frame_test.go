package peer_test

import (
	"bytes"
	"compress/flate"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/wire"
)

// bare is an editor on a bare socket that opens a document and reads frames.
type bare struct {
	t  *testing.T
	nc net.Conn
	id string
}

func (s *server) bare(t *testing.T, headers ...string) *bare {
	t.Helper()
	b := &bare{t: t, nc: s.handshake(headers...), id: fresh("bare")}
	_ = b.nc.SetDeadline(time.Now().Add(patience))
	b.write(masked(wire.Encode(wire.Join{SenderID: b.id, Versions: []string{"1"}})))
	if _, m := b.next(); m == nil || m.Type() != "peer" {
		t.Fatalf("the join was answered with %#v, want peer", m)
	}
	return b
}

// ask opens a document; flags is nil for a client that reads version 1 only.
func (b *bare) ask(doc kaijutsu.DocumentID, flags *amfile.SyncFlags) {
	b.t.Helper()
	data := (&amfile.SyncMessage{Version: 1, Have: []amfile.Have{{}}, Flags: flags}).Encode()
	b.write(masked(wire.Encode(wire.Request{SenderID: b.id, TargetID: serverID, DocumentID: doc.String(), Data: data})))
}

func (b *bare) write(frame []byte) {
	b.t.Helper()
	if _, err := b.nc.Write(frame); err != nil {
		b.t.Fatal(err)
	}
}

// next reads a frame; of one with a message that is, inflated if it has to be.
func (b *bare) next() (first byte, m wire.Message) {
	b.t.Helper()
	first, payload, err := readServerFrame(b.nc)
	if err != nil {
		b.t.Fatal(err)
	}
	if first&0x0f != 2 {
		return first, nil
	}
	if first&0x40 != 0 {
		tail := "\x00\x00\xff\xff\x01\x00\x00\xff\xff" // RFC 7692 §7.2.2, and a last block
		if payload, err = io.ReadAll(flate.NewReader(io.MultiReader(bytes.NewReader(payload), strings.NewReader(tail)))); err != nil {
			b.t.Fatal(err)
		}
	}
	if m, err = wire.Decode(payload); err != nil {
		b.t.Fatal(err)
	}
	return first, m
}

// noise is text of n characters that compresses to about half.
func noise(n int) string {
	raw := make([]byte, n/2)
	rand.Read(raw)
	return hex.EncodeToString(raw)
}

// TestFramesAreCompressedWhenItHelps looks at the frames that peers of all kinds
// are sent: all of them read the same.
func TestFramesAreCompressedWhenItHelps(t *testing.T) {
	const offer = "Sec-WebSocket-Extensions: permessage-deflate\r\n"
	tests := []struct {
		name       string
		headers    []string
		flags      *amfile.SyncFlags
		characters int
		compressed bool
	}{
		{"large changes", []string{offer}, nil, 50_000, true},
		{"larger than a buffer when compressed", []string{offer}, nil, 500_000, true},
		{"small changes", []string{offer}, nil, 1000, false},
		{"a peer that did not offer it", nil, nil, 50_000, false},
		{"a document, which is compressed inside", []string{offer}, &amfile.SyncFlags{}, 500_000, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := startOn(t, repo.Config{SnapshotChanges: 1}, nil)
			doc := newDocument()
			from := s.join("from").replica(doc)
			from.acked(from.edit("k", amfile.StringValue(noise(tt.characters))))
			eventually(t, "a snapshot", func() bool { return s.repo.Stats().Snapshots > 0 })
			for i := range 3 { // the second and third share what the first was sent
				b := s.bare(t, tt.headers...)
				b.ask(doc, tt.flags)
				first, m := b.next()
				sync, ok := m.(wire.Sync)
				if !ok || sync.TargetID != b.id || sync.DocumentID != doc.String() {
					t.Fatalf("peer %d got %.200v, want a sync message for it", i, m)
				}
				got, err := amfile.DecodeSync(sync.Data)
				if err != nil || len(got.Changes) != 1 || !from.graph.Heads().Equal(got.Heads) {
					t.Fatalf("peer %d got %d changes and heads %v, %v", i, len(got.Changes), got.Heads, err)
				}
				if got, want := first, map[bool]byte{true: 0xc2, false: 0x82}[tt.compressed]; got != want {
					t.Errorf("peer %d: first byte %#x, want %#x", i, got, want)
				}
			}
		})
	}
}

// TestControlFramesWaitForTheirTurn has a peer ping while it is being sent a frame
// that its socket does not hold, and read then: the frame is whole, and the pongs
// come behind it.
func TestControlFramesWaitForTheirTurn(t *testing.T) {
	s := start(t, nil)
	doc := newDocument()
	from := s.join("from").replica(doc)
	from.acked(from.edit("k", amfile.StringValue(noise(7<<20))))
	b := s.bare(t)
	_ = b.nc.(*net.TCPConn).SetReadBuffer(16 << 10)
	frames := s.hub.Stats().FramesOut
	b.ask(doc, nil)
	eventually(t, "the frame is being written", func() bool { return s.hub.Stats().FramesOut > frames })
	in := s.hub.Stats().FramesIn
	for i := range 3 {
		b.write([]byte{0x89, 0x81, 0, 0, 0, 0, byte('0' + i)})
	}
	// A message behind the pings is read when they were.
	b.write(masked(wire.Encode(wire.Ephemeral{SenderID: b.id, TargetID: serverID, DocumentID: doc.String(), SessionID: "s", Count: 1, Data: []byte{1}})))
	eventually(t, "the pings are read", func() bool { return s.hub.Stats().FramesIn > in })
	if first, m := b.next(); first != 0x82 || m.Type() != "sync" {
		t.Fatalf("got a frame that begins with %#x, want the sync message", first)
	}
	for i := range 3 {
		first, payload, err := readServerFrame(b.nc)
		if want := fmt.Sprint(i); err != nil || first != 0x8a || string(payload) != want {
			t.Fatalf("frame %d behind the message begins with %#x and holds %q, %v; want the pong %q", i, first, payload, err, want)
		}
	}
}
