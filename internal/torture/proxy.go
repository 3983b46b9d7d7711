package torture

import (
	"io"
	"net"
	"sync"
)

// proxy carries connections from an address here to one on another machine, so
// that writers and followers need not know where a node is. Each connection
// has two goroutines; close waits for all.
type proxy struct {
	listener net.Listener
	dial     func() (net.Conn, error)
	running  sync.WaitGroup

	mu    sync.Mutex
	open  map[net.Conn]struct{}
	ended bool
}

func openProxy(m machine, address string) (*proxy, error) {
	return openProxyTo(func() (net.Conn, error) { return m.dial(address) })
}

// openProxyTo carries connections to what dial connects to.
func openProxyTo(dial func() (net.Conn, error)) (*proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{listener: l, dial: dial, open: make(map[net.Conn]struct{})}
	p.running.Go(p.accept)
	return p, nil
}

func (p *proxy) address() string { return p.listener.Addr().String() }

func (p *proxy) accept() {
	for {
		from, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.running.Go(func() { p.carry(from) })
	}
}

// carry joins two connections until either ends.
func (p *proxy) carry(from net.Conn) {
	defer from.Close()
	to, err := p.dial()
	if err != nil {
		return
	}
	defer to.Close()
	if !p.keep(from, to) {
		return
	}
	defer p.forget(from, to)
	var back sync.WaitGroup
	back.Go(func() { pump(from, to) })
	pump(to, from)
	back.Wait()
}

// pump copies until the end of either and ends both.
func pump(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	_ = to.Close()
	_ = from.Close()
}

func (p *proxy) keep(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		p.open[c] = struct{}{}
	}
	return !p.ended
}

func (p *proxy) forget(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		delete(p.open, c)
	}
}

func (p *proxy) close() {
	_ = p.listener.Close()
	p.mu.Lock()
	p.ended = true
	for c := range p.open {
		_ = c.Close()
	}
	p.mu.Unlock()
	p.running.Wait()
}
