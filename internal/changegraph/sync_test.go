package changegraph

import (
	"testing"

	"kaijutsu/internal/amfile"
)

func TestMessagesAreEncodedOnce(t *testing.T) {
	w := newWriter(t, actorID(1))
	w.write("abc")
	states := synced(w.g, 50)
	cold := func() *SyncState {
		s := NewSyncState()
		w.g.Receive(s, &amfile.SyncMessage{Version: 1, Have: []amfile.Have{{}}, Flags: &amfile.SyncFlags{}}, nil, ReceiveOptions{})
		return s
	}
	same := func(what string, states []*SyncState) {
		t.Helper()
		var first []byte
		for i, s := range states {
			data, ok := w.g.Generate(s)
			if !ok {
				t.Fatalf("%s: nothing for peer %d", what, i)
			}
			if i == 0 {
				first = data
			} else if &data[0] != &first[0] {
				t.Fatalf("%s: peer %d is sent bytes of its own", what, i)
			}
		}
	}
	w.write("d")
	same("one change", states)
	same("the whole history", []*SyncState{cold(), cold(), cold()})
	w.g.SetSnapshot(documentOf(t, w.g), w.g.Len())
	same("the snapshot", []*SyncState{cold(), cold(), cold()})
	w.write("e")
	w.write("f")
	same("two changes", states)
	for range 10 {
		w.write("g")
		w.g.Generate(states[0])
	}
	if n := w.g.sent.bytes; n > 4000 {
		t.Errorf("%d bytes of old messages are kept", n)
	}
}

// TestStateStaysSmall is the promise that a peer costs the same however long
// the history is, and however long it does not answer.
func TestStateStaysSmall(t *testing.T) {
	w := newWriter(t, actorID(1))
	w.write("a")
	prompt, silent := synced(w.g, 1)[0], synced(w.g, 1)[0]
	for range 2000 {
		w.write("b")
		w.g.Generate(prompt)
		w.g.Generate(silent)
		w.g.Receive(prompt, ack(w.g), nil, ReceiveOptions{})
	}
	if n := len(prompt.todo) + len(prompt.flying); n != 0 {
		t.Errorf("a peer in sync has %d ranges, want none", n)
	}
	if n := len(silent.todo) + len(silent.flying); n != 1 || silent.flying.count() != 2000 {
		t.Errorf("a silent peer has %d ranges and %d changes on their way, want 1 and 2000", n, silent.flying.count())
	}
}

// TestSharedHeadsStayFew lets a peer hold a change that is refused here, so
// that its heads are never all known.
func TestSharedHeadsStayFew(t *testing.T) {
	w := newWriter(t, actorID(1))
	for range 300 {
		w.write("a")
	}
	s := NewSyncState()
	strange := newWriter(t, actorID(2)).put("k", amfile.IntValue(1)).Hash
	for i := 10; i < w.g.Len(); i++ {
		m := &amfile.SyncMessage{Version: 1, Have: []amfile.Have{{}}}
		m.Heads = append(m.Heads, strange, w.g.Hash(i))
		m.Have[0].LastSync = append(m.Have[0].LastSync, w.g.Hash(i-5))
		w.g.Receive(s, m, nil, ReceiveOptions{})
		if got := s.Shared(); len(got) != 1 || got[0] != w.g.Hash(i) {
			t.Fatalf("shared heads = %v, want the last that the peer has", got)
		}
	}
}

// TestBloomMistakesAreMended gives a peer filters that claim what it lacks: the
// filter of a third peer.
func TestBloomMistakesAreMended(t *testing.T) {
	amy, bob := newWriter(t, actorID(1)), newWriter(t, actorID(2))
	for range 20 {
		amy.write("a")
	}
	bob.write("b")
	a, b := NewSyncState(), NewSyncState()
	hello, _ := bob.g.Generate(b)
	m, err := amfile.DecodeSync(hello)
	if err != nil {
		t.Fatal(err)
	}
	hashes := m.Heads
	for i := 5; i < 15; i++ {
		hashes = append(hashes, amy.g.Hash(i))
	}
	m.Have[0].Bloom = amfile.NewBloom(hashes[len(m.Heads)-1:])
	amy.receive(a, m.Encode(), ReceiveOptions{})
	for round := 0; !amy.g.Heads().Equal(bob.g.Heads()); round++ {
		if round > 6 {
			t.Fatalf("after %d rounds heads are %v and %v", round, amy.g.Heads(), bob.g.Heads())
		}
		if data, ok := amy.g.Generate(a); ok {
			bob.receive(b, data, ReceiveOptions{})
		}
		if data, ok := bob.g.Generate(b); ok {
			amy.receive(a, data, ReceiveOptions{})
		}
	}
	sameDocument(t, amy.g, bob.g)
}

// TestDependentsFollowWhatIsSent is the rule that a filter's claim counts for
// nothing when the peer lacks what the claimed change depends on.
func TestDependentsFollowWhatIsSent(t *testing.T) {
	w := newWriter(t, actorID(1))
	for range 10 {
		w.write("a")
	}
	lacking := w.g.lacking(between(0, 10), func(i int32) bool { return i < 4 || i > 6 })
	if got, want := lacking.count(), 6; got != want || !lacking.contains(9) || lacking.contains(3) {
		t.Errorf("lacking = %v, want 4 to 9", lacking)
	}
}

// TestReceiveKeepsNothingOfTheMessage reuses the frame.
func TestReceiveKeepsNothingOfTheMessage(t *testing.T) {
	amy, bob := newWriter(t, actorID(1)), newWriter(t, actorID(2))
	bob.take(amy.write("abc"))
	c := bob.write("d")
	a := synced(amy.g, 1)[0]
	frame := (&amfile.SyncMessage{
		Version: 1, Heads: bob.g.Heads(), Changes: [][]byte{c.Raw}, Have: []amfile.Have{{LastSync: amy.g.Heads()}},
	}).Encode()
	amy.receive(a, frame, ReceiveOptions{})
	clear(frame)
	again := New()
	for i := range amy.g.Len() {
		if err := again.Restore(amy.g.Raw(i)); err != nil {
			t.Fatalf("change %d after the frame was reused: %v", i, err)
		}
	}
	if got, want := a.Shared(), bob.g.Heads(); !got.Equal(want) {
		t.Errorf("shared = %v, want %v", got, want)
	}
	amy.write("e")
}
