package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/editor"
	"kaijutsu/internal/kjproc"
	"kaijutsu/internal/kjtest"
)

type contextRow struct {
	ID  string
	URL string
}

// document is the context's as editors open it.
func (c contextRow) document(t testing.TB) kaijutsu.DocumentID {
	t.Helper()
	id, err := kaijutsu.ParseDocumentID(c.URL)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// call runs an operation; its result may be left alone.
func call[T any](t testing.TB, p *kjproc.Process, name string, in map[string]any) (out T) {
	t.Helper()
	kjtest.Call(t, p, name, in, &out)
	return out
}

// kj runs the command on a data directory and returns what it printed.
func kj(t testing.TB, data string, args ...string) string {
	t.Helper()
	out, err := kjMay(t, data, args...)
	if err != nil {
		t.Fatalf("kj %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return out
}

func kjMay(t testing.TB, data string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), kjtest.Binary(t), args...)
	cmd.Env = append(os.Environ(), "KJ_DATA="+data, "KJ_SERVER=", "KJ_TOKEN=")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestBackupUnderLoad backs a server up while editors write, restores it and
// serves it: every edit that was acknowledged before the backup began is there,
// a token works, a deleted context stays deleted, forks and a staged drift are
// there, and editors that hold more bring it back.
func TestBackupUnderLoad(t *testing.T) {
	dir, at := t.TempDir(), filepath.Join(t.TempDir(), "backup")
	p := kjtest.Serve(t, dir)
	plan := call[contextRow](t, p, "context_create", map[string]any{"title": "Plan"})
	other := call[contextRow](t, p, "context_create", map[string]any{"title": "Other"})
	gone := call[contextRow](t, p, "context_create", map[string]any{"title": "Gone"})
	call[any](t, p, "block_create", map[string]any{"context": "Plan", "content": "what the fork rests on"})
	fork := call[contextRow](t, p, "context_fork", map[string]any{"context": "Plan", "title": "Side"})
	call[any](t, p, "drift_push", map[string]any{"context": "Plan", "to": "Other", "content": "a finding", "stage": true})
	call[any](t, p, "context_delete", map[string]any{"context": "Gone", "force": true})
	token := call[struct{ Token string }](t, p, "token_create", map[string]any{"name": "bob", "role": "editor"}).Token

	var writers []*writer
	for _, c := range []contextRow{plan, other, fork} {
		writers = append(writers, startWriter(t, p.SyncURL(), c.document(t)))
	}
	for _, w := range writers {
		w.reach(t, 20)
	}
	kj(t, dir, "backup", at)
	for _, w := range writers {
		w.reach(t, w.count()+20)
	}
	want := make([][]kaijutsu.ChangeHash, len(writers))
	for i, w := range writers {
		want[i] = w.doc.AckedHashes()
	}
	if out := kj(t, dir, "backup", at, "--json"); !strings.Contains(out, `"previous": 1`) {
		t.Errorf("the second backup says %s, want one that adds to run 1", out)
	}
	for _, w := range writers {
		w.stop()
	}
	p.Kill()

	restored := filepath.Join(t.TempDir(), "restored")
	if out := kj(t, restored, "restore", at, "--data", restored, "--verify"); !strings.Contains(out, "all the same") {
		t.Errorf("restore says %s, want a comparison", out)
	}
	r := kjtest.Serve(t, restored, "--listen", p.Listen())
	for i, c := range []contextRow{plan, other, fork} {
		has := map[kaijutsu.ChangeHash]bool{}
		for _, change := range kjtest.Export(t, r, c.document(t)) {
			has[change.Hash] = true
		}
		for _, h := range want[i] {
			if !has[h] {
				t.Errorf("context %s lacks change %v, which was acknowledged before the backup", c.ID, h)
			}
		}
	}
	for i, w := range writers { // they wrote on while the backup was taken
		if err := w.client.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		// What the server before acknowledged says nothing of this one.
		within(t, fmt.Sprintf("editor %d to bring back all of its %d changes", i, w.doc.Len()), func() bool {
			return len(kjtest.Export(t, r, w.doc.ID())) == w.doc.Len()
		})
	}
	c, err := editor.Dial(t.Context(), editor.Config{URL: r.SyncURL()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	d := c.Open(t.Context(), gone.document(t))
	if err := d.Wait(t.Context(), d.Unavailable); err != nil {
		t.Errorf("the deleted context: %v, want it unavailable", err)
	}
	if queue := call[json.RawMessage](t, r, "drift_queue", map[string]any{}); !bytes.Contains(queue, []byte("a finding")) {
		t.Errorf("the queue of drifts = %s, want the staged one", queue)
	}
	if code := ask(t, r.URL, token); code != http.StatusOK {
		t.Errorf("with bob's token whoami answers %d, want 200", code)
	}
	if out, err := kjMay(t, restored, "restore", at, "--data", restored); err == nil {
		t.Errorf("restore over a server that runs: %s, want an error", out)
	}
}

// ask runs whoami with a token and returns the status.
func ask(t testing.TB, url, token string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/ops/whoami", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	if !bytes.Contains(body, []byte("bob")) {
		t.Errorf("whoami = %s, want bob", body)
	}
	return resp.StatusCode
}

// writer is an editor that writes until it is stopped, each line when the one
// before is acknowledged.
type writer struct {
	client *editor.Client
	doc    *editor.Document
	lines  atomic.Int64 // acknowledged
	ctx    context.Context
	cancel context.CancelFunc
	done   sync.WaitGroup
}

func startWriter(t testing.TB, url string, id kaijutsu.DocumentID) *writer {
	t.Helper()
	client, err := editor.Dial(t.Context(), editor.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	w := &writer{client: client, doc: client.Open(t.Context(), id)}
	if err := w.doc.Wait(t.Context(), func() bool { return w.doc.Len() > 0 }); err != nil {
		t.Fatal(err)
	}
	w.ctx, w.cancel = context.WithCancel(t.Context())
	w.done.Go(func() {
		for i := 0; w.ctx.Err() == nil; i++ {
			h, err := w.doc.Edit(w.ctx, func(tx *blocks.Tx) error {
				return tx.InsertBlock(blocks.BlockSpec{ID: blocks.NewID(time.Now()), Content: fmt.Sprint("line ", i)})
			})
			if err != nil || w.doc.WaitStored(w.ctx, h) != nil {
				return
			}
			w.lines.Add(1)
		}
	})
	t.Cleanup(w.stop)
	return w
}

func (w *writer) count() int { return int(w.lines.Load()) }

// reach waits until so many lines are acknowledged.
func (w *writer) reach(t testing.TB, n int) {
	t.Helper()
	if err := w.doc.Wait(w.ctx, func() bool { return w.count() >= n }); err != nil {
		t.Fatal(err)
	}
}

func (w *writer) stop() { w.cancel(); w.done.Wait() }

// TestKilledBackup kills kj backup in the middle of a run: there is no such run,
// the one before can be restored, and the next one is taken.
func TestKilledBackup(t *testing.T) {
	dir, at := t.TempDir(), filepath.Join(t.TempDir(), "backup")
	p := kjtest.Serve(t, dir)
	var first contextRow
	for i := range 40 {
		c := call[contextRow](t, p, "context_create", map[string]any{"title": fmt.Sprint("Context ", i)})
		call[any](t, p, "block_create", map[string]any{"context": c.ID, "content": strings.Repeat(fmt.Sprint("text ", i, " "), 3000)})
		if i == 20 {
			first = c
			kj(t, dir, "backup", at)
		}
	}
	half := startHalf(t, p.URL, 200<<10)
	cmd := exec.Command(kjtest.Binary(t), "backup", at, "--server", half.URL)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-half.stuck:
	case <-t.Context().Done():
	}
	within(t, "the run to begin", func() bool { // the proxy is ahead of who reads
		left, err := filepath.Glob(filepath.Join(at, "*.partial"))
		return err == nil && len(left) == 1
	})
	_ = cmd.Process.Kill()
	if err := cmd.Wait(); err == nil {
		t.Fatal("the backup ended well, want it killed")
	}
	half.release()
	if left, err := filepath.Glob(filepath.Join(at, "*.partial")); err != nil || len(left) != 1 {
		t.Errorf("the killed backup left %v, %v: it was not under way", left, err)
	}
	if out := kj(t, dir, "backup", "ls", at, "--json"); strings.Contains(out, `"run": 2`) {
		t.Errorf("kj backup ls says %s, want no run 2", out)
	}
	kj(t, dir, "restore", at, "--verify")
	if out := kj(t, dir, "backup", at); !strings.Contains(out, "of which 19 new") && !strings.Contains(out, "of which 20 new") {
		t.Errorf("the next backup says %s, want the 19 contexts of the run that was killed, and maybe the records", out)
	}
	if left, _ := filepath.Glob(filepath.Join(at, "*.partial")); len(left) != 0 {
		t.Errorf("the next backup left %v", left)
	}
	restored := filepath.Join(t.TempDir(), "restored")
	kj(t, dir, "restore", at, "--data", restored, "--verify", "--same-node")
	p.Kill()
	r := kjtest.Serve(t, restored)
	if len(kjtest.Export(t, r, first.document(t))) == 0 {
		t.Error("a context of the first run is empty after the second")
	}
}

// within asks again and again until it is so, for a minute.
func within(t testing.TB, what string, so func() bool) {
	t.Helper()
	tick, late := time.NewTicker(10*time.Millisecond), time.After(time.Minute)
	defer tick.Stop()
	for !so() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("waited a minute for %s", what)
		}
	}
}

// halfProxy passes requests on to a server, and of the stream of a backup only
// the beginning.
type halfProxy struct {
	*httptest.Server
	stuck chan struct{} // closed when no more comes
	free  chan struct{}
	once  sync.Once
}

func startHalf(t testing.TB, url string, n int64) *halfProxy {
	h := &halfProxy{stuck: make(chan struct{}), free: make(chan struct{})}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		req, err := http.NewRequestWithContext(r.Context(), r.Method, url+r.URL.Path, r.Body)
		if err != nil {
			return
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return
		}
		defer resp.Body.Close()
		w.WriteHeader(resp.StatusCode)
		if _, err := io.CopyN(w, resp.Body, n); err == nil {
			_ = http.NewResponseController(w).Flush()
			close(h.stuck)
			<-h.free
		}
	}))
	t.Cleanup(func() { h.release(); h.Close() })
	return h
}

func (h *halfProxy) release() { h.once.Do(func() { close(h.free) }) }
