package peer_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// handshake opens a WebSocket and returns the bare connection.
func (s *server) handshake(headers ...string) net.Conn {
	s.t.Helper()
	host := strings.TrimPrefix(s.url, "ws://")
	nc, err := net.Dial("tcp", host)
	if err != nil {
		s.t.Error(err)
		return nil
	}
	s.t.Cleanup(func() { _ = nc.Close() })
	_, err = fmt.Fprintf(nc, "GET / HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n%s\r\n", host, strings.Join(headers, ""))
	if err != nil {
		s.t.Error(err)
		return nc
	}
	answer := make([]byte, 0, 512)
	for !bytes.HasSuffix(answer, []byte("\r\n\r\n")) {
		b := make([]byte, 1)
		if _, err := nc.Read(b); err != nil {
			s.t.Error(err)
			return nc
		}
		answer = append(answer, b...)
	}
	if want := fmt.Sprint(http.StatusSwitchingProtocols); !strings.Contains(string(answer), want) {
		s.t.Errorf("upgrade answered with %q, want %s", answer, want)
	}
	return nc
}

// masked is a binary WebSocket frame as a client sends it, with a zero mask.
func masked(payload []byte) []byte {
	head := []byte{0x82}
	switch n := len(payload); {
	case n < 126:
		head = append(head, 0x80|byte(n))
	default:
		head = binary.BigEndian.AppendUint16(append(head, 0x80|126), uint16(n))
	}
	return append(append(head, 0, 0, 0, 0), payload...)
}

// readServerFrame reads one unmasked, unfragmented frame; first is its first
// byte.
func readServerFrame(nc net.Conn) (first byte, payload []byte, err error) {
	head := make([]byte, 2)
	if _, err := io.ReadFull(nc, head); err != nil {
		return 0, nil, err
	}
	n := int(head[1])
	if extra := map[int]int{126: 2, 127: 8}[n]; extra > 0 {
		b := make([]byte, extra)
		if _, err := io.ReadFull(nc, b); err != nil {
			return 0, nil, err
		}
		n = 0
		for _, v := range b {
			n = n<<8 | int(v)
		}
	}
	payload = make([]byte, n)
	_, err = io.ReadFull(nc, payload)
	return head[0], payload, err
}
