package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"kaijutsu"
)

// chorus is many clients that read along, in one thread: a goroutine for each
// would cost the load generator more than the server. Of the connections that
// have something it reads all first, noting the time, and answers then, so that
// its answers do not make what it measures late.
type chorus struct {
	epoll   int
	running sync.WaitGroup
	stopped atomic.Bool
	read    atomic.Int64 // bytes

	mu      sync.Mutex
	members map[int32]*singer // guarded by mu
	err     error             // guarded by mu: the first
	lost    int               // guarded by mu: connections that ended
	whole   []time.Time       // guarded by mu: when each had the document
	moved   chan struct{}     // guarded by mu: closed and replaced when whole or err change
}

// singer is one connection of a chorus.
type singer struct {
	file     *os.File
	fd       int
	listener listener
	parser   frameParser
	out      []byte // to be written
	queued   bool   // among those to be written to
	blocked  bool   // epoll tells when it can be written to
	ready    bool
}

// chorusBuffer is what is read of a connection at once, in bytes.
const chorusBuffer = 256 << 10

func openChorus() (*chorus, error) {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll: %w", err)
	}
	c := &chorus{epoll: fd, members: make(map[int32]*singer), moved: make(chan struct{})}
	c.running.Go(c.run)
	return c, nil
}

// dialers is how many connections of a chorus are made at a time.
const dialers = 16

// join connects n listeners, so many at a time, and returns when each is
// connected; await says when they have the document. The listeners are made by
// next, one after the other.
func (c *chorus) join(ctx context.Context, url string, n, atOnce int, next func() listener) error {
	var making sync.Mutex
	var dialing sync.WaitGroup
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	tickets := make(chan struct{}, n)
	for range n {
		tickets <- struct{}{}
	}
	close(tickets)
	for range min(n, atOnce) {
		dialing.Go(func() {
			for range tickets {
				if ctx.Err() != nil {
					return
				}
				making.Lock()
				l := next()
				making.Unlock()
				if err := c.add(url, l); err != nil {
					cancel(err)
				}
			}
		})
	}
	dialing.Wait()
	return context.Cause(ctx)
}

// add connects one listener.
func (c *chorus) add(url string, l listener) error {
	conn, rest, err := dialBare(url)
	if err != nil {
		return err
	}
	file, err := conn.File()
	_ = conn.Close() // the file is a copy of it
	if err != nil {
		return err
	}
	s := &singer{file: file, fd: int(file.Fd()), listener: l, parser: frameParser{keep: heardBytes}}
	if err := syscall.SetNonblock(s.fd, true); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.members[int32(s.fd)] = s
	for _, m := range l.greet() {
		s.out = appendFrame(s.out, opBinary, m, true)
	}
	if err := c.takeLocked(s, rest); err != nil {
		return err
	}
	if err := syscall.EpollCtl(c.epoll, syscall.EPOLL_CTL_ADD, s.fd, &syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(s.fd)}); err != nil {
		return err
	}
	return c.writeLocked(s)
}

// run reads and answers until the chorus is closed.
func (c *chorus) run() {
	events, buffer := make([]syscall.EpollEvent, 2048), make([]byte, chorusBuffer)
	var queue []*singer
	for !c.stopped.Load() {
		n, err := syscall.EpollWait(c.epoll, events, 100)
		if err != nil && !errors.Is(err, syscall.EINTR) {
			c.mu.Lock()
			c.failLocked(err)
			c.mu.Unlock()
			return
		}
		c.mu.Lock()
		for _, e := range events[:max(0, n)] {
			s := c.members[e.Fd]
			if s == nil {
				continue
			}
			if e.Events&^syscall.EPOLLOUT != 0 {
				if err := c.readLocked(s, buffer); err != nil {
					c.dropLocked(s, err)
					continue
				}
			}
			if (len(s.out) > 0 || s.blocked) && !s.queued {
				s.queued = true
				queue = append(queue, s)
			}
		}
		for _, s := range queue {
			s.queued = false
			if err := c.writeLocked(s); err != nil {
				c.dropLocked(s, err)
			}
		}
		queue = queue[:0]
		c.mu.Unlock()
	}
}

