package editor

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/changegraph"
)

// Document is a client's replica of one document. It is safe for concurrent
// use.
type Document struct {
	client *Client
	id     kaijutsu.DocumentID
	actor  kaijutsu.ActorID

	mu          sync.Mutex
	graph       *changegraph.Graph
	state       *changegraph.SyncState
	acked       kaijutsu.Heads // the server's heads as it last told them
	unavailable bool
	moved       chan struct{} // closed and replaced whenever something above changes
	onChanges   func([]*amfile.Change)

	model *blocks.Model // with Edit and Blocks only
}

func newDocument(c *Client, id kaijutsu.DocumentID) *Document {
	var actor [16]byte
	rand.Read(actor[:])
	return &Document{
		client: c, id: id, actor: kaijutsu.ActorID(actor[:]),
		graph: changegraph.New(), state: changegraph.NewSyncState(), moved: make(chan struct{}),
	}
}

// ID returns the document's id.
func (d *Document) ID() kaijutsu.DocumentID { return d.id }

// Actor returns the actor of this replica's changes.
func (d *Document) Actor() kaijutsu.ActorID { return d.actor }

// OnChanges sets what is called, under the document's lock, with the changes
// that arrive from the server.
func (d *Document) OnChanges(f func([]*amfile.Change)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.onChanges = f
}

// Heads returns the heads of this replica.
func (d *Document) Heads() kaijutsu.Heads {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.graph.Heads()
}

// Len returns the number of changes in this replica.
func (d *Document) Len() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.graph.Len()
}

// Hashes returns every change of this replica.
func (d *Document) Hashes() []kaijutsu.ChangeHash {
	d.mu.Lock()
	defer d.mu.Unlock()
	hashes := make([]kaijutsu.ChangeHash, d.graph.Len())
	for i := range hashes {
		hashes[i] = d.graph.Hash(i)
	}
	return hashes
}

// Raw returns the chunk of a change that this replica has. It is shared and
// must not be written to.
func (d *Document) Raw(h kaijutsu.ChangeHash) ([]byte, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i, ok := d.graph.Index(h)
	if !ok {
		return nil, false
	}
	return d.graph.Raw(i), true
}

// Acked returns the heads that the server has acknowledged: what they contain
// is on its disk.
func (d *Document) Acked() kaijutsu.Heads {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.acked)
}

// AckedHashes returns the changes of this replica that the acknowledged heads
// contain.
func (d *Document) AckedHashes() []kaijutsu.ChangeHash {
	d.mu.Lock()
	defer d.mu.Unlock()
	known := d.knownLocked(d.acked)
	if len(known) == 0 {
		return nil
	}
	outside := make(map[int]struct{})
	for _, i := range d.graph.Since(known) {
		outside[i] = struct{}{}
	}
	var hashes []kaijutsu.ChangeHash
	for i := range d.graph.Len() {
		if _, out := outside[i]; !out {
			hashes = append(hashes, d.graph.Hash(i))
		}
	}
	return hashes
}

// Stored reports whether the server has acknowledged the change: it is on the
// server's disk.
func (d *Document) Stored(h kaijutsu.ChangeHash) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	i, ok := d.graph.Index(h)
	known := d.knownLocked(d.acked)
	return ok && len(known) > 0 && !slices.Contains(d.graph.Since(known), i)
}

// knownLocked returns the hashes that this replica has.
func (d *Document) knownLocked(hashes []kaijutsu.ChangeHash) []kaijutsu.ChangeHash {
	var known []kaijutsu.ChangeHash
	for _, h := range hashes {
		if d.graph.Has(h) {
			known = append(known, h)
		}
	}
	return known
}

// Wait returns when cond holds; it is asked, under the document's lock being
// free, whenever the document or its acknowledgement moved.
func (d *Document) Wait(ctx context.Context, cond func() bool) error {
	for {
		d.mu.Lock()
		moved := d.moved
		d.mu.Unlock()
		if cond() {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return fmt.Errorf("wait for document %s: %w", d.id, context.Cause(ctx))
		}
	}
}

// WaitAcked returns when the server has acknowledged all of this replica and
// has nothing more than it.
func (d *Document) WaitAcked(ctx context.Context) error {
	return d.Wait(ctx, func() bool { return d.Acked().Equal(d.Heads()) })
}

