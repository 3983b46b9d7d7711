package torture

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	// attackFor is how long most attacks go on.
	attackFor = 2 * time.Second
	// gang is how many attack at the same time.
	gang = 4
)

// hostileAddress is where the hostile come from: another address than the
// honest, on the same machine.
const hostileAddress = "127.66.6.6"

// attack does something hostile to a node for a while. What comes of it is
// seen by how the honest fare; that the hostile get errors is what they deserve.
func (m *mixed) attack(ctx context.Context, what string, n *node, random *rand.Rand) error {
	switch what {
	case "revoke":
		return m.revoke(ctx, n, random)
	case "backup":
		return m.backUp(ctx, n)
	}
	long := attackFor
	if what == "slow-readers" || what == "half-open" {
		long *= 2
	}
	ending, cancel := context.WithTimeout(ctx, long)
	defer cancel()
	var attacking sync.WaitGroup
	for i := range gang {
		v := &villain{mixed: m, node: n, token: m.keys["mallory"], random: rand.New(rand.NewPCG(random.Uint64(), uint64(i)))}
		once, ok := villainies[what]
		if !ok {
			return fmt.Errorf("nobody knows how to do %q", what)
		}
		attacking.Go(func() {
			for ending.Err() == nil {
				once(v, ending)
				pauseFor(ending, 5*time.Millisecond)
			}
		})
	}
	attacking.Wait()
	return ctx.Err()
}

// villainies are what a villain does once, by name of the attack.
var villainies = map[string]func(*villain, context.Context){
	"garbage":      (*villain).garbage,
	"handshakes":   (*villain).handshakes,
	"malformed":    (*villain).malformed,
	"oversized":    (*villain).oversized,
	"bombs":        (*villain).bombs,
	"poison":       (*villain).poison,
	"slow-readers": (*villain).readSlowly,
	"half-open":    (*villain).halfOpen,
	"ephemeral":    (*villain).ephemeral,
	"bad-calls":    (*villain).badCalls,
}

// villain is one hostile peer. It has a token, which is good for its own
// scratch and for what others write too.
type villain struct {
	*mixed
	node   *node
	token  string
	random *rand.Rand
}

// dialer connects from the address of the hostile, where there is such a one.
func (v *villain) dialer() *net.Dialer {
	return &net.Dialer{Timeout: 2 * time.Second, LocalAddr: &net.TCPAddr{IP: net.ParseIP(hostileAddress)}}
}

// dial opens a connection to the node; nil when there is none to be had.
func (v *villain) dial(ctx context.Context) net.Conn {
	at := strings.TrimPrefix(v.node.url(), "http://")
	conn, err := v.dialer().DialContext(ctx, "tcp", at)
	if err != nil { // not all systems have all of 127.0.0.0/8
		conn, err = (&net.Dialer{Timeout: 2 * time.Second}).DialContext(ctx, "tcp", at)
	}
	if err != nil {
		return nil
	}
	deadline, _ := ctx.Deadline()
	_ = conn.SetDeadline(deadline.Add(time.Second))
	return conn
}

// client is an HTTP client of the villain's.
func (v *villain) client() *http.Client {
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, at string) (net.Conn, error) {
			return v.dialer().DialContext(ctx, "tcp", at)
		},
	}}
}

func (v *villain) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(v.random.Uint32())
	}
	return b
}

// upgrade asks for a WebSocket by hand and returns the connection behind the
// server's answer.
func (v *villain) upgrade(ctx context.Context, token, more string) net.Conn {
	conn := v.dial(ctx)
	if conn == nil {
		return nil
	}
	at, err := url.Parse(v.node.syncURL(token))
	if err != nil {
		conn.Close()
		return nil
	}
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s\r\n", at.RequestURI(), at.Host, more)
	var answer [4096]byte
	if n, err := conn.Read(answer[:]); err != nil || !strings.Contains(string(answer[:n]), " 101 ") {
		conn.Close()
		return nil
	}
	return conn
}

