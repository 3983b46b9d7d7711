package changegraph

import (
	"testing"

	"kaijutsu"
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

// TestCachedMessagesFitTheirPeer asks for what differs only in form, or in the
// history, from what was encoded last.
func TestCachedMessagesFitTheirPeer(t *testing.T) {
	w := newWriter(t, actorID(1))
	w.write("abc")
	w.g.SetSnapshot(documentOf(t, w.g), 1)
	hear := func(flags *amfile.SyncFlags, want *Graph, version int) {
		t.Helper()
		s, peer := NewSyncState(), newWriter(t, actorID(2))
		w.g.Receive(s, &amfile.SyncMessage{Version: 1, Have: []amfile.Have{{}}, Flags: flags}, nil, ReceiveOptions{})
		data, ok := w.g.Generate(s)
		if !ok || int(data[0]) != 0x41+version {
			t.Fatalf("message %x, %v; want version %d", data[:1], ok, version)
		}
		peer.receive(NewSyncState(), data, ReceiveOptions{})
		sameDocument(t, peer.g, want)
	}
	hear(nil, w.g, 1)
	hear(&amfile.SyncFlags{}, w.g, 2)
	hear(nil, w.g, 1)
	w.write("d")
	hear(nil, w.g, 1)
	w.g.Truncate(1)
	w.reread()
	w.write("x")
	hear(nil, w.g, 1)
	hear(&amfile.SyncFlags{}, w.g, 2)
}

// TestPeersThatSayTheyLostIt covers the ways in which a peer says on the same
// connection that it lacks what it was sent.
func TestPeersThatSayTheyLostIt(t *testing.T) {
	for _, tt := range []struct {
		name string
		m    amfile.SyncMessage // its heads are the first change
		none bool               // it has none
		want int                // changes sent again
	}{
		{name: "it says nothing of the kind", m: amfile.SyncMessage{Have: []amfile.Have{{Bloom: amfile.NewBloom([]kaijutsu.ChangeHash{{1}})}}}, want: 0},
		{name: "it claims nothing", m: amfile.SyncMessage{Have: []amfile.Have{{}}}, want: 2},
		{name: "it has no heads", m: amfile.SyncMessage{Have: []amfile.Have{{}}}, none: true, want: 3},
		{name: "it says so in the trailer", m: amfile.SyncMessage{Have: []amfile.Have{{Bloom: amfile.NewBloom([]kaijutsu.ChangeHash{{1}})}}, Flags: &amfile.SyncFlags{Reset: true}}, want: 2},
		{name: "it asks for one by name", m: amfile.SyncMessage{Need: []kaijutsu.ChangeHash{{}}, Have: []amfile.Have{{Bloom: amfile.NewBloom([]kaijutsu.ChangeHash{{1}})}}}, want: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWriter(t, actorID(1))
			w.write("a")
			s := synced(w.g, 1)[0]
			w.write("b")
			w.write("c")
			w.g.Generate(s) // on its way
			m := tt.m
			m.Version = 1
			if !tt.none {
				m.Heads = []kaijutsu.ChangeHash{w.g.Hash(0)}
			}
			if len(m.Need) > 0 {
				m.Need = []kaijutsu.ChangeHash{w.g.Hash(2)}
			}
			w.g.Receive(s, &m, nil, ReceiveOptions{})
			data, ok := w.g.Generate(s)
			got := 0
			if ok {
				answer, err := amfile.DecodeSync(data)
				if err != nil {
					t.Fatal(err)
				}
				got = len(answer.Changes)
			}
			if got != tt.want {
				t.Errorf("%d changes sent again, want %d", got, tt.want)
			}
		})
	}
}

