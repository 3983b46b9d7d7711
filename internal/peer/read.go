package peer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/coder/websocket"

	"kaijutsu"
)

const (
	scratchBytes    = 16 << 10
	largeFrameBytes = 1 << 20 // from here on a frame counts as pending
	// maxRatio is how many times its size on the wire a frame of more than
	// bombBytes may have. Changes hold hashes and come to 3 or 4; one character,
	// pasted a million times, comes to a thousand.
	maxRatio  = 200
	bombBytes = 8 << 20
)

// scratch holds frames while they are read: most fit, and are then copied
// into a slice of their size. An idle connection has none.
var scratch = sync.Pool{New: func() any { return new([scratchBytes]byte) }}

// next returns the next binary frame. It returns nil without an error for a
// frame that is not to be looked at: the connection is closing and what still
// comes is thrown away, so that the peer gets to read why.
func (c *conn) next() ([]byte, error) {
	c.await()
	kind, r, err := c.ws.Reader(context.Background()) // ended by closing the socket
	if err != nil {
		return nil, err
	}
	c.hub.count.framesIn.Add(1)
	if kind != websocket.MessageBinary && !c.ended() {
		c.fail(websocket.StatusUnsupportedData, fmt.Errorf("text frame, want binary: %w", kaijutsu.ErrInvalid))
	}
	if c.ended() {
		_, err := io.Copy(io.Discard, r)
		return nil, err
	}
	frame, err := c.readFrame(r)
	switch {
	case errors.Is(err, kaijutsu.ErrTooLarge):
		c.fail(websocket.StatusMessageTooBig, err)
	case errors.Is(err, kaijutsu.ErrUnavailable):
		c.fail(websocket.StatusTryAgainLater, err)
	case err != nil:
		return nil, err
	default:
		if c.who.Load() != nil {
			c.visitor.Clear()
		}
		return frame, nil
	}
	_, err = io.Copy(io.Discard, r)
	return nil, err
}

// readFrame reads a frame into a slice of its own, which nobody writes to
// afterwards. Its error wraps kaijutsu.ErrTooLarge when the frame is, and
// kaijutsu.ErrUnavailable when there is no memory for it now.
func (c *conn) readFrame(r io.Reader) ([]byte, error) {
	limit := c.hub.cfg.Limits.JoinBytes
	if c.who.Load() != nil {
		limit = c.hub.cfg.Limits.FrameBytes
	}
	size := 0
	defer func() { c.payFrame(size) }()
	first := scratch.Get().(*[scratchBytes]byte)
	defer scratch.Put(first)
	pending := int64(0)
	defer func() { c.hub.pending.Add(-pending) }()
	buf, began := first[:0], c.sock.got.Load()
	for {
		if len(buf) == cap(buf) {
			c.payBytes(len(buf))
			if c.pause(); c.ended() {
				return nil, errEnded
			}
			grown := int64(min(2*cap(buf), limit+1))
			if grown > largeFrameBytes {
				if packed := c.sock.got.Load() - began + bufferBytes; grown > bombBytes && int64(len(buf)) > maxRatio*packed {
					return nil, fmt.Errorf("%d bytes were compressed to less than a %dth: %w", len(buf), maxRatio, kaijutsu.ErrTooLarge)
				}
				delta := grown - pending
				pending = grown
				if c.hub.pending.Add(delta) > c.hub.cfg.Limits.PendingBytes {
					return nil, fmt.Errorf("too many large frames at once: %w", kaijutsu.ErrUnavailable)
				}
			}
			buf = append(make([]byte, 0, grown), buf...)
		}
		n, err := r.Read(buf[len(buf):min(cap(buf), limit+1, len(buf)+scratchBytes)]) // which waits until it is full
		buf = buf[:len(buf)+n]
		size = len(buf)
		c.meter.useful(n)
		switch {
		case len(buf) > limit:
			return nil, fmt.Errorf("frame of more than %d bytes: %w", limit, kaijutsu.ErrTooLarge)
		case err == io.EOF && cap(buf) == scratchBytes:
			return slices.Clone(buf), nil
		case err == io.EOF:
			return buf, nil
		case err != nil:
			return nil, err
		}
	}
}
