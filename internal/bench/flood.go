package bench

import (
	"bufio"
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"kaijutsu"
	"kaijutsu/internal/wire"
)

// Flood is a load of garbage on one server.
type Flood struct {
	// URL is the server's, http://host:port.
	URL string
	// Connections is how many there are at any time; each that ends is made anew.
	Connections int
	// Addresses is how many addresses of this machine, from 127.0.1.1 on, they
	// come from.
	Addresses int
	// Only is the one sort of garbage that is sent; default all, in turn.
	Only string
}

// FloodSorts lists the sorts of garbage.
func FloodSorts() []string {
	var names []string
	for _, a := range attacks {
		names = append(names, a.name)
	}
	return names
}

// Flooded counts what a flood did.
type Flooded struct {
	Connects int64            `json:"connects"` // that the machine made
	Failed   int64            `json:"failed"`   // that it did not
	Bytes    int64            `json:"bytes"`    // written
	Frames   int64            `json:"frames"`   // written to WebSockets, and requests
	Kinds    map[string]int64 `json:"kinds"`    // connections by what they sent
}

// flooder is a Flood that runs.
type flooder struct {
	Flood
	host     string
	connects atomic.Int64
	failed   atomic.Int64
	bytes    atomic.Int64
	frames   atomic.Int64
	kinds    []atomic.Int64
	garbage  []byte
}

// attacks are what a connection does until it fails. The next one of the same
// goroutine does the next.
var attacks = []struct {
	name string
	run  func(*flooder, *attacker) error
}{
	{"random bytes", (*flooder).sendBytes},
	{"a header without end", (*flooder).sendHeader},
	{"a header byte by byte", (*flooder).dribble},
	{"nothing", (*flooder).sayNothing},
	{"calls of garbage", (*flooder).callGarbage},
	{"WebSocket: random bytes", (*flooder).frameBytes},
	{"WebSocket: frames of garbage", (*flooder).frameGarbage},
	{"WebSocket: no join", (*flooder).frameNothing},
	{"editor: garbage for documents", (*flooder).syncGarbage},
	{"editor: pings", (*flooder).pings},
	{"editor: empty fragments", (*flooder).fragments},
	{"editor: bombs", (*flooder).bombs},
}

// Run floods until ctx ends, and says when it has begun.
func (f Flood) Run(ctx context.Context, begun func()) (Flooded, error) {
	u, err := url.Parse(f.URL)
	if err != nil {
		return Flooded{}, err
	}
	if f.Only != "" && !slices.Contains(FloodSorts(), f.Only) {
		return Flooded{}, fmt.Errorf("garbage %q: %w: there are %s", f.Only, kaijutsu.ErrNotFound, strings.Join(FloodSorts(), ", "))
	}
	w := &flooder{Flood: f, host: u.Host, kinds: make([]atomic.Int64, len(attacks)), garbage: make([]byte, 64<<10)}
	for i := range w.garbage {
		w.garbage[i] = byte(rand.Uint32())
	}
	var running sync.WaitGroup
	for i := range f.Connections {
		running.Go(func() { w.flood(ctx, i) })
	}
	begun()
	running.Wait()
	done := Flooded{Connects: w.connects.Load(), Failed: w.failed.Load(), Bytes: w.bytes.Load(), Frames: w.frames.Load(), Kinds: make(map[string]int64)}
	for i, a := range attacks {
		done.Kinds[a.name] = w.kinds[i].Load()
	}
	return done, nil
}

// flood makes one connection after the other.
func (f *flooder) flood(ctx context.Context, n int) {
	dialer := net.Dialer{Timeout: 10 * time.Second}
	if f.Addresses > 0 {
		from := n % f.Addresses
		dialer.LocalAddr = &net.TCPAddr{IP: net.IPv4(127, 0, byte(1+from/250), byte(1+from%250))}
	}
	for turn := n; ctx.Err() == nil; turn++ {
		nc, err := dialer.DialContext(ctx, "tcp", f.host)
		if err != nil {
			f.failed.Add(1)
			_ = pause(ctx, 20*time.Millisecond)
			continue
		}
		f.connects.Add(1)
		kind := turn % len(attacks)
		if f.Only != "" {
			kind = slices.Index(FloodSorts(), f.Only)
		}
		f.kinds[kind].Add(1)
		stop := context.AfterFunc(ctx, func() { _ = nc.Close() })
		a := &attacker{Conn: nc, r: bufio.NewReaderSize(nc, 512), ctx: ctx, n: n}
		_ = attacks[kind].run(f, a) // how it ends is the server's business
		stop()
		_ = nc.Close()
	}
}

// attacker is one connection of a flood.
type attacker struct {
	net.Conn
	r   *bufio.Reader
	ctx context.Context
	n   int
}

// patienceOfAttackers is how long a connection waits for a server that does not
// read or answer.
const patienceOfAttackers = 15 * time.Second

func (f *flooder) send(a *attacker, b []byte) error {
	_ = a.SetWriteDeadline(time.Now().Add(patienceOfAttackers))
	n, err := a.Write(b)
	f.bytes.Add(int64(n))
	return err
}

// wait reads until the server closes the connection.
func (f *flooder) wait(a *attacker) error {
	_ = a.SetReadDeadline(time.Now().Add(patienceOfAttackers))
	_, err := io.Copy(io.Discard, a.r)
	return err
}

// swallow reads what the server says in the background.
func (a *attacker) swallow() { go func() { _, _ = io.Copy(io.Discard, a.r) }() }

func (f *flooder) sendBytes(a *attacker) error {
	for {
		if err := f.send(a, f.garbage[rand.IntN(len(f.garbage)/2):]); err != nil {
			return err
		}
	}
}