// WaitStored returns when the server has acknowledged the change.
func (d *Document) WaitStored(ctx context.Context, h kaijutsu.ChangeHash) error {
	return d.Wait(ctx, func() bool { return d.Stored(h) })
}

// Unavailable reports whether the server said that it does not have the
// document.
func (d *Document) Unavailable() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.unavailable
}

func (d *Document) setUnavailable() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.unavailable = true
	d.signalLocked()
}

func (d *Document) signalLocked() {
	close(d.moved)
	d.moved = make(chan struct{})
}

// announce starts to sync on a new connection.
func (d *Document) announce(ctx context.Context) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.state = changegraph.NewSyncState()
	d.unavailable = false
	d.sendLocked(ctx, d.graph.Len() == 0)
}

// sendLocked sends what there is to say.
func (d *Document) sendLocked(ctx context.Context, request bool) {
	if data, ok := d.graph.Generate(d.state); ok {
		d.client.write(ctx, d.id, data, request)
	}
}

// receive takes a sync message and answers it.
func (d *Document) receive(ctx context.Context, data []byte) error {
	m, changes, err := DecodeMessage(data)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	got := d.graph.Receive(d.state, m, changes, changegraph.ReceiveOptions{})
	for _, refusal := range got.Refused {
		err = refusal
	}
	d.acked = kaijutsu.NewHeads(m.Heads...)
	d.unavailable = false
	if len(got.Added) > 0 {
		d.followLocked(got.Added)
		if d.onChanges != nil {
			d.onChanges(got.Added)
		}
	}
	d.signalLocked()
	d.sendLocked(ctx, false)
	return err
}

// followLocked gives foreign changes to the read model.
func (d *Document) followLocked(changes []*amfile.Change) {
	if d.model == nil {
		return
	}
	for _, c := range changes {
		d.model.Apply(c)
	}
}

// Add makes a change of the operations, sends it and returns it. The caller
// fills Ops and, when they refer to other authors, Actors behind the first;
// the rest is filled here.
func (d *Document) Add(ctx context.Context, build func(c *amfile.Change)) (*amfile.Change, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := &amfile.Change{
		Deps:    slices.Clone(d.graph.Heads()),
		Actors:  []kaijutsu.ActorID{d.actor},
		Seq:     d.graph.NextSeq(d.actor),
		StartOp: d.graph.MaxOp() + 1,
		Time:    time.Now().Unix(),
	}
	build(c)
	if err := amfile.EncodeChange(c); err != nil {
		return nil, err
	}
	return c, d.addLocked(ctx, c)
}

// addLocked takes a change of our own and sends it.
func (d *Document) addLocked(ctx context.Context, c *amfile.Change) error {
	if _, err := d.graph.Add(c); err != nil {
		return err
	}
	d.signalLocked()
	d.sendLocked(ctx, false)
	return nil
}

// Edit makes a change of what f does to the context's blocks, sends it and
// returns its hash, which is zero when f changed nothing.
func (d *Document) Edit(ctx context.Context, f func(*blocks.Tx) error) (kaijutsu.ChangeHash, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.openModelLocked(); err != nil {
		return kaijutsu.ChangeHash{}, err
	}
	c, err := d.model.Commit(blocks.CommitOptions{Actor: d.actor, Time: time.Now(), Deps: d.graph.Heads()}, f)
	if err != nil || c == nil {
		return kaijutsu.ChangeHash{}, err
	}
	d.model.Apply(c)
	return c.Hash, d.addLocked(ctx, c)
}

func (d *Document) openModelLocked() error {
	if d.model != nil {
		return nil
	}
	model := blocks.NewModel()
	for i := range d.graph.Len() {
		c, err := amfile.DecodeChange(d.graph.Raw(i))
		if err != nil {
			return err
		}
		model.Apply(c)
	}
	d.model = model
	return nil
}

// Blocks returns the context's blocks as this replica has them.
func (d *Document) Blocks() ([]blocks.Block, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.openModelLocked(); err != nil {
		return nil, err
	}
	return d.model.Blocks(), nil
}

// Close lets go of the read model, if Edit or Blocks filled one. The document
// stays open.
func (d *Document) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.model = nil
}
