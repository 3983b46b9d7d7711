package changegraph

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// tester is what the helpers need of *testing.T, *testing.B and *rapid.T.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

// actorID returns an actor for tests; different numbers give different ids in
// no particular order.
func actorID(n int) kaijutsu.ActorID {
	return kaijutsu.ActorID(fmt.Sprintf("%c%08d-actor", 'a'+(n*7)%26, n))
}

// writer makes the changes of one actor as an editor does: it follows what the
// document holds and names predecessors and elements in it.
type writer struct {
	t     tester
	actor kaijutsu.ActorID
	g     *Graph
	keys  map[string][]amfile.GlobalID // live values of the root's keys
	text  amfile.GlobalID              // the first text made
	chars []amfile.GlobalID            // its elements, in the order in which they came
	gone  map[amfile.GlobalID]bool     // deleted ones
}

func newWriter(t tester, actor kaijutsu.ActorID) *writer {
	w := &writer{t: t, actor: actor, g: New()}
	w.forget()
	return w
}

// forget starts the writer's view over.
func (w *writer) forget() {
	w.keys, w.text, w.chars, w.gone = map[string][]amfile.GlobalID{}, amfile.GlobalID{}, nil, map[amfile.GlobalID]bool{}
}

// reread follows all that the graph holds.
func (w *writer) reread() {
	w.forget()
	for i := range w.g.Len() {
		c, err := amfile.DecodeChange(w.g.Raw(i))
		if err != nil {
			w.t.Fatalf("decode change %d: %v", i, err)
		}
		w.follow(c)
	}
}

// follow takes note of a change that the document has gained.
func (w *writer) follow(changes ...*amfile.Change) {
	for _, c := range changes {
		for k := range c.Ops {
			o := &c.Ops[k]
			switch {
			case !o.Seq && o.Obj.Counter == 0:
				live := slices.DeleteFunc(w.keys[o.Key], func(id amfile.GlobalID) bool {
					return slices.ContainsFunc(o.Pred, func(p amfile.OpID) bool { return c.Global(p) == id })
				})
				if o.Action != amfile.Delete {
					live = append(live, c.ID(k))
				}
				w.keys[o.Key] = live
				if o.Action == amfile.MakeText && w.text.Counter == 0 {
					w.text = c.ID(k)
				}
			case o.Insert && o.Action == amfile.Put && c.Global(o.Obj) == w.text:
				w.chars = append(w.chars, c.ID(k))
			case o.Action == amfile.Delete && o.Seq:
				w.gone[c.Global(o.Elem)] = true
			}
		}
	}
}

// change is one under construction.
type change struct {
	*amfile.Change
}

func (w *writer) begin() change {
	return change{&amfile.Change{
		Deps: slices.Clone(w.g.Heads()), Actors: []kaijutsu.ActorID{w.actor},
		Seq: w.g.NextSeq(w.actor), StartOp: w.g.MaxOp() + 1, Time: 1,
	}}
}

func (c change) id(g amfile.GlobalID) amfile.OpID {
	if g.Counter == 0 {
		return amfile.OpID{}
	}
	k := slices.Index(c.Actors, g.Actor)
	if k < 0 {
		k = len(c.Actors)
		c.Actors = append(c.Actors, g.Actor)
	}
	return amfile.OpID{Counter: g.Counter, Actor: uint32(k)}
}

// next returns the id of the next operation.
func (c change) next() amfile.GlobalID { return c.ID(len(c.Ops)) }

func (c change) add(o amfile.Op) { c.Ops = append(c.Ops, o) }

func (c change) preds(ids []amfile.GlobalID) []amfile.OpID {
	var preds []amfile.OpID
	for _, id := range slices.SortedFunc(slices.Values(ids), amfile.GlobalID.Compare) {
		preds = append(preds, c.id(id))
	}
	return preds
}

func (c change) encode(t tester) *amfile.Change {
	t.Helper()
	if err := amfile.EncodeChange(c.Change); err != nil {
		t.Fatalf("encode a change: %v", err)
	}
	return c.Change
}

// put makes a change that sets a key of the root.
func (w *writer) put(key string, value amfile.Value) *amfile.Change {
	w.t.Helper()
	c := w.begin()
	c.add(amfile.Op{Action: amfile.Put, Key: key, Value: value, Pred: c.preds(w.keys[key])})
	return w.commit(c)
}

// write makes a change that types at the end of the text, which it makes if
// there is none.
func (w *writer) write(s string) *amfile.Change {
	w.t.Helper()
	c := w.begin()
	w.typeInto(c, s, len(w.chars))
	return w.commit(c)
}

