package peer

import (
	"errors"
	"net"
	"sync"
	"syscall"
	"time"

	"kaijutsu"
)

// maxLate bounds the control frames that wait until a frame is written. A peer
// that makes us write more of them without reading is cut.
const maxLate = 4 << 10

// outlet is the write side of a socket. Frames with data are written by the write
// loop, around the WebSocket library; that one writes control frames only, each
// with one call of Write. They come between frames, never into one: while a
// frame is being written they wait here, and nobody waits for them.
type outlet struct {
	raw  syscall.RawConn // to write without waiting; nil: that cannot be done
	turn sync.Mutex      // held while a frame is written

	mu   sync.Mutex
	late []byte // guarded by mu: control frames that came meanwhile
}

func newOutlet(nc net.Conn) outlet {
	if s, ok := nc.(syscall.Conn); ok {
		if raw, err := s.SyscallConn(); err == nil {
			return outlet{raw: raw}
		}
	}
	return outlet{}
}

// Write writes a control frame, or has it written behind the frame that is being
// written.
func (s *socket) Write(p []byte) (int, error) {
	if s.out.turn.TryLock() {
		defer s.release()
		return s.write(p)
	}
	s.out.mu.Lock()
	full := len(s.out.late)+len(p) > maxLate
	if !full {
		s.out.late = append(s.out.late, p...)
	}
	s.out.mu.Unlock()
	if full {
		return 0, errFlooded
	}
	if s.out.turn.TryLock() { // the frame was done before this came
		s.release()
	}
	return len(p), nil
}

var errFlooded = errors.Join(errors.New("too many control frames for a peer that does not read"), kaijutsu.ErrTooLarge)

// send writes a frame in two parts, waiting for as long as the peer reads
// slowly.
func (s *socket) send(head, body []byte) error {
	s.out.turn.Lock()
	defer s.release()
	return s.sendRest(head, body)
}

// sendRest is send for who has the turn.
func (s *socket) sendRest(head, body []byte) error {
	_, err := s.write(head)
	if err == nil && len(body) > 0 {
		_, err = s.write(body)
	}
	return err
}

// try writes as much of a frame as the socket takes at once. It reports false
// when it may not: the frame is to be sent. When something is left the caller
// has the turn, sends it with sendRest and releases. Errors show with the rest.
func (s *socket) try(p []byte) (rest []byte, ok bool) {
	if s.out.raw == nil || s.finish.Load() != 0 || !s.out.turn.TryLock() {
		return p, false
	}
	n := 0
	_ = s.out.raw.Write(func(fd uintptr) bool {
		wrote, err := syscall.Write(int(fd), p)
		for err == syscall.EINTR {
			wrote, err = syscall.Write(int(fd), p)
		}
		n = max(wrote, 0)
		return true
	})
	s.draining(n)
	if n == len(p) {
		s.out.turn.Unlock()
	}
	return p[n:], true
}

// flush writes the control frames that came while a frame was being tried.
func (s *socket) flush() {
	if s.out.turn.TryLock() {
		s.release()
	}
}

// release ends a turn, and writes the control frames that came meanwhile.
func (s *socket) release() {
	for {
		if late := s.takeLate(); len(late) > 0 {
			_, _ = s.write(late) // an error shows with the next frame, or in reading
		}
		s.out.turn.Unlock()
		if !s.hasLate() || !s.out.turn.TryLock() {
			return
		}
	}
}

func (s *socket) hasLate() bool {
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	return len(s.out.late) > 0
}

func (s *socket) takeLate() []byte {
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	late := s.out.late
	s.out.late = nil
	return late
}

// write writes p, waiting at most the timeout for every chunk of it.
func (s *socket) write(p []byte) (int, error) {
	written := 0
	for {
		chunk := p[written:min(len(p), written+writeChunkBytes)]
		if err := s.Conn.SetWriteDeadline(s.deadline(time.Now().Add(s.timeout))); err != nil {
			return written, err
		}
		n, err := s.Conn.Write(chunk)
		written += n
		s.draining(n)
		if err != nil || written == len(p) {
			s.unhurried()
			return written, err
		}
	}
}

// unhurried takes the deadline back, so that what is written without waiting
// does not meet it.
func (s *socket) unhurried() {
	if s.out.raw != nil && s.finish.Load() == 0 {
		_ = s.Conn.SetWriteDeadline(time.Time{}) // fails only on a closed connection
	}
}