func (f *flooder) sendHeader(a *attacker) error {
	err := f.send(a, []byte("GET / HTTP/1.1\r\nHost: localhost\r\n"))
	line := append(append([]byte("X-Garbage: "), bytes.Repeat([]byte("a"), 4000)...), "\r\n"...)
	for err == nil {
		err = f.send(a, line)
	}
	return err
}

func (f *flooder) dribble(a *attacker) error {
	err := f.send(a, []byte("GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "))
	for err == nil {
		if err = f.send(a, []byte("a")); err == nil {
			err = pause(a.ctx, time.Second)
		}
	}
	return err
}

func (f *flooder) sayNothing(a *attacker) error { return f.wait(a) }

func (f *flooder) callGarbage(a *attacker) error {
	body := f.garbage[:1+rand.IntN(1000)]
	request := fmt.Appendf(nil, "POST /v1/ops/block_edit HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n", f.host, len(body))
	for range 100 {
		if err := f.send(a, append(request, body...)); err != nil {
			return err
		}
		f.frames.Add(1)
		_ = a.SetReadDeadline(time.Now().Add(patienceOfAttackers))
		resp, err := http.ReadResponse(a.r, nil)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, resp.Body)
		if err != nil {
			return err
		}
	}
	return nil
}

// upgrade makes a WebSocket of a connection.
func (f *flooder) upgrade(a *attacker) error {
	request := fmt.Appendf(nil, "GET /sync HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Extensions: permessage-deflate; client_no_context_takeover\r\n\r\n", f.host)
	if err := f.send(a, request); err != nil {
		return err
	}
	_ = a.SetReadDeadline(time.Now().Add(patienceOfAttackers))
	resp, err := http.ReadResponse(a.r, nil)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusSwitchingProtocols {
		return fmt.Errorf("answered %s", resp.Status)
	}
	_ = a.SetReadDeadline(time.Time{})
	return nil
}

// Bits of the first byte of a frame (RFC 6455 §5.2).
const (
	final      = 0x80
	compressed = 0x40
	binaryData = 2
	aPing      = 9
)

// frame writes a frame whose mask is of zeros.
func (f *flooder) frame(a *attacker, first byte, payload []byte) error {
	head := []byte{first}
	switch n := len(payload); {
	case n < 126:
		head = append(head, 0x80|byte(n))
	case n < 1<<16:
		head = binary.BigEndian.AppendUint16(append(head, 0x80|126), uint16(n))
	default:
		head = binary.BigEndian.AppendUint64(append(head, 0x80|127), uint64(n))
	}
	f.frames.Add(1)
	return f.send(a, append(append(head, 0, 0, 0, 0), payload...))
}

func (f *flooder) frameBytes(a *attacker) error {
	if err := f.upgrade(a); err != nil {
		return err
	}
	a.swallow()
	return f.sendBytes(a)
}

func (f *flooder) frameGarbage(a *attacker) error {
	err := f.upgrade(a)
	a.swallow()
	for err == nil {
		err = f.frame(a, final|binaryData, f.garbage[:rand.IntN(2000)])
	}
	return err
}

func (f *flooder) frameNothing(a *attacker) error {
	if err := f.upgrade(a); err != nil {
		return err
	}
	return f.wait(a)
}

// join makes an editor of a connection, and reads on in the background.
func (f *flooder) join(a *attacker) (string, error) {
	id := fmt.Sprintf("flood-%d-%d", a.n, rand.Uint32())
	if err := f.upgrade(a); err != nil {
		return id, err
	}
	err := f.frame(a, final|binaryData, wire.Encode(wire.Join{SenderID: id, Versions: []string{wire.Version}}))
	a.swallow()
	return id, err
}

func (f *flooder) syncGarbage(a *attacker) error {
	id, err := f.join(a)
	for err == nil {
		data := f.garbage[:1+rand.IntN(2000)]
		err = f.frame(a, final|binaryData, wire.Encode(wire.Sync{SenderID: id, DocumentID: newDocumentID().String(), Data: data}))
	}
	return err
}

func (f *flooder) pings(a *attacker) error {
	_, err := f.join(a)
	for err == nil {
		err = f.frame(a, final|aPing, f.garbage[:rand.IntN(126)])
	}
	return err
}

func (f *flooder) fragments(a *attacker) error {
	_, err := f.join(a)
	if err == nil {
		err = f.frame(a, binaryData, []byte{0xa1})
	}
	many := bytes.Repeat([]byte{0, 0x80, 0, 0, 0, 0}, 1000)
	for err == nil {
		f.frames.Add(1000)
		err = f.send(a, many)
	}
	return err
}

// bomb is 128 MiB of zeros, compressed as a message is (RFC 7692 §7.2.1).
var bomb = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		panic("bench: " + err.Error()) // the level is one that there is
	}
	zeros := make([]byte, 1<<20)
	for range 128 {
		_, _ = w.Write(zeros) // into memory
	}
	_ = w.Flush()
	return bytes.TrimSuffix(b.Bytes(), []byte{0, 0, 0xff, 0xff})
})

func (f *flooder) bombs(a *attacker) error {
	_, err := f.join(a)
	for err == nil {
		err = f.frame(a, final|compressed|binaryData, bomb())
	}
	return err
}

// FloodProcess is Flood.Run for a process of its own: it says when it has begun,
// floods until its standard input ends, and writes what it did.
func FloodProcess(ctx context.Context, f Flood, in io.Reader, out io.Writer) error {
	yield()
	bomb()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, in)
		cancel()
	}()
	done, err := f.Run(ctx, func() { fmt.Fprintln(out, "flooding") })
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(done)
}
