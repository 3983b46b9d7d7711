package kernel

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/guard"
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
	b.timer = time.AfterFunc(flushAfter, guard.Func(a.k.cfg.Log, "append", func() {
		defer a.running.Done()
		_ = a.write(context.Background(), doc, id) // it does not end; errors are kept for their authors
	}))
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
