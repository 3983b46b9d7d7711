package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"kaijutsu"
)

// crowdThreads is how many threads read all connections of a crowd.
const crowdThreads = 2

// crowd is many connections that are read by few threads: a goroutine for each
// would cost the load generator more than the server.
type crowd struct {
	threads []*crowdThread
	running sync.WaitGroup
	seen    atomic.Int64 // times found
	first   atomic.Int64 // connections that have had an answer
	stopped atomic.Bool
	next    int
}

// crowdThread reads the connections of one epoll.
type crowdThread struct {
	crowd *crowd
	epoll int

	mu        sync.Mutex
	members   map[int32]*member
	recording bool
	took      []time.Duration
	err       error // the first
}

// member is one connection.
type member struct {
	file *os.File
	rest string // the beginning of a time, of the read before
	had  bool   // an answer
}

func openCrowd() (*crowd, error) {
	c := &crowd{}
	for range crowdThreads {
		fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
		if err != nil {
			c.close()
			return nil, fmt.Errorf("epoll: %w", err)
		}
		t := &crowdThread{crowd: c, epoll: fd, members: make(map[int32]*member)}
		c.threads = append(c.threads, t)
		c.running.Go(t.run)
	}
	return c, nil
}

// add takes a connection over.
func (c *crowd) add(conn *net.TCPConn) error {
	file, err := conn.File()
	if err != nil {
		return err
	}
	_ = conn.Close() // the file is a copy of it
	fd := int(file.Fd())
	if err := syscall.SetNonblock(fd, true); err != nil {
		return err
	}
	t := c.threads[c.next%len(c.threads)]
	c.next++
	t.mu.Lock()
	t.members[int32(fd)] = &member{file: file}
	t.mu.Unlock()
	return syscall.EpollCtl(t.epoll, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)})
}

// run reads until the crowd is closed.
func (t *crowdThread) run() {
	events, buffer := make([]syscall.EpollEvent, 256), make([]byte, 64<<10)
	for !t.crowd.stopped.Load() {
		n, err := syscall.EpollWait(t.epoll, events, 100)
		if err != nil && !errors.Is(err, syscall.EINTR) {
			t.fail(err)
			return
		}
		t.mu.Lock()
		for i := range max(0, n) {
			t.readLocked(events[i].Fd, buffer)
		}
		t.mu.Unlock()
	}
}

// readLocked reads what a connection has.
func (t *crowdThread) readLocked(fd int32, buffer []byte) {
	m := t.members[fd]
	n, err := syscall.Read(int(fd), buffer)
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EINTR) {
		return
	}
	if err == nil && n == 0 {
		err = io.EOF
	}
	if err != nil {
		if t.err == nil {
			t.err = fmt.Errorf("a follower was cut off: %w: %w", kaijutsu.ErrUnavailable, err)
		}
		_ = syscall.EpollCtl(t.epoll, syscall.EPOLL_CTL_DEL, int(fd), nil)
		return
	}
	if !m.had {
		m.had = true
		t.crowd.first.Add(1)
		if line, _, _ := bytes.Cut(buffer[:n], []byte("\r\n")); !bytes.Contains(line, []byte(" 200 ")) && t.err == nil {
			t.err = fmt.Errorf("a follower was answered %q: %w", line, kaijutsu.ErrUnavailable)
		}
	}
	now := time.Now()
	m.rest = findTimes(m.rest+string(buffer[:n]), func(unixNano int64) {
		if t.recording {
			t.took = append(t.took, now.Sub(time.Unix(0, unixNano)))
			t.crowd.seen.Add(1)
		}
	})
}

func (t *crowdThread) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = err
	}
}

// record begins or ends to note what arrives, and returns what was noted.
func (c *crowd) record(on bool) (took []time.Duration) {
	for _, t := range c.threads {
		t.mu.Lock()
		t.recording = on
		took = append(took, t.took...)
		t.mu.Unlock()
	}
	return took
}

func (c *crowd) count() int    { return int(c.seen.Load()) }
func (c *crowd) answered() int { return int(c.first.Load()) }

// wrong returns the first thing that went wrong.
func (c *crowd) wrong() error {
	for _, t := range c.threads {
		t.mu.Lock()
		err := t.err
		t.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

// close ends the connections and waits for the threads.
func (c *crowd) close() {
	c.stopped.Store(true)
	c.running.Wait()
	for _, t := range c.threads {
		for _, m := range t.members {
			_ = m.file.Close() // read only
		}
		_ = syscall.Close(t.epoll)
	}
}
