package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/kjproc"
)

// automerge is how clients of automerge-repo speak, with raw peers: see peer and
// replica. Who enters a document comes as a client that has it on its disk.
type automerge struct {
	// relayed is set for the relay, which keeps nothing, and answers nothing but the
	// first message of a document.
	relayed bool
}

const (
	// seedChanges and seedBytes bound a message of an upload.
	seedChanges = 10_000
	seedBytes   = 2 << 20
)

func (automerge) knock(ctx context.Context, p *kjproc.Process) error {
	peer, err := dial(ctx, p.SyncURL())
	if err != nil {
		return err
	}
	return peer.close()
}

// documentID returns the id that a name is.
func (doc docName) documentID() (kaijutsu.DocumentID, error) {
	return kaijutsu.ParseDocumentID(string(doc))
}

// openOn opens a document of a server on a new connection, and sends nothing yet.
func openOn(ctx context.Context, p *kjproc.Process, doc docName, j *journal) (*replica, error) {
	id, err := doc.documentID()
	if err != nil {
		return nil, err
	}
	peer, err := dial(ctx, p.SyncURL())
	if err != nil {
		return nil, err
	}
	return openReplica(peer, id, j), nil
}

func (a automerge) seed(ctx context.Context, p *kjproc.Process, doc docName, h history) error {
	e, err := encoded.make(doc, h)
	if err != nil || a.relayed {
		return err
	}
	r, err := openOn(ctx, p, doc, nil)
	if err != nil {
		return err
	}
	for rest := e.raw; len(rest) > 0; {
		n, size := 0, 0
		for n < len(rest) && n < seedChanges && size < seedBytes {
			size += len(rest[n])
			n++
		}
		if err := r.upload(ctx, rest[:n]); err != nil {
			_ = r.peer.close() // the error says more
			return fmt.Errorf("upload %s: %w", h.name, err)
		}
		rest = rest[n:]
	}
	return r.peer.close()
}

// upload sends changes that follow what was sent before, and returns when the
// server has them.
func (r *replica) upload(ctx context.Context, raws [][]byte) error {
	h, err := amfile.DecodeHeader(raws[len(raws)-1])
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.standAtLocked(h.Hash, h.MaxOp())
	err = r.sendLocked(ctx, nil, raws)
	r.mu.Unlock()
	if err != nil {
		return err
	}
	return r.waitAcked(ctx)
}

// standAtLocked makes a change the head of the replica, which knows nothing of its
// past.
func (r *replica) standAtLocked(head kaijutsu.ChangeHash, maxOp uint64) {
	r.known[head] = 0
	r.heads, r.maxOp, r.base = []kaijutsu.ChangeHash{head}, maxOp, maxOp
}

func (a automerge) enter(ctx context.Context, p *kjproc.Process, doc docName, j *journal) (editor, error) {
	e, err := encoded.of(doc)
	if err != nil {
		return nil, err
	}
	r, err := openOn(ctx, p, doc, j)
	if err != nil {
		return nil, err
	}
	ed := &automergeEditor{replica: r, text: e.text, relayed: a.relayed}
	r.mu.Lock()
	r.standAtLocked(e.head, e.max)
	err = r.sendLocked(ctx, nil, nil)
	r.mu.Unlock()
	if err == nil {
		err = ed.waitAcked(ctx)
	}
	if err != nil {
		_ = r.peer.close() // the error says more
		return nil, fmt.Errorf("open document %s: %w", doc, err)
	}
	return ed, nil
}

func (automerge) coldJoin(ctx context.Context, p *kjproc.Process, doc docName) (opening, error) {
	r, err := openOn(ctx, p, doc, nil)
	if err != nil {
		return opening{}, err
	}
	r.decoded = encoded.decodedOf(doc)
	before, began := r.peer.read.Load(), time.Now()
	err = r.request(ctx)
	if err == nil {
		err = r.wait(ctx, "all changes", func() bool { return len(r.theirs) > 0 && slices.Equal(r.theirs, r.heads) })
	}
	if err != nil {
		_ = r.peer.close() // the error says more
		return opening{}, err
	}
	r.mu.Lock()
	o := opening{took: r.grown.at.Sub(began), bytes: r.grown.bytes - before, turns: r.asked}
	r.mu.Unlock()
	return o, r.peer.close()
}

// saved implements saver.
func (automerge) saved(doc docName) (int64, error) {
	e, err := encoded.of(doc)
	if err != nil {
		return 0, err
	}
	return e.size()
}

// automergeEditor is a replica that types into the first text.
type automergeEditor struct {
	*replica
	text    amfile.GlobalID
	relayed bool
}

func (e *automergeEditor) edit(ctx context.Context, n int) error {
	return e.replica.edit(ctx, n, e.typeChar(e.text))
}

func (e *automergeEditor) insert(ctx context.Context, s string) error {
	return e.replica.edit(ctx, 1, e.typeString(e.text, s))
}

func (e *automergeEditor) ready(ctx context.Context) error {
	if e.relayed { // where nobody has anything
		return nil
	}
	return e.waitAcked(ctx)
}

func (e *automergeEditor) close() error { return e.peer.close() }
