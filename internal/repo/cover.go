package repo

import (
	"context"
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/changegraph"
	"kaijutsu/internal/guard"
)

// cover is what stands for a document that has not been taken apart: its heads,
// and its stored bytes. It serves peers that hold nothing, who get the snapshot
// and the changes behind it as they are on disk, and peers that hold everything.
// Whatever else is asked of the document opens it, beside the owner when that
// takes long; until then it takes no more memory than those bytes, however much
// history is in them.
//
// The bytes are told as stored: the store verifies every row of them, and the
// checksum of the snapshot is compared here. A peer verifies each change.
type cover struct {
	heads kaijutsu.Heads
	// whole is the sync message with all of the document, told the one with the
	// heads only; each is nil until somebody needs it, and shared.
	whole, told []byte

	changes uint64    // in the document
	opening bool      // it is being taken apart, beside the owner
	parked  []request // wait for that
}

// scriptLength is how many steps of a session's sync are kept under a cover. A
// peer takes three; one that goes on without changes opens the document.
const scriptLength = 8

// step is one of a session's sync under a cover: a message that came, or, when
// that is nil, one that went out.
type step struct{ m *amfile.SyncMessage }

// begin opens the document, or puts a cover on it when it has a snapshot and
// nothing is wrong with it.
func (d *document) begin() {
	d.task.begin(unit{what: onDisk})
	defer d.task.end()
	if d.cover = d.covering(); d.cover == nil {
		d.open()
		return
	}
	d.headsAt = d.repo.cfg.Now()
	d.measure()
}

// covering returns the cover of a document that can do with one.
func (d *document) covering() *cover {
	r := d.repo
	if _, pinned := r.cfg.Quarantine.ReadOnly(d.id); pinned || r.suspects.has(d.id) {
		return nil
	}
	info, err := r.cfg.Store.Info(context.Background(), d.id)
	if err != nil || info.Covers == 0 || info.Base != nil || len(info.Heads) == 0 {
		return nil // open finds out what there is to say
	}
	return &cover{heads: info.Heads, changes: info.Changes}
}

// uncover opens the document: something was asked that takes its changes.
func (d *document) uncover() {
	if d.cover != nil {
		parked := d.cover.parked
		d.cover = nil
		d.open()
		d.play()
		d.parked = append(d.parked, parked...)
	}
}

// play goes on with the sessions' sync where it stood under the cover.
func (d *document) play() {
	for s := range d.sessions {
		script := s.script
		s.script, s.parked = nil, false
		if d.failed != nil {
			continue
		}
		for _, step := range script {
			if step.m == nil {
				d.graph.Generate(s.state) // it has been sent
			} else {
				d.graph.Receive(s.state, step.m, nil, d.receiving(s.reviewed))
			}
		}
	}
}

// serves reports whether a request can be answered without the changes.
func (c *cover) serves(r request) bool {
	switch r := r.(type) {
	case join, review, pull, gather, trim:
		return true
	case leave:
		return !r.s.parked
	case receive:
		return r.m != nil && len(r.changes) == 0 && !r.s.parked && len(r.s.script) < scriptLength &&
			(changegraph.HoldsNothing(r.m) || changegraph.HoldsExactly(r.m, c.heads))
	}
	return false
}

// noteScript notes a message that the cover serves.
func (s *Session) noteScript(m *amfile.SyncMessage) {
	s.script, s.owed = append(s.script, step{m}), true
}

// empty reports whether the document holds no change.
func (d *document) empty() bool { return d.cover == nil && d.graph.Len() == 0 }

// heads returns the document's heads.
func (d *document) heads() kaijutsu.Heads {
	if d.cover != nil {
		return d.cover.heads
	}
	return d.graph.Heads()
}

// answer returns what a session is to be sent now, as Graph.Generate does: a
// peer that holds nothing gets everything, one that holds everything is told so
// once.
func (d *document) answer(s *Session) (data []byte, ok bool) {
	c := d.cover
	if c == nil {
		return d.graph.Generate(s.state)
	}
	if !s.owed {
		return nil, false
	}
	s.owed = false
	cold := len(s.script[len(s.script)-1].m.Heads) == 0
	if !cold && s.answered {
		return nil, false
	}
	if !cold {
		data = c.hello()
	} else if data = c.document(d); data == nil {
		d.uncover()
		return d.graph.Generate(s.state)
	}
	s.script, s.answered = append(s.script, step{}), true
	return data, true
}

// hello is the message that tells the heads.
func (c *cover) hello() []byte {
	if c.told == nil {
		m := amfile.SyncMessage{Version: 1, Heads: c.heads, Have: []amfile.Have{{LastSync: c.heads}}}
		c.told = m.Encode()
	}
	return c.told
}

// document returns the message with all there is, nil when it cannot be read.
func (c *cover) document(d *document) []byte {
	if c.whole != nil {
		return c.whole
	}
	d.task.begin(unit{what: onDisk})
	err := d.repo.guarded(d.id, "document as stored", func() (err error) {
		c.whole, err = d.stored(c.heads)
		return err
	})
	if _, failed := err.(*guard.Failure); failed || err != nil {
		return nil // opening it tells why
	}
	d.measure()
	return c.whole
}

// stored reads the document's bytes into one sync message.
func (d *document) stored(heads kaijutsu.Heads) ([]byte, error) {
	doc, err := d.repo.cfg.Store.Load(context.Background(), d.id)
	switch {
	case err != nil:
		return nil, err
	case doc.Snapshot == nil || !doc.Heads.Equal(heads):
		return nil, fmt.Errorf("document %s has moved: %w", d.id, kaijutsu.ErrConflict)
	}
	if _, err := amfile.SplitChunks(doc.Snapshot.Chunk); err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	tail, size := make([][]byte, len(doc.Changes)), 0
	for i, c := range doc.Changes {
		tail[i] = c.Raw
		size += len(c.Raw)
	}
	if size >= max(quietBytes, len(doc.Snapshot.Chunk)/quietPart) && !d.awaiting {
		d.settle(d.repo.cfg.QuietAfter)
	}
	return changegraph.EncodeWhole(heads, doc.Snapshot.Chunk, tail), nil
}

func (c *cover) bytes() int64 { return int64(len(c.whole) + len(c.told)) }
