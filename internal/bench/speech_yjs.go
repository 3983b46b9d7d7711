package bench

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/internal/kjproc"
)

// yjs is how clients of Yjs speak, with the framing of y-websocket or of
// Hocuspocus. They make updates by hand and keep of a document how many units of
// each client there are, nothing more. A text is a Y.Text in an array; all of a
// seeded document is of one client.
type yjs struct {
	hocuspocus bool

	mu      sync.Mutex
	made    map[docName]yjsMade   // guarded by mu: by seed
	writers map[uint64]*yjsWriter // guarded by mu, by client; they stay as long as the speech
}

// yjsMade is what the generator remembers of a document that it made.
type yjsMade struct {
	units uint64 // of yjsSeeder
	head  *yjsID // the first character of the first text; nil: there is none
	saved int64  // bytes of the whole document as an update; 0: nobody fetched it yet
}

// yjsSeeder is the client that makes documents. Its first item is the first text.
const yjsSeeder = 1

func newYjs(hocuspocus bool) *yjs {
	return &yjs{hocuspocus: hocuspocus, made: make(map[docName]yjsMade), writers: make(map[uint64]*yjsWriter)}
}

// yjsWriter numbers the edits of one client.
type yjsWriter struct {
	actor kaijutsu.ActorID

	mu   sync.Mutex
	ends []uint64 // guarded by mu: the clock after each edit
}

// writer begins to number the edits of a client.
func (y *yjs) writer(client uint64) *yjsWriter {
	w := &yjsWriter{actor: kaijutsu.ActorID(strconv.FormatUint(client, 16))}
	y.mu.Lock()
	defer y.mu.Unlock()
	y.writers[client] = w
	return w
}

// edited numbers an edit that ends at a clock, from 1 on.
func (w *yjsWriter) edited(end uint64) (seq uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ends = append(w.ends, end)
	return uint64(len(w.ends))
}

// within returns the numbers of the edits that end within units of the client:
// those from first on, up to last without it.
func (w *yjsWriter) within(s yjsSpan) (first, last uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	begin, _ := slices.BinarySearch(w.ends, s.from+1)
	end, _ := slices.BinarySearch(w.ends, s.to+1)
	return uint64(begin) + 1, uint64(end) + 1
}

// tell tells the journal of the edits of others that an update brought.
func (y *yjs) tell(j *journal, ranges []yjsRange, at time.Time) {
	if j == nil {
		return
	}
	for _, r := range ranges {
		y.mu.Lock()
		w := y.writers[r.client]
		y.mu.Unlock()
		if w == nil {
			continue
		}
		for seq, last := w.within(r.yjsSpan); seq < last; seq++ {
			j.arrived(w.actor, seq, at)
		}
	}
}

// of returns what is remembered of a document; the zero value for one that seed
// did not make.
func (y *yjs) of(doc docName) yjsMade {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.made[doc]
}

func (y *yjs) framing(doc docName) yjsFraming { return yjsFraming{y.hocuspocus, doc} }

func (f yjsFraming) url(p *kjproc.Process) string {
	return "ws" + strings.TrimPrefix(p.URL, "http") + f.path()
}

// knock implements speech. A connection to y-websocket always opens a room.
func (y *yjs) knock(ctx context.Context, p *kjproc.Process) error {
	conn, _, err := dialYjs(ctx, y.framing("knock").url(p))
	if err != nil {
		return err
	}
	return conn.CloseNow()
}

// enter implements speech.
func (y *yjs) enter(ctx context.Context, p *kjproc.Process, doc docName, j *journal) (editor, error) {
	c, err := y.connect(ctx, p, doc, j)
	if err != nil {
		return nil, err
	}
	if err := c.open(ctx); err != nil {
		_ = c.close()
		return nil, err
	}
	return c, nil
}

// coldJoin implements speech. The request is the first message that the server
// needs to know the document; with y-websocket it knows it a moment before, from
// the URL. A turn is a message without which the document would not come: not the
// answer to the server's own question.
func (y *yjs) coldJoin(ctx context.Context, p *kjproc.Process, doc docName) (opening, error) {
	c, err := y.connect(ctx, p, doc, nil)
	if err != nil {
		return opening{}, err
	}
	began, before := time.Now(), c.read.Load()
	if err := c.open(ctx); err != nil {
		_ = c.close()
		return opening{}, err
	}
	turns := 1
	if y.hocuspocus {
		turns = 2 // who it is, and the request
	}
	c.mu.Lock()
	y.fetched(doc, int64(c.saved))
	o := opening{took: c.grown.at.Sub(began), bytes: c.grown.bytes - before, turns: turns}
	c.mu.Unlock()
	return o, c.close()
}

// fetched remembers how many bytes a document is.
func (y *yjs) fetched(doc docName, size int64) {
	y.mu.Lock()
	defer y.mu.Unlock()
	made := y.made[doc]
	made.saved = size
	y.made[doc] = made
}

// saved returns the bytes of a document that coldJoin has fetched, as one update:
// what Hocuspocus saves.
func (y *yjs) saved(doc docName) (int64, error) {
	made := y.of(doc)
	if made.saved == 0 {
		return 0, fmt.Errorf("size of document %s: nobody has fetched it: %w", doc, kaijutsu.ErrNotFound)
	}
	return made.saved, nil
}
