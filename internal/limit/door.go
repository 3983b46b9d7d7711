package limit

import (
	"errors"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// Door is a listener that lets connections in at a pace: by Connects for each
// address, by AllConnects for all together. Who has to wait is not read, and
// costs a descriptor. Of an address no more than Strangers wait, and no more
// than Strangers are let in of whom nobody has said that they are Known: beyond
// that one that waits, at random, or the oldest that is in is closed. It is safe
// for concurrent use. Close ends it, and closes who waits; who was let in belongs
// to who called Accept.
type Door struct {
	net.Listener
	l       *Limiter
	all     *Bucket
	lane    *lane
	ready   chan net.Conn
	wake    chan struct{} // holds one when the line has changed
	quit    chan struct{}
	running sync.WaitGroup
	close   func() error
	err     error // why no more come; read after ready is closed

	mu        sync.Mutex
	line      line                // guarded by mu: addresses of which somebody waits
	addresses map[string]*address // guarded by mu: of which somebody waits or is a stranger
	strangers map[string]*conn    // guarded by mu: let in and not known, by their whole address
	inside    map[string]*conn    // guarded by mu: let in and not closed, by the same
}

// address is one host.
type address struct {
	host      string
	waiting   []*conn
	due       time.Time // when the next of them may come in
	turn      int       // in the line; -1 is not
	strangers []*conn   // the oldest first; some are known or closed since
	strange   int       // how many of them are not
}

// NewDoor returns a listener for ln, and starts to accept.
func NewDoor(ln net.Listener, l *Limiter) *Door {
	d := &Door{
		Listener: ln, l: l, all: l.Bucket(AllConnects, ""), lane: newLane(), ready: make(chan net.Conn), wake: make(chan struct{}, 1), quit: make(chan struct{}),
		addresses: make(map[string]*address), strangers: make(map[string]*conn), inside: make(map[string]*conn),
	}
	d.close = sync.OnceValue(func() error {
		close(d.quit)
		err := ln.Close()
		d.running.Wait()
		d.all.Close()
		return err
	})
	d.running.Go(d.accept)
	d.running.Go(d.letIn)
	return d
}

// Accept returns the next connection that is let in.
func (d *Door) Accept() (net.Conn, error) {
	c, ok := <-d.ready
	if !ok {
		return nil, d.err
	}
	return c, nil
}

// Close ends the listener. Those who wait are closed.
func (d *Door) Close() error { return d.close() }

// Known says that the connection from a whole address, host and port, is of
// somebody: it is not closed to make room for strangers. A nil Door knows
// everybody.
func (d *Door) Known(remote string) {
	if d == nil {
		return
	}
	d.mu.Lock()
	c := d.inside[remote]
	if c != nil {
		c.visitor.known.Store(true)
		d.forgetLocked(c)
	}
	d.mu.Unlock()
	if c != nil {
		c.visitor.Clear()
	}
}

// accept takes connections from the network until there are no more.
func (d *Door) accept() {
	for pause := time.Duration(0); ; {
		nc, err := d.Listener.Accept()
		switch {
		case err == nil:
			pause = 0
			d.come(nc)
		case isTemporary(err): // as net/http does: too many open files, mostly
			pause = min(max(2*pause, 5*time.Millisecond), time.Second)
			select {
			case <-time.After(pause):
			case <-d.quit:
			}
		default:
			d.mu.Lock()
			d.err = err
			d.mu.Unlock()
			d.poke()
			return
		}
	}
}

func isTemporary(err error) bool {
	var t interface{ Temporary() bool }
	return errors.As(err, &t) && t.Temporary()
}

// come puts a connection in line.
func (d *Door) come(nc net.Conn) {
	remote := nc.RemoteAddr().String()
	host := hostOf(remote)
	leave, err := d.l.Enter(AddressConnections, host)
	if err != nil {
		drop(nc)
		return
	}
	c := &conn{Conn: nc, door: d, remote: remote, leave: leave}
	c.visitor = &Visitor{door: d, host: host}
	d.mu.Lock()
	a := d.addresses[host]
	if a == nil {
		a = &address{host: host, turn: -1}
		d.addresses[host] = a
	}
	c.address = a
	a.waiting = append(a.waiting, c)
	var out *conn
	if most := d.l.Value(Strangers); most != 0 && int64(len(a.waiting)) > most {
		i := rand.IntN(len(a.waiting))
		out = a.waiting[i]
		a.waiting = append(a.waiting[:i], a.waiting[i+1:]...)
	}
	d.queueLocked(a)
	d.mu.Unlock()
	if out != nil {
		d.l.hit(must(Strangers), 0)
		out.abort()
	}
	d.poke()
}

// queueLocked gives an address of which somebody waits its place in the line.
func (d *Door) queueLocked(a *address) {
	if a.turn >= 0 || len(a.waiting) == 0 {
		return
	}
	b := d.l.Bucket(Connects, a.host)
	a.due = time.Now().Add(b.Take(1))
	b.Close()
	d.line.push(a)
}

func (d *Door) poke() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// letIn hands over who is next until nobody comes any more.
func (d *Door) letIn() {
	defer close(d.ready)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		c, wait, err := d.next(time.Now())
		if err != nil {
			return
		}
		if c != nil {
			if pause := d.all.Take(1); pause > 0 && !d.sleep(pause) {
				c.abort()
				continue
			}
			select {
			case d.ready <- c:
			case <-d.quit:
				c.abort()
			}
			continue
		}
		timer.Reset(wait)
		select {
		case <-timer.C:
		case <-d.wake:
		case <-d.quit:
		}
	}
}

