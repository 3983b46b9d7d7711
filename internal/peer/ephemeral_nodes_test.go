package peer_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/peer"
	"kaijutsu/internal/wire"
)

// exchange is what two hubs send each other, a message at a time.
type exchange struct {
	mu   sync.Mutex
	sent map[string][][]byte // by node
	hubs map[string]*peer.Hub
}

// join returns a server that is one node of two, and sends what its editors say
// to the other.
func (x *exchange) join(t testing.TB, name string, change func(*peer.Config)) *server {
	t.Helper()
	s := start(t, func(c *peer.Config) {
		c.Relay = func(_ kaijutsu.DocumentID, message []byte) {
			x.mu.Lock()
			x.sent[name] = append(x.sent[name], message)
			var others []*peer.Hub
			for other, hub := range x.hubs {
				if other != name {
					others = append(others, hub)
				}
			}
			x.mu.Unlock()
			for _, hub := range others {
				if err := hub.DeliverEphemeral(slices.Clone(message)); err != nil {
					t.Error(err)
				}
			}
		}
		if change != nil {
			change(c)
		}
	})
	x.mu.Lock()
	defer x.mu.Unlock()
	x.hubs[name] = s.hub
	return s
}

func newExchange() *exchange {
	return &exchange{sent: make(map[string][][]byte), hubs: make(map[string]*peer.Hub)}
}

// until waits until a node has sent the other so many messages: whoever said them
// has the document open by then.
func (x *exchange) until(t testing.TB, what, name string, n int) {
	t.Helper()
	eventually(t, what, func() bool { x.mu.Lock(); defer x.mu.Unlock(); return len(x.sent[name]) >= n })
}

func TestEphemeralMessagesReachEditorsOfOtherNodesInOrder(t *testing.T) {
	x := newExchange()
	one, two := x.join(t, "one", nil), x.join(t, "two", nil)
	doc := newDocument()
	a, b := one.join("amy"), two.join("ben")
	b.say(doc, 1) // and is subscribed with it
	x.until(t, "ben has the document open", "two", 1)
	const n = 200
	for i := range n {
		a.say(doc, uint64(i+1))
	}
	wait(b, "the last message", func(m wire.Ephemeral) bool { return m.SenderID == a.id && m.Count == n })
	got := all[wire.Ephemeral](b)
	if len(got) != n || !slices.IsSorted(counts(got)) {
		t.Fatalf("ben got %d messages: %v, want %d in order", len(got), counts(got), n)
	}
	if m := got[0]; m.TargetID != b.id || m.SessionID != "s" || m.DocumentID != doc.String() || !bytes.Equal(m.Data, []byte{0x19, 0, 1}) {
		t.Errorf("got %+v, want what amy said, with another target", m)
	}
}

func TestAnEphemeralMessageOfAnotherNodeIsShownOnce(t *testing.T) {
	x := newExchange()
	one, two := x.join(t, "one", nil), x.join(t, "two", nil)
	doc := newDocument()
	a, b := one.join("amy"), two.join("ben")
	b.say(doc, 1)
	x.until(t, "ben has the document open", "two", 1)
	a.say(doc, 1)
	wait(b, "the message", func(m wire.Ephemeral) bool { return m.SenderID == a.id })
	x.mu.Lock()
	message := x.sent["one"][0]
	x.mu.Unlock()
	for range 3 {
		if err := two.hub.DeliverEphemeral(message); err != nil {
			t.Fatal(err)
		}
	}
	a.say(doc, 2)
	wait(b, "the next message", func(m wire.Ephemeral) bool { return m.SenderID == a.id && m.Count == 2 })
	if got := counts(all[wire.Ephemeral](b)); !slices.Equal(got, []uint64{1, 2}) {
		t.Errorf("ben got %v, want each message once", got)
	}
}

func TestEphemeralMessagesOfOtherNodesGoToReadersOnly(t *testing.T) {
	x := newExchange()
	var mu sync.Mutex
	barred := false
	one := x.join(t, "one", nil)
	two := x.join(t, "two", func(c *peer.Config) {
		c.Right = func(_ context.Context, by kaijutsu.Principal, _ kaijutsu.DocumentID) kaijutsu.Right {
			mu.Lock()
			defer mu.Unlock()
			if barred && by.Name == "eve" {
				return kaijutsu.RightNone
			}
			return kaijutsu.RightOwn
		}
	})
	doc := newDocument()
	a, b, eve := one.join("amy"), two.join("ben"), two.dial("eve", "?as=eve").shake("")
	n := uint64(0)
	eventually(t, "ben and eve hear each other", func() bool {
		n++
		b.say(doc, n) // the first may have come before the other was there
		eve.say(doc, n)
		return len(all[wire.Ephemeral](b)) > 0 && len(all[wire.Ephemeral](eve)) > 0
	})
	a.say(doc, 1)
	wait(eve, "amy's message", func(m wire.Ephemeral) bool { return m.SenderID == a.id })
	mu.Lock()
	barred = true
	mu.Unlock()
	a.say(doc, 2)
	wait(b, "amy's next", func(m wire.Ephemeral) bool { return m.SenderID == a.id && m.Count == 2 })
	if got := all[wire.Ephemeral](eve); slices.ContainsFunc(got, func(m wire.Ephemeral) bool { return m.SenderID == a.id && m.Count == 2 }) {
		t.Errorf("eve may not read the document any more and got %+v", got)
	}
}

