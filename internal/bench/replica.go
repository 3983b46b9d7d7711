package bench

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// replica is what a peer keeps of a document that it writes or watches: enough
// to make changes that merge and to answer like a stock client. It is safe for
// concurrent use.
type replica struct {
	peer    *peer
	doc     string
	journal *journal // nil: nobody measures

	mu    sync.Mutex
	actor kaijutsu.ActorID
	seq   uint64 // of the own last change
	maxOp uint64
	base  uint64                // what has no later operation is in the past of the first heads
	heads []kaijutsu.ChangeHash // ascending
	// known maps each change to the last own change among it and its past.
	known    map[kaijutsu.ChangeHash]uint64
	acked    uint64                // the last own change in the server's heads
	told     []kaijutsu.ChangeHash // the heads in our last message
	theirs   []kaijutsu.ChangeHash // the heads in the server's
	visible  []time.Duration       // foreign edits: from edit to here
	stored   []time.Duration       // own edits: from edit to the server's heads
	moved    chan struct{}         // closed and replaced with each message
	refused  bool                  // the server says it does not have the document
	lastChar uint64                // the counter of the character typed last
	grown    arrival               // of the last message that held something new
	orphans  []amfile.Header       // changes that wait for what they depend on
	sent     int                   // messages
	asked    int                   // messages sent by the time of grown
	decoded  *decoded              // nil: nobody remembers
}

// decoded is the changes of a message, for other replicas that get the same. It
// is safe for concurrent use.
type decoded struct {
	mu      sync.Mutex
	data    []byte          // guarded by mu: the message
	headers []amfile.Header // guarded by mu
}

// arrival says when a message was there, and how many bytes its connection
// had read by then.
type arrival struct {
	at    time.Time
	bytes int64
}

// flags are the trailer of the stock client's messages.
var flags = &amfile.SyncFlags{SupportsReset: true}

// openReplica opens a document on a peer and sends nothing yet: request or
// begin does.
func openReplica(p *peer, doc kaijutsu.DocumentID, j *journal) *replica {
	actor := make([]byte, 16)
	rand.Read(actor)
	r := &replica{
		peer: p, doc: doc.String(), journal: j, actor: kaijutsu.ActorID(actor),
		known: make(map[kaijutsu.ChangeHash]uint64), moved: make(chan struct{}),
	}
	p.open(r.doc, r)
	return r
}

// request asks the server for the document.
func (r *replica) request(ctx context.Context) error {
	r.mu.Lock()
	r.sent++
	r.mu.Unlock()
	return r.peer.request(ctx, r.doc, emptyRequest())
}

// emptyRequest is the first message of a peer that has nothing.
func emptyRequest() []byte {
	m := amfile.SyncMessage{Version: 1, Have: []amfile.Have{{}}, Flags: flags}
	return m.Encode()
}

