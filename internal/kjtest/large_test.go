package kjtest_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/editor"
	"kaijutsu/internal/kjproc"
	"kaijutsu/internal/kjtest"
)

// maxPeakBytes is what the server may have needed at most.
const maxPeakBytes = 1 << 30

// TestLargeMessages uploads a document of many operations in one message, and
// then lets a peer claim millions in a few thousand bytes: the first is taken
// in, and the second costs the server no more memory than the allowance.
func TestLargeMessages(t *testing.T) {
	p := kjtest.Serve(t, t.TempDir())
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c, err := editor.Dial(ctx, editor.Config{URL: p.SyncURL(), OnError: func(m string) { t.Errorf("the server says %q", m) }})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Disconnect()
	c.Disconnect() // written offline, sent in one message
	doc := c.Open(ctx, newDocumentID(t))
	for i := range 4 {
		if _, err := doc.Add(ctx, func(c *amfile.Change) { pasteInto(c, fmt.Sprint("text", i), 60_000) }); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Connect(ctx); err != nil {
		t.Fatal(err)
	}
	if err := doc.WaitAcked(ctx); err != nil {
		t.Fatal(err)
	}

	m := amfile.SyncMessage{Version: 1, Have: []amfile.Have{{}}}
	for i := range 200 {
		c := &amfile.Change{Actors: []kaijutsu.ActorID{kaijutsu.ActorID(fmt.Sprint("actor", i))}, Seq: 1, StartOp: 1}
		listNulls(c, amfile.FreeOps)
		if err := amfile.EncodeChange(c); err != nil {
			t.Fatal(err)
		}
		m.Heads = append(m.Heads, c.Hash)
		m.Changes = append(m.Changes, c.Raw)
	}
	m.Heads = kaijutsu.NewHeads(m.Heads...)
	flood := m.Encode()
	t.Logf("%d bytes claim %d operations", len(flood), len(m.Changes)*amfile.FreeOps)
	for range 2 {
		if err := attackOnce(ctx, p.SyncURL(), newDocumentID(t), flood); err != nil {
			t.Fatal(err)
		}
	}
	if peak := peakBytes(t, p); peak > maxPeakBytes {
		t.Errorf("the server needed %d MiB, want at most %d", peak>>20, maxPeakBytes>>20)
	} else {
		t.Logf("the server needed %d MiB at most", peak>>20)
	}
	if err := doc.WaitAcked(ctx); err != nil {
		t.Fatal(err)
	}
}

// listNulls makes a list of n nulls, which encode to a few bytes.
func listNulls(c *amfile.Change, n int) {
	c.Ops = append(c.Ops, amfile.Op{Action: amfile.MakeList, Key: "list"})
	obj := amfile.OpID{Counter: c.StartOp}
	for range n {
		c.Ops = append(c.Ops, amfile.Op{Action: amfile.Put, Obj: obj, Seq: true, Insert: true})
	}
}

// pasteInto makes a text of n characters.
func pasteInto(c *amfile.Change, key string, n int) {
	c.Ops = append(c.Ops, amfile.Op{Action: amfile.MakeText, Key: key})
	obj := amfile.OpID{Counter: c.StartOp}
	elem := amfile.OpID{}
	for i := range n {
		c.Ops = append(c.Ops, amfile.Op{Action: amfile.Put, Obj: obj, Seq: true, Elem: elem, Insert: true, Value: amfile.StringValue("x")})
		elem = amfile.OpID{Counter: c.StartOp + 1 + uint64(i)}
	}
}

// peakBytes returns the most memory that the server's process has held.
func peakBytes(t *testing.T, p *kjproc.Process) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID()))
	if err != nil {
		t.Skipf("the peak of memory is read from /proc: %v", err)
	}
	kib := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if kib == nil {
		t.Fatalf("no VmHWM in %s", status)
	}
	n, err := strconv.ParseInt(string(kib[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n << 10
}