// TestPeersFollowATruncation goes on differently after changes that a state
// had counted were forgotten.
func TestPeersFollowATruncation(t *testing.T) {
	w := newWriter(t, actorID(1))
	w.write("a")
	s := synced(w.g, 1)[0]
	m := ack(w.g)
	w.write("b")
	w.write("c")
	w.g.Receive(s, m, nil, ReceiveOptions{})
	w.g.Truncate(1)
	w.reread()
	w.write("x")
	w.write("y")
	w.write("z")
	data, ok := w.g.Generate(s)
	if got, err := amfile.DecodeSync(data); !ok || err != nil || len(got.Changes) != 3 {
		t.Errorf("message %+v, %v, %v; want the three changes", got, ok, err)
	}
}

// TestAskedToStartOverOnce lets a peer insist on shared changes that are lost.
func TestAskedToStartOverOnce(t *testing.T) {
	w := newWriter(t, actorID(1))
	w.write("a")
	s := NewSyncState()
	m := &amfile.SyncMessage{Version: 1, Heads: w.g.Heads(), Have: []amfile.Have{{LastSync: []kaijutsu.ChangeHash{{9}}}}}
	for round, want := range []bool{true, false, false} {
		if got := w.g.Receive(s, m, nil, ReceiveOptions{}); got.Reset != want {
			t.Errorf("round %d: Reset = %v, want %v", round, got.Reset, want)
		}
		for _, ok := w.g.Generate(s); ok; _, ok = w.g.Generate(s) {
		}
	}
}

// TestHeadsLearnedFromOthers lets a peer name a head that then comes from
// somebody else: from then on it is known exactly what it lacks.
func TestHeadsLearnedFromOthers(t *testing.T) {
	amy, bob := newWriter(t, actorID(1)), newWriter(t, actorID(2))
	bob.take(amy.write("a"))
	c := bob.write("b")
	s := synced(amy.g, 1)[0]
	m := ack(bob.g)
	m.Have = nil
	amy.g.Receive(s, m, nil, ReceiveOptions{})
	amy.take(c)
	amy.write("d")
	data, ok := amy.g.Generate(s)
	got, err := amfile.DecodeSync(data)
	if !ok || err != nil || len(got.Changes) != 1 || len(got.Need) != 0 || len(got.Have) != 1 || !got.Have[0].Bloom.IsEmpty() {
		t.Errorf("message %+v, %v, %v; want one change and no filter", got, ok, err)
	}
}

// TestRefusalsReachWhoBroughtIt refuses a change that waited for another
// peer's: the other has done nothing wrong.
func TestRefusalsReachWhoBroughtIt(t *testing.T) {
	amy, bob := newWriter(t, actorID(1)), newWriter(t, actorID(2))
	bob.take(amy.write("a"))
	c := amy.begin()
	c.add(amfile.Op{Action: amfile.Put, Key: "x", Value: amfile.IntValue(1)})
	good := c.encode(t)
	b := change{&amfile.Change{Actors: []kaijutsu.ActorID{bob.actor}, Deps: []kaijutsu.ChangeHash{good.Hash}, Seq: 1, StartOp: 4}}
	b.add(amfile.Op{Action: amfile.Increment, Key: "x", Value: amfile.IntValue(1), Pred: []amfile.OpID{b.id(good.ID(0))}})
	bad := b.encode(t)

	g, fromAmy, fromBob := bob.g, NewSyncState(), NewSyncState()
	empty := &amfile.SyncMessage{Version: 1}
	g.Receive(fromBob, empty, []*amfile.Change{bad}, ReceiveOptions{})
	if got := g.Receive(fromAmy, empty, []*amfile.Change{good}, ReceiveOptions{}); len(got.Added) != 1 || len(got.Refused) != 0 {
		t.Errorf("amy's change: %d added, refused %v; want one and none", len(got.Added), got.Refused)
	}
	if got := g.Receive(fromBob, empty, nil, ReceiveOptions{}); len(got.Refused) != 1 || got.Refused[0].Hash != bad.Hash || got.Refused[0].Rule != 22 {
		t.Errorf("bob is told %v, want the refusal of his change by rule 22", got.Refused)
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
