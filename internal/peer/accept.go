package peer

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/coder/websocket"

	"kaijutsu"
)

// bufferBytes is the size of a connection's read and write buffers. Larger
// frames pass them by.
const bufferBytes = 1 << 10

// controlBytes is room for a control frame, the only ones that the WebSocket
// library writes.
const controlBytes = 128

// Serve takes over the request as an editor's connection that acts as the
// principal by. It returns at once; the connection is the Hub's from then on.
// Who may connect, and from which page, was decided by the caller.
func (h *Hub) Serve(w http.ResponseWriter, r *http.Request, by kaijutsu.Principal) {
	if by.IsZero() {
		h.Refuse(w, r, fmt.Errorf("connection without a principal: %w", kaijutsu.ErrDenied))
		return
	}
	h.accept(w, r, by, nil, nil)
}

// ServeWithin is Serve for a connection whose principal has less of its rights
// there: within says how much of a right to a document is left. It is asked for
// every message and must be cheap.
func (h *Hub) ServeWithin(w http.ResponseWriter, r *http.Request, by kaijutsu.Principal, within func(kaijutsu.DocumentID, kaijutsu.Right) kaijutsu.Right) {
	if by.IsZero() || within == nil {
		h.Serve(w, r, by)
		return
	}
	h.accept(w, r, by, within, nil)
}

// Refuse takes over the request only to tell the editor why it is not served,
// in an error frame. Stock clients do not survive a refused upgrade.
func (h *Hub) Refuse(w http.ResponseWriter, r *http.Request, reason error) {
	h.accept(w, r, kaijutsu.Principal{}, nil, reason)
}

func (h *Hub) accept(w http.ResponseWriter, r *http.Request, by kaijutsu.Principal, within func(kaijutsu.DocumentID, kaijutsu.Right) kaijutsu.Right, refusal error) {
	u := &upgrade{ResponseWriter: w, hub: h, by: by}
	ws, err := websocket.Accept(u, r, &websocket.AcceptOptions{
		InsecureSkipVerify:   true, // the caller has checked the origin
		CompressionMode:      websocket.CompressionNoContextTakeover,
		CompressionThreshold: h.cfg.Limits.CompressAbove,
		OnPingReceived:       func(context.Context, []byte) bool { return u.conn.pinged() },
	})
	if err != nil {
		h.log.Debug("request is no websocket", "err", err) // Accept has answered it
		return
	}
	u.ResponseWriter = nil // it would keep the request and its buffers as long as the connection
	ws.SetReadLimit(-1)    // the read loop has its own
	c := u.conn
	c.ws, c.refusal, c.within = ws, refusal, within
	if e := h.add(c); e != nil {
		c.sock.finishWithin(h.cfg.Timing.Close)
		c.close(e)
	}
}

// upgrade hands the WebSocket a connection that we watch, with small buffers:
// the HTTP server's would stay with every idle connection.
type upgrade struct {
	http.ResponseWriter
	hub  *Hub
	by   kaijutsu.Principal
	conn *conn
}

// Hijack takes over the connection below the request.
func (u *upgrade) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	nc, rw, err := http.NewResponseController(u.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	sock := newSocket(nc, u.hub.since, u.hub.cfg.Timing.Write)
	u.conn = newConn(u.hub, sock, u.by)
	u.conn.visitor = u.hub.cfg.Door.Visitor(u.conn.remote)
	sock.toll = u.conn.toll
	u.conn.deflates = u.Header().Get("Sec-WebSocket-Extensions") != "" // only one is ever agreed on
	early, err := rw.Reader.Peek(rw.Reader.Buffered())                 // what came behind the request
	if err != nil {
		return nil, nil, err
	}
	in := bufio.NewReaderSize(sock, bufferBytes)
	if len(early) > 0 {
		in = bufio.NewReaderSize(io.MultiReader(bytes.NewReader(early), sock), max(bufferBytes, len(early)))
		if _, err := in.Peek(len(early)); err != nil {
			return nil, nil, err
		}
	}
	u.conn.in = in
	return sock, bufio.NewReadWriter(in, bufio.NewWriterSize(sock, controlBytes)), nil
}
