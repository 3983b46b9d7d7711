package kjtest_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"net"
	"net/http"
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

// mirrored is what a mirror prints: a context at a version.
type mirrored struct {
	Version uint64
	Heads   []string
	Title   string
	Blocks  []mirroredBlock
}

type mirroredBlock struct {
	ID, Parent, Kind, Role, Status, Form, Content, Meta, Author, Via, Created string
	Depth                                                                     int
	Collapsed, Excluded, Ephemeral                                            bool
}

// mirrors are programs that follow one context. They have to agree on every
// version that two of them show.
type mirrors struct {
	t  *testing.T
	mu sync.Mutex
	// at is what the first one showed at each version, and newest the newest
	// version of each.
	at     map[uint64]string
	newest map[string]uint64
	moved  chan struct{} // has room for one
}

// start lets a program follow.
func (m *mirrors) start(name string, cmd *exec.Cmd) {
	m.t.Helper()
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	m.newest[name] = 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		m.read(name, bufio.NewReader(out))
	}()
	m.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-done
		_ = cmd.Wait()
		m.t.Logf("%s: %d times again: %s", name, strings.Count(log.String(), "again in a second"), firstLines(log.String(), 4))
		if s := log.String(); strings.Contains(s, "comes behind") || strings.Contains(s, "block ") {
			m.t.Errorf("%s could not carry an event out:\n%s", name, s)
		}
	})
}

