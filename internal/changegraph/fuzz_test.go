package changegraph

import (
	"encoding/binary"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// FuzzReceive gives strangers' frames, each with its length before it, to a
// graph with a history: whatever they say, the graph stays whole, the talk
// ends, and an honest peer gets the document.
func FuzzReceive(f *testing.F) {
	history := crowd(f, 3, 3, 40)
	frames := func(messages ...*amfile.SyncMessage) []byte {
		var b []byte
		for _, m := range messages {
			data := m.Encode()
			b = append(binary.LittleEndian.AppendUint16(b, uint16(len(data))), data...)
		}
		return b
	}
	for _, seed := range seedMessages(f, history) {
		f.Add(frames(seed...), false)
		f.Add(frames(seed...), true)
	}
	f.Fuzz(func(t *testing.T, input []byte, readOnly bool) {
		g := New()
		for _, c := range history {
			if err := g.RestoreChange(c); err != nil {
				t.Fatal(err)
			}
		}
		s := NewSyncState()
		for range 20 {
			if len(input) < 2 {
				break
			}
			n := min(int(binary.LittleEndian.Uint16(input)), len(input)-2)
			frame := input[2 : 2+n]
			input = input[2+n:]
			m, err := amfile.DecodeSync(frame)
			if err != nil {
				continue
			}
			got := g.Receive(s, m, decodeWhatCanBe(m), ReceiveOptions{ReadOnly: readOnly})
			if readOnly && len(got.Added) > 0 {
				t.Fatalf("added %d changes of a reader", len(got.Added))
			}
			talk := 0
			for _, ok := g.Generate(s); ok; _, ok = g.Generate(s) {
				if talk++; talk > 2 { // a request to start over, and what there is to say
					t.Fatal("speaks without end to nobody")
				}
			}
		}
		checkGraph(t, g)
		honest := newWriter(t, actorID(99))
		h := NewSyncState()
		g.Receive(h, &amfile.SyncMessage{Version: 1, Have: []amfile.Have{{}}}, nil, ReceiveOptions{})
		data, ok := g.Generate(h)
		if !ok {
			t.Fatal("nothing for an honest peer")
		}
		honest.receive(NewSyncState(), data, ReceiveOptions{})
		sameDocument(t, honest.g, g)
	})
}

// decodeWhatCanBe decodes the good changes of a message of version 1.
func decodeWhatCanBe(m *amfile.SyncMessage) []*amfile.Change {
	var changes []*amfile.Change
	for _, raw := range m.Changes {
		if c, err := amfile.DecodeChange(raw); err == nil {
			changes = append(changes, c)
		}
	}
	return changes
}

// seedMessages returns conversations that say something of everything.
func seedMessages(t tester, history []*amfile.Change) [][]*amfile.SyncMessage {
	last := history[len(history)-1]
	more := newWriter(t, actorID(77))
	for _, c := range history {
		more.take(c)
	}
	next := more.write("zz")
	afterNext := more.put("k1", amfile.IntValue(7))
	head := func(c *amfile.Change) []kaijutsu.ChangeHash { return []kaijutsu.ChangeHash{c.Hash} }
	filter := func(n int) amfile.Bloom {
		var hashes []kaijutsu.ChangeHash
		for _, c := range history[:n] {
			hashes = append(hashes, c.Hash)
		}
		return amfile.NewBloom(hashes)
	}
	hello := &amfile.SyncMessage{Version: 1, Have: []amfile.Have{{}}}
	trailer := &amfile.SyncMessage{Version: 1, Have: []amfile.Have{{}}, Flags: &amfile.SyncFlags{SupportsReset: true}}
	behind := &amfile.SyncMessage{Version: 1, Heads: head(history[10]), Have: []amfile.Have{{Bloom: filter(11)}}}
	ahead := &amfile.SyncMessage{Version: 1, Heads: head(next), Have: []amfile.Have{{LastSync: head(last), Bloom: filter(3)}}, Changes: [][]byte{next.Raw}}
	orphan := &amfile.SyncMessage{Version: 1, Heads: head(afterNext), Have: []amfile.Have{{LastSync: head(last)}}, Changes: [][]byte{afterNext.Raw}}
	need := &amfile.SyncMessage{Version: 1, Heads: head(history[5]), Need: head(history[20])}
	lost := &amfile.SyncMessage{Version: 1, Heads: head(last), Have: []amfile.Have{{LastSync: []kaijutsu.ChangeHash{{9}}}}}
	reset := &amfile.SyncMessage{Version: 1, Heads: head(last), Have: []amfile.Have{{}}, Flags: &amfile.SyncFlags{Reset: true, ReadOnly: true}}
	gone := &amfile.SyncMessage{Version: 1, Have: []amfile.Have{{LastSync: head(last)}, {Bloom: filter(30)}}}
	return [][]*amfile.SyncMessage{
		{hello}, {trailer}, {behind, ahead}, {ahead, orphan}, {orphan, ahead}, {need, need}, {lost, lost},
		{reset, hello, reset}, {gone, lost, behind}, {ahead, gone, hello, orphan, need},
	}
}
