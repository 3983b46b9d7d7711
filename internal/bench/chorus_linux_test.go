package bench

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/kjproc"
	"kaijutsu/internal/wire"
)

// startRelay runs a relay in this process.
func startRelay(t *testing.T) *kjproc.Process {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- ServeRelay(ctx, w) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("relay: %v", err)
		}
	})
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return &kjproc.Process{URL: strings.TrimSpace(strings.TrimPrefix(line, "listening on "))}
}

// TestChorusHearsEveryEdit has listeners of a relay note each edit once.
func TestChorusHearsEveryEdit(t *testing.T) {
	const listeners, edits = 30, 20
	p, a, doc := startRelay(t), automerge{relayed: true}, newDocName()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := a.seed(ctx, p, doc, emptyText()); err != nil {
		t.Fatal(err)
	}
	j := newJournal(listeners)
	c, err := openChorus()
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	url, next := a.listeners(p, doc, j)
	if err := c.join(ctx, url, listeners, 4, next); err != nil {
		t.Fatal(err)
	}
	if whole, err := c.await(ctx, listeners); err != nil || len(whole) != listeners {
		t.Fatalf("%d of %d listeners are there: %v", len(whole), listeners, err)
	}
	writer, err := a.enter(ctx, p, doc, j)
	if err != nil {
		t.Fatal(err)
	}
	j.record()
	for range edits / 2 {
		if err := writer.edit(ctx, 2); err != nil {
			t.Fatal(err)
		}
	}
	j.close()
	select {
	case <-j.complete:
	case <-ctx.Done():
	}
	n, missing := j.seal(time.Now())
	if visible, _ := j.samples(); n != edits || len(missing) != 0 || len(visible) != edits*listeners {
		t.Errorf("%d edits, %d arrivals, %d missing; want %d, %d and none", n, len(visible), len(missing), edits, edits*listeners)
	}
	if lost, err := c.wrong(); err != nil {
		t.Errorf("%d listeners were cut off: %v", lost, err)
	}
	if err := writer.close(); err != nil {
		t.Error(err)
	}
}

// TestHeadsOfLong reads the heads of a frame of which the end is missing.
func TestHeadsOfLong(t *testing.T) {
	e, err := encodeHistory(emptyText())
	if err != nil {
		t.Fatal(err)
	}
	m := amfile.SyncMessage{Version: 2, Heads: []kaijutsu.ChangeHash{e.head}, Have: []amfile.Have{{}}, Changes: [][]byte{make([]byte, 200_000)}}
	frame := wire.Encode(wire.Sync{SenderID: "s", TargetID: "data-reader", DocumentID: string(newDocName()), Data: m.Encode()})
	got, err := headsOfLong(frame[:heardBytes])
	if err != nil || got != string(e.head[:]) {
		t.Errorf("headsOfLong = %x, %v; want %x", got, err, e.head)
	}
	if _, err := headsOfLong(frame[:20]); err == nil {
		t.Error("headsOfLong of a frame without data succeeds")
	}
}
