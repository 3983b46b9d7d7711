package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"kaijutsu/internal/kjproc"
)

// yjsClient is one connection with one document. One goroutine reads. It is safe
// for concurrent use.
type yjsClient struct {
	y       *yjs
	framing yjsFraming
	journal *journal // nil: nobody measures
	conn    *websocket.Conn
	read    *atomic.Int64 // bytes that came over the network
	done    chan struct{} // closed when the reader has returned

	mu     sync.Mutex
	err    error             // why the reader returned
	moved  chan struct{}     // closed and replaced with each message
	state  map[uint64]uint64 // units there, by client
	steps2 int               // second steps that came
	grown  arrival           // of the last message that brought something
	saved  int               // bytes of the longest update that came
	id     uint64
	writer *yjsWriter // of own edits; nil before the first
	clock  uint64     // units made
	last   *yjsID     // the character typed last
	owed   []uint64   // Hocuspocus: the clock after each message whose status is to come
	stored uint64     // the clock up to which the server has what was made
	told   uint64     // edits that the journal knows to be stored
}

// dialYjs connects as the raw peers of automerge-repo do, compression offered.
func dialYjs(ctx context.Context, url string) (*websocket.Conn, *atomic.Int64, error) {
	read := new(atomic.Int64)
	transport := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return countingConn{conn, read}, nil
	}}
	conn, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{
		HTTPClient:           &http.Client{Transport: transport},
		CompressionMode:      websocket.CompressionNoContextTakeover,
		CompressionThreshold: compressAbove,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("connect to %s: %w", url, err)
	}
	conn.SetReadLimit(maxFrameBytes)
	return conn, read, nil
}

// connect connects to a document and begins to read. The connection ends with
// ctx.
func (y *yjs) connect(ctx context.Context, p *kjproc.Process, doc docName, j *journal) (*yjsClient, error) {
	f := y.framing(doc)
	conn, read, err := dialYjs(ctx, f.url(p))
	if err != nil {
		return nil, err
	}
	c := &yjsClient{
		y: y, framing: f, journal: j, conn: conn, read: read,
		done: make(chan struct{}), moved: make(chan struct{}), state: make(map[uint64]uint64),
		id: yjsSeeder + 1 + uint64(rand.Uint32N(1<<32-1-yjsSeeder)),
	}
	go c.readAll(ctx)
	return c, nil
}

// open greets the server and returns when the document is there, as far as it is
// known how much there is of it.
func (c *yjsClient) open(ctx context.Context) error {
	if err := c.send(ctx, c.framing.greeting()); err != nil {
		return err
	}
	made := c.y.of(c.framing.doc)
	return c.wait(ctx, "the document", func() bool { return c.steps2 > 0 && c.state[yjsSeeder] >= made.units })
}

func (c *yjsClient) send(ctx context.Context, message []byte) error {
	err := c.conn.Write(ctx, websocket.MessageBinary, message)
	if err == nil {
		return nil
	}
	if why := c.failure(); why != nil { // the reader knows more
		err = why
	}
	return fmt.Errorf("send to the server: %w", err)
}

// readAll takes messages until the connection ends.
func (c *yjsClient) readAll(ctx context.Context) {
	defer close(c.done)
	for {
		_, message, err := c.conn.Read(ctx)
		at := time.Now()
		if err == nil {
			err = c.take(ctx, message, at)
		}
		if err != nil {
			c.mu.Lock()
			c.err = err // before the connection is closed: see send
			c.mu.Unlock()
			_ = c.conn.CloseNow()
			return
		}
	}
}

// take takes a message and answers it.
func (c *yjsClient) take(ctx context.Context, message []byte, at time.Time) error {
	bytes := c.read.Load()
	m, err := c.framing.read(message, len(message))
	if err != nil {
		return err
	}
	var ranges []yjsRange
	if m.brings() {
		if ranges, err = readYjsUpdate(m.payload); err != nil {
			return err
		}
	}
	c.mu.Lock()
	c.noteLocked(m, ranges, at, bytes)
	answer := c.framing.answer(m)
	if answer != nil && m.kind == yjsSync && c.framing.hocuspocus {
		c.owed = append(c.owed, 0) // a second step has a status too
	}
	if answer != nil { // with the lock, so that statuses are owed in the order of messages
		err = c.send(ctx, answer)
	}
	close(c.moved)
	c.moved = make(chan struct{})
	c.mu.Unlock()
	if err != nil {
		return err
	}
	c.y.tell(c.journal, c.foreign(ranges), at)
	return nil
}

