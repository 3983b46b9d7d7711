package peer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"kaijutsu"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/wire"
)

// outbox is what a connection has to write. All of it is bounded: control
// frames by making the read loop wait, documents by how many are open,
// ephemeral messages by dropping the oldest, heads by keeping the latest only.
type outbox struct {
	control    [][]byte
	dirty      []*document
	ephemerals ephemeralQueue
	heads      headsQueue
	turn       int  // which of the last three had the last turn
	writing    bool // the write loop runs
}

// job is one thing to write; one field is set.
type job struct {
	rest      []byte // of a frame that has the socket's turn
	frame     []byte
	doc       *document
	said      *repo.Outgoing // of doc; nil: it is to be pulled
	ephemeral *wire.Ephemeral
	heads     *wire.HeadsChanged
	end       *ending
}

// buffers are for frames while they are written.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxPooledBytes keeps large buffers from being kept.
const maxPooledBytes = 256 << 10

// write is the write loop from where it has to wait: it does a job and then what
// else there is to write, one thing at a time, and ends when there is nothing.
func (c *conn) write(j job) {
	defer c.rescue()
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	for more := true; more; j, more = c.nextJob() {
		if err := c.do(j, buf); err != nil {
			c.writeFailed(err)
			return // and writing stays set: nothing is written any more
		}
		if cap(*buf) > maxPooledBytes {
			*buf = nil
		}
	}
}

// writeFailed cuts a connection that cannot be written to.
func (c *conn) writeFailed(err error) {
	if errors.Is(err, os.ErrDeadlineExceeded) && !c.ended() {
		c.hub.count.timedOut.Add(1)
		c.hub.lines.info("connection cut, peer does not read", "peer", c.peerID(), "principal", c.by, "err", err)
	}
	c.cut()
}

// nextJob takes the next thing to write: control frames first, then a
// document, an ephemeral message and heads in turn, so that none of them
// starves. It reports false, and the loop has ended, when there is nothing.
func (c *conn) nextJob() (job, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := &c.out
	if len(out.control) > 0 {
		frame := out.control[0]
		if out.control = out.control[1:]; len(out.control) == 0 {
			out.control = nil
		}
		c.room.Signal()
		return job{frame: frame}, true
	}
	if c.ending != nil {
		return job{end: c.ending}, true
	}
	for range 3 {
		out.turn = (out.turn + 1) % 3
		switch {
		case out.turn == 0 && len(out.dirty) > 0:
			d := out.dirty[0]
			if out.dirty = out.dirty[1:]; len(out.dirty) == 0 {
				out.dirty = nil
			}
			return job{doc: d, said: d.takeLocked()}, true
		case out.turn == 1 && out.ephemerals.len() > 0 && c.showsLocked():
			m := out.ephemerals.pop()
			return job{ephemeral: &m}, true
		case out.turn == 2 && out.heads.len() > 0:
			m := out.heads.pop()
			return job{heads: &m}, true
		}
	}
	out.writing = false
	return job{}, false
}

// do writes one thing.
func (c *conn) do(j job, buf *[]byte) error {
	switch {
	case j.rest != nil:
		defer c.sock.release()
		defer func() { c.pace.end(c.hub.since()) }()
		return c.sock.sendRest(j.rest, nil)
	case j.frame != nil:
		return c.writeFrame(c.rawFrame(buf, j.frame), nil)
	case j.doc != nil:
		if j.said != nil {
			return c.say(j.doc, *j.said, buf)
		}
		return c.pull(j.doc, buf)
	case j.ephemeral != nil || j.heads != nil:
		return c.writeMessage(c.messageOf(j), buf)
	}
	c.close(j.end)
	return errEnded
}

var errEnded = fmt.Errorf("connection closed: %w", kaijutsu.ErrUnavailable)

// close makes the closing handshake. The read loop, which goes on, reads the
// peer's part of it.
func (c *conn) close(e *ending) { _ = c.ws.Close(e.code, e.reason) }

// pull asks a document's session what there is to say now, and says it.
func (c *conn) pull(d *document, buf *[]byte) error {
	c.mu.Lock()
	session := d.session
	c.mu.Unlock()
	if session == nil {
		return nil
	}
	out, err := session.Pull(context.Background()) // ends when the owner answers, or has ended
	if err != nil {
		c.lost(d, err)
		return nil
	}
	return c.say(d, out, buf)
}

// say says what a document's session has to say.
func (c *conn) say(d *document, out repo.Outgoing, buf *[]byte) error {
	if err := c.writeDenied(d, out, buf); err != nil {
		return err
	}
	if out.Ended != nil {
		c.endDocument(d, out.Ended)
		return nil
	}
	if len(out.Refused) > 0 {
		c.refusedBy(d, out.Refused)
		return nil
	}
	if out.Unavailable {
		if err := c.writeMessage(wire.DocUnavailable{SenderID: c.hub.cfg.PeerID, TargetID: c.peerID(), DocumentID: d.name}, buf); err != nil {
			return err
		}
	}
	if out.Sync != nil {
		if err := c.writeMessage(c.syncMessage(d, out.Sync), buf); err != nil {
			return err
		}
	}
	c.noted(d, out)
	return nil
}

func (c *conn) syncMessage(d *document, data []byte) wire.Message {
	return wire.Sync{SenderID: c.hub.cfg.PeerID, TargetID: c.peerID(), DocumentID: d.name, Data: data}
}

// noted notes the heads that a session says are on disk.
func (c *conn) noted(d *document, out repo.Outgoing) {
	if len(out.Heads) > 0 {
		c.noteHeads(d, out.Heads, millis(out.HeadsAt))
	}
}

// writeDenied tells the peer which changes of it were not taken, and why.
func (c *conn) writeDenied(d *document, out repo.Outgoing, buf *[]byte) error {
	for i, err := range out.Denied {
		c.hub.count.denied.Add(1)
		c.refused(d, err)
		c.hub.lines.info("change refused", "peer", c.peerID(), "principal", c.by, "document", d.name, "err", err)
		text := fmt.Sprintf("document %s: %s", d.name, tell(err))
		if i == len(out.Denied)-1 && out.MoreDenied > 0 {
			text += fmt.Sprintf(" (and %d more)", out.MoreDenied)
			c.hub.count.denied.Add(int64(out.MoreDenied))
		}
		if err := c.writeFrame(c.rawFrame(buf, c.errorFrame(text)), nil); err != nil {
			return err
		}
	}
	return nil
}

func (c *conn) writeMessage(m wire.Message, buf *[]byte) error {
	return c.writeFrame(c.appendFrame(buf, m))
}

func (c *conn) writeFrame(head, shared []byte) error {
	c.hub.count.framesOut.Add(1)
	c.pace.begin(c.hub.since(), len(head)+len(shared))
	defer func() { c.pace.end(c.hub.since()) }()
	return c.sock.send(head, shared)
}
