package peer

import (
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	writeChunkBytes = 256 << 10 // each chunk has the whole write timeout
	slowLinkBytes   = 128 << 10 // what a second of a slow link carries
	maxDrain        = time.Minute
)

// socket is the network connection below a WebSocket. It notes when the peer
// was last heard of, byte by byte rather than message by message, so that a
// peer in the middle of a large frame is not taken for dead; and it gives
// every piece of a large write its own deadline, so that a slow link is not
// taken for a stuck one.
type socket struct {
	net.Conn
	clock   func() time.Duration
	timeout time.Duration // of a write
	toll    func(n int)   // called with what a small read got; it may wait
	closed  chan struct{}
	close   func() error

	got atomic.Int64 // bytes that were read
	out outlet

	heard   atomic.Int64 // when the last byte came; on the clock, as the next two
	drained atomic.Int64 // when a slow link has carried what was written
	finish  atomic.Int64 // when the connection ends, whatever happens; 0 is never
	thrown  atomic.Int64 // bytes that were read since it is known when it ends
}

// maxThrown is how many bytes are read of a connection that is closing. What
// else it sends stays in its socket: it may read why it is closed, and sends to
// nobody.
const maxThrown = 64 << 10

func newSocket(nc net.Conn, clock func() time.Duration, timeout time.Duration) *socket {
	s := &socket{Conn: nc, clock: clock, timeout: timeout, toll: func(int) {}, closed: make(chan struct{}), out: newOutlet(nc)}
	s.heard.Store(int64(clock()))
	s.close = sync.OnceValue(func() error {
		close(s.closed)
		return nc.Close()
	})
	return s
}

// Close closes the connection and wakes its reader.
func (s *socket) Close() error { return s.close() }

// Read reads and notes the time.
func (s *socket) Read(p []byte) (int, error) {
	if finish := s.finish.Load(); finish != 0 && s.thrown.Load() > maxThrown {
		s.outlast(time.Duration(finish))
		return 0, os.ErrDeadlineExceeded
	}
	n, err := s.Conn.Read(p)
	if n > 0 {
		s.heard.Store(int64(s.clock()))
		s.got.Add(int64(n))
	}
	if s.finish.Load() != 0 {
		s.thrown.Add(int64(n))
	} else if len(p) <= bufferBytes {
		s.toll(n)
	}
	return n, err
}

// outlast waits until a moment of the clock, or until the connection is closed.
func (s *socket) outlast(end time.Duration) {
	timer := time.NewTimer(end - s.clock())
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.closed:
	}
}

// deadline returns t, or the end of the connection if that is earlier.
func (s *socket) deadline(t time.Time) time.Time {
	if finish := s.finish.Load(); finish != 0 {
		if end := time.Now().Add(time.Duration(finish) - s.clock()); end.Before(t) {
			return end
		}
	}
	return t
}

// draining notes that n bytes are on their way. Until a slow link has carried
// them the peer cannot answer a ping that comes behind them.
func (s *socket) draining(n int) {
	now := s.clock()
	from := max(now, time.Duration(s.drained.Load()))
	until := from + time.Duration(n)*time.Second/slowLinkBytes
	s.drained.Store(int64(min(until, now+maxDrain)))
}

// finishWithin ends all reading and writing after d, once.
func (s *socket) finishWithin(d time.Duration) {
	if s.finish.CompareAndSwap(0, int64(s.clock()+d)) {
		_ = s.Conn.SetDeadline(time.Now().Add(d)) // fails only on a closed connection
	}
}

// silence returns for how long the peer has owed a sign of life.
func (s *socket) silence() time.Duration {
	return s.clock() - time.Duration(max(s.heard.Load(), s.drained.Load()))
}
