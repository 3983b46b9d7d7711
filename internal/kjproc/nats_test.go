package kjproc_test

import (
	"bufio"
	"net"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"kaijutsu/internal/kjproc"
)

// TestNATS starts a real server, stops it in the middle, kills it and starts
// it again on the same directory and port.
func TestNATS(t *testing.T) {
	dir := t.TempDir()
	exe, err := kjproc.FindNATS(t.Context(), "", dir)
	if err != nil {
		t.Fatal(err)
	}
	ports, err := kjproc.FreePorts(2)
	if err != nil {
		t.Fatal(err)
	}
	cfg := kjproc.NATSConfig{Exe: exe, Dir: dir, Port: ports[0], Monitor: ports[1]}
	for range 2 {
		n, err := kjproc.StartNATS(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(n.Kill)
		conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(cfg.Port))
		if err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.HasPrefix(line, "INFO ") {
			t.Errorf("first line of the server = %q, %v, want INFO …", line, err)
		}
		conn.Close()
		if err := n.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		n.Kill()
	}
	if _, err := kjproc.FindNATS(t.Context(), dir+"/no-such-server", dir); err == nil {
		t.Error("FindNATS of a missing file gave no error")
	}
}
