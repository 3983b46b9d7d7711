package kjproc

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"kaijutsu"
)

// readyTimeout is how long a server may take to say where it listens.
const readyTimeout = 30 * time.Second

// readyPrefix begins the last line that kj serve prints when it is ready.
const readyPrefix = "listening on "

// Process is a running kj serve.
type Process struct {
	// URL is the server's address, http://127.0.0.1:port.
	URL string
	// Ready is how long it took from the start of the process to its being ready.
	Ready time.Duration

	*child
}

// Start runs exe serve with a data directory and further arguments, and
// returns when it serves. Without a --listen among the arguments it takes a
// free port on 127.0.0.1.
func Start(ctx context.Context, exe, dir string, args ...string) (*Process, error) {
	return Run(ctx, Serve(exe, dir, args...))
}

// Serve returns the command that Start runs, for callers that change its
// environment or run it inside another program.
func Serve(exe, dir string, args ...string) *exec.Cmd {
	full := []string{"serve", "--data", dir}
	if !slices.ContainsFunc(args, func(s string) bool { return strings.HasPrefix(s, "--listen") }) {
		full = append(full, "--listen", "127.0.0.1:0")
	}
	return exec.Command(exe, append(full, args...)...)
}

// Run starts any server that says when it is ready as kj serve does, with a
// line "listening on URL", and returns when it has said so.
func Run(ctx context.Context, cmd *exec.Cmd) (*Process, error) {
	began := time.Now()
	c, err := spawn(cmd, readyPrefix, "")
	if err != nil {
		return nil, err
	}
	p := &Process{child: c}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	select {
	case p.URL = <-c.line:
		p.Ready = time.Since(began)
		return p, nil
	case <-c.done:
		return nil, fmt.Errorf("server ended at once: %w: %s", kaijutsu.ErrUnavailable, strings.TrimSpace(c.Log()))
	case <-ctx.Done():
		c.Kill()
		return nil, fmt.Errorf("server not ready: %w: %s", ctx.Err(), strings.TrimSpace(c.Log()))
	}
}

// SyncURL returns the address that editors connect to.
func (p *Process) SyncURL() string { return "ws" + strings.TrimPrefix(p.URL, "http") + "/sync" }

// Listen returns the host:port it serves on, to be used again after a kill.
func (p *Process) Listen() string { return strings.TrimPrefix(p.URL, "http://") }
