package kjtest_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/editor"
	"kaijutsu/internal/kjproc"
	"kaijutsu/internal/kjtest"
	"kaijutsu/internal/wire"
)

// maxGrowth is how much more memory the process may take at its highest for
// inputs of a few hundred bytes each, in bytes.
const maxGrowth = 128 << 20

// TestCrashersOfAJoinedEditor has an editor with a token bring every input that
// aborted, hung or poisoned a released engine, in every place of the protocol
// that takes bytes, while somebody types in the same document. The honest editor
// is told of nothing and loses nothing, the other is told why each time, what was
// refused is listed, and the process stays, as small as it was.
func TestCrashersOfAJoinedEditor(t *testing.T) {
	p := kjtest.Serve(t, t.TempDir())
	var made struct{ Token string }
	kjtest.Call(t, p, "token_create", map[string]any{"name": "mallory", "kind": "agent", "role": "editor"}, &made)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	id := newDocumentID(t)
	c, err := editor.Dial(ctx, editor.Config{URL: p.SyncURL(), OnError: func(m string) { t.Errorf("the server tells the honest editor %q", m) }})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Disconnect()
	honest := c.Open(ctx, id)
	seed, err := honest.Add(ctx, func(c *amfile.Change) {
		c.Ops = []amfile.Op{{Action: amfile.MakeText, Key: "text"}}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := honest.WaitStored(ctx, seed.Hash); err != nil {
		t.Fatal(err)
	}
	typing, stop := context.WithCancel(ctx)
	var typist sync.WaitGroup
	typist.Go(func() { typeText(typing, honest, seed) })
	before := peakMemory(t, p)

	tried := 0
	for _, way := range ways {
		for name, sample := range namedCrashers(t) {
			data := way.wrap(sample)
			if data == nil {
				continue
			}
			tried++
			said, err := sendOne(ctx, p.SyncURL()+"?token="+made.Token, id, data)
			if err != nil {
				t.Errorf("%s, %s: %v", name, way.name, err)
			} else if said == "" {
				t.Errorf("%s, %s: the sender is told nothing", name, way.name)
			}
		}
	}
	stop()
	typist.Wait()

	if err := honest.WaitAcked(ctx); err != nil {
		t.Errorf("the honest editor is not acknowledged: %v", err)
	}
	select {
	case <-p.Done():
		t.Fatalf("the server ended: %s", p.Log())
	default:
	}
	if strings.Contains(p.Log(), "recovered from a panic") || strings.Contains(p.Log(), "broke down") {
		t.Errorf("something panicked:\n%s", p.Log())
	}
	if got, want := len(kjtest.Export(t, p, id)), honest.Len(); got != want {
		t.Errorf("the server holds %d changes, the honest editor made %d", got, want)
	}
	if grown := peakMemory(t, p) - before; grown > maxGrowth {
		t.Errorf("the process took %d bytes more than before, want at most %d", grown, maxGrowth)
	}
	var list struct {
		Entries []struct{ Document, By, Kind, Why string }
		Refused int
	}
	kjtest.Call(t, p, "quarantine_list", map[string]any{"refused": true, "document": id.String()}, &list)
	listed := slices.IndexFunc(list.Entries, func(e struct{ Document, By, Kind, Why string }) bool {
		return e.By == "mallory" && e.Kind == "refused" && e.Document == id.String() && e.Why != ""
	})
	if list.Refused < tried || listed < 0 {
		t.Errorf("quarantine_list counts %d of %d refused and lists %+v", list.Refused, tried, list.Entries)
	}
	t.Logf("%d inputs refused while %d changes were typed", tried, honest.Len())
}

// ways are the places of the protocol where a sample may come.
var ways = []struct {
	name string
	wrap func(sample []byte) []byte // nil: it is no sample for this
}{
	{"as the sync message", func(s []byte) []byte { return s }},
	{"as a change", func(s []byte) []byte { return carrying(s) }},
	{"as a change with its checksum", func(s []byte) []byte {
		if r := rehashed(s); r != nil {
			return carrying(r)
		}
		return nil
	}},
	{"as the body of a change", func(s []byte) []byte {
		return carrying(chunkOf(amfile.ChunkChange, s))
	}},
	{"as the body of a document", func(s []byte) []byte {
		return carrying(chunkOf(amfile.ChunkDocument, s))
	}},
}

// chunkOf returns a chunk of a type with this body, and a correct checksum.
func chunkOf(kind amfile.ChunkType, body []byte) []byte {
	out := []byte{0x85, 0x6f, 0x4a, 0x83, 0, 0, 0, 0, byte(kind)}
	n := uint64(len(body))
	for ; n >= 0x80; n >>= 7 {
		out = append(out, byte(n)|0x80)
	}
	return rehashed(append(append(out, byte(n)), body...))
}

// rehashed returns a chunk with its checksum made correct, nil for what is none.
func rehashed(chunk []byte) []byte {
	if len(chunk) < 10 || string(chunk[:4]) != "\x85\x6f\x4a\x83" {
		return nil
	}
	out := slices.Clone(chunk)
	hash := sha256.Sum256(out[8:])
	copy(out[4:8], hash[:4])
	return out
}

// namedCrashers returns the files of the corpus.
func namedCrashers(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "amfile", "testdata", "crashers", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no crashers found: %v", err)
	}
	out := make(map[string][]byte, len(files))
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(f)] = b
	}
	return out
}

// sendOne joins, sends one message, and returns what the server says of it: the
// text of its error, or with what it closes.
func sendOne(ctx context.Context, url string, id kaijutsu.DocumentID, data []byte) (said string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, url, nil)
	if err != nil {
		return "", err
	}
	defer conn.CloseNow()
	conn.SetReadLimit(64 << 20)
	for _, m := range []wire.Message{
		wire.Join{SenderID: "mallory", Versions: []string{wire.Version}},
		wire.Sync{SenderID: "mallory", TargetID: "server", DocumentID: id.String(), Data: data},
	} {
		if err := conn.Write(ctx, websocket.MessageBinary, wire.Encode(m)); err != nil {
			return "", err
		}
	}
	for {
		_, frame, err := conn.Read(ctx)
		var closed websocket.CloseError
		switch {
		case errors.As(err, &closed):
			return closed.Reason, nil
		case err != nil:
			return "", fmt.Errorf("the server says nothing: %w", err)
		}
		m, err := wire.Decode(frame)
		if err != nil {
			return "", err
		}
		if e, is := m.(wire.Error); is {
			return e.Message, nil
		}
	}
}

// peakMemory returns the most memory that the server has had, in bytes; 0 where
// the system does not say.
func peakMemory(t *testing.T, p *kjproc.Process) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID()))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kib, err := strconv.Atoi(fields[0])
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}
