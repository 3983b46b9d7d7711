package peer_test

import (
	"crypto/rand"
	"slices"
	"sync"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/changegraph"
	"kaijutsu/internal/wire"
)

// replica is a client's copy of a document.
type replica struct {
	*client
	id    kaijutsu.DocumentID
	actor kaijutsu.ActorID

	mu      sync.Mutex
	graph   *changegraph.Graph
	state   *changegraph.SyncState
	told    kaijutsu.Heads // the server's, as it last said
	refused error
}

func newDocument() kaijutsu.DocumentID {
	var b [16]byte
	rand.Read(b[:])
	id, err := kaijutsu.DocumentIDFromBytes(b[:])
	if err != nil {
		panic(err)
	}
	return id
}

// replica makes the client answer sync messages of a document. A client has
// at most one.
func (c *client) replica(id kaijutsu.DocumentID) *replica {
	var actor [16]byte
	rand.Read(actor[:])
	r := &replica{client: c, id: id, actor: kaijutsu.ActorID(actor[:]), graph: changegraph.New(), state: changegraph.NewSyncState()}
	c.mu.Lock()
	c.take = func(m wire.Message) {
		if m, ok := m.(wire.Sync); ok && m.DocumentID == id.String() {
			r.receive(m.Data)
		}
	}
	c.mu.Unlock()
	return r
}

func (r *replica) receive(data []byte) {
	defer r.signal() // after r.mu is free: until takes them in the other order
	m, err := amfile.DecodeSync(data)
	if err != nil {
		r.t.Errorf("sync message from the server: %v", err)
		return
	}
	var changes []*amfile.Change
	for _, entry := range m.Changes {
		chunks, err := amfile.SplitChunks(entry)
		if err != nil {
			r.t.Errorf("changes from the server: %v", err)
			return
		}
		for _, chunk := range chunks {
			cs, err := decodeChunk(chunk)
			if err != nil {
				r.t.Errorf("change from the server: %v", err)
				return
			}
			changes = append(changes, cs...)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.graph.Receive(r.state, m, changes, changegraph.ReceiveOptions{})
	if len(got.Refused) > 0 {
		r.refused = got.Refused[0]
	}
	r.told = kaijutsu.NewHeads(m.Heads...)
	r.pushLocked(false)
}

func decodeChunk(chunk amfile.Chunk) ([]*amfile.Change, error) {
	if chunk.Type == amfile.ChunkDocument {
		return amfile.DecodeDocument(chunk.Raw)
	}
	c, err := amfile.DecodeChange(chunk.Raw)
	return []*amfile.Change{c}, err
}

// signal wakes whoever waits for the client.
func (r *replica) signal() {
	r.client.mu.Lock()
	r.signalLocked()
	r.client.mu.Unlock()
}

// open asks for the document, or announces what the replica has.
func (r *replica) open() *replica {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pushLocked(r.graph.Len() == 0)
	return r
}

func (r *replica) pushLocked(request bool) {
	data, ok := r.graph.Generate(r.state)
	switch {
	case !ok:
	case request:
		r.send(wire.Request{SenderID: r.client.id, TargetID: serverID, DocumentID: r.id.String(), Data: data})
	default:
		r.send(wire.Sync{SenderID: r.client.id, TargetID: serverID, DocumentID: r.id.String(), Data: data})
	}
}

// edit makes a change that sets a key to value and sends it.
func (r *replica) edit(key string, value amfile.Value) kaijutsu.ChangeHash {
	r.t.Helper()
	c := r.make(key, value)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pushLocked(false)
	return c.Hash
}

// make makes a change without sending it.
func (r *replica) make(key string, value amfile.Value) *amfile.Change {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	c := &amfile.Change{
		Deps:    slices.Clone(r.graph.Heads()),
		Actors:  []kaijutsu.ActorID{r.actor},
		Seq:     r.graph.NextSeq(r.actor),
		StartOp: r.graph.MaxOp() + 1,
		Ops:     []amfile.Op{{Action: amfile.Put, Key: key, Value: value}},
	}
	if err := amfile.EncodeChange(c); err != nil {
		r.t.Fatal(err)
	}
	if _, err := r.graph.Add(c); err != nil {
		r.t.Fatal(err)
	}
	return c
}

// has waits until the replica holds a change.
func (r *replica) has(h kaijutsu.ChangeHash) {
	r.t.Helper()
	r.until("change "+h.String()[:8], func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.graph.Has(h)
	})
}

// acked waits until the server has said that it holds a change.
func (r *replica) acked(h kaijutsu.ChangeHash) {
	r.t.Helper()
	r.until("acknowledgement of "+h.String()[:8], func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.told.Contains(h)
	})
}
