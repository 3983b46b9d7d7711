package peer_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/peer"
	"kaijutsu/internal/wire"
)

// say sends an ephemeral message in session "s".
func (c *client) say(doc kaijutsu.DocumentID, count uint64) {
	c.send(wire.Ephemeral{SenderID: c.id, TargetID: serverID, DocumentID: doc.String(), SessionID: "s", Count: count, Data: []byte{0x19, byte(count >> 8), byte(count)}})
}

func counts(messages []wire.Ephemeral) []uint64 {
	var n []uint64
	for _, m := range messages {
		n = append(n, m.Count)
	}
	return n
}

func TestEphemeralMessagesReachTheOthersInOrder(t *testing.T) {
	s := start(t, nil)
	doc := newDocument()
	a := s.join("amy").replica(doc)
	h := a.edit("k", amfile.IntValue(1))
	b, c := s.join("ben").replica(doc).open(), s.join("cleo").replica(doc).open()
	b.has(h)
	c.has(h)
	outsider := s.join("outsider").replica(newDocument()).open()

	const n = 500
	for i := range n {
		a.say(doc, uint64(i+1))
		if i%50 == 0 {
			a.edit("k", amfile.IntValue(int64(i)))
		}
	}
	for _, r := range []*replica{b, c} {
		wait(r.client, "the last message", func(m wire.Ephemeral) bool { return m.Count == n })
		got := all[wire.Ephemeral](r.client)
		if len(got) != n || !slices.IsSorted(counts(got)) {
			t.Fatalf("%s got %d messages: %v; want %d in order", r.client.id, len(got), counts(got), n)
		}
		want := wire.Ephemeral{SenderID: a.client.id, TargetID: r.client.id, DocumentID: doc.String(), SessionID: "s", Count: 1, Data: []byte{0x19, 0, 1}}
		if !reflect.DeepEqual(got[0], want) {
			t.Errorf("got %+v, want %+v", got[0], want)
		}
	}
	outsider.acked(outsider.edit("k", amfile.IntValue(1)))
	for _, r := range []*replica{a, outsider} {
		if got := all[wire.Ephemeral](r.client); len(got) > 0 {
			t.Errorf("%s got %+v, want nothing", r.client.id, got)
		}
	}
}

func TestEphemeralDuplicatesAreNotShown(t *testing.T) {
	s := start(t, nil)
	doc := newDocument()
	b := s.join("ben").replica(doc)
	b.acked(b.edit("k", amfile.IntValue(1)))
	a := s.join("amy")
	say := func(session string, count uint64) {
		a.send(wire.Ephemeral{SenderID: a.id, DocumentID: doc.String(), SessionID: session, Count: count, Data: []byte{1}})
	}
	say("s1", 1)
	say("s1", 1)
	say("s1", 3)
	say("s1", 2)
	say("s2", 1)
	// The same peer on a new connection does not start over.
	again := s.dial("amy", "")
	again.id = a.id
	wait(b.client, "s2", func(m wire.Ephemeral) bool { return m.SessionID == "s2" })
	again.shake("")
	a = again
	say("s1", 3)
	say("s1", 4)
	say("s3", 9)
	wait(b.client, "s3", func(m wire.Ephemeral) bool { return m.SessionID == "s3" })
	var got []string
	for _, m := range all[wire.Ephemeral](b.client) {
		got = append(got, fmt.Sprint(m.SessionID, ":", m.Count))
	}
	if want := []string{"s1:1", "s1:3", "s2:1", "s1:4", "s3:9"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAnEphemeralSenderIsSubscribed(t *testing.T) {
	s := start(t, nil)
	doc := newDocument()
	a, b := s.join("amy"), s.join("ben")
	a.say(doc, 1)
	b.say(doc, 1)
	n := uint64(1)
	eventually(t, "amy hears ben", func() bool {
		n++
		b.say(doc, n) // the first may have come before amy was there
		return len(all[wire.Ephemeral](a)) > 0
	})
	a.say(doc, 2)
	wait(b, "amy", func(m wire.Ephemeral) bool { return m.SenderID == a.id && m.Count == 2 })
	for _, c := range []*client{a, b} {
		if got := all[wire.Sync](c); len(got) > 0 {
			t.Errorf("%s asked for no document and got %+v", c.id, got)
		}
	}
}

func TestEphemeralRateIsLimited(t *testing.T) {
	s := start(t, func(c *peer.Config) { c.Limits.EphemeralRate = 1 })
	doc := newDocument()
	b := s.join("ben").replica(doc)
	b.acked(b.edit("k", amfile.IntValue(1)))
	a := s.join("amy").replica(doc)
	for i := range 100 {
		a.say(doc, uint64(i+1))
	}
	b.has(a.edit("k", amfile.IntValue(2))) // and the sender is served as before
	if got := len(all[wire.Ephemeral](b.client)); got < 1 || got > 10 {
		t.Errorf("%d of 100 messages at once were relayed, want about 2", got)
	}
	if got := s.hub.Stats().EphemeralsDropped; got < 90 {
		t.Errorf("Stats().EphemeralsDropped = %d, want about 98", got)
	}
}
