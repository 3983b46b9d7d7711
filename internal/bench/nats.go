package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"kaijutsu"
)

// natsPeer is a raw client of a nats-server: the text protocol of
// https://docs.nats.io/reference/reference-protocols/nats-protocol, requests
// over one wildcard inbox, nothing else. It is safe for concurrent use. One
// goroutine reads, until close.
type natsPeer struct {
	conn  net.Conn
	inbox string
	last  atomic.Uint64

	writeMu sync.Mutex
	out     *bufio.Writer // guarded by writeMu

	mu      sync.Mutex
	waiting map[string]func(natsMsg) // guarded by mu: by the inbox's last token
	err     error                    // guarded by mu: why reading ended
	done    chan struct{}
}

// natsPeers counts peers, so that each has an inbox of its own.
var natsPeers atomic.Uint64

// natsMsg is a message as it came.
type natsMsg struct {
	reply   string
	status  string // of an answer without a message, such as 404
	payload []byte
}

// dialNATS connects to a server at host:port.
func dialNATS(ctx context.Context, address string) (*natsPeer, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	p := &natsPeer{conn: conn, inbox: fmt.Sprintf("_INBOX.bench%d.", natsPeers.Add(1)), out: bufio.NewWriterSize(conn, 64<<10), waiting: make(map[string]func(natsMsg)), done: make(chan struct{})}
	go p.read()
	return p, p.write("CONNECT {\"verbose\":false,\"headers\":true,\"no_responders\":true,\"lang\":\"go\",\"version\":\"0\"}\r\nSUB "+p.inbox+"* 1\r\n", nil)
}

func (p *natsPeer) close() {
	p.conn.Close()
	<-p.done
}

// write sends a line, which ends with CRLF, and a payload, which does not.
func (p *natsPeer) write(line string, payload []byte) error {
	p.writeMu.Lock()
	defer p.writeMu.Unlock()
	p.out.WriteString(line) // an error stays and comes with Flush
	if payload != nil {
		p.out.Write(payload)
		p.out.WriteString("\r\n")
	}
	return p.out.Flush()
}

// publish sends a message that f gets the answers to; with f nil nobody does.
// An id is for JetStream, which stores a second message with it once.
func (p *natsPeer) publish(subject, id string, payload []byte, f func(natsMsg)) (done func(), err error) {
	reply, token := "", ""
	if f != nil {
		token = strconv.FormatUint(p.last.Add(1), 36)
		reply = p.inbox + token + " "
		p.mu.Lock()
		p.waiting[token] = f
		p.mu.Unlock()
	}
	done = func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.waiting, token)
	}
	if payload == nil {
		payload = []byte{}
	}
	if id == "" {
		return done, p.write(fmt.Sprintf("PUB %s %s%d\r\n", subject, reply, len(payload)), payload)
	}
	header := "NATS/1.0\r\nNats-Msg-Id: " + id + "\r\n\r\n"
	return done, p.write(fmt.Sprintf("HPUB %s %s%d %d\r\n%s", subject, reply, len(header), len(header)+len(payload), header), payload)
}

// request sends a message and returns its answer, which may say what is wrong.
func (p *natsPeer) request(ctx context.Context, subject, id string, payload []byte) (natsMsg, error) {
	came := make(chan natsMsg, 1)
	done, err := p.publish(subject, id, payload, func(m natsMsg) {
		select {
		case came <- m:
		default:
		}
	})
	if err != nil {
		return natsMsg{}, err
	}
	defer done()
	select {
	case m := <-came:
		return m, m.wrong()
	case <-p.done:
		return natsMsg{}, p.ended()
	case <-ctx.Done():
		return natsMsg{}, fmt.Errorf("request %s: %w", subject, context.Cause(ctx))
	}
}

// deliver has f called with every message that comes under a stream's subject,
// which is how a pull consumer delivers; nil: they are dropped. f must return at
// once.
func (p *natsPeer) deliver(f func(natsMsg)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting[""] = f
}

// api sends a request to JetStream's API.
func (p *natsPeer) api(ctx context.Context, subject string, in any) error {
	params, err := json.Marshal(in)
	if err != nil {
		return err
	}
	_, err = p.request(ctx, "$JS.API."+subject, "", params)
	return err
}

// wrong returns the error that an answer of JetStream is.
func (m natsMsg) wrong() error {
	var answer struct {
		Error *struct {
			Description string `json:"description"`
		} `json:"error"`
	}
	if m.status != "" {
		return fmt.Errorf("nats-server answers %s: %w", m.status, kaijutsu.ErrUnavailable)
	}
	if len(m.payload) > 0 && m.payload[0] == '{' && json.Unmarshal(m.payload, &answer) == nil && answer.Error != nil {
		return fmt.Errorf("nats-server answers %q: %w", answer.Error.Description, kaijutsu.ErrInvalid)
	}
	return nil
}

func (p *natsPeer) ended() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// read hands messages to who waits for them.
func (p *natsPeer) read() {
	err := p.readAll(bufio.NewReaderSize(p.conn, 64<<10))
	p.mu.Lock()
	p.err = fmt.Errorf("connection to nats-server: %w: %w", kaijutsu.ErrUnavailable, err)
	p.mu.Unlock()
	close(p.done)
}

func (p *natsPeer) readAll(r *bufio.Reader) error {
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return err
		}
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		switch fields[0] {
		case "PING":
			if err := p.write("PONG\r\n", nil); err != nil {
				return err
			}
		case "-ERR":
			return fmt.Errorf("it says %s", strings.TrimSpace(line))
		case "MSG", "HMSG":
			if err := p.readMessage(r, fields); err != nil {
				return err
			}
		}
	}
}

// readMessage reads MSG subject sid [reply] size, or HMSG subject sid [reply]
// header-size size, and what follows it.
func (p *natsPeer) readMessage(r *bufio.Reader, fields []string) error {
	const maxMessage = 8 << 20
	head, sizes := 0, 1
	if fields[0] == "HMSG" {
		sizes = 2
	}
	if len(fields) < 3+sizes {
		return fmt.Errorf("a message of %d fields: %w", len(fields), kaijutsu.ErrInvalid)
	}
	size, err := strconv.Atoi(fields[len(fields)-1])
	if err == nil && sizes == 2 {
		head, err = strconv.Atoi(fields[len(fields)-2])
	}
	if err != nil || head < 0 || head > size || size > maxMessage {
		return fmt.Errorf("a message with the sizes %q: %w", fields, kaijutsu.ErrInvalid)
	}
	body := make([]byte, size+2)
	if _, err := io.ReadFull(r, body); err != nil {
		return err
	}
	m := natsMsg{payload: body[head:size]}
	if len(fields) == 4+sizes {
		m.reply = fields[3]
	}
	if first, _, _ := bytes.Cut(body[:head], []byte("\r\n")); len(first) > len("NATS/1.0") {
		m.status = strings.TrimSpace(string(first[len("NATS/1.0"):]))
	}
	p.mu.Lock()
	f := p.waiting[strings.TrimPrefix(fields[1], p.inbox)]
	if f == nil && !strings.HasPrefix(fields[1], p.inbox) {
		f = p.waiting[""]
	}
	p.mu.Unlock()
	if f != nil {
		f(m)
	}
	return nil
}
