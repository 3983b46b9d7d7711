package kjtest_test

import (
	"context"
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/editor"
	"kaijutsu/internal/kjproc"
	"kaijutsu/internal/kjtest"
)

// killRounds is how often the server is killed; $KJ_KILL_ROUNDS changes it.
const killRounds = 10

// TestKill kills the server with SIGKILL at random moments under load. After
// each kill every client is gone for good: the data directory is the only
// survivor, and each change that the server had acknowledged to anybody must
// be in it.
func TestKill(t *testing.T) {
	rounds := killRounds
	if s := os.Getenv("KJ_KILL_ROUNDS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			t.Fatalf("KJ_KILL_ROUNDS = %q, want a positive number", s)
		}
		rounds = n
	}
	dir := t.TempDir()
	var docs []kaijutsu.DocumentID
	for range 3 {
		docs = append(docs, newDocumentID(t))
	}
	acked := make(map[kaijutsu.DocumentID]map[kaijutsu.ChangeHash]struct{})
	for _, id := range docs {
		acked[id] = make(map[kaijutsu.ChangeHash]struct{})
	}
	total := 0
	for round := range rounds {
		// A small snapshot threshold is not settable from outside: the
		// documents grow past the real one within a few rounds.
		p := kjtest.Serve(t, dir)
		checkAcked(t, p, acked, fmt.Sprintf("round %d", round))
		total += killUnderLoad(t, p, docs, acked)
	}
	p := kjtest.Serve(t, dir)
	checkAcked(t, p, acked, "at the end")
	if total == 0 {
		t.Fatal("no change was acknowledged in any round: the test showed nothing")
	}
	t.Logf("%d kills, %d acknowledged changes, none lost", rounds, total)
}

func newDocumentID(t *testing.T) kaijutsu.DocumentID {
	t.Helper()
	var b [16]byte
	rand.Read(b[:])
	id, err := kaijutsu.DocumentIDFromBytes(b[:])
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// killUnderLoad writes with fresh clients, kills the server, and notes what it
// had acknowledged. It returns how many changes that were.
func killUnderLoad(t *testing.T, p *kjproc.Process, docs []kaijutsu.DocumentID, acked map[kaijutsu.DocumentID]map[kaijutsu.ChangeHash]struct{}) int {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var replicas []*editor.Document
	var clients []*editor.Client
	for range 2 {
		c, err := editor.Dial(ctx, editor.Config{URL: p.SyncURL(), OnError: func(m string) { t.Errorf("server says %q", m) }})
		if err != nil {
			t.Fatal(err)
		}
		clients = append(clients, c)
		for _, id := range docs {
			replicas = append(replicas, c.Open(ctx, id))
		}
	}
	var writing sync.WaitGroup
	for i, d := range replicas {
		writing.Go(func() { write(ctx, d, i) })
	}
	deadline := time.Duration(20+mathrand.IntN(400)) * time.Millisecond
	select {
	case <-time.After(deadline):
	case <-p.Done():
		t.Fatalf("server ended by itself: %s", p.Log())
	}
	p.Kill()
	for _, c := range clients {
		<-c.Gone()
	}
	cancel()
	writing.Wait()
	n := 0
	for _, d := range replicas {
		for _, h := range d.AckedHashes() {
			if _, known := acked[d.ID()][h]; !known {
				acked[d.ID()][h] = struct{}{}
				n++
			}
		}
	}
	return n
}

// write puts values of many sizes under new keys until ctx ends.
func write(ctx context.Context, d *editor.Document, writer int) {
	for i := 0; ctx.Err() == nil; i++ {
		c, err := d.Add(ctx, func(c *amfile.Change) {
			value := strings.Repeat("v", mathrand.IntN(200))
			if i%50 == 49 {
				value = strings.Repeat("big", 20_000)
			}
			key := fmt.Sprintf("%x-%d-%d", d.Actor(), writer, i)
			c.Ops = []amfile.Op{{Action: amfile.Put, Key: key, Value: amfile.StringValue(value)}}
		})
		if err != nil {
			return
		}
		pace, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
		_ = d.WaitStored(pace, c.Hash) // some edits wait for the disk, some overtake it
		cancel()
	}
}

// checkAcked fails when a change that was acknowledged is not on the disk.
func checkAcked(t *testing.T, p *kjproc.Process, acked map[kaijutsu.DocumentID]map[kaijutsu.ChangeHash]struct{}, when string) {
	t.Helper()
	for id, want := range acked {
		if len(want) == 0 {
			continue
		}
		found := make(map[kaijutsu.ChangeHash]struct{})
		for _, c := range kjtest.Export(t, p, id) {
			found[c.Hash] = struct{}{}
		}
		missing := 0
		for h := range want {
			if _, ok := found[h]; !ok {
				missing++
			}
		}
		if missing > 0 {
			t.Fatalf("%s: document %s lost %d of %d acknowledged changes", when, id, missing, len(want))
		}
	}
}
