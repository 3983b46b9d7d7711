package store

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kaijutsu"
)

// children are what the test binary does instead of testing when it runs
// itself as another process. They are killed, or return an exit code.
var children = map[string]func(dir string) int{
	"append": childAppend,
	"stage":  childStage,
	"hold":   childHold,
}

func TestMain(m *testing.M) {
	if child := children[os.Getenv("KJ_STORE_CHILD")]; child != nil {
		os.Exit(child(os.Getenv("KJ_STORE_DIR")))
	}
	os.Exit(m.Run())
}

// child is another process.
type child struct {
	cmd    *exec.Cmd
	out    *bufio.Reader
	stderr bytes.Buffer
}

func startChild(t *testing.T, name, dir string) *child {
	t.Helper()
	c := &child{cmd: exec.Command(os.Args[0])}
	c.cmd.Env = append(os.Environ(), "KJ_STORE_CHILD="+name, "KJ_STORE_DIR="+dir)
	c.cmd.Stderr = &c.stderr
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.out = bufio.NewReaderSize(out, 1<<20)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.kill() })
	return c
}

// line waits for the child's next line.
func (c *child) line(t *testing.T) string {
	t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		c.cmd.Wait()
		t.Fatalf("child ended: %v %s", c.cmd.ProcessState, c.stderr.String())
	}
	return strings.TrimSpace(line)
}

// kill sends SIGKILL and returns what the child wrote before.
func (c *child) kill() string {
	c.cmd.Process.Kill()
	rest, _ := io.ReadAll(c.out)
	c.cmd.Wait()
	return string(rest)
}

func rounds(short int) int {
	if os.Getenv("KJ_FULL") != "" {
		return 10 * short
	}
	return short
}

const (
	crashDocs   = 12
	crashOutbox = 3 // every third write of a document has an entry
)

// crashWrite is write number n of a document, which begins at index. Most are
// keystrokes; some need segments, some blobs.
func crashWrite(doc, n, index uint64) Write {
	count, size := 1, 150
	switch n % 40 {
	case 13:
		count = 25
	case 27:
		count, size = 700, 60
	case 33:
		size = 600 << 10
	}
	w := testWrite(doc, index, count, size)
	w.Actors = []Actor{{ID: kaijutsu.ActorID(fmt.Sprint(doc, n)), Principal: kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person}, At: time.Unix(int64(n), 0).UTC()}}
	if n%crashOutbox == 0 {
		w.Outbox = [][]byte{fmt.Appendf(nil, "%d %d", doc, n)}
	}
	return w
}

func crashSnapshot(doc, covers uint64) Snapshot {
	return Snapshot{Covers: covers, Chunk: testChange(doc, covers, int(covers%7)*100<<10+10).Raw}
}

// childAppend goes on with what is there, and says what was acknowledged.
func childAppend(dir string) int {
	s, err := Open(Options{Dir: dir})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("open")
	ctx := context.Background()
	var wg sync.WaitGroup
	for doc := range uint64(crashDocs) {
		wg.Go(func() {
			d, err := s.Load(ctx, testDoc(doc))
			if err != nil && !errors.Is(err, kaijutsu.ErrNotFound) {
				panic(err)
			}
			n, index := uint64(len(d.Actors)), uint64(len(d.Changes))
			if d.Snapshot != nil {
				index += d.Snapshot.Covers
			}
			for ; ; n++ {
				w := crashWrite(doc, n, index)
				if err := commit(s, ctx, w); err != nil {
					panic(err)
				}
				index += uint64(len(w.Changes))
				fmt.Printf("w %d %d\n", doc, n)
				if n%20 == 19 {
					snap := crashSnapshot(doc, index-n%3)
					if err := s.PutSnapshot(ctx, testDoc(doc), snap); err != nil {
						panic(err)
					}
					fmt.Printf("s %d %d\n", doc, snap.Covers)
				}
			}
		})
	}
	wg.Wait()
	return 0
}

func TestKilledUnderLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var writes, covers [crashDocs]uint64 // acknowledged
	total := 0
	for round := range rounds(20) {
		c := startChild(t, "append", dir)
		if got := c.line(t); got != "open" {
			t.Fatalf("child says %q, want open", got)
		}
		pause(time.Duration(rand.IntN(200)) * time.Millisecond)
		total += readAcks(c.kill(), writes[:], covers[:])
		if c.stderr.Len() > 0 {
			t.Fatalf("round %d: child says %s", round, c.stderr.String())
		}
		s := openTest(t, Options{Dir: dir})
		checkCrashed(t, s, writes[:], covers[:])
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
		closeTest(t, s)
	}
	t.Logf("%d writes and snapshots acknowledged and found", total)
}

// readAcks raises the counts to what a child said was acknowledged.
func readAcks(out string, writes, covers []uint64) (lines int) {
	for line := range strings.Lines(out) {
		var kind byte
		var doc, n uint64
		if _, err := fmt.Sscanf(line, "%c %d %d\n", &kind, &doc, &n); err != nil {
			continue // cut by the kill
		}
		lines++
		if kind == 'w' {
			writes[doc] = max(writes[doc], n+1)
		} else {
			covers[doc] = max(covers[doc], n)
		}
	}
	return lines
}

