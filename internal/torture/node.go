package torture

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"kaijutsu"
	"kaijutsu/internal/kjproc"
)

// node is one kj serve, which may be down. Its address stays the same over
// restarts. It is safe for concurrent use; start and kill are the
// director's alone.
type node struct {
	name, exe, dir string
	args           []string // of kj serve
	env            []string // besides ours
	always         []string // likewise, and it stays
	machine        machine  // where it runs; zero: here

	mu     sync.Mutex
	proc   *kjproc.Process // nil while it is down
	listen string          // host:port, from the first start on
	base   string          // the URL at which it is reached from here
	logs   []string        // of the processes that ended
	owner  string          // the owner's token, when the node wants tokens
	proxy  *proxy          // when it runs on another machine

	sync    string           // of a rival: where editors connect
	command func() *exec.Cmd // likewise: what runs it; nil: it runs already
}

// start runs the node until kill or stop.
func (n *node) start(ctx context.Context) error {
	if n.sync != "" {
		return n.startRival(ctx)
	}
	args := append([]string(nil), n.args...)
	if n.listen != "" {
		args = append(args, "--listen", n.listen)
	}
	cmd := kjproc.Serve(n.exe, n.dir, args...)
	if around := n.machine.around(); len(around) > 0 {
		cmd = exec.Command(around[0], append(around[1:], cmd.Args...)...)
	}
	cmd.Env = slices.Concat(os.Environ(), n.always, n.env)
	p, err := kjproc.Run(ctx, cmd)
	if err != nil {
		return fmt.Errorf("node %s: %w", n.name, err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.proc, n.listen = p, p.Listen()
	if n.base == "" {
		n.base = p.URL
	}
	if n.machine.name != "" && n.proxy == nil {
		if n.proxy, err = openProxy(n.machine, n.listen); err != nil {
			return fmt.Errorf("node %s: %w", n.name, err)
		}
		n.base = "http://" + n.proxy.address()
	}
	return nil
}

// kill ends it with SIGKILL.
func (n *node) kill() {
	if p := n.process(); p != nil {
		p.Kill()
		n.ended(p)
	}
}

func (n *node) ended(p *kjproc.Process) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.proc = nil
	n.logs = append(n.logs, p.Log())
}

// process returns the running process, nil while it is down.
func (n *node) process() *kjproc.Process {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.proc
}

// url returns its address over HTTP.
func (n *node) url() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.base
}

// api calls the node's operations, as its owner when it wants tokens.
func (n *node) api() api {
	n.mu.Lock()
	defer n.mu.Unlock()
	return newAPI(n.base).as(n.owner)
}

// syncURL returns where editors connect, with somebody's token unless that is
// empty.
func (n *node) syncURL(token string) string {
	if n.sync != "" {
		return n.sync
	}
	at := "ws" + strings.TrimPrefix(n.url(), "http") + "/sync"
	if token != "" {
		at += "?token=" + url.QueryEscape(token)
	}
	return at
}

// alive says why a node that should run does not.
func (n *node) alive() error {
	p := n.process()
	if p == nil {
		return fmt.Errorf("node %s is down: %w", n.name, kaijutsu.ErrUnavailable)
	}
	select {
	case <-p.Done():
		return fmt.Errorf("node %s ended by itself: %w: %s", n.name, kaijutsu.ErrUnavailable, tail(p.Log()))
	default:
		return nil
	}
}

// log returns what it has written in all its lives.
func (n *node) log() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := strings.Join(n.logs, "\n--- started again ---\n")
	if n.proc != nil {
		all += "\n--- the last life ---\n" + n.proc.Log()
	}
	return all
}

func (n *node) close() {
	n.kill()
	if n.proxy != nil {
		n.proxy.close()
	}
}

// tail returns the end of a log.
func tail(log string) string {
	log = strings.TrimSpace(log)
	return log[max(0, len(log)-1500):]
}