func firstLines(s string, n int) string {
	lines := strings.SplitN(s, "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], "; ")
}

// read takes in what a mirror prints.
func (m *mirrors) read(name string, out *bufio.Reader) {
	for {
		line, err := out.ReadBytes('\n')
		if err != nil {
			return // it was stopped
		}
		var now mirrored
		if err := json.Unmarshal(line, &now); err != nil {
			m.t.Errorf("%s prints %.200s: %v", name, line, err)
			return
		}
		b, _ := json.Marshal(now)
		m.mu.Lock()
		if before, ok := m.at[now.Version]; !ok {
			m.at[now.Version] = string(b)
		} else if before != string(b) {
			m.t.Errorf("%s at version %d shows\n%s\nwant\n%s", name, now.Version, b, before)
		}
		m.newest[name] = now.Version
		m.mu.Unlock()
		select {
		case m.moved <- struct{}{}:
		default:
		}
	}
}

// wait returns what all show once they have come to a version.
func (m *mirrors) wait(ctx context.Context, version uint64) mirrored {
	m.t.Helper()
	for {
		m.mu.Lock()
		all := true
		for _, v := range m.newest {
			all = all && v == version
		}
		shown := m.at[version]
		state := fmt.Sprint(m.newest)
		m.mu.Unlock()
		if all {
			var now mirrored
			if err := json.Unmarshal([]byte(shown), &now); err != nil {
				m.t.Fatal(err)
			}
			return now
		}
		select {
		case <-m.moved:
		case <-ctx.Done():
			m.t.Fatalf("the mirrors are at %s, want %d", state, version)
		}
	}
}

// weakLine is a way to a server that breaks down now and then, in the midst of
// whatever is on it, until it is calm.
type weakLine struct {
	to   string
	calm atomic.Bool
	mu   sync.Mutex
	rng  *rand.Rand
}

// listen returns the address to use in place of the server's.
func (l *weakLine) listen(t *testing.T) string {
	t.Helper()
	in, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	go func() {
		for {
			c, err := in.Accept()
			if err != nil {
				return
			}
			go l.carry(c)
		}
	}()
	return "http://" + in.Addr().String()
}

func (l *weakLine) carry(c net.Conn) {
	defer c.Close()
	up, err := net.Dial("tcp", l.to)
	if err != nil {
		return
	}
	defer up.Close()
	go func() {
		_, _ = io.Copy(up, c)
		up.Close()
	}()
	l.mu.Lock()
	left := 1000 + l.rng.Intn(40_000)
	l.mu.Unlock()
	buf := make([]byte, 700)
	for {
		n, err := up.Read(buf)
		if left -= n; left < 0 && !l.calm.Load() {
			n = max(0, n+left)
			_, _ = c.Write(buf[:n])
			return
		}
		if _, werr := c.Write(buf[:n]); err != nil || werr != nil {
			return
		}
	}
}

// TestMirrorsShowWhatTheServerShows lets two programs write by operations and
// two by syncing, on and off line, while mirrors in Go and JavaScript follow by
// events alone, some over lines that break.
func TestMirrorsShowWhatTheServerShows(t *testing.T) {
	exe := filepath.Join(t.TempDir(), "mirror")
	if out, err := exec.Command("go", "build", "-o", exe, "kaijutsu/flowbus/mirror").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	p := kjtest.Serve(t, t.TempDir())
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var made struct{ ID string }
	kjtest.Call(t, p, "context_create", map[string]any{"title": "mirrored"}, &made)

	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	weak := &weakLine{to: p.Listen(), rng: rand.New(rand.NewSource(seed))}
	address := weak.listen(t)
	m := &mirrors{t: t, at: make(map[uint64]string), newest: make(map[string]uint64), moved: make(chan struct{}, 1)}
	m.start("Go", exec.Command(exe, p.URL, made.ID))
	m.start("Go over a weak line", exec.Command(exe, address, made.ID))
	if node, err := exec.LookPath("node"); err == nil {
		const script = "../../flowbus/mirror/mirror.mjs"
		m.start("JavaScript", exec.Command(node, script, p.URL, made.ID))
		m.start("JavaScript over a weak line", exec.Command(node, script, address, made.ID))
	} else if os.Getenv("KJ_REQUIRE_NODE") != "" {
		t.Fatal(err)
	}

	var writers sync.WaitGroup
	for i := range 2 {
		w := &opWriter{t: t, p: p, context: made.ID, rng: rand.New(rand.NewSource(seed + int64(i)))}
		writers.Go(w.write)
		s := &syncWriter{t: t, p: p, rng: rand.New(rand.NewSource(seed - 1 - int64(i)))}
		writers.Go(func() { s.write(ctx, made.ID) })
	}
	writers.Wait()
	weak.calm.Store(true)

	var list struct {
		Version uint64
		Heads   []string
		Blocks  []mirroredBlock // without content
	}
	kjtest.Call(t, p, "block_list", map[string]any{"context": made.ID, "limit": 10_000}, &list)
	got := m.wait(ctx, list.Version)
	if fmt.Sprint(got.Heads) != fmt.Sprint(list.Heads) {
		t.Errorf("heads are %v, want %v", got.Heads, list.Heads)
	}
	if len(got.Blocks) != len(list.Blocks) {
		t.Fatalf("%d blocks, want %d", len(got.Blocks), len(list.Blocks))
	}
	for i, b := range got.Blocks {
		want := list.Blocks[i]
		var read struct{ Content, Form string }
		kjtest.Call(t, p, "block_read", map[string]any{"context": made.ID, "block_id": want.ID, "line_numbers": false}, &read)
		want.Content, want.Form, want.Meta = read.Content, read.Form, b.Meta
		want.Via, want.Created = b.Via, b.Created
		if b != want {
			t.Errorf("row %d is %+v, want %+v", i, b, want)
		}
	}
	t.Logf("%d versions, %d blocks", list.Version, len(list.Blocks))
}

// opWriter writes by operations over HTTP.
type opWriter struct {
	t       *testing.T
	p       *kjproc.Process
	context string
	rng     *rand.Rand
	ids     []string
}

var mirrorWords = []string{"", "a", "é", "😀", "word ", "two\nlines\n", "𝒳y", "0123456789"}

func (w *opWriter) write() {
	for range 250 {
		if len(w.ids) == 0 || w.rng.Intn(8) == 0 {
			in := map[string]any{"role": []string{"user", "model"}[w.rng.Intn(2)], "content": w.word() + w.word(), "status": []string{"done", "running"}[w.rng.Intn(2)]}
			if len(w.ids) > 0 && w.rng.Intn(2) == 0 {
				in["parent_id"] = w.id()
			}
			var made struct {
				ID string `json:"block_id"`
			}
			if w.call("block_create", in, &made); made.ID != "" {
				w.ids = append(w.ids, made.ID)
			}
			continue
		}
		in := map[string]any{"block_id": w.id()}
		name := ""
		switch w.rng.Intn(9) {
		case 0, 1:
			name, in["offset"], in["delete_count"], in["insert"] = "block_splice", w.rng.Intn(4), w.rng.Intn(3), w.word()
		case 2, 3:
			name, in["text"] = "block_append", w.word()+"+"
		case 4:
			name, in["parent_id"], in["position"] = "block_move", []string{"", w.id()}[w.rng.Intn(2)], []string{"first", "last"}[w.rng.Intn(2)]
		case 5:
			name = []string{"block_delete", "block_restore", "block_restore"}[w.rng.Intn(3)]
		case 6:
			name, in["status"] = "block_status", []string{"running", "done", "error"}[w.rng.Intn(3)]
		case 7:
			name, in["collapsed"], in["metadata"] = "block_set", w.rng.Intn(2) == 0, map[string]any{"n": w.rng.Intn(3)}
		case 8:
			if name, in = "context_rename", map[string]any{"title": w.word()}; w.rng.Intn(3) > 0 {
				continue
			}
		}
		w.call(name, in, nil)
	}
}

func (w *opWriter) word() string { return mirrorWords[w.rng.Intn(len(mirrorWords))] }

func (w *opWriter) id() string { return w.ids[w.rng.Intn(len(w.ids))] }

// call runs an operation, which may be refused.
func (w *opWriter) call(name string, in map[string]any, out any) {
	in["context"] = w.context
	params, _ := json.Marshal(in)
	resp, err := http.Post(w.p.URL+"/v1/ops/"+name, "application/json", bytes.NewReader(params))
	if err != nil {
		w.t.Error(err)
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	switch {
	case err != nil || resp.StatusCode >= 500:
		w.t.Errorf("%s: %s: %s %v", name, resp.Status, body, err)
	case resp.StatusCode == http.StatusOK && out != nil:
		if err := json.Unmarshal(body, out); err != nil {
			w.t.Errorf("%s: %v", name, err)
		}
	}
}

// syncWriter writes as an editor does, now and then without a connection.
type syncWriter struct {
	t   *testing.T
	p   *kjproc.Process
	rng *rand.Rand
}

func (w *syncWriter) write(ctx context.Context, id string) {
	cid, err := kaijutsu.ParseContextID(id)
	if err != nil {
		w.t.Error(err)
		return
	}
	c, err := editor.Dial(ctx, editor.Config{URL: w.p.SyncURL(), OnError: func(m string) { w.t.Errorf("the server says %q", m) }})
	if err != nil {
		w.t.Error(err)
		return
	}
	defer c.Disconnect()
	d := c.Open(ctx, cid.Document())
	if err := d.Wait(ctx, func() bool { return d.Len() >= 2 }); err != nil {
		w.t.Error(err)
		return
	}
	for i := range 250 {
		if i%50 == 30 {
			c.Disconnect()
		}
		if i%50 == 45 {
			if err := c.Connect(ctx); err != nil {
				w.t.Error(err)
				return
			}
		}
		list, err := d.Blocks()
		if err == nil {
			_, err = d.Edit(ctx, func(tx *blocks.Tx) error {
				for range 1 + w.rng.Intn(3) {
					_ = w.step(tx, list) // some cannot be done
				}
				return nil
			})
		}
		if err != nil {
			w.t.Error(err)
			return
		}
	}
	if err := d.WaitAcked(ctx); err != nil {
		w.t.Error(err)
	}
}

func (w *syncWriter) step(tx *blocks.Tx, list []blocks.Block) error {
	word := mirrorWords[w.rng.Intn(len(mirrorWords))]
	if len(list) < 3 || w.rng.Intn(10) == 0 {
		spec := blocks.BlockSpec{ID: blocks.NewID(time.Now()), Content: word + "~", Form: []blocks.Form{"", blocks.FormChunks}[w.rng.Intn(2)]}
		if len(list) > 0 && w.rng.Intn(2) == 0 {
			spec.Parent = list[w.rng.Intn(len(list))].ID
		}
		if spec.Form == blocks.FormChunks {
			spec.Role, spec.Status = blocks.RoleModel, blocks.StatusRunning
		}
		return tx.InsertBlock(spec)
	}
	b, other := list[w.rng.Intn(len(list))], list[w.rng.Intn(len(list))]
	n := len([]rune(b.Content))
	switch w.rng.Intn(8) {
	case 0, 1, 2:
		pos := w.rng.Intn(n + 1)
		return tx.SpliceText(b.ID, pos, min(n-pos, w.rng.Intn(4)), word)
	case 3:
		return tx.AppendText(b.ID, word+".")
	case 4, 5:
		return tx.Move(b.ID, []blocks.ID{"", other.ID}[w.rng.Intn(2)], blocks.First()) // into circles, with others
	case 6:
		return tx.SetStatus(b.ID, []blocks.Status{blocks.StatusRunning, blocks.StatusDone}[w.rng.Intn(2)])
	}
	if w.rng.Intn(3) == 0 {
		return tx.Delete(b.ID)
	}
	return tx.SetFlag(b.ID, blocks.FlagExcluded, w.rng.Intn(2) == 0)
}