// garbage connects several times and sends bytes that mean nothing, or a part of
// something.
func (v *villain) garbage(ctx context.Context) {
	var conns []net.Conn
	for range 12 {
		if conn := v.dial(ctx); conn != nil {
			conns = append(conns, conn)
		}
	}
	for _, conn := range conns {
		defer conn.Close()
		switch v.random.IntN(4) {
		case 0:
			_, _ = conn.Write(v.bytes(1 + v.random.IntN(4096)))
		case 1:
			_, _ = conn.Write([]byte("GET /sync HTTP/1.1\r\nHost: x\r\nUpgrade: webso"))
		case 2:
			_, _ = conn.Write([]byte("POST /v1/ops/context_list HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999\r\n\r\n{"))
		case 3:
			fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: x\r\nCookie: %s\r\n\r\n", strings.Repeat("a=b; ", 1<<16))
		}
	}
	pauseFor(ctx, 20*time.Millisecond)
}

// handshakes opens WebSockets, joins or does not, and goes; or sends control
// frames without end.
func (v *villain) handshakes(ctx context.Context) {
	token := pick(v.random, v.token, "", "kj_no-such-token")
	conn := v.upgrade(ctx, token, pick(v.random, "", "Sec-WebSocket-Extensions: permessage-deflate\r\n"))
	if conn == nil {
		return
	}
	defer conn.Close()
	switch v.random.IntN(4) {
	case 0:
	case 1:
		for range 200 {
			if _, err := conn.Write(frameOf(0x89, v.bytes(100))); err != nil { // pings
				return
			}
		}
	case 2:
		_, _ = conn.Write(frameOf(0x82, v.bytes(200)))
	case 3:
		_, _ = conn.Write(frameOf(0x02, v.bytes(10))) // the first of a message in tiny pieces
		for range 500 {
			if _, err := conn.Write(frameOf(0x00, v.bytes(1))); err != nil {
				return
			}
		}
	}
}

// frameOf is a masked WebSocket frame with this first byte.
func frameOf(first byte, payload []byte) []byte {
	head := []byte{first}
	switch n := len(payload); {
	case n < 126:
		head = append(head, 0x80|byte(n))
	case n < 1<<16:
		head = append(head, 0x80|126, byte(n>>8), byte(n))
	default:
		head = append(head, 0x80|127, 0, 0, 0, 0, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	}
	return append(append(head, 0, 0, 0, 0), payload...) // a mask of zeros changes nothing
}

// halfOpen joins, asks for documents and then neither reads nor says anything
// more: not even to pings.
func (v *villain) halfOpen(ctx context.Context) {
	conn := v.upgrade(ctx, v.token, "")
	if conn == nil {
		return
	}
	defer conn.Close()
	_, _ = conn.Write(frameOf(0x82, v.joinFrame()))
	for _, t := range v.docs {
		_, _ = conn.Write(frameOf(0x82, v.requestFrame(t)))
	}
	<-ctx.Done()
}

// readSlowly asks for much and reads a byte a second of it.
func (v *villain) readSlowly(ctx context.Context) {
	conn := v.dial(ctx)
	if conn == nil {
		return
	}
	defer conn.Close()
	if raw, ok := conn.(*net.TCPConn); ok {
		_ = raw.SetReadBuffer(4096)
	}
	t := v.targets[v.random.IntN(len(v.targets))]
	path := pick(v.random, "/v1/contexts/"+t.doc.String()+"/export", "/v1/events?context="+t.id+"&snapshot=true", "/v1/events?pattern=ctx.%3E")
	host := strings.TrimPrefix(v.node.url(), "http://")
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", path, host, v.token)
	var one [1]byte
	for ctx.Err() == nil {
		if _, err := conn.Read(one[:]); err != nil {
			return
		}
		pauseFor(ctx, time.Second)
	}
}
