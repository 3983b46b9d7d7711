package limit

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"
)

// patience is how long a test waits for an event before it fails.
const patience = time.Minute

// openDoor opens a door on a free port of this machine.
func openDoor(t *testing.T, set ...string) *Door {
	t.Helper()
	c := limiter(t, &clock{}, set...)
	c.now = time.Now
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := NewDoor(ln, c)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func dial(t *testing.T, d *Door) net.Conn {
	t.Helper()
	nc, err := net.Dial("tcp", d.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = nc.Close() })
	return nc
}

func accept(t *testing.T, d *Door) net.Conn {
	t.Helper()
	nc, err := d.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = nc.Close() })
	return nc
}

// wasClosed waits until the other side has closed a connection.
func wasClosed(t *testing.T, nc net.Conn) {
	t.Helper()
	_ = nc.SetReadDeadline(time.Now().Add(patience))
	_, err := nc.Read(make([]byte, 1))
	var late net.Error
	if err == nil || errors.As(err, &late) && late.Timeout() {
		t.Errorf("the connection is still open: %v", err)
	}
}

func TestADoorLetsInAtAPace(t *testing.T) {
	d := openDoor(t, "connects-per-second=20") // 200 at once
	const n = 220
	for range n {
		dial(t, d)
	}
	began := time.Now()
	for range n {
		accept(t, d)
	}
	if took := time.Since(began); took < 500*time.Millisecond {
		t.Errorf("%d connections were let in in %v, 20 of them beyond what may come at once", n, took)
	}
	if row, _ := d.l.Find(Connects); row.Hits == 0 || row.Waited == 0 {
		t.Errorf("%+v says nothing of that", row)
	}
}

func TestADoorClosesTheOldestStranger(t *testing.T) {
	d := openDoor(t, "address-strangers=3")
	var outside []net.Conn
	come := func() net.Conn {
		outside = append(outside, dial(t, d))
		return accept(t, d)
	}
	known := come()
	d.Known(known.RemoteAddr().String())
	d.Known("192.0.2.1:1") // nobody
	for range 3 {
		come()
	}
	last := come()
	wasClosed(t, outside[1])
	if _, err := last.Write([]byte("x")); err != nil {
		t.Errorf("the last: %v", err)
	}
	for i, nc := range []net.Conn{outside[0], outside[2], outside[3]} {
		_ = nc.SetReadDeadline(time.Now().Add(time.Millisecond))
		if _, err := nc.Read(make([]byte, 1)); err == io.EOF {
			t.Errorf("connection %d was closed, and was not the oldest stranger", i)
		}
	}
}

func TestADoorBoundsConnections(t *testing.T) {
	d := openDoor(t, "address-connections=2")
	first := dial(t, d)
	in := accept(t, d)
	dial(t, d)
	accept(t, d)
	if nc, err := net.Dial("tcp", d.Addr().String()); err == nil { // else it was closed at once
		defer nc.Close()
		wasClosed(t, nc)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	wasClosed(t, first)
	dial(t, d) // there is room again
	accept(t, d)
}

// TestADoorBoundsWhoWaits has far more come than may.
func TestADoorBoundsWhoWaits(t *testing.T) {
	d := openDoor(t, "connects-per-second=1", "address-strangers=5") // 10 at once
	closed := make(chan struct{}, 40)
	var outside []net.Conn
	for range cap(closed) {
		nc, err := net.Dial("tcp", d.Addr().String())
		if err != nil { // it was closed at once
			closed <- struct{}{}
			continue
		}
		t.Cleanup(func() { _ = nc.Close() })
		outside = append(outside, nc)
	}
	go func() {
		for {
			if _, err := d.Accept(); err != nil {
				return
			}
		}
	}()
	for _, nc := range outside {
		go func() {
			_, _ = nc.Read(make([]byte, 1))
			closed <- struct{}{}
		}()
	}
	deadline := time.After(patience)
	for range 40 - 5 - 5 - 2 { // five strangers, five who wait, and who comes meanwhile
		select {
		case <-closed:
		case <-deadline:
			t.Fatal("too many wait")
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.strangers) > 5 || len(d.addresses) != 1 {
		t.Errorf("%d strangers of %d addresses, want at most 5 of 1", len(d.strangers), len(d.addresses))
	}
}

func TestAClosedDoor(t *testing.T) {
	d := openDoor(t, "connects-per-second=1")
	var outside []net.Conn
	for range 15 { // of whom some wait
		outside = append(outside, dial(t, d))
	}
	in := accept(t, d)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept = %v, want net.ErrClosed", err)
	}
	wasClosed(t, outside[len(outside)-1])
	if _, err := in.Write([]byte("x")); err != nil {
		t.Errorf("who was let in: %v", err)
	}
}

func TestHosts(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.7:1234":            "192.0.2.7",
		"[2001:db8:1:2:3::4]:1234":  "2001:db8:1:2::",
		"[2001:db8:1:2:ffff::]:999": "2001:db8:1:2::",
		"[::1]:80":                  "::1",
		"[::ffff:192.0.2.7]:80":     "192.0.2.7",
		"@":                         "@",
	} {
		if got := hostOf(remote); got != want {
			t.Errorf("hostOf(%q) = %q, want %q", remote, got, want)
		}
	}
}
