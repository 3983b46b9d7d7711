package torture

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"
)

// gate is a proxy in front of a nats-server, one for each node, that can be
// closed: then nothing passes, either way, and nobody is told.
type gate struct {
	*proxy
	mu     sync.Mutex
	opened chan struct{} // closed while it is open
}

// openGates puts one in front of the first nats-server for each node.
func (m *mixed) openGates() error {
	cfg := m.servers[0].cfg
	for range m.layout.nodes {
		g := &gate{opened: make(chan struct{})}
		close(g.opened)
		var err error
		g.proxy, err = openProxyTo(func() (net.Conn, error) {
			conn, err := net.DialTimeout("tcp", fmt.Sprintf("%s:%d", cfg.Host, cfg.Port), 5*time.Second)
			if err != nil {
				return nil, err
			}
			return gated{conn, g}, nil
		})
		if err != nil {
			return err
		}
		m.gates = append(m.gates, g)
	}
	return nil
}

// shut closes it.
func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.opened:
		g.opened = make(chan struct{})
	default: // it is
	}
}

// unshut opens it again; what waited passes.
func (g *gate) unshut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.opened:
	default:
		close(g.opened)
	}
}

// pass waits until it is open.
func (g *gate) pass() {
	g.mu.Lock()
	opened := g.opened
	g.mu.Unlock()
	<-opened
}

// gated is a connection behind a gate.
type gated struct {
	net.Conn
	gate *gate
}

func (c gated) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.gate.pass()
	return n, err
}

func (c gated) Write(b []byte) (int, error) {
	c.gate.pass()
	return c.Conn.Write(b)
}

// partitionNode cuts a node off from NATS for a while; editors stay with it.
func (m *mixed) partitionNode(ctx context.Context, i int, d time.Duration) error {
	g := m.gates[i]
	g.shut()
	defer g.unshut()
	return m.rest(ctx, d)
}