func (w *writer) typeInto(c change, s string, at int) {
	text, after := w.text, amfile.GlobalID{}
	if text.Counter == 0 {
		text = c.next()
		c.add(amfile.Op{Action: amfile.MakeText, Key: "text", Pred: c.preds(w.keys["text"])})
	} else if at > 0 {
		after = w.chars[at-1]
	}
	for _, r := range s {
		id := c.next()
		c.add(amfile.Op{Action: amfile.Put, Obj: c.id(text), Seq: true, Elem: c.id(after), Insert: true, Value: amfile.StringValue(string(r))})
		after = id
	}
}

// erase makes a change that deletes n random characters.
func (w *writer) erase(r *rand.Rand, n int) *amfile.Change {
	w.t.Helper()
	c := w.begin()
	for _, k := range r.Perm(len(w.chars)) {
		if id := w.chars[k]; !w.gone[id] && n > 0 {
			n--
			c.add(amfile.Op{Action: amfile.Delete, Obj: c.id(w.text), Seq: true, Elem: c.id(id), Pred: []amfile.OpID{c.id(id)}})
		}
	}
	return w.commit(c)
}

// commit encodes the change and adds it to the writer's graph.
func (w *writer) commit(c change) *amfile.Change {
	w.t.Helper()
	made := c.encode(w.t)
	w.take(made)
	return made
}

// take adds a change, which must be good.
func (w *writer) take(c *amfile.Change) []*amfile.Change {
	w.t.Helper()
	added, err := w.g.Add(c)
	if err != nil {
		w.t.Fatalf("add: %v", err)
	}
	w.follow(added...)
	return added
}

// edit makes a random change.
func (w *writer) edit(r *rand.Rand) *amfile.Change {
	w.t.Helper()
	switch n := r.IntN(10); {
	case n < 4:
		return w.put(fmt.Sprintf("k%d", r.IntN(4)), amfile.IntValue(r.Int64N(1000)))
	case n < 9 || len(w.chars) == 0:
		c := w.begin()
		w.typeInto(c, "héllo"[:1+r.IntN(2)*4], r.IntN(len(w.chars)+1))
		return w.commit(c)
	default:
		return w.erase(r, 1+r.IntN(3))
	}
}

// decodeAll decodes the changes of a message as a server does.
func decodeAll(t tester, m *amfile.SyncMessage) []*amfile.Change {
	t.Helper()
	var changes []*amfile.Change
	for _, raw := range m.Changes {
		chunks, err := amfile.SplitChunks(raw)
		if err != nil {
			t.Fatalf("split: %v", err)
		}
		for _, chunk := range chunks {
			if chunk.Type == amfile.ChunkDocument {
				all, err := amfile.DecodeDocument(chunk.Raw)
				if err != nil {
					t.Fatalf("decode document: %v", err)
				}
				changes = append(changes, all...)
				continue
			}
			c, err := amfile.DecodeChange(chunk.Raw)
			if err != nil {
				t.Fatalf("decode change: %v", err)
			}
			changes = append(changes, c)
		}
	}
	return changes
}

// documentOf returns a document chunk of all changes of a graph.
func documentOf(t tester, g *Graph) []byte {
	t.Helper()
	changes := make([]*amfile.Change, g.Len())
	for i := range changes {
		c, err := amfile.DecodeChange(g.Raw(i))
		if err != nil {
			t.Fatalf("decode change %d: %v", i, err)
		}
		changes[i] = c
	}
	chunk, err := amfile.EncodeDocument(changes)
	if err != nil {
		t.Fatalf("encode document: %v", err)
	}
	return chunk
}

// receive gives a message, as it is on the wire, to the writer's graph.
func (w *writer) receive(s *SyncState, data []byte, opt ReceiveOptions) Received {
	w.t.Helper()
	m, err := amfile.DecodeSync(data)
	if err != nil {
		w.t.Fatalf("decode sync message: %v", err)
	}
	got := w.g.Receive(s, m, decodeAll(w.t, m), opt)
	w.follow(got.Added...)
	return got
}

// sameDocument fails the test unless both graphs hold the same changes.
func sameDocument(t tester, a, b *Graph) {
	t.Helper()
	if !a.Heads().Equal(b.Heads()) {
		t.Fatalf("heads = %v and %v, want equal", a.Heads(), b.Heads())
	}
	if a.Len() != b.Len() {
		t.Fatalf("%d and %d changes, want the same", a.Len(), b.Len())
	}
	for i := range a.Len() {
		if !b.Has(a.Hash(i)) {
			t.Fatalf("change %v is on one side only", a.Hash(i))
		}
	}
}
