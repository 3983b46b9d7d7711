package bench

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"kaijutsu"
	"kaijutsu/internal/wire"
)

const (
	maxFrameBytes = 256 << 20
	// compressAbove is the size in bytes from which the stock Node client
	// compresses what it sends, where the server agreed to that.
	compressAbove = 1024
)

// peer is one raw client of a server: a connection that has joined, and what
// it has open. It is safe for concurrent use.
type peer struct {
	id     string // its peer id
	server string // the server's
	conn   *websocket.Conn
	dialer *net.Dialer
	read   *atomic.Int64 // bytes that came over the network
	done   chan struct{} // closed when the reader has returned

	mu   sync.Mutex
	docs map[string]receiver // guarded by mu, by document id
	err  error               // guarded by mu: why the reader returned
}

// receiver takes the sync messages of one document. Data is not to be kept.
type receiver interface {
	receive(ctx context.Context, data []byte, at time.Time) error
	// unavailable is called when the server says it does not have the document.
	unavailable()
}

// dial connects as stock clients do, offering compression, joins, and starts
// to read. The connection ends with ctx.
func dial(ctx context.Context, url string) (*peer, error) { return dialBy(ctx, url, new(net.Dialer)) }

// dialBy is dial with a dialer of the caller's.
func dialBy(ctx context.Context, url string, dialer *net.Dialer) (*peer, error) {
	var name [6]byte
	rand.Read(name[:])
	p := &peer{id: "bench-" + hex.EncodeToString(name[:]), read: new(atomic.Int64), done: make(chan struct{}), docs: make(map[string]receiver), dialer: dialer}
	transport := &http.Transport{DialContext: p.dialCounted}
	conn, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{
		HTTPClient:           &http.Client{Transport: transport},
		CompressionMode:      websocket.CompressionNoContextTakeover,
		CompressionThreshold: compressAbove,
	})
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", url, err)
	}
	conn.SetReadLimit(maxFrameBytes)
	p.conn = conn
	if err := p.join(ctx); err != nil {
		_ = conn.CloseNow()
		return nil, fmt.Errorf("join %s: %w", url, err)
	}
	go p.readAll(ctx)
	return p, nil
}

// dialCounted makes a connection that counts what it reads.
func (p *peer) dialCounted(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := p.dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return countingConn{conn, p.read}, nil
}

type countingConn struct {
	net.Conn
	read *atomic.Int64
}

func (c countingConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.read.Add(int64(n))
	return n, err
}

func (p *peer) join(ctx context.Context) error {
	hello := wire.Join{SenderID: p.id, Metadata: wire.Metadata{Ephemeral: true}, Versions: []string{wire.Version}}
	if err := p.conn.Write(ctx, websocket.MessageBinary, wire.Encode(hello)); err != nil {
		return err
	}
	_, frame, err := p.conn.Read(ctx)
	if err != nil {
		return err
	}
	m, err := wire.Decode(frame)
	if err != nil {
		return err
	}
	answer, ok := m.(wire.Peer)
	if !ok {
		return fmt.Errorf("server answered with %q: %w", m.Type(), kaijutsu.ErrInvalid)
	}
	p.server = answer.SenderID
	return nil
}

// open makes r the receiver of a document's messages.
func (p *peer) open(doc string, r receiver) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.docs[doc] = r
}

// request asks for a document that this peer does not have.
func (p *peer) request(ctx context.Context, doc string, data []byte) error {
	return p.write(ctx, wire.Request{SenderID: p.id, TargetID: p.server, DocumentID: doc, Data: data})
}

// sync sends a sync message of a document.
func (p *peer) sync(ctx context.Context, doc string, data []byte) error {
	return p.write(ctx, wire.Sync{SenderID: p.id, TargetID: p.server, DocumentID: doc, Data: data})
}

func (p *peer) write(ctx context.Context, m wire.Message) error {
	err := p.conn.Write(ctx, websocket.MessageBinary, wire.Encode(m))
	if err == nil {
		return nil
	}
	if why := p.failure(); why != nil { // the reader knows more
		err = why
	}
	return fmt.Errorf("send %s: %w", m.Type(), err)
}

// readAll gives each frame to the document it is of, until the connection ends.
func (p *peer) readAll(ctx context.Context) {
	defer close(p.done)
	for {
		_, frame, err := p.conn.Read(ctx)
		at := time.Now()
		if err == nil {
			err = p.take(ctx, frame, at)
		}
		if err != nil {
			p.mu.Lock()
			p.err = err // before the connection is closed: see write
			p.mu.Unlock()
			_ = p.conn.CloseNow()
			return
		}
	}
}

func (p *peer) take(ctx context.Context, frame []byte, at time.Time) error {
	m, err := wire.Decode(frame)
	if err != nil {
		return fmt.Errorf("frame from the server: %w", err)
	}
	switch m := m.(type) {
	case wire.Sync:
		if r := p.receiver(m.DocumentID); r != nil {
			return r.receive(ctx, m.Data, at)
		}
	case wire.DocUnavailable:
		if r := p.receiver(m.DocumentID); r != nil {
			r.unavailable()
		}
	case wire.Error:
		return fmt.Errorf("server says %q: %w", m.Message, kaijutsu.ErrInvalid)
	}
	return nil
}

func (p *peer) receiver(doc string) receiver {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.docs[doc]
}

// failure returns why the connection ended; nil while it lasts.
func (p *peer) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// close ends the connection and waits for the reader. It returns the failure
// that had ended the connection before, if one had.
func (p *peer) close() error {
	err := p.failure()
	_ = p.conn.Close(websocket.StatusNormalClosure, "") // gone already
	<-p.done
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
