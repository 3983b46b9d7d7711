package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/wire"
)

// relay is the least that a server of automerge clients can be: it answers the
// join, keeps nothing, checks nothing, and hands each sync message that has
// changes to the other connections of its document, as it is, in one order. What
// it takes is what sockets and the load generator take.
type relay struct {
	mu   sync.Mutex
	docs map[string]*relayed
}

// relayed is one document: whoever has said something about it.
type relayed struct {
	mu    sync.Mutex // held while a message is handed out
	conns []*relayConn
}

// relayConn is one connection. Each has a goroutine, which reads and hands out.
type relayConn struct {
	net.Conn
	in map[*relayed]bool
}

// ServeRelay runs a relay on a free port of the loopback until ctx ends, and says
// where it listens as kj serve does.
func ServeRelay(ctx context.Context, out io.Writer) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	r := &relay{docs: make(map[string]*relayed)}
	s := &http.Server{Handler: http.HandlerFunc(r.accept)}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	fmt.Fprintf(out, "listening on http://%s\n", l.Addr())
	if err := s.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}

// accept upgrades a connection and stays with it.
func (r *relay) accept(w http.ResponseWriter, req *http.Request) {
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer conn.Close()
	if _, err := fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n", acceptKey(req.Header.Get("Sec-WebSocket-Key"))); err != nil {
		return
	}
	c := &relayConn{Conn: conn, in: make(map[*relayed]bool)}
	defer c.leave()
	_ = r.serve(c, rw.Reader) // how it ends is the client's business
}

func (r *relay) serve(c *relayConn, from *bufio.Reader) error {
	buffer := make([]byte, 8<<10)
	var p frameParser
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return err
		}
		err = p.feed(buffer[:n], func(op byte, message []byte, _ int) error {
			switch op {
			case opBinary:
				return r.take(c, message)
			case opPing:
				_, err := c.Write(appendFrame(nil, opPong, message, false))
				return err
			case opClose:
				return io.EOF
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}

// take answers a join and hands out a sync message.
func (r *relay) take(c *relayConn, frame []byte) error {
	m, err := wire.Decode(frame)
	if err != nil {
		return err
	}
	switch m := m.(type) {
	case wire.Join:
		_, err := c.Write(appendFrame(nil, opBinary, wire.Encode(wire.Peer{SenderID: "relay", TargetID: m.SenderID, Version: wire.Version}), false))
		return err
	case wire.Sync:
		d := r.document(m.DocumentID)
		s, err := amfile.DecodeSync(m.Data)
		if err != nil {
			return err
		}
		d.handOut(c, frame, len(s.Changes) > 0)
	case wire.Request:
		return fmt.Errorf("a relay has no documents: %w", kaijutsu.ErrNotFound)
	}
	return nil
}

func (r *relay) document(id string) *relayed {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := r.docs[id]
	if d == nil {
		d = &relayed{}
		r.docs[id] = d
	}
	return d
}

// handOut adds whoever speaks to the document, which hears its own first message,
// and gives what it said to the others, if there is something in it.
func (d *relayed) handOut(from *relayConn, frame []byte, changes bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := appendFrame(nil, opBinary, frame, false)
	if !from.in[d] {
		from.in[d] = true
		d.conns = append(d.conns, from)
		_, _ = from.Write(out) // so that it knows
	}
	if !changes {
		return
	}
	for _, c := range d.conns {
		if c != from {
			_, _ = c.Write(out) // its own goroutine finds out that it is gone
		}
	}
}

// leave takes the connection out of its documents.
func (c *relayConn) leave() {
	for d := range c.in {
		d.mu.Lock()
		for i, other := range d.conns {
			if other == c {
				d.conns = append(d.conns[:i], d.conns[i+1:]...)
				break
			}
		}
		d.mu.Unlock()
	}
}
