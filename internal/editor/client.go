package editor

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"

	"github.com/coder/websocket"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/wire"
)

// maxFrameBytes is the largest frame a client takes from a server.
const maxFrameBytes = 256 << 20

// Config says where a client connects and as whom.
type Config struct {
	// URL is the server's sync address, ws://host:port/sync.
	URL string
	// PeerID is told to the server; default random.
	PeerID string
	// OnError, when not nil, is called with each error frame of the server.
	OnError func(message string)
}

// Client is one automerge-repo peer.
type Client struct {
	cfg Config

	mu     sync.Mutex
	conn   *websocket.Conn // nil while offline
	server wire.Peer       // the server as it answered our join
	gone   chan struct{}   // closed when the connection has ended
	docs   map[kaijutsu.DocumentID]*Document
}

// Dial connects, joins and starts to read.
func Dial(ctx context.Context, cfg Config) (*Client, error) {
	if cfg.PeerID == "" {
		var b [6]byte
		rand.Read(b[:])
		cfg.PeerID = "editor-" + hex.EncodeToString(b[:])
	}
	c := &Client{cfg: cfg, docs: make(map[kaijutsu.DocumentID]*Document)}
	if err := c.Connect(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// PeerID returns the client's id.
func (c *Client) PeerID() string { return c.cfg.PeerID }

// Server returns what the server said of itself at the last join.
func (c *Client) Server() wire.Peer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server
}

// Connect makes a new connection, after the first or in place of a broken one,
// and announces every open document on it with a fresh sync state.
func (c *Client) Connect(ctx context.Context) error {
	conn, _, err := websocket.Dial(ctx, c.cfg.URL, nil)
	if err != nil {
		return fmt.Errorf("connect to %s: %w", c.cfg.URL, err)
	}
	conn.SetReadLimit(maxFrameBytes)
	server, err := join(ctx, conn, c.cfg.PeerID)
	if err != nil {
		_ = conn.CloseNow()
		return fmt.Errorf("join %s: %w", c.cfg.URL, err)
	}
	gone := make(chan struct{})
	c.mu.Lock()
	c.conn, c.server, c.gone = conn, server, gone
	docs := make([]*Document, 0, len(c.docs))
	for _, d := range c.docs {
		docs = append(docs, d)
	}
	c.mu.Unlock()
	go c.read(conn, gone)
	for _, d := range docs {
		d.announce(ctx)
	}
	return nil
}

func join(ctx context.Context, conn *websocket.Conn, peerID string) (wire.Peer, error) {
	frame := wire.Encode(wire.Join{SenderID: peerID, Metadata: wire.Metadata{Ephemeral: true}, Versions: []string{wire.Version}})
	if err := conn.Write(ctx, websocket.MessageBinary, frame); err != nil {
		return wire.Peer{}, err
	}
	_, frame, err := conn.Read(ctx)
	if err != nil {
		return wire.Peer{}, err
	}
	m, err := wire.Decode(frame)
	if err != nil {
		return wire.Peer{}, err
	}
	switch m := m.(type) {
	case wire.Peer:
		return m, nil
	case wire.Error:
		return wire.Peer{}, fmt.Errorf("server refuses: %s: %w", m.Message, kaijutsu.ErrDenied)
	}
	return wire.Peer{}, fmt.Errorf("server answered with %q: %w", m.Type(), kaijutsu.ErrInvalid)
}

// Gone is closed when the current connection has ended.
func (c *Client) Gone() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gone
}

// Disconnect goes offline without a word, as a lost network does.
func (c *Client) Disconnect() {
	c.mu.Lock()
	conn, gone := c.conn, c.gone
	c.conn = nil
	c.mu.Unlock()
	if conn != nil {
		_ = conn.CloseNow()
		<-gone
	}
}

