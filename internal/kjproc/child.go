package kjproc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
)

// child is a process that this one started and that ends with it. One
// goroutine starts it, reads its standard output and waits for its end.
type child struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when the child has ended
	err  error         // how it ended; read after done

	prefix string      // begins the line on standard output that is awaited
	line   chan string // the rest of that line, once
	phrase string      // awaited on standard error
	said   chan struct{}

	logMu sync.Mutex
	log   bytes.Buffer // guarded by logMu: what it wrote to standard error
	heard bool         // guarded by logMu: the phrase was there
}

// spawn starts the command. With a prefix its line goes to child.line; with a
// phrase child.said is closed when standard error has held it.
func spawn(cmd *exec.Cmd, prefix, phrase string) (*child, error) {
	c := &child{
		cmd: cmd, done: make(chan struct{}), prefix: prefix, line: make(chan string, 1),
		phrase: phrase, said: make(chan struct{}),
	}
	cmd.SysProcAttr = childAttr()
	cmd.Stderr = (*logWriter)(c)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	started := make(chan error, 1)
	go c.run(out, started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return c, nil
}

// run starts the child and stays until it has ended. It keeps its thread all
// the while: on Linux the child ends with the thread that started it.
func (c *child) run(out io.Reader, started chan<- error) {
	defer close(c.done)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := c.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	sc := bufio.NewScanner(out)
	for c.prefix != "" && sc.Scan() {
		if rest, ok := strings.CutPrefix(sc.Text(), c.prefix); ok {
			c.line <- rest
			break
		}
	}
	_, _ = io.Copy(io.Discard, out)
	c.err = c.cmd.Wait()
}

// PID returns the child's process id.
func (c *child) PID() int { return c.cmd.Process.Pid }

// Done is closed when the child has ended.
func (c *child) Done() <-chan struct{} { return c.done }

// Log returns what the child has written to standard error.
func (c *child) Log() string {
	c.logMu.Lock()
	defer c.logMu.Unlock()
	return c.log.String()
}

// Signal sends a signal, such as SIGSTOP; one to a child that has ended is
// nothing.
func (c *child) Signal(sig syscall.Signal) error {
	if err := c.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("send %v to process %d: %w", sig, c.PID(), err)
	}
	return nil
}

// Kill ends the child with SIGKILL, stopped or not, and waits for its end.
func (c *child) Kill() {
	_ = c.cmd.Process.Kill() // it has ended already
	<-c.done
}

// Stop ends the child with SIGTERM and returns how it went.
func (c *child) Stop() error {
	if err := c.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	<-c.done
	return c.err
}

// logWriter takes the child's standard error.
type logWriter child

func (w *logWriter) Write(b []byte) (int, error) {
	w.logMu.Lock()
	defer w.logMu.Unlock()
	n, err := w.log.Write(b)
	if w.phrase != "" && !w.heard && bytes.Contains(w.log.Bytes(), []byte(w.phrase)) {
		w.heard = true
		close(w.said)
	}
	return n, err
}