func checkCrashed(t *testing.T, s *Store, writes, covers []uint64) {
	t.Helper()
	var outbox []string
	for doc := range uint64(crashDocs) {
		if _, err := s.Load(context.Background(), testDoc(doc)); errors.Is(err, kaijutsu.ErrNotFound) && writes[doc] == 0 {
			continue
		}
		d := mustLoad(t, s, doc)
		if got := uint64(len(d.Actors)); got < writes[doc] {
			t.Errorf("document %d has %d writes, %d were acknowledged", doc, got, writes[doc])
		}
		var index, covered uint64
		if d.Snapshot != nil {
			covered = d.Snapshot.Covers
			if want := crashSnapshot(doc, covered); !reflect.DeepEqual(*d.Snapshot, want) {
				t.Errorf("snapshot of document %d is not what was put", doc)
			}
		}
		if covered < covers[doc] {
			t.Errorf("snapshot of document %d covers %d, %d was acknowledged", doc, covered, covers[doc])
		}
		tail := d.Changes
		for n := range uint64(len(d.Actors)) {
			w := crashWrite(doc, n, index)
			index += uint64(len(w.Changes))
			if !reflect.DeepEqual(d.Actors[n], w.Actors[0]) {
				t.Fatalf("actor %d of document %d = %+v, want %+v", n, doc, d.Actors[n], w.Actors[0])
			}
			for _, c := range w.Changes {
				if c.Index < covered {
					continue
				}
				if len(tail) == 0 || !reflect.DeepEqual(tail[0], c) {
					t.Fatalf("change %d of document %d is missing or not what was written", c.Index, doc)
				}
				tail = tail[1:]
			}
			for _, entry := range w.Outbox {
				outbox = append(outbox, string(entry))
			}
			if n+1 == uint64(len(d.Actors)) && !d.Heads.Equal(w.Heads) {
				t.Errorf("heads of document %d = %v, want %v", doc, d.Heads, w.Heads)
			}
		}
		if len(tail) > 0 {
			t.Errorf("document %d has %d changes of a write that is not there", doc, len(tail))
		}
	}
	var found []string
	for _, entry := range allOutbox(t, s) {
		found = append(found, string(entry.Value))
	}
	slices.Sort(found)
	slices.Sort(outbox)
	if !slices.Equal(found, outbox) {
		t.Errorf("outbox has %d entries, want the %d of the writes that are there", len(found), len(outbox))
	}
	sweepNow(t, s)
	if got := leftovers(t, s); len(got) > 0 {
		t.Errorf("leftovers: %v", got)
	}
}

// childStage writes all of large writes but what makes them visible.
func childStage(dir string) int {
	s, err := Open(Options{Dir: dir})
	if err != nil {
		panic(err)
	}
	for doc, data := range map[uint64][]byte{1: make([]byte, 3<<20), 2: make([]byte, 200<<10)} {
		blobs := &staging{s: s}
		if _, err := blobs.add(context.Background(), data); err != nil {
			panic(err)
		}
		// The sweeper must leave what is being written alone.
		if err := s.doChores(context.Background()); err != nil {
			panic(err)
		}
		fmt.Println("staged", doc)
	}
	select {}
}

func TestTornLargeWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openTest(t, Options{Dir: dir})
	mustCommit(t, s, testWrite(1, 0, 2, 100))
	closeTest(t, s)

	c := startChild(t, "stage", dir)
	c.line(t)
	c.line(t)
	c.kill()

	s = openTest(t, Options{Dir: dir})
	checkChanges(t, mustLoad(t, s, 1), 1, 0, 2, 100)
	if got := allDocuments(t, s); len(got) != 1 {
		t.Errorf("Documents() = %v, want one", got)
	}
	waitFor(t, func() bool { return len(leftovers(t, s)) == 0 }) // Open sweeps by itself
	mustCommit(t, s, testWrite(1, 2, 1, 3<<20))
	d := mustLoad(t, s, 1)
	if got, want := d.Changes[2], testChange(1, 2, 3<<20); !reflect.DeepEqual(got, want) {
		t.Error("a large write after the crash is not what was written")
	}
}

func childHold(dir string) int {
	if _, err := Open(Options{Dir: dir}); err != nil {
		panic(err)
	}
	fmt.Println("open")
	select {}
}

func TestOneServer(t *testing.T) {
	dir := t.TempDir()
	second := func(who string) {
		t.Helper()
		s, err := Open(Options{Dir: dir})
		if !errors.Is(err, kaijutsu.ErrUnavailable) || !strings.Contains(fmt.Sprint(err), dir+" is in use by another server (process ") {
			t.Errorf("Open while %s has the directory = %v", who, err)
		}
		if err == nil {
			s.Close()
		}
	}
	s := openTest(t, Options{Dir: dir})
	second("this process")
	mustCommit(t, s, testWrite(1, 0, 1, 100))
	closeTest(t, s)

	c := startChild(t, "hold", dir)
	c.line(t)
	second("another process")
	c.kill()
	checkChanges(t, mustLoad(t, openTest(t, Options{Dir: dir}), 1), 1, 0, 1, 100)
}
