package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/editor"
	"kaijutsu/internal/kjproc"
)

// Options say how the demo runs. The zero value is the demo as shown.
type Options struct {
	// Exe is the kj binary; default this one.
	Exe string
	// Writing is how long the writers write, with the kill in the middle;
	// default 6 s.
	Writing time.Duration
	// Out receives the progress; default nothing.
	Out io.Writer
}

// Run runs the demo and returns its report. It fails when something could not
// be done; a lost edit is not a failure but a fact in the report.
func Run(ctx context.Context, opt Options) (*Report, error) {
	if opt.Exe == "" {
		exe, err := os.Executable()
		if err != nil {
			return nil, err
		}
		opt.Exe = exe
	}
	if opt.Writing == 0 {
		opt.Writing = 6 * time.Second
	}
	if opt.Out == nil {
		opt.Out = io.Discard
	}
	dir, err := os.MkdirTemp("", "kj-demo-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s := &stage{opt: opt, data: filepath.Join(dir, "data"), exported: filepath.Join(dir, "context.automerge")}
	defer s.close()
	if err := s.play(ctx); err != nil {
		return nil, err
	}
	return s.report(ctx)
}

// stage is one run: the server, the writers and what was seen.
type stage struct {
	opt      Options
	data     string
	exported string

	server  *kjproc.Process
	context kaijutsu.DocumentID
	writers []*writer
	agent   *agent

	readyFirst, readyAgain time.Duration
	beforeKill             map[kaijutsu.ChangeHash]struct{} // acknowledged when the server was killed
	found                  map[kaijutsu.ChangeHash]struct{} // on disk after the kill
}

func (s *stage) say(format string, args ...any) {
	fmt.Fprintf(s.opt.Out, format+"\n", args...)
}

// play runs the acts in order.
func (s *stage) play(ctx context.Context) error {
	if err := s.open(ctx); err != nil {
		return err
	}
	s.say("· amy and ben type into one block, an agent streams another, for %v", s.opt.Writing/2)
	if err := s.write(ctx, s.opt.Writing/2, true); err != nil {
		return err
	}
	s.say("· the server starts again on the same directory, with nobody connected")
	if err := s.restart(ctx); err != nil {
		return err
	}
	s.say("  found %d of %d acknowledged changes on its disk", s.survivors(), len(s.beforeKill))
	s.say("· everybody reconnects and writes for another %v", s.opt.Writing/2)
	for _, w := range s.writers {
		if err := w.client.Connect(ctx); err != nil {
			return err
		}
	}
	if err := s.write(ctx, s.opt.Writing/2, false); err != nil {
		return err
	}
	return s.settle(ctx)
}

// open starts the server, makes the context and lets the editors join.
func (s *stage) open(ctx context.Context) error {
	s.say("· starting a server on a temporary directory")
	var err error
	if s.server, err = kjproc.Start(ctx, s.opt.Exe, s.data); err != nil {
		return err
	}
	s.readyFirst = s.server.Ready
	s.agent = &agent{api: api{base: s.server.URL}}
	if s.context, err = s.agent.api.createContext(ctx, "Demo"); err != nil {
		return err
	}
	shared, err := s.agent.api.createBlock(ctx, s.context, "text", "user", "text", "")
	if err != nil {
		return err
	}
	for _, name := range []string{"amy", "ben"} {
		w, err := newWriter(ctx, name, s.server.SyncURL(), s.context, shared)
		if err != nil {
			return err
		}
		s.writers = append(s.writers, w)
	}
	s.writers[0].watch(s.writers[1])
	s.writers[1].watch(s.writers[0])
	return nil
}

// write lets everybody write for a while; with kill, the server is killed at
// its end, in the middle of their writing.
func (s *stage) write(ctx context.Context, d time.Duration, kill bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var running sync.WaitGroup
	for _, w := range s.writers {
		running.Go(func() { w.run(ctx) })
	}
	running.Go(func() { s.agent.run(ctx, s.context) })
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.server.Done():
		return fmt.Errorf("the server ended by itself: %s", s.server.Log())
	case <-time.After(d):
	}
	if kill {
		s.server.Kill()
		for _, w := range s.writers {
			<-w.client.Gone() // what had arrived by then is all that was acknowledged
		}
		s.noteAcknowledged()
		s.say("✗ SIGKILL: %d changes were acknowledged to their editors by then", len(s.beforeKill))
	}
	cancel()
	running.Wait()
	if !kill && s.agent.err != nil && !errors.Is(s.agent.err, context.Canceled) {
		return fmt.Errorf("the agent could not write: %w", s.agent.err)
	}
	return nil
}

// noteAcknowledged records which changes the server had vouched for.
func (s *stage) noteAcknowledged() {
	s.beforeKill = make(map[kaijutsu.ChangeHash]struct{})
	for _, w := range s.writers {
		for _, h := range w.doc.AckedHashes() {
			s.beforeKill[h] = struct{}{}
		}
	}
}

// restart starts the server again and reads what its disk holds before anybody
// can bring it back.
func (s *stage) restart(ctx context.Context) error {
	p, err := kjproc.Start(ctx, s.opt.Exe, s.data, "--listen", s.server.Listen())
	if err != nil {
		return err
	}
	s.server, s.readyAgain = p, p.Ready
	changes, err := s.onDisk(ctx)
	if err != nil {
		return err
	}
	s.found = make(map[kaijutsu.ChangeHash]struct{})
	for _, c := range changes {
		s.found[c.Hash] = struct{}{}
	}
	return nil
}

// onDisk returns the changes of the context as kj export writes them.
func (s *stage) onDisk(ctx context.Context) ([]*amfile.Change, error) {
	chunk, err := s.agent.api.export(ctx, s.context)
	if err != nil {
		return nil, err
	}
	return amfile.DecodeDocument(chunk)
}

// survivors counts the acknowledged changes that the disk still had.
func (s *stage) survivors() int {
	n := 0
	for h := range s.beforeKill {
		if _, ok := s.found[h]; ok {
			n++
		}
	}
	return n
}

// settle waits until everybody has everything.
func (s *stage) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	a, b := s.writers[0].doc, s.writers[1].doc
	for _, d := range []*editor.Document{a, b} {
		if err := d.WaitAcked(ctx); err != nil {
			return fmt.Errorf("an editor is not acknowledged: %w", err)
		}
	}
	return a.Wait(ctx, func() bool { return a.Heads().Equal(b.Heads()) })
}

func (s *stage) close() {
	for _, w := range s.writers {
		w.client.Disconnect()
		w.doc.Close()
	}
	if s.server != nil {
		s.server.Kill()
	}
	http.DefaultClient.CloseIdleConnections()
}

// text returns the content of the block that both editors write in.
func text(d *editor.Document, id blocks.ID) string {
	list, err := d.Blocks()
	if err != nil {
		return ""
	}
	for _, b := range list {
		if b.ID == id {
			return b.Content
		}
	}
	return ""
}
