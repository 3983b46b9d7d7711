package kjtest_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/automerge/automerge-go"
	"github.com/coder/websocket"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/editor"
	"kaijutsu/internal/kjproc"
	"kaijutsu/internal/kjtest"
	"kaijutsu/internal/wire"
)

// hostileFor is how long the peers attack; $KJ_FULL makes it ten times that.
const hostileFor = 4 * time.Second

// TestHostilePeers lets peers send changed and crashing changes, all with
// correct checksums, into the document of two honest editors. The editors
// notice nothing and end with the same heads, the server goes on, and
// automerge-rs opens what it has stored.
func TestHostilePeers(t *testing.T) {
	p := kjtest.Serve(t, t.TempDir())
	id := newDocumentID(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var honest []*editor.Document
	for range 2 {
		c, err := editor.Dial(ctx, editor.Config{URL: p.SyncURL(), OnError: func(m string) { t.Errorf("the server tells an honest editor %q", m) }})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Disconnect()
		honest = append(honest, c.Open(ctx, id))
	}
	seed, err := honest[0].Add(ctx, func(c *amfile.Change) {
		c.Ops = []amfile.Op{{Action: amfile.MakeText, Key: "text"}}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := honest[1].Wait(ctx, func() bool { return honest[1].Len() == 1 }); err != nil {
		t.Fatal(err)
	}

	writing, stop := context.WithTimeout(ctx, scaled(hostileFor))
	defer stop()
	var running sync.WaitGroup
	for _, d := range honest {
		running.Go(func() { typeText(writing, d, seed) })
	}
	var attempts atomic.Int64
	samples := crashers(t)
	for range 4 {
		running.Go(func() { attack(writing, p, id, honest[0], samples, &attempts) })
	}
	running.Wait()

	for _, d := range honest {
		if err := d.WaitAcked(ctx); err != nil {
			t.Fatalf("an honest editor is not acknowledged: %v", err)
		}
	}
	select {
	case <-p.Done():
		t.Fatalf("the server ended: %s", p.Log())
	default:
	}
	changes := kjtest.Export(t, p, id)
	for _, d := range honest { // what the other wrote last may still be on its way
		if err := d.Wait(ctx, func() bool { return d.Len() == len(changes) }); err != nil {
			t.Fatalf("an honest editor has %d of %d changes: %v", d.Len(), len(changes), err)
		}
	}
	if a, b := honest[0].Heads(), honest[1].Heads(); !a.Equal(b) {
		t.Errorf("heads of the honest editors = %v and %v", a, b)
	}
	var raws []byte
	for _, c := range changes {
		raws = append(raws, c.Raw...)
	}
	if doc, err := automerge.Load(raws); err != nil || len(doc.Heads()) != len(honest[0].Heads()) {
		t.Fatalf("automerge-rs does not open the document: %v", err)
	}
	t.Logf("%d attempts, %d honest changes", attempts.Load(), len(changes))
	if attempts.Load() == 0 {
		t.Error("nobody attacked: the test showed nothing")
	}
}

func scaled(d time.Duration) time.Duration {
	if os.Getenv("KJ_FULL") != "" {
		return 10 * d
	}
	return d
}

// typeText appends characters to the text until ctx ends.
func typeText(ctx context.Context, d *editor.Document, seed *amfile.Change) {
	last := amfile.GlobalID{}
	whole := context.WithoutCancel(ctx) // a write that is cut off ends the connection
	for ctx.Err() == nil {
		c, err := d.Add(whole, func(c *amfile.Change) {
			obj := intern(c, seed.ID(0))
			elem := amfile.OpID{}
			if last.Counter != 0 {
				elem = intern(c, last)
			}
			c.Ops = []amfile.Op{{Action: amfile.Put, Obj: obj, Seq: true, Elem: elem, Insert: true, Value: amfile.StringValue("x")}}
		})
		if err != nil {
			return
		}
		last = c.ID(0)
		pace, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
		_ = d.WaitStored(pace, c.Hash)
		cancel()
	}
}

// intern returns an id in the change's own terms.
func intern(c *amfile.Change, id amfile.GlobalID) amfile.OpID {
	for i, a := range c.Actors {
		if a == id.Actor {
			return amfile.OpID{Counter: id.Counter, Actor: uint32(i)}
		}
	}
	c.Actors = append(c.Actors, id.Actor)
	return amfile.OpID{Counter: id.Counter, Actor: uint32(len(c.Actors) - 1)}
}

// crashers are change chunks that abort or hang the engine.
func crashers(t *testing.T) [][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "amfile", "testdata", "crashers", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no crashers found: %v", err)
	}
	var out [][]byte
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b)
	}
	return out
}

// attack connects again and again and sends one bad message each time.
func attack(ctx context.Context, p *kjproc.Process, id kaijutsu.DocumentID, victim *editor.Document, samples [][]byte, attempts *atomic.Int64) {
	for ctx.Err() == nil {
		if err := attackOnce(ctx, p.SyncURL(), id, badMessage(victim, samples)); err == nil {
			attempts.Add(1)
		}
	}
}

// badMessage returns a sync message that carries something to be refused: a
// crasher as the whole message or as its change, or a real change with a few
// bytes changed and its checksum repaired.
func badMessage(victim *editor.Document, samples [][]byte) []byte {
	sample := samples[rand.IntN(len(samples))]
	switch rand.IntN(8) {
	case 0:
		return sample
	case 1:
		return carrying(sample)
	}
	hashes := victim.Hashes()
	raw, ok := victim.Raw(hashes[max(0, len(hashes)-1-rand.IntN(len(hashes)))])
	if !ok {
		return sample
	}
	return carrying(mutated(raw))
}

func carrying(chunk []byte) []byte {
	hash := sha256.Sum256(chunk[min(len(chunk), 8):])
	m := amfile.SyncMessage{Version: 1, Heads: []kaijutsu.ChangeHash{hash}, Have: []amfile.Have{{}}, Changes: [][]byte{chunk}}
	return m.Encode()
}

// mutated changes one to three bytes behind a chunk's length and repairs the
// checksum.
func mutated(raw []byte) []byte {
	out := append([]byte(nil), raw...)
	for range 1 + rand.IntN(3) {
		out[10+rand.IntN(len(out)-10)] = byte(rand.IntN(256))
	}
	hash := sha256.Sum256(out[8:])
	copy(out[4:8], hash[:4])
	return out
}

// attackOnce joins, sends a message and waits for the server's answer.
func attackOnce(ctx context.Context, url string, id kaijutsu.DocumentID, data []byte) error {
	conn, _, err := websocket.Dial(ctx, url, nil)
	if err != nil {
		return err
	}
	defer conn.CloseNow()
	conn.SetReadLimit(64 << 20)
	const me = "hostile"
	peer := me + string(rune('a'+rand.IntN(26))) + string(rune('a'+rand.IntN(26))) + string(rune('a'+rand.IntN(26)))
	for _, m := range []wire.Message{
		wire.Join{SenderID: peer, Versions: []string{wire.Version}},
		wire.Sync{SenderID: peer, TargetID: "server", DocumentID: id.String(), Data: data},
	} {
		if err := conn.Write(ctx, websocket.MessageBinary, wire.Encode(m)); err != nil {
			return err
		}
	}
	for range 2 { // the join's answer, and the message's
		if _, _, err := conn.Read(ctx); err != nil {
			var closed websocket.CloseError
			if errors.As(err, &closed) {
				return nil
			}
			return err
		}
	}
	return nil
}
