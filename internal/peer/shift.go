package peer

import (
	"runtime"
	"slices"
	"sync"

	"kaijutsu/internal/guard"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/wire"
)

// shiftJobs is how many things are written to one connection before it is the
// turn of the others.
const shiftJobs = 8

// shift writes to connections what can be written without waiting for anybody,
// with a worker for each processor while there is something to write: an edit that
// a thousand peers are to see wakes no thousand goroutines. What has to wait, for
// a peer that reads slowly or for a document, goes on in a goroutine of its
// connection. The zero value is idle.
type shift struct {
	mu      sync.Mutex
	queue   []*conn // guarded by mu
	done    int     // guarded by mu: how many at the front of the queue were taken
	workers int     // guarded by mu

	calm chan struct{} // guarded by mu: closed when those who give way go on; nil: nobody does
	left int           // guarded by mu: how many connections are written to until then, at most
}

// crowd is how many connections that wait to be written to are worth giving way.
const crowd = 64

// giveWay waits until a crowd has been written to. What many readers answer to an
// edit is read when all of them have it: half of them would else wait for the
// answers of the others. It waits for no more than are in the queue now.
func (s *shift) giveWay(over <-chan struct{}) {
	s.mu.Lock()
	waiting := len(s.queue) - s.done
	if waiting < crowd {
		s.mu.Unlock()
		return
	}
	if s.calm == nil {
		s.calm, s.left = make(chan struct{}), waiting
	}
	calm := s.calm
	s.mu.Unlock()
	select {
	case <-calm:
	case <-over:
	}
}

// tookLocked notes that a connection was taken from the queue, or that none was
// left; s.mu is held.
func (s *shift) tookLocked() {
	if s.left--; s.calm != nil && (s.left <= 0 || s.done == len(s.queue)) {
		close(s.calm)
		s.calm = nil
	}
}

// wakeLocked has what is in the outbox written, unless that is under way; c.mu is
// held.
func (c *conn) wakeLocked() {
	if c.out.writing || c.gone {
		return
	}
	c.out.writing = true
	c.hub.line(c)
}

// line puts a connection into the queue.
func (h *Hub) line(c *conn) {
	s := &h.shift
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, c)
	if s.workers < runtime.GOMAXPROCS(0) {
		s.workers++
		h.running.Go(guard.Func(h.log, "writer", h.work))
	}
}

// work is a worker.
func (h *Hub) work() {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	for c := h.shift.next(); c != nil; c = h.shift.next() {
		c.hasten(buf)
	}
}

// next returns the connection whose turn it is; nil when there is none, and the
// worker ends.
func (s *shift) next() *conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done == len(s.queue) {
		s.tookLocked()
		s.queue, s.done = s.queue[:0], 0
		if cap(s.queue) > maxQueue {
			s.queue = nil
		}
		s.workers--
		return nil
	}
	c := s.queue[s.done]
	s.queue[s.done] = nil
	s.done++
	s.tookLocked()
	if s.done == cap(s.queue) || s.done > maxQueue && 2*s.done > len(s.queue) {
		n := copy(s.queue, s.queue[s.done:])
		clear(s.queue[n:])
		s.queue, s.done = s.queue[:n], 0
	}
	return c
}

// maxQueue is the room that a queue keeps when it is empty.
const maxQueue = 1 << 10

// hasten writes a few things, as far as they can be without waiting.
func (c *conn) hasten(buf *[]byte) {
	defer c.rescue()
	for range shiftJobs {
		j, more := c.nextJob()
		if !more {
			return
		}
		if rest, done := c.prompt(j, buf); !done {
			c.hub.running.Go(func() { c.write(rest) })
			return
		}
	}
	c.hub.line(c)
}

// prompt does a job that takes one small frame. It reports false, and what is
// still to be done, when the job is another, or the peer does not take all of it
// now.
func (c *conn) prompt(j job, buf *[]byte) (rest job, done bool) {
	var frame, shared []byte
	switch m := c.messageOf(j); {
	case j.frame != nil:
		frame = c.rawFrame(buf, j.frame)
	case m != nil:
		frame, shared = c.appendFrame(buf, m)
	case j.said == nil || !plain(*j.said):
		return j, false
	}
	if shared != nil {
		return j, false
	}
	if frame != nil {
		c.pace.begin(c.hub.since(), len(frame))
		left, ok := c.sock.try(frame)
		if !ok {
			return j, false
		}
		c.hub.count.framesOut.Add(1)
		if len(left) > 0 {
			rest = job{rest: slices.Clone(left)}
		} else {
			c.pace.end(c.hub.since())
		}
	}
	if j.said != nil {
		c.noted(j.doc, *j.said)
	}
	if c.sock.hasLate() && rest.rest == nil {
		c.hub.running.Go(c.sock.flush)
	}
	return rest, rest.rest == nil
}

// messageOf returns the only message that a job takes; nil when it takes none, or
// more, or it is not known yet which.
func (c *conn) messageOf(j job) wire.Message {
	switch {
	case j.ephemeral != nil:
		j.ephemeral.TargetID = c.peerID()
		return *j.ephemeral
	case j.heads != nil:
		return *j.heads
	case j.said != nil && plain(*j.said) && j.said.Sync != nil:
		return c.syncMessage(j.doc, j.said.Sync)
	}
	return nil
}

// plain reports whether a session has nothing to say but a sync message and
// heads.
func plain(out repo.Outgoing) bool {
	return len(out.Refused) == 0 && len(out.Denied) == 0 && out.MoreDenied == 0 && out.Ended == nil && !out.Unavailable
}