// readLocked reads what a connection has, once: epoll tells of the rest.
func (c *chorus) readLocked(s *singer, buffer []byte) error {
	n, err := syscall.Read(s.fd, buffer)
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EINTR) {
		return nil
	}
	if err == nil && n == 0 {
		err = io.EOF
	}
	if err != nil {
		return err
	}
	c.read.Add(int64(n))
	return c.takeLocked(s, buffer[:n])
}

// takeLocked takes what a connection has said.
func (c *chorus) takeLocked(s *singer, b []byte) error {
	at := time.Now()
	err := s.parser.feed(b, func(op byte, message []byte, size int) error {
		switch op {
		case opBinary, opText:
			answers, err := s.listener.hear(message, size, at)
			for _, a := range answers {
				s.out = appendFrame(s.out, opBinary, a, true)
			}
			return err
		case opPing:
			s.out = appendFrame(s.out, opPong, message, true)
		case opClose:
			return fmt.Errorf("server closed the connection: %.100q: %w", message, kaijutsu.ErrUnavailable)
		}
		return nil
	})
	if err == nil && !s.ready && s.listener.ready() {
		s.ready = true
		c.whole = append(c.whole, at)
		c.tellLocked()
	}
	return err
}

// writeLocked writes as much as the connection takes.
func (c *chorus) writeLocked(s *singer) error {
	for len(s.out) > 0 {
		n, err := syscall.Write(s.fd, s.out)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if errors.Is(err, syscall.EAGAIN) {
			return c.awaitRoomLocked(s, true)
		}
		if err != nil {
			return err
		}
		s.out = s.out[:copy(s.out, s.out[n:])]
	}
	return c.awaitRoomLocked(s, false)
}

// awaitRoomLocked has epoll tell when a connection can be written to, or not.
func (c *chorus) awaitRoomLocked(s *singer, on bool) error {
	if s.blocked == on {
		return nil
	}
	s.blocked = on
	e := &syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(s.fd)}
	if on {
		e.Events |= syscall.EPOLLOUT
	}
	return syscall.EpollCtl(c.epoll, syscall.EPOLL_CTL_MOD, s.fd, e)
}

func (c *chorus) dropLocked(s *singer, err error) {
	c.lost++
	delete(c.members, int32(s.fd))
	_ = s.file.Close() // nothing is lost with it
	c.failLocked(fmt.Errorf("a listener was cut off: %w: %w", kaijutsu.ErrUnavailable, err))
}

func (c *chorus) failLocked(err error) {
	if c.err == nil {
		c.err = err
	}
	c.tellLocked()
}

func (c *chorus) tellLocked() {
	close(c.moved)
	c.moved = make(chan struct{})
}

// await returns when n listeners have the document, with the times at which each
// had, in order; after an error with those that have.
func (c *chorus) await(ctx context.Context, n int) ([]time.Time, error) {
	for {
		c.mu.Lock()
		whole, err, moved := c.whole, c.err, c.moved
		c.mu.Unlock()
		if len(whole) >= n || err != nil {
			return slices.Clone(whole), err
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return slices.Clone(whole), fmt.Errorf("%d of %d listeners have the document: %w", len(whole), n, context.Cause(ctx))
		}
	}
}

// wrong returns how many connections ended, and why the first one did.
func (c *chorus) wrong() (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lost, c.err
}

// close ends the connections and waits for the thread.
func (c *chorus) close() {
	c.stopped.Store(true)
	c.running.Wait()
	for _, s := range c.members {
		_ = s.file.Close() // nothing is lost with it
	}
	_ = syscall.Close(c.epoll)
}