// receive implements receiver.
func (r *replica) receive(ctx context.Context, data []byte, at time.Time) error {
	read := r.peer.read.Load()
	m, err := amfile.DecodeSync(data)
	if err != nil {
		return fmt.Errorf("sync message from the server: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	headers, err := r.decoded.headersOf(data, m)
	if err != nil {
		return err
	}
	before := len(r.known)
	r.addAllLocked(headers, at)
	if len(r.known) > before {
		r.grown, r.asked = arrival{at, read}, r.sent
	}
	need := r.seeHeadsLocked(m.Heads, at)
	close(r.moved)
	r.moved = make(chan struct{})
	if len(need) > 0 || !slices.Equal(r.heads, r.told) {
		return r.sendLocked(ctx, need, nil)
	}
	return nil
}

// headersOf returns what the changes of a message say of themselves.
func (d *decoded) headersOf(data []byte, m *amfile.SyncMessage) ([]amfile.Header, error) {
	if d == nil || len(m.Changes) == 0 {
		return headersOf(m)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if bytes.Equal(data, d.data) {
		return d.headers, nil
	}
	headers, err := headersOf(m)
	if err == nil {
		d.data, d.headers = slices.Clone(data), headers
	}
	return headers, err
}

func headersOf(m *amfile.SyncMessage) (headers []amfile.Header, err error) {
	for _, entry := range m.Changes {
		chunks, err := amfile.SplitChunks(entry)
		if err != nil {
			return nil, fmt.Errorf("changes from the server: %w", err)
		}
		for _, chunk := range chunks {
			if headers, err = appendHeaders(headers, chunk); err != nil {
				return nil, fmt.Errorf("changes from the server: %w", err)
			}
		}
	}
	return headers, nil
}

// appendHeaders appends those of one chunk.
func appendHeaders(headers []amfile.Header, chunk amfile.Chunk) ([]amfile.Header, error) {
	switch chunk.Type {
	case amfile.ChunkChange:
		h, err := amfile.DecodeHeader(chunk.Raw)
		return append(headers, h), err
	case amfile.ChunkDeflated:
		c, err := amfile.DecodeChange(chunk.Raw)
		if err != nil {
			return nil, err
		}
		return append(headers, headerOf(c)), nil
	case amfile.ChunkDocument:
		changes, err := amfile.DecodeDocument(chunk.Raw)
		for _, c := range changes {
			headers = append(headers, headerOf(c))
		}
		return headers, err
	}
	return nil, fmt.Errorf("chunk of type %d: %w", chunk.Type, kaijutsu.ErrInvalid)
}

func headerOf(c *amfile.Change) amfile.Header {
	return amfile.Header{Hash: c.Hash, Deps: c.Deps, Author: c.Author(), Seq: c.Seq, StartOp: c.StartOp, NumOps: uint64(len(c.Ops))}
}

// addAllLocked adds changes of the server's that may be known. What comes before
// its dependencies, as what was asked for by hash does from the npm server, waits
// for them.
func (r *replica) addAllLocked(headers []amfile.Header, at time.Time) {
	for len(headers) > 0 {
		r.orphans = append(r.orphans, headers...)
		headers = nil
		waiting := r.orphans[:0]
		added := false
		for _, h := range r.orphans {
			if r.addLocked(h, at) {
				added = true
			} else {
				waiting = append(waiting, h)
			}
		}
		r.orphans = waiting
		if added && len(waiting) > 0 {
			headers, r.orphans = waiting, nil
		}
	}
}

// addLocked adds a change, ours or the server's, that may be known; false when
// something that it depends on is not.
func (r *replica) addLocked(h amfile.Header, at time.Time) bool {
	if _, ok := r.known[h.Hash]; ok {
		return true
	}
	if h.MaxOp() <= r.base { // of the document as it was
		r.known[h.Hash] = 0
		return true
	}
	own := uint64(0)
	if h.Author == r.actor {
		own = h.Seq
	}
	for _, dep := range h.Deps {
		seq, ok := r.known[dep]
		if !ok {
			return false
		}
		own = max(own, seq)
	}
	r.known[h.Hash] = own
	r.maxOp = max(r.maxOp, h.MaxOp())
	r.heads = slices.DeleteFunc(r.heads, func(head kaijutsu.ChangeHash) bool { return slices.Contains(h.Deps, head) })
	i, _ := slices.BinarySearchFunc(r.heads, h.Hash, kaijutsu.ChangeHash.Compare)
	r.heads = slices.Insert(r.heads, i, h.Hash)
	if r.journal != nil && h.Author != r.actor {
		if took, ok := r.journal.arrived(h.Author, h.Seq, at); ok {
			r.visible = append(r.visible, took)
		}
	}
	return true
}

// seeHeadsLocked notes which own edits the server's heads contain and returns
// the heads that we miss.
func (r *replica) seeHeadsLocked(heads []kaijutsu.ChangeHash, at time.Time) (need []kaijutsu.ChangeHash) {
	r.theirs = heads
	covered := r.acked
	for _, h := range heads {
		own, ok := r.known[h]
		if !ok {
			need = append(need, h)
		}
		covered = max(covered, own)
	}
	for ; r.acked < covered; r.acked++ {
		if r.journal == nil {
			continue
		}
		if took, ok := r.journal.stored(r.actor, r.acked+1, at); ok {
			r.stored = append(r.stored, took)
		}
	}
	return need
}

// sendLocked sends a message with changes; what the server may send us is what
// is not in the past of our heads.
func (r *replica) sendLocked(ctx context.Context, need []kaijutsu.ChangeHash, changes [][]byte) error {
	m := amfile.SyncMessage{
		Version: 1, Heads: r.heads, Need: need, Have: []amfile.Have{{LastSync: r.heads}},
		Changes: changes, Flags: flags,
	}
	r.told = slices.Clone(r.heads)
	r.sent++
	return r.peer.sync(ctx, r.doc, m.Encode())
}

// edit makes n changes one after the other and sends them in one message. The
// time of the edit is now; build fills in the operations of each.
func (r *replica) edit(ctx context.Context, n int, build func(c *amfile.Change)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := time.Now()
	raws := make([][]byte, n)
	for i := range raws {
		c := &amfile.Change{
			Deps: slices.Clone(r.heads), Actors: []kaijutsu.ActorID{r.actor},
			Seq: r.seq + 1, StartOp: r.maxOp + 1, Time: at.Unix(),
		}
		build(c)
		if err := amfile.EncodeChange(c); err != nil {
			return fmt.Errorf("make a change: %w", err)
		}
		if r.journal != nil {
			r.journal.edited(r.actor, c.Seq, at)
		}
		r.seq = c.Seq
		r.addLocked(headerOf(c), at) // it depends on the heads
		raws[i] = c.Raw
	}
	return r.sendLocked(ctx, nil, raws)
}

// begin puts the changes that a document starts with into it and sends them.
func (r *replica) begin(ctx context.Context, changes ...*amfile.Change) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var raws [][]byte
	for _, c := range changes {
		if !r.addLocked(headerOf(c), time.Time{}) {
			return fmt.Errorf("document %s, change %v: its dependencies are not known: %w", r.doc, c.Hash, kaijutsu.ErrInvalid)
		}
		raws = append(raws, c.Raw)
	}
	return r.sendLocked(ctx, nil, raws)
}

// unavailable implements receiver.
func (r *replica) unavailable() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refused = true
	close(r.moved)
	r.moved = make(chan struct{})
}

// wait returns when cond, which is called with the replica locked, holds.
func (r *replica) wait(ctx context.Context, what string, cond func() bool) error {
	for {
		r.mu.Lock()
		ok, refused, moved := cond(), r.refused, r.moved
		r.mu.Unlock()
		switch {
		case ok:
			return nil
		case refused:
			return fmt.Errorf("wait for %s: the server does not have document %s: %w", what, r.doc, kaijutsu.ErrNotFound)
		}
		select {
		case <-moved:
		case <-r.peer.done:
			return fmt.Errorf("wait for %s: connection ended: %w", what, r.peer.failure())
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", what, context.Cause(ctx))
		}
	}
}

// waitAcked returns when the server has exactly what the replica has.
func (r *replica) waitAcked(ctx context.Context) error {
	return r.wait(ctx, "the server's acknowledgement", func() bool { return slices.Equal(r.theirs, r.heads) })
}