// noteLocked notes what a message says and brings.
func (c *yjsClient) noteLocked(m yjsMessage, ranges []yjsRange, at time.Time, bytes int64) {
	if m.kind == yjsSync && m.step == yjsStep2 {
		c.steps2++
	}
	if m.brings() && (len(ranges) > 0 || c.grown.at.IsZero()) {
		c.grown = arrival{at, bytes}
	}
	if m.brings() {
		c.saved = max(c.saved, len(m.payload))
	}
	for _, r := range ranges {
		c.state[r.client] = max(c.state[r.client], r.to)
		if r.client == c.id && !c.framing.hocuspocus {
			c.storedLocked(r.to, at) // each client gets its own updates back
		}
	}
	if m.kind == yjsSyncStatus && len(c.owed) > 0 {
		clock := c.owed[0]
		c.owed = c.owed[1:]
		c.storedLocked(clock, at)
	}
}

// storedLocked notes that the server has all up to a clock.
func (c *yjsClient) storedLocked(clock uint64, at time.Time) {
	c.stored = max(c.stored, clock)
	if c.writer == nil || c.journal == nil {
		return
	}
	for _, last := c.writer.within(yjsSpan{0, c.stored}); c.told+1 < last; {
		c.told++
		c.journal.stored(c.writer.actor, c.told, at)
	}
}

// foreign returns the ranges of others.
func (c *yjsClient) foreign(ranges []yjsRange) []yjsRange {
	var others []yjsRange
	for _, r := range ranges {
		if r.client != c.id {
			others = append(others, r)
		}
	}
	return others
}

// edit implements editor: n characters of one item, an edit each.
func (c *yjsClient) edit(ctx context.Context, n int) error {
	const letters = "the quick brown fox jumps over the lazy dog "
	c.mu.Lock()
	defer c.mu.Unlock()
	start := int(c.clock % uint64(len(letters)))
	return c.insertLocked(ctx, strings.Repeat(letters, 1+(start+n)/len(letters))[start:start+n], n)
}

// insert implements editor.
func (c *yjsClient) insert(ctx context.Context, s string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.insertLocked(ctx, s, 1)
}

// insertLocked puts characters behind the one typed last, at first at the
// beginning of the first text. They are so many edits: one, or one each.
func (c *yjsClient) insertLocked(ctx context.Context, s string, edits int) error {
	if c.writer == nil {
		c.writer = c.y.writer(c.id)
	}
	at := time.Now()
	u := yjsUpdate{client: c.id, clock: c.clock}
	u.insert(yjsID{yjsSeeder, 0}, c.last, c.y.of(c.framing.doc).head, s)
	for i := range edits {
		seq := c.writer.edited(c.clock + u.made - uint64(edits-1-i))
		if c.journal != nil {
			c.journal.edited(c.writer.actor, seq, at)
		}
	}
	return c.sendUpdateLocked(ctx, &u)
}

// sendUpdateLocked sends an update of the client's own.
func (c *yjsClient) sendUpdateLocked(ctx context.Context, u *yjsUpdate) error {
	if u.made > 0 {
		c.clock = u.clock + u.made
		c.last = &yjsID{u.client, c.clock - 1}
	}
	if c.framing.hocuspocus {
		c.owed = append(c.owed, c.clock)
	}
	return c.send(ctx, c.framing.sync(yjsUpdateStep, u.encode()))
}

// ready implements editor. Hocuspocus acknowledges updates; from y-websocket
// they come back.
func (c *yjsClient) ready(ctx context.Context) error {
	return c.wait(ctx, "the server's acknowledgement", func() bool { return c.stored == c.clock })
}

// wait returns when cond, which is called with the client locked, holds.
func (c *yjsClient) wait(ctx context.Context, what string, cond func() bool) error {
	for {
		c.mu.Lock()
		ok, moved := cond(), c.moved
		c.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-moved:
		case <-c.done:
			return fmt.Errorf("wait for %s: connection ended: %w", what, c.failure())
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", what, context.Cause(ctx))
		}
	}
}

// failure returns why the connection ended; nil while it lasts.
func (c *yjsClient) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// close implements editor.
func (c *yjsClient) close() error {
	err := c.failure()
	_ = c.conn.Close(websocket.StatusNormalClosure, "") // gone already
	<-c.done
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
