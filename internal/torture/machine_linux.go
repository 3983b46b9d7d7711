package torture

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"kaijutsu"
)

// machine is a network namespace with one address on the wire that joins the
// machines of a run. The zero value is this machine.
type machine struct {
	name    string // of the namespace
	address string // on the wire
	port    string // the hub's end of its cable
	hub     string // the namespace with the switch
}

// around returns the command that runs a command line on the machine.
func (m machine) around() []string {
	if m.name == "" {
		return nil
	}
	return []string{"ip", "netns", "exec", m.name}
}

// dial connects to an address of the machine, as if from there: a socket
// belongs for ever to the namespace that its thread was in.
func (m machine) dial(address string) (net.Conn, error) {
	if m.name == "" {
		return net.Dial("tcp", address)
	}
	type result struct {
		conn net.Conn
		err  error
	}
	done := make(chan result)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		f, err := os.Open("/run/netns/" + m.name)
		if err != nil {
			done <- result{nil, err}
			return
		}
		defer f.Close()
		if _, _, errno := syscall.RawSyscall(sysSetns, f.Fd(), syscall.CLONE_NEWNET, 0); errno != 0 {
			done <- result{nil, fmt.Errorf("enter namespace %s: %w", m.name, errno)}
			return
		}
		conn, err := net.DialTimeout("tcp", address, 5*time.Second)
		done <- result{conn, err}
	}()
	r := <-done
	return r.conn, r.err
}

// cut pulls the machine's cable, and join plugs it in again.
func (m machine) cut() error  { return ip("-n", m.hub, "link", "set", m.port, "down") }
func (m machine) join() error { return ip("-n", m.hub, "link", "set", m.port, "up") }

// sysSetns is the number of setns(2), which package syscall does not have.
var sysSetns = map[string]uintptr{"amd64": 308, "arm64": 268}[runtime.GOARCH]

// namespacePrefix begins the names of our namespaces; the id of the process
// that made them follows.
const namespacePrefix = "kj-torture-"

// network is some machines on one switch.
type network struct {
	names    []string
	machines []machine
}

// openNetwork makes n machines. It needs the right to make network
// namespaces.
func openNetwork(n int) (*network, error) {
	if sysSetns == 0 {
		return nil, fmt.Errorf("machines out of network namespaces: not on %s: %w", runtime.GOARCH, kaijutsu.ErrUnavailable)
	}
	if _, err := exec.LookPath("ip"); err != nil {
		return nil, fmt.Errorf("machines out of network namespaces need the command ip: %w: install iproute2", kaijutsu.ErrUnavailable)
	}
	removeLeftovers()
	w := &network{}
	if err := w.build(n); err != nil {
		w.close()
		if os.Geteuid() != 0 {
			return nil, fmt.Errorf("machines out of network namespaces: %w: run as root, or leave this fault out: %w", kaijutsu.ErrDenied, err)
		}
		return nil, fmt.Errorf("machines out of network namespaces: %w: %w", kaijutsu.ErrDenied, err)
	}
	return w, nil
}

func (w *network) build(n int) error {
	hub, err := w.namespace("hub")
	if err != nil {
		return err
	}
	if err := ip("-n", hub, "link", "add", "switch", "type", "bridge"); err != nil {
		return err
	}
	if err := ip("-n", hub, "link", "set", "switch", "up"); err != nil {
		return err
	}
	for i := range n {
		m := machine{address: fmt.Sprintf("10.77.0.%d", i+1), port: fmt.Sprintf("port%d", i+1), hub: hub}
		if m.name, err = w.namespace(strconv.Itoa(i + 1)); err != nil {
			return err
		}
		for _, args := range [][]string{
			{"-n", m.name, "link", "add", "eth0", "type", "veth", "peer", "name", m.port, "netns", hub},
			{"-n", m.name, "addr", "add", m.address + "/24", "dev", "eth0"},
			{"-n", m.name, "link", "set", "eth0", "up"},
			{"-n", hub, "link", "set", m.port, "master", "switch"},
			{"-n", hub, "link", "set", m.port, "up"},
		} {
			if err := ip(args...); err != nil {
				return err
			}
		}
		w.machines = append(w.machines, m)
	}
	return nil
}

// namespace makes one and brings its loopback up.
func (w *network) namespace(suffix string) (string, error) {
	name := namespacePrefix + strconv.Itoa(os.Getpid()) + "-" + suffix
	if err := ip("netns", "add", name); err != nil {
		return "", err
	}
	w.names = append(w.names, name)
	return name, ip("-n", name, "link", "set", "lo", "up")
}

// close removes the namespaces; what still runs in one keeps it alive, unseen.
func (w *network) close() {
	for _, name := range w.names {
		_ = ip("netns", "del", name) // it is as gone as it will be
	}
	w.names = nil
}

// removeLeftovers removes the namespaces of runs that were killed.
func removeLeftovers() {
	entries, err := os.ReadDir("/run/netns")
	if err != nil {
		return // there has never been one
	}
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), namespacePrefix)
		pid, _, _ := strings.Cut(rest, "-")
		n, err := strconv.Atoi(pid)
		if !ours || err != nil || !errors.Is(syscall.Kill(n, 0), syscall.ESRCH) {
			continue
		}
		_ = ip("netns", "del", e.Name())
	}
}

// ip runs the command ip.
func ip(args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "ip", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ip %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}