// Close ends the connection in order and waits for the reader.
func (c *Client) Close() error {
	c.mu.Lock()
	conn, gone := c.conn, c.gone
	c.conn = nil
	c.mu.Unlock()
	if conn == nil {
		return nil
	}
	err := conn.Close(websocket.StatusNormalClosure, "")
	<-gone
	var closed websocket.CloseError
	if errors.As(err, &closed) {
		return nil
	}
	return err
}

// read takes frames until the connection ends.
func (c *Client) read(conn *websocket.Conn, gone chan struct{}) {
	defer close(gone)
	ctx := context.Background()
	for {
		_, frame, err := conn.Read(ctx)
		if err != nil {
			c.mu.Lock()
			if c.conn == conn {
				c.conn = nil
			}
			c.mu.Unlock()
			return
		}
		m, err := wire.Decode(frame)
		if err != nil {
			c.fail(fmt.Errorf("frame from the server: %w", err))
			continue
		}
		c.take(ctx, m)
	}
}

func (c *Client) take(ctx context.Context, m wire.Message) {
	switch m := m.(type) {
	case wire.Sync:
		d := c.document(m.DocumentID)
		if d == nil {
			return
		}
		if err := d.receive(ctx, m.Data); err != nil {
			c.fail(err)
		}
	case wire.DocUnavailable:
		if d := c.document(m.DocumentID); d != nil {
			d.setUnavailable()
		}
	case wire.Error:
		c.fail(errors.New(m.Message))
	}
}

func (c *Client) fail(err error) {
	if c.cfg.OnError != nil {
		c.cfg.OnError(err.Error())
	}
}

func (c *Client) document(text string) *Document {
	id, err := kaijutsu.ParseDocumentID(text)
	if err != nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.docs[id]
}

// Open opens a document and, when online, asks the server for it.
func (c *Client) Open(ctx context.Context, id kaijutsu.DocumentID) *Document {
	c.mu.Lock()
	d := c.docs[id]
	if d == nil {
		d = newDocument(c, id)
		c.docs[id] = d
	}
	c.mu.Unlock()
	d.announce(ctx)
	return d
}

// write sends a sync message of a document; offline it does nothing, for the
// next connection starts anew.
func (c *Client) write(ctx context.Context, id kaijutsu.DocumentID, data []byte, request bool) {
	c.mu.Lock()
	conn, server := c.conn, c.server
	c.mu.Unlock()
	if conn == nil {
		return
	}
	var m wire.Message = wire.Sync{SenderID: c.cfg.PeerID, TargetID: server.SenderID, DocumentID: id.String(), Data: data}
	if request {
		m = wire.Request{SenderID: c.cfg.PeerID, TargetID: server.SenderID, DocumentID: id.String(), Data: data}
	}
	if err := conn.Write(ctx, websocket.MessageBinary, wire.Encode(m)); err != nil {
		_ = conn.CloseNow() // the reader sees it and goes offline
	}
}

// DecodeMessage decodes a sync message and the changes in it, as a client does
// that trusts its server: entries of a message of version 2 may be document
// chunks, alone or with change chunks behind.
func DecodeMessage(data []byte) (*amfile.SyncMessage, []*amfile.Change, error) {
	m, err := amfile.DecodeSync(data)
	if err != nil {
		return nil, nil, fmt.Errorf("sync message from the server: %w", err)
	}
	var changes []*amfile.Change
	for _, entry := range m.Changes {
		chunks, err := amfile.SplitChunks(entry)
		if err != nil {
			return nil, nil, fmt.Errorf("changes from the server: %w", err)
		}
		for _, chunk := range chunks {
			if changes, err = appendChanges(changes, chunk); err != nil {
				return nil, nil, fmt.Errorf("changes from the server: %w", err)
			}
		}
	}
	return m, changes, nil
}

func appendChanges(changes []*amfile.Change, chunk amfile.Chunk) ([]*amfile.Change, error) {
	if chunk.Type == amfile.ChunkDocument {
		more, err := amfile.DecodeDocument(chunk.Raw)
		return append(changes, more...), err
	}
	c, err := amfile.DecodeChange(chunk.Raw)
	return append(changes, c), err
}
