// Package kjproc runs `kj serve` as a child process that can be killed at any
// moment: for the demo, the crash tests, the interop tests and the benchmarks.
//
// A Process owns one child and one goroutine that reads its standard output;
// Kill and Stop wait for both. It stores nothing; the data directory belongs
// to the caller.
package kjproc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
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

	cmd  *exec.Cmd
	done chan struct{} // closed when the child has ended
	err  error         // how it ended; read after done

	logMu sync.Mutex
	log   bytes.Buffer // guarded by logMu: what it wrote to standard error
}

// Start runs exe serve with a data directory and further arguments, and
// returns when it serves. Without a --listen among the arguments it takes a
// free port on 127.0.0.1.
func Start(ctx context.Context, exe, dir string, args ...string) (*Process, error) {
	full := []string{"serve", "--data", dir}
	if !strings.Contains(strings.Join(args, " "), "--listen") {
		full = append(full, "--listen", "127.0.0.1:0")
	}
	return Run(ctx, exec.Command(exe, append(full, args...)...))
}

// Run starts any server that says when it is ready as kj serve does, with a
// line "listening on URL", and returns when it has said so.
func Run(ctx context.Context, cmd *exec.Cmd) (*Process, error) {
	p := &Process{cmd: cmd, done: make(chan struct{})}
	p.cmd.SysProcAttr = childAttr()
	p.cmd.Stderr = (*logWriter)(p)
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	started, ready := make(chan error, 1), make(chan string, 1)
	go p.run(out, started, ready)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", p.cmd.Path, err)
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	select {
	case p.URL = <-ready:
		p.Ready = time.Since(began)
		return p, nil
	case <-p.done:
		return nil, fmt.Errorf("server ended at once: %w: %s", kaijutsu.ErrUnavailable, strings.TrimSpace(p.Log()))
	case <-ctx.Done():
		p.Kill()
		return nil, fmt.Errorf("server not ready: %w: %s", ctx.Err(), strings.TrimSpace(p.Log()))
	}
}

// run starts the child and stays until it has ended. It keeps its thread all
// the while: on Linux the child ends with the thread that started it.
func (p *Process) run(out io.Reader, started chan<- error, ready chan<- string) {
	defer close(p.done)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	sc := bufio.NewScanner(out)
	for sc.Scan() {
		if url, ok := strings.CutPrefix(sc.Text(), readyPrefix); ok {
			ready <- url
			break
		}
	}
	_, _ = io.Copy(io.Discard, out)
	p.err = p.cmd.Wait()
}

// SyncURL returns the address that editors connect to.
func (p *Process) SyncURL() string { return "ws" + strings.TrimPrefix(p.URL, "http") + "/sync" }

// Listen returns the host:port it serves on, to be used again after a kill.
func (p *Process) Listen() string { return strings.TrimPrefix(p.URL, "http://") }

// PID returns the child's process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the child has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Log returns what the child has written to standard error.
func (p *Process) Log() string {
	p.logMu.Lock()
	defer p.logMu.Unlock()
	return p.log.String()
}

// Kill ends the child with SIGKILL and waits for its end.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // it has ended already
	<-p.done
}

// Stop ends the child with SIGTERM and returns how it went.
func (p *Process) Stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-p.done
	return p.err
}

// logWriter takes the child's standard error.
type logWriter Process

func (w *logWriter) Write(b []byte) (int, error) {
	w.logMu.Lock()
	defer w.logMu.Unlock()
	return w.log.Write(b)
}
