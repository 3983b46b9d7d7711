package kernel

import (
	"context"
	"slices"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

// flush writes everything that waits in a document, and returns what of the
// asker's own could not be written, now or before.
func (a *appends) flush(ctx context.Context, doc kaijutsu.DocumentID, asker kaijutsu.Principal) error {
	a.mu.Lock()
	if len(a.docs[doc]) == 0 && len(a.lost) == 0 {
		a.mu.Unlock()
		return nil
	}
	var ids []blocks.ID
	for id := range a.docs[doc] {
		ids = append(ids, id)
	}
	a.mu.Unlock()
	slices.Sort(ids)
	for _, id := range ids {
		if err := a.write(ctx, doc, id); err != nil {
			return err
		}
	}
	return a.told(asker, doc, "")
}

// flushAll writes everything that waits.
func (a *appends) flushAll(ctx context.Context) error {
	a.mu.Lock()
	docs := make([]kaijutsu.DocumentID, 0, len(a.docs))
	for doc := range a.docs {
		docs = append(docs, doc)
	}
	a.mu.Unlock()
	for _, doc := range docs {
		if err := a.flush(ctx, doc, kaijutsu.Principal{}); err != nil {
			return err
		}
	}
	return nil
}

// write writes what waits for a block, after what is being written already:
// one change for each piece. The error is that of ctx, while it waits its turn;
// nothing was taken then.
func (a *appends) write(ctx context.Context, doc kaijutsu.DocumentID, id blocks.ID) error {
	pieces, done, err := a.take(ctx, doc, id)
	if err != nil || done == nil {
		return err
	}
	defer done()
	for _, p := range pieces {
		edited, err := a.k.edit(context.WithoutCancel(ctx), p.call, doc, appendOp, func(_ repo.View, tx *blocks.Tx) error {
			return tx.AppendText(id, p.text.String())
		})
		a.finish(doc, id, p, edited, err)
	}
	return nil
}

// finish says what became of a piece, to those who wait or to come.
func (a *appends) finish(doc kaijutsu.DocumentID, id blocks.ID, p *piece, edited repo.Edited, err error) {
	a.mu.Lock()
	p.edited, p.err = edited, err
	waited := p.waited
	close(p.done)
	a.mu.Unlock()
	if err != nil && !waited {
		a.keep(author{p.call.By, doc, id}, p.runes, err)
	}
}

// take takes what waits for a block out of its buffer, when nothing of the
// block is being written; done lets the next one in. It returns nil when
// nothing waits.
func (a *appends) take(ctx context.Context, doc kaijutsu.DocumentID, id blocks.ID) (pieces []*piece, done func(), err error) {
	for {
		a.mu.Lock()
		b := a.docs[doc][id]
		if b == nil {
			a.mu.Unlock()
			return nil, nil, nil
		}
		if busy := b.writing; busy != nil {
			a.mu.Unlock()
			select {
			case <-busy:
				continue
			case <-ctx.Done():
				return nil, nil, ctx.Err()
			}
		}
		pieces, b.pieces, b.runes = b.pieces, nil, 0
		a.disarmLocked(b)
		b.writing = make(chan struct{})
		a.mu.Unlock()
		return pieces, func() { a.release(doc, id, b) }, nil
	}
}

// release lets the next one write to a block.
func (a *appends) release(doc kaijutsu.DocumentID, id blocks.ID, b *buffer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	close(b.writing)
	b.writing = nil
	if len(b.pieces) > 0 || a.docs[doc][id] != b {
		return
	}
	delete(a.docs[doc], id)
	if len(a.docs[doc]) == 0 {
		delete(a.docs, doc)
	}
}

// drop gives up what waits in a document that is about to be deleted.
func (a *appends) drop(doc kaijutsu.DocumentID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, b := range a.docs[doc] {
		for _, p := range b.pieces {
			p.err = unknown(doc.Name())
			close(p.done)
		}
		b.pieces, b.runes = nil, 0
		a.disarmLocked(b)
		if b.writing == nil {
			delete(a.docs[doc], id)
		}
	}
	if len(a.docs[doc]) == 0 {
		delete(a.docs, doc)
	}
}

// disarmLocked stops a buffer's timer.
func (a *appends) disarmLocked(b *buffer) {
	if b.timer != nil && b.timer.Stop() {
		a.running.Done()
	}
	b.timer = nil
}

// close writes what waits, and waits for the timers.
func (a *appends) close() error {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	err := a.flushAll(context.Background())
	a.running.Wait()
	return err
}
