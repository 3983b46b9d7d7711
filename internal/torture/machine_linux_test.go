package torture

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"kaijutsu/internal/kjproc"
)

// TestMachines runs a nats-server on one machine, reaches it from another,
// pulls the cable, and leaves no namespace behind.
func TestMachines(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("network namespaces need root")
	}
	net, err := openNetwork(2)
	if err != nil {
		t.Skip(err) // a container may forbid them
	}
	defer net.close()
	dir := t.TempDir()
	exe, err := kjproc.FindNATS(t.Context(), "", dir)
	if err != nil {
		t.Fatal(err)
	}
	a, b := net.machines[0], net.machines[1]
	ports, err := kjproc.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	n, err := kjproc.StartNATS(t.Context(), kjproc.NATSConfig{Exe: exe, Dir: dir, Host: a.address, Port: ports[0], Around: a.around()})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Kill()
	address := fmt.Sprintf("%s:%d", a.address, ports[0])
	conn, err := b.dial(address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if line, err := bufio.NewReader(conn).ReadString('\n'); !strings.HasPrefix(line, "INFO ") {
		t.Errorf("the server says %q, %v, want INFO …", line, err)
	}
	if err := a.cut(); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetDeadline(time.Now().Add(300 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write([]byte("PING\r\n")); err != nil {
		t.Fatal(err)
	}
	if got, err := conn.Read(make([]byte, 100)); err == nil {
		t.Errorf("read %d bytes of a machine that is cut off", got)
	}
	if err := a.join(); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 100)); err != nil {
		t.Errorf("read behind the cut: %v, want an answer to PING", err)
	}
	n.Kill()
	net.close()
	if entries, err := os.ReadDir("/run/netns"); err == nil {
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), fmt.Sprintf("%s%d-", namespacePrefix, os.Getpid())) {
				t.Errorf("namespace %s is left", e.Name())
			}
		}
	}
}