// sleep reports whether the door was open all the time.
func (d *Door) sleep(t time.Duration) bool {
	select {
	case <-time.After(t):
		return true
	case <-d.quit:
		return false
	}
}

// next takes the connection that is to come in now out of the line; nil, and for
// how long to wait, when there is none. The error says that nobody comes any
// more, and the line is closed.
func (d *Door) next(now time.Time) (*conn, time.Duration, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		for len(d.line) > 0 {
			a := d.line.pop()
			for _, c := range a.waiting {
				drop(c.Conn)
				c.leave()
			}
		}
		return nil, 0, d.err
	}
	if len(d.line) == 0 {
		return nil, time.Hour, nil
	}
	a := d.line[0]
	if wait := a.due.Sub(now); wait > 0 {
		return nil, wait, nil
	}
	d.line.pop()
	c := a.waiting[0]
	a.waiting[0] = nil
	if a.waiting = a.waiting[1:]; len(a.waiting) == 0 {
		a.waiting = nil
	}
	d.queueLocked(a)
	d.receiveLocked(c)
	return c, 0, nil
}

// receiveLocked notes a stranger, and closes the oldest of its address when there
// are too many.
func (d *Door) receiveLocked(c *conn) {
	a := c.address
	a.strangers = append(a.strangers, c)
	a.strange++
	d.strangers[c.remote], d.inside[c.remote] = c, c
	for most := d.l.Value(Strangers); most != 0 && int64(a.strange) > most; {
		for a.strangers[0].known {
			a.strangers = a.strangers[1:]
		}
		out := a.strangers[0]
		d.forgetLocked(out)
		d.l.hit(must(Strangers), 0)
		go out.abort() // it may be writing
	}
}

// forgetLocked takes a connection out of the strangers.
func (d *Door) forgetLocked(c *conn) {
	if c.known || d.strangers[c.remote] != c {
		return
	}
	a := c.address
	c.known = true
	delete(d.strangers, c.remote)
	if a.strange--; a.strange == 0 {
		a.strangers = nil
		if len(a.waiting) == 0 && a.turn < 0 {
			delete(d.addresses, a.host)
		}
		return
	}
	for a.strangers[0].known {
		a.strangers = a.strangers[1:]
	}
	if len(a.strangers) > 64 && len(a.strangers) > 4*a.strange {
		kept := make([]*conn, 0, a.strange)
		for _, s := range a.strangers {
			if !s.known {
				kept = append(kept, s)
			}
		}
		a.strangers = kept
	}
}

// hostOf is the part of an address for which connections are counted: an IPv4
// address, the first 64 bits of an IPv6 address, which is what one customer has.
func hostOf(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return remote
	}
	ip := net.ParseIP(host)
	switch {
	case ip == nil:
		return host
	case ip.To4() != nil || ip.IsLoopback():
		return ip.String()
	}
	return ip.Mask(net.CIDRMask(64, 128)).String()
}
