package peer_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"kaijutsu/internal/amfile"
	"kaijutsu/internal/peer"
	"kaijutsu/internal/wire"
)

// update is what the class Presence of automerge-repo sends for a channel.
func update(channel string, value byte) []byte {
	return fmt.Appendf(nil, "\xb9\x00\x01\x6a__presence\xb9\x00\x03\x64type\x66update\x67channel\x61%s\x65value%c", channel, value)
}

const (
	heartbeat = "\xb9\x00\x01\x6a__presence\xb9\x00\x01\x64type\x69heartbeat"
	goodbye   = "\xb9\x00\x01\x6a__presence\xb9\x00\x01\x64type\x67goodbye"
)

// TestOfPresenceTheLatestIsShown has presence wait until something else comes,
// for which it is shown: of each channel the latest, all in order, and of other
// messages each.
func TestOfPresenceTheLatestIsShown(t *testing.T) {
	s := start(t, func(c *peer.Config) { c.Timing.Show = time.Hour })
	doc := newDocument()
	b := s.join("ben").replica(doc)
	b.acked(b.edit("k", amfile.IntValue(1)))
	count := uint64(0)
	say := func(c *client, session string, data []byte) {
		count++
		c.send(wire.Ephemeral{SenderID: c.id, DocumentID: doc.String(), SessionID: session, Count: count, Data: data})
	}
	a, other := s.join("amy"), s.join("cleo")
	say(a, "s", update("x", 1))
	shown := func(n uint64) {
		t.Helper()
		wait(b.client, fmt.Sprint("message ", n), func(m wire.Ephemeral) bool { return m.Count == n })
	}
	shown(1) // at once
	for _, m := range []struct {
		session string
		data    []byte
	}{
		{"s", update("x", 2)},    // 2: not the latest
		{"s", []byte(heartbeat)}, // 3: not the latest
		{"s", update("y", 3)},    // 4
		{"t", update("x", 4)},    // 5: of another session
		{"s", update("x", 5)},    // 6
		{"s", []byte(heartbeat)}, // 7
		{"s", []byte(goodbye)},   // 8
		{"s", []byte{0x01}},      // 9
		{"s", []byte{0x01}},      // 10
	} {
		say(a, m.session, m.data)
	}
	shown(10)
	want := []uint64{1, 4, 5, 6, 7, 8, 9, 10}
	if got := counts(all[wire.Ephemeral](b.client)); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	say(other, "o", update("x", 1)) // 11 waits for 12
	say(other, "o", []byte{0x01})
	shown(12)
	if got := counts(all[wire.Ephemeral](b.client)); !slices.Equal(got[len(want):], []uint64{11, 12}) {
		t.Errorf("then got %v, want 11 and 12", got[len(want):])
	}
}

// TestPresenceIsShownInTheEnd sends presence faster than it is shown: the last of
// it comes without anything behind it.
func TestPresenceIsShownInTheEnd(t *testing.T) {
	s := start(t, nil)
	doc := newDocument()
	b := s.join("ben").replica(doc)
	b.acked(b.edit("k", amfile.IntValue(1)))
	a := s.join("amy")
	const n = 200
	for i := range uint64(n) {
		a.send(wire.Ephemeral{SenderID: a.id, DocumentID: doc.String(), SessionID: "s", Count: i + 1, Data: update("x", byte(i%20))})
	}
	wait(b.client, "the last", func(m wire.Ephemeral) bool { return m.Count == n })
	if got := counts(all[wire.Ephemeral](b.client)); !slices.IsSorted(got) {
		t.Errorf("got %v, want them in order", got)
	}
	if got := s.hub.Stats().EphemeralsDropped; got > 0 {
		t.Errorf("Stats().EphemeralsDropped = %d, want 0: nothing is missed", got)
	}
}
