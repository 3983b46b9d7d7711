package bench

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"kaijutsu"
)

// Opcodes of WebSocket frames, RFC 6455 §5.2.
const (
	opContinue = 0x0
	opText     = 0x1
	opBinary   = 0x2
	opClose    = 0x8
	opPing     = 0x9
	opPong     = 0xa
)

// frameParser takes the bytes of one side of a WebSocket apart. Extensions are
// not understood: none is negotiated. It is not safe for concurrent use.
type frameParser struct {
	keep int // bytes of a message that are kept; 0: all

	header  [14]byte
	have    int // bytes of the header that are there
	masked  bool
	mask    [4]byte
	final   bool
	op      byte
	left    int // bytes of the frame's payload that are still to come
	at      int // bytes of it that were there
	inside  bool
	control []byte

	kind    byte // of the message
	message []byte
	size    int
}

// feed takes what was read, and calls got with each message, cut to what is kept,
// and its size, and with each control frame. What it is given is valid until it
// returns. Payloads that are masked are unmasked in b.
func (f *frameParser) feed(b []byte, got func(op byte, message []byte, size int) error) error {
	for len(b) > 0 || f.inside && f.left == 0 {
		if !f.inside {
			var err error
			if b, err = f.readHeader(b); err != nil || !f.inside {
				return err
			}
		}
		part := b[:min(f.left, len(b))]
		b = b[len(part):]
		if f.masked {
			for i := range part {
				part[i] ^= f.mask[(f.at+i)%4]
			}
		}
		f.left, f.at = f.left-len(part), f.at+len(part)
		if err := f.payload(part, got); err != nil {
			return err
		}
	}
	return nil
}

// readHeader takes what it can of a frame's header, and returns what follows.
func (f *frameParser) readHeader(b []byte) ([]byte, error) {
	for {
		need := 2
		if f.have >= 2 {
			switch f.header[1] & 0x7f {
			case 126:
				need += 2
			case 127:
				need += 8
			}
			if f.header[1]&0x80 != 0 {
				need += 4
			}
		}
		if f.have == need {
			break
		}
		if len(b) == 0 {
			return nil, nil
		}
		n := copy(f.header[f.have:need], b)
		f.have, b = f.have+n, b[n:]
	}
	h := f.header[:f.have]
	f.have = 0
	if h[0]&0x70 != 0 {
		return nil, fmt.Errorf("a WebSocket frame of an extension that was not agreed upon: %w", kaijutsu.ErrInvalid)
	}
	f.final, f.op, f.masked = h[0]&0x80 != 0, h[0]&0xf, h[1]&0x80 != 0
	size, rest := uint64(h[1]&0x7f), h[2:]
	switch size {
	case 126:
		size, rest = uint64(binary.BigEndian.Uint16(rest)), rest[2:]
	case 127:
		size, rest = binary.BigEndian.Uint64(rest), rest[8:]
	}
	if size > maxFrameBytes {
		return nil, fmt.Errorf("a WebSocket frame of %d bytes: %w", size, kaijutsu.ErrTooLarge)
	}
	copy(f.mask[:], rest)
	f.left, f.at, f.inside = int(size), 0, true
	return b, nil
}

// payload takes a part of the frame's payload, and ends the frame if it is the last.
func (f *frameParser) payload(part []byte, got func(op byte, message []byte, size int) error) error {
	ended := f.left == 0
	if f.op >= opClose {
		f.control = append(f.control, part...)
		if !ended {
			return nil
		}
		f.inside = false
		control := f.control
		f.control = f.control[:0]
		return got(f.op, control, len(control))
	}
	if f.op != opContinue && f.at == len(part) {
		f.kind, f.size, f.message = f.op, 0, f.message[:0]
	}
	whole := ended && f.final && f.size == 0 // nothing to keep of it
	f.size += len(part)
	if room := f.keep - len(f.message); f.keep > 0 && len(part) > room {
		part = part[:max(0, room)]
	}
	if !whole {
		f.message = append(f.message, part...)
		part = f.message
	}
	if !ended {
		return nil
	}
	f.inside = false
	if !f.final {
		return nil
	}
	size := f.size
	f.size = 0
	if cap(f.message) > 1<<20 { // rare, and many connections
		defer func() { f.message = nil }()
	}
	return got(f.kind, part, size)
}

// appendFrame appends a whole message as one frame. Clients mask, RFC 6455 §5.3:
// with zeros, since there is no proxy to protect on a loopback.
func appendFrame(dst []byte, op byte, message []byte, client bool) []byte {
	var mask byte
	if client {
		mask = 0x80
	}
	switch n := len(message); {
	case n < 126:
		dst = append(dst, 0x80|op, mask|byte(n))
	case n < 1<<16:
		dst = binary.BigEndian.AppendUint16(append(dst, 0x80|op, mask|126), uint16(n))
	default:
		dst = binary.BigEndian.AppendUint64(append(dst, 0x80|op, mask|127), uint64(n))
	}
	if client {
		dst = append(dst, 0, 0, 0, 0)
	}
	return append(dst, message...)
}

// acceptKey is the answer to the key of a handshake, RFC 6455 §4.2.2.
func acceptKey(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// upgradeTimeout is how long a server may take to accept a connection.
const upgradeTimeout = 60 * time.Second

// dialBare makes a WebSocket connection without extensions, and returns it with
// what the server has sent behind its answer.
func dialBare(address string) (*net.TCPConn, []byte, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, nil, err
	}
	nc, err := net.DialTimeout("tcp", u.Host, upgradeTimeout)
	if err != nil {
		return nil, nil, fmt.Errorf("connect to %s: %w", address, err)
	}
	rest, err := upgradeBare(nc, u)
	if err != nil {
		_ = nc.Close()
		return nil, nil, fmt.Errorf("connect to %s: %w", address, err)
	}
	return nc.(*net.TCPConn), rest, nil
}

func upgradeBare(nc net.Conn, u *url.URL) ([]byte, error) {
	const key = "a2FpanV0c3UtYmVuY2gtMQ=="
	if err := nc.SetDeadline(time.Now().Add(upgradeTimeout)); err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(nc, "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\n\r\n", u.RequestURI(), u.Host, key); err != nil {
		return nil, err
	}
	r := bufio.NewReaderSize(nc, 4<<10)
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		return nil, err
	}
	_ = resp.Body.Close() // there is none
	if resp.StatusCode != http.StatusSwitchingProtocols || resp.Header.Get("Sec-WebSocket-Accept") != acceptKey(key) {
		return nil, fmt.Errorf("server answered %s: %w", resp.Status, kaijutsu.ErrUnavailable)
	}
	rest, _ := r.Peek(r.Buffered()) // no more than there is
	return append([]byte(nil), rest...), nc.SetDeadline(time.Time{})
}