func TestNobodySpeaksFromAnotherNodeInTheNameOfAnEditorHere(t *testing.T) {
	x := newExchange()
	one, two := x.join(t, "one", nil), x.join(t, "two", nil)
	doc := newDocument()
	b, c := two.dial("ben", "?as=ben").shake(""), two.join("cleo")
	c.say(doc, 1)
	x.until(t, "cleo has the document open", "two", 1)
	forger := one.dial("eve", "?as=eve")
	forger.id = b.id
	forger.shake("")
	forger.say(doc, 7)
	x.until(t, "the forged message has been relayed", "one", 1)
	a := one.join("amy")
	a.say(doc, 1)
	wait(c, "amy's message", func(m wire.Ephemeral) bool { return m.SenderID == a.id })
	if got := all[wire.Ephemeral](c); len(got) != 1 {
		t.Errorf("cleo got %+v, want amy's message only", got)
	}
}

func TestWhatIsNoMessageOfAnotherNodeIsRefused(t *testing.T) {
	x := newExchange()
	one, two := x.join(t, "one", nil), x.join(t, "two", nil)
	doc := newDocument()
	a := one.join("amy")
	a.say(doc, 1)
	x.until(t, "a message is relayed", "one", 1)
	x.mu.Lock()
	good := x.sent["one"][0]
	x.mu.Unlock()
	head := good[:2+int(good[1])]
	for name, bad := range map[string][]byte{
		"nothing":          nil,
		"no principal":     {1, 200, 'x'},
		"another version":  append([]byte{2}, good[1:]...),
		"nobody":           append([]byte{1, 7}, append([]byte("person:"), good[len(head):]...)...),
		"half a frame":     good[:len(good)-3],
		"more behind it":   append(slices.Clone(good), 0),
		"another message":  append(slices.Clone(head), wire.Encode(wire.Leave{SenderID: "x"})...),
		"no CBOR":          append(slices.Clone(head), "nonsense"...),
		"larger than ever": append(slices.Clone(head), make([]byte, peer.MaxRelayed)...),
	} {
		if err := two.hub.DeliverEphemeral(bad); !errors.Is(err, kaijutsu.ErrInvalid) && !errors.Is(err, kaijutsu.ErrTooLarge) {
			t.Errorf("%s: DeliverEphemeral = %v, want that it is invalid", name, err)
		}
	}
	if got := two.hub.Stats().RelayedBad; got != 9 {
		t.Errorf("Stats().RelayedBad = %d, want 9", got)
	}
	two.canary()
}

func FuzzDeliverEphemeral(f *testing.F) {
	f.Add([]byte{1, 10, 'p', 'e', 'r', 's', 'o', 'n', ':', 'a', 'm', 'y'})
	f.Add(append([]byte{1, 8, 'a', 'g', 'e', 'n', 't', ':', 'b', 'o'}, wire.Encode(wire.Ephemeral{SenderID: "a", DocumentID: newDocument().String(), SessionID: "s", Count: 1, Data: []byte{1}})...))
	s := start(f, nil)
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := s.hub.DeliverEphemeral(b); err != nil && !errors.Is(err, kaijutsu.ErrInvalid) && !errors.Is(err, kaijutsu.ErrTooLarge) {
			t.Errorf("DeliverEphemeral(%q) = %v, want a refusal", b, err)
		}
	})
}

// bench is a seat that notes what becomes of it.
type bench struct {
	mu            sync.Mutex
	touched, left int
}

func (b *bench) Touch() { b.mu.Lock(); defer b.mu.Unlock(); b.touched++ }
func (b *bench) Leave() { b.mu.Lock(); defer b.mu.Unlock(); b.left++ }

func (b *bench) state() (touched, left int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.touched, b.left
}

func TestAnEditorSitsAtTheDocumentsThatItHasOpen(t *testing.T) {
	var mu sync.Mutex
	seats := make(map[peer.Sitting]*bench)
	s := start(t, func(c *peer.Config) {
		c.Seat = func(at peer.Sitting) peer.Seat {
			mu.Lock()
			defer mu.Unlock()
			seats[at] = &bench{}
			return seats[at]
		}
	})
	doc, other := newDocument(), newDocument()
	a := s.join("amy").replica(doc)
	a.acked(a.edit("k", amfile.IntValue(1)))
	a.client.say(other, 1)
	amy := kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person}
	seat := func(doc kaijutsu.DocumentID) *bench {
		mu.Lock()
		defer mu.Unlock()
		return seats[peer.Sitting{Principal: amy, PeerID: a.client.id, Document: doc}]
	}
	eventually(t, "amy sits at both documents", func() bool { return seat(doc) != nil && seat(other) != nil })
	before, _ := seat(doc).state()
	if before == 0 {
		t.Error("an edit did not touch the seat")
	}
	for i, data := range []struct {
		what, cbor string
		touches    bool
	}{
		{"a heartbeat", "\xa1\x6a__presence\xa1\x64type\x69heartbeat", false},
		{"a snapshot", "\xa1\x6a__presence\xa2\x64type\x68snapshot\x65state\xa0", false},
		{"an update", "\xa1\x6a__presence\xa1\x64type\x66update", true},
		{"something else", "\x69heartbeat", true},
	} {
		before, _ := seat(doc).state()
		a.client.send(wire.Ephemeral{SenderID: a.client.id, DocumentID: doc.String(), SessionID: "p", Count: uint64(i + 1), Data: []byte(data.cbor)})
		a.client.send(wire.Ephemeral{SenderID: a.client.id, DocumentID: other.String(), SessionID: "q", Count: uint64(i + 1), Data: []byte{1}})
		eventually(t, "the message behind it is taken", func() bool { n, _ := seat(other).state(); return n >= i+2 })
		if after, _ := seat(doc).state(); (after > before) != data.touches {
			t.Errorf("%s: touched %d times, want that it touches: %v", data.what, after-before, data.touches)
		}
	}
	_ = a.client.ws.CloseNow()
	eventually(t, "amy has left both, once", func() bool {
		_, one := seat(doc).state()
		_, two := seat(other).state()
		return one == 1 && two == 1
	})
}
