package torture

import (
	"context"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"

	"kaijutsu/blocks"
)

const (
	// bulk is how much text a flood writes at a time, in bytes, so that what is
	// sent to somebody who does not read fills every buffer.
	bulk = 100_000
	// floodPause is between two writes of a flood.
	floodPause = 150 * time.Millisecond
	// deaf is how long somebody does not read: longer than the 30 s after which
	// a server gives up writing.
	deaf = 40 * time.Second
	// hung is how long a node does not run at all.
	hung = 12 * time.Second
)

// consumeSlowly adds a follower that reads nothing and a NATS subscriber that
// reads nothing, floods a context, and lets a node hang for a while. Nobody
// else may notice; the slow follower comes back without a loss.
func consumeSlowly(ctx context.Context, s *stage, _ int, opt Options, r *Report) error {
	t, n := s.targets[0], s.nodes[0]
	slow, ear := newSlowFollower(n, t)
	defer ear.open()
	s.join(slow)
	if err := s.await(ctx, slow.name+" follows", slow.isFollowing); err != nil {
		return err
	}
	ear.stop()
	subscriber, err := s.subscribeDeaf(ctx)
	if err != nil {
		return err
	}
	defer subscriber.Close()
	s.say("  ✗ a follower at node %s and a NATS subscriber stop reading; a flood begins", n.name)
	stop := s.flood(ctx, t)
	defer stop()
	from := time.Now()
	if err := s.pause(ctx, opt.long(deaf)); err != nil {
		return err
	}
	s.editingGoesOn(r, "slow readers", from)
	if err := s.hang(ctx, s.nodes[2], opt.long(hung)); err != nil {
		return err
	}
	r.note("the flood wrote %d MB", stop()*bulk/1e6)
	s.say("  the flood is over; the slow follower reads again")
	ear.open()
	return s.pause(ctx, opt.long(6*time.Second))
}

// hang lets a node stand still for a while.
func (s *stage) hang(ctx context.Context, n *node, d time.Duration) error {
	if err := n.process().Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	s.say("  ✗ SIGSTOP of node %s, for %s", n.name, d)
	err := s.pause(ctx, d)
	if cont := n.process().Signal(syscall.SIGCONT); err == nil {
		err = cont
	}
	return err
}

// subscribeDeaf subscribes to everything, by hand, and reads nothing more.
func (s *stage) subscribeDeaf(ctx context.Context) (net.Conn, error) {
	cfg := s.servers[0].cfg
	conn, err := smallDialer.DialContext(ctx, "tcp", fmt.Sprintf("%s:%d", cfg.Host, cfg.Port))
	if err != nil {
		return nil, fmt.Errorf("subscribe at nats-server: %w", err)
	}
	const hello = "CONNECT {\"verbose\":false,\"pedantic\":false,\"name\":\"deaf\"}\r\nSUB > 1\r\nPING\r\n"
	if _, err := conn.Write([]byte(hello)); err != nil {
		conn.Close()
		return nil, fmt.Errorf("subscribe at nats-server: %w", err)
	}
	return conn, nil
}

// smallDialer makes connections whose receive buffer is as small as it gets.
var smallDialer = &net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
	var failed error
	err := c.Control(func(fd uintptr) { failed = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096) })
	if err != nil {
		return err
	}
	return failed
}}

// flood writes long records into a context and deletes them, until the function
// that it returns is called, which tells how many there were.
func (s *stage) flood(ctx context.Context, t *target) (stop func() int) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	written, random, a := 0, s.branch(), s.nodes[0].api()
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			id, noise := blocks.NewID(time.Now()), make([]byte, bulk/2)
			for i := range noise {
				noise[i] = byte(random.Uint32())
			}
			in := map[string]any{"context": t.id, "id": id, "kind": "tool_result", "form": "body", "content": hex.EncodeToString(noise)}
			if a.call(ctx, "block_create", in, nil) == nil {
				written++
				_ = a.call(ctx, "block_delete", map[string]any{"context": t.id, "block_id": id}, nil) // it stays, then
			}
			select {
			case <-ctx.Done():
			case <-time.After(floodPause):
			}
		}
	}()
	return func() int { cancel(); <-done; return written }
}

// ear is what a slow follower reads through: stopped, its connections give
// nothing, and the sender's buffers fill.
type ear struct {
	stopped atomic.Bool
	again   chan struct{} // closed by open
	opened  atomic.Bool
}

func (e *ear) stop() { e.stopped.Store(true) }

func (e *ear) open() {
	if e.opened.CompareAndSwap(false, true) {
		close(e.again)
	}
}

// earConn is a connection behind an ear.
type earConn struct {
	net.Conn
	ear *ear
}

func (c earConn) Read(b []byte) (int, error) {
	if c.ear.stopped.Load() {
		<-c.ear.again
	}
	return c.Conn.Read(b)
}

func newSlowFollower(n *node, t *target) (*follower, *ear) {
	e := &ear{again: make(chan struct{})}
	f := newFollower(n, t)
	f.name, f.late = "slow "+f.name, true
	f.client = &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := smallDialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return earConn{conn, e}, nil
		},
	}}
	return f, e
}
