package kernel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// When buffered appends are written, unless something asks for it before.
const (
	flushRunes = 50
	flushAfter = 100 * time.Millisecond
)

// maxJoined is how many characters are written in one change with what waits.
const maxJoined = 10_000

// maxLost is how many errors are kept for those who have not asked yet.
const maxLost = 1000

// moment is a version of a document.
type moment struct {
	version uint64
	heads   kaijutsu.Heads
}

// piece is what one principal appended without anybody else in between. But for
// done its fields are guarded by appends.mu until done is closed.
type piece struct {
	call   op.Call
	text   strings.Builder
	runes  int
	waited bool // somebody waits for done, and is told of an error
	done   chan struct{}
	edited repo.Edited
	err    error
}

// buffer is what waits to be appended to a block, in the order in which it
// came. Fields are guarded by appends.mu.
type buffer struct {
	pieces []*piece
	runes  int
	timer  *time.Timer
	at     moment
	// writing is closed when what was taken out has been written; nil: nothing
	// is under way.
	writing chan struct{}
}

// author is who appended to what.
type author struct {
	by  kaijutsu.Principal
	doc kaijutsu.DocumentID
	id  blocks.ID
}

// appends is what waits to be written. A block has a buffer while something
// does.
type appends struct {
	k       *Kernel
	running sync.WaitGroup // timers' functions

	mu     sync.Mutex
	docs   map[kaijutsu.DocumentID]map[blocks.ID]*buffer // guarded by mu
	lost   map[author]error                              // guarded by mu; not told yet
	order  []author                                      // guarded by mu; of lost, oldest first
	closed bool                                          // guarded by mu
}

func (a *appends) init(k *Kernel) {
	a.k = k
	a.docs = make(map[kaijutsu.DocumentID]map[blocks.ID]*buffer)
	a.lost = make(map[author]error)
}

// extend adds to what of the caller's waits for a block already; false when
// nothing does: then the block, and the caller's right to it, are to be looked
// at first.
func (a *appends) extend(c op.Call, doc kaijutsu.DocumentID, id blocks.ID, text string, runes int) (*piece, Appended) {
	a.mu.Lock()
	defer a.mu.Unlock()
	b := a.docs[doc][id]
	if b == nil || a.closed || !slices.ContainsFunc(b.pieces, func(p *piece) bool { return sameCaller(p.call, c) }) {
		return nil, Appended{}
	}
	return a.addLocked(b, doc, id, c, text, runes)
}

// begin adds to what waits for a block that was looked at just now.
func (a *appends) begin(c op.Call, doc kaijutsu.DocumentID, id blocks.ID, text string, runes int, at moment) (*piece, Appended) {
	a.mu.Lock()
	defer a.mu.Unlock()
	b := a.bufferLocked(doc, id)
	b.at = at
	return a.addLocked(b, doc, id, c, text, runes)
}

// sameCaller reports whether what one may do, the other may.
func sameCaller(a, b op.Call) bool { return a.By == b.By && a.Right == b.Right }

func (a *appends) bufferLocked(doc kaijutsu.DocumentID, id blocks.ID) *buffer {
	if a.docs[doc] == nil {
		a.docs[doc] = make(map[blocks.ID]*buffer)
	}
	b := a.docs[doc][id]
	if b == nil {
		b = &buffer{}
		a.docs[doc][id] = b
	}
	return b
}

// addLocked adds to a buffer. It returns the piece that holds the text when
// there is enough to write at once, and the caller is to wait for it; else nil,
// and the timer runs.
func (a *appends) addLocked(b *buffer, doc kaijutsu.DocumentID, id blocks.ID, c op.Call, text string, runes int) (*piece, Appended) {
	p := b.join(c, text, runes)
	if b.runes >= flushRunes || a.closed {
		p.waited = true
		return p, Appended{}
	}
	a.armLocked(b, doc, id)
	out := Appended{Version: b.at.version, Heads: b.at.heads}
	for _, p := range b.pieces {
		if p.call.By == c.By {
			out.Buffered += p.runes
		}
	}
	return nil, out
}

// join adds text behind what waits.
func (b *buffer) join(c op.Call, text string, runes int) *piece {
	var last *piece
	if n := len(b.pieces); n > 0 && sameCaller(b.pieces[n-1].call, c) && runes <= maxJoined {
		last = b.pieces[n-1]
	} else {
		last = &piece{call: c, done: make(chan struct{})}
		b.pieces = append(b.pieces, last)
	}
	last.text.WriteString(text)
	last.runes += runes
	b.runes += runes
	return last
}

// armLocked sees to it that a buffer will be written.
func (a *appends) armLocked(b *buffer, doc kaijutsu.DocumentID, id blocks.ID) {
	if b.timer != nil || len(b.pieces) == 0 {
		return
	}
	a.running.Add(1)
	b.timer = time.AfterFunc(flushAfter, func() {
		defer a.running.Done()
		_ = a.write(context.Background(), doc, id) // it does not end; errors are kept for their authors
	})
}

// through writes what waits for a block and text behind it.
func (a *appends) through(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, id blocks.ID, text string, runes int) (Appended, error) {
	a.mu.Lock()
	p := a.bufferLocked(doc, id).join(c, text, runes)
	p.waited = true
	a.mu.Unlock()
	return a.await(ctx, doc, id, p)
}

// await writes what waits for a block up to a piece, and returns what became
// of that. When ctx ends first, the piece is written later.
func (a *appends) await(ctx context.Context, doc kaijutsu.DocumentID, id blocks.ID, p *piece) (Appended, error) {
	err := a.write(ctx, doc, id)
	if err == nil {
		select {
		case <-p.done:
			if p.err != nil {
				return Appended{}, p.err
			}
			return Appended{Version: p.edited.Version, Heads: p.edited.Heads, Change: p.edited.Change, Durable: true}, nil
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	p.waited = false
	if b := a.docs[doc][id]; b != nil && slices.Contains(b.pieces, p) {
		a.armLocked(b, doc, id)
	}
	return Appended{}, err
}

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

// keep notes for an author that its text is lost, and logs it.
func (a *appends) keep(who author, runes int, err error) {
	a.k.log.Error("appended text not written", "context", contextName(who.doc), "block", who.id, "principal", who.by, "characters", runes, "err", err)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.lost[who] == nil {
		a.order = append(a.order, who)
	}
	a.lost[who] = fmt.Errorf("the last %d characters appended to block %s were not written: %w", runes, who.id, err)
	if len(a.order) > maxLost {
		delete(a.lost, a.order[0])
		a.order = a.order[1:]
	}
}

// told returns, once, what of an author's text in a block is lost; in any
// block of the document when id is "".
func (a *appends) told(by kaijutsu.Principal, doc kaijutsu.DocumentID, id blocks.ID) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.lost) == 0 {
		return nil
	}
	var errs []error
	a.order = slices.DeleteFunc(a.order, func(who author) bool {
		if who.by != by || who.doc != doc || id != "" && who.id != id {
			return false
		}
		errs = append(errs, a.lost[who])
		delete(a.lost, who)
		return true
	})
	return errors.Join(errs...)
}

// drop gives up what waits in a document that is about to be deleted.
func (a *appends) drop(doc kaijutsu.DocumentID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, b := range a.docs[doc] {
		for _, p := range b.pieces {
			p.err = unknown(contextName(doc))
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
