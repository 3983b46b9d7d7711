package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestAConnectionIsTrustedForItsRequests makes requests of one connection.
func TestAConnectionIsTrustedForItsRequests(t *testing.T) {
	s := start(t, nil)
	host := strings.TrimPrefix(s.URL(), "http://")
	nc, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	_ = nc.SetDeadline(time.Now().Add(time.Minute))
	r := bufio.NewReader(nc)
	for _, tt := range []struct {
		name, path, body string
		status           int
		trusted          bool
	}{
		{"of a stranger", "/healthz", "", http.StatusOK, false},
		{"of somebody", "/v1/ops/whoami", "{}", http.StatusOK, true},
		{"garbage", "/v1/ops/block_edit", "\x1f\x8b garbage", http.StatusBadRequest, false},
		{"of a stranger again", "/healthz", "", http.StatusOK, true},
		{"of nothing", "/v1/ops/no_such", "{}", http.StatusNotFound, false},
		{"of somebody again", "/v1/ops/whoami", "{}", http.StatusOK, true},
	} {
		method := http.MethodPost
		if tt.body == "" {
			method = http.MethodGet
		}
		if _, err := fmt.Fprintf(nc, "%s %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s", method, tt.path, host, len(tt.body), tt.body); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != tt.status {
			t.Errorf("%s: answered %d %s, want %d", tt.name, resp.StatusCode, body, tt.status)
		}
		if got := s.Trusts(nc.LocalAddr().String()); got != tt.trusted {
			t.Errorf("%s: trusted %t, want %t", tt.name, got, tt.trusted)
		}
	}
}
