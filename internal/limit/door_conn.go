package limit

import (
	"container/heap"
	"errors"
	"net"
	"sync"
	"syscall"
)

// conn is a connection that came through a Door.
type conn struct {
	net.Conn
	door    *Door
	address *address
	remote  string
	visitor *Visitor
	known   bool   // guarded by Door.mu: somebody, or closed
	leave   func() // gives its place of AddressConnections back
	once    sync.Once
	err     error
}

// Read reads. What a visitor sent that is not trusted is given out when it is its
// turn.
func (c *conn) Read(p []byte) (int, error) {
	v := c.visitor
	if !v.trusted.Load() && !v.pinned.Load() {
		c.door.lane.leave(v)
	}
	n, err := c.Conn.Read(p)
	if n > 0 && !v.trusted.Load() {
		c.door.lane.enter(v)
	}
	return n, err
}

// SyscallConn gives access to the socket, for who writes without waiting.
func (c *conn) SyscallConn() (syscall.RawConn, error) {
	if s, ok := c.Conn.(syscall.Conn); ok {
		return s.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}

// Close closes the connection.
func (c *conn) Close() error {
	c.once.Do(func() {
		c.err = c.Conn.Close()
		c.gone()
	})
	return c.err
}

// CloseWrite says that nothing more comes, and leaves the connection open for
// what the peer still sends: net/http does so when it refuses a request that it
// has not read to the end, without which a reset would overtake its answer.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// abort closes the connection without waiting for what is not sent.
func (c *conn) abort() {
	c.once.Do(func() {
		drop(c.Conn)
		c.gone()
	})
}

func (c *conn) gone() {
	c.leave()
	c.door.lane.forget(c.visitor)
	c.door.mu.Lock()
	stranger := !c.visitor.known.Load() && c.door.inside[c.remote] == c
	if c.door.inside[c.remote] == c {
		delete(c.door.inside, c.remote)
	}
	c.door.forgetLocked(c)
	c.door.mu.Unlock()
	if stranger && !c.visitor.fault.Load() {
		c.visitor.fine(strangersFine)
		c.door.lane.charge(c.visitor.host, usedByStranger)
	}
}

// NetConn returns the connection below.
func (c *conn) NetConn() net.Conn { return c.Conn }

// drop closes a connection at once; the peer gets a reset.
func drop(nc net.Conn) {
	if t, ok := nc.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = nc.Close() // there is nothing to lose
}

// line is addresses, the one that is due first at the front: a container/heap.
type line []*address

// Len, Less, Swap, Push and Pop are for container/heap.
func (q line) Len() int           { return len(q) }
func (q line) Less(i, j int) bool { return q[i].due.Before(q[j].due) }
func (q line) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].turn, q[j].turn = i, j
}

// Push adds an *address at the end.
func (q *line) Push(x any) {
	a := x.(*address)
	a.turn = len(*q)
	*q = append(*q, a)
}

// Pop takes the last *address.
func (q *line) Pop() any {
	last := len(*q) - 1
	a := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	a.turn = -1
	return a
}

func (q *line) push(a *address) { heap.Push(q, a) }
func (q *line) pop() *address   { return heap.Pop(q).(*address) }
