package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"kaijutsu/internal/kjproc"
)

// contestants returns the rivals, or skips the test where Node or their packages
// are missing and nobody insists on them.
func contestants(t *testing.T) []contestant {
	t.Helper()
	_, err := exec.LookPath("node")
	if (err != nil || !installed("rivals")) && os.Getenv("KJ_REQUIRE_NODE") == "" {
		t.Skip("no rivals: their packages are not installed; run: cd internal/bench/rivals && npm ci")
	}
	all, err := rivals(t.Context(), "rivals")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if c.missing != nil {
			t.Fatalf("contestant %s: %v", c.name, c.missing)
		}
	}
	return all
}

// eachYjs runs a test with each server of Yjs.
func eachYjs(t *testing.T, f func(t *testing.T, c contestant, y *yjs, start func() *kjproc.Process)) {
	t.Parallel()
	for _, c := range contestants(t) {
		y, ok := c.speech.(*yjs)
		if !ok {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			f(t, c, y, func() *kjproc.Process {
				p, err := c.start(t.Context(), dir)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(p.Kill)
				if err := y.knock(t.Context(), p); err != nil {
					t.Fatal(err)
				}
				return p
			})
		})
	}
}

// scribble is a history with everything in it: runs, jumps, deletions, texts of
// several characters each, characters of two and three bytes.
func scribble() history {
	typing, texts := typed(300, 100), manyTexts("words", 5, func(i int) string { return strings.Repeat("größe 漢字 ", i+1) })
	return history{name: "scribble", changes: typing.changes + texts.changes, steps: func(yield func(step) bool) {
		for s := range typing.all() {
			if !yield(s) {
				return
			}
		}
		for s := range texts.all() {
			if !yield(s) {
				return
			}
		}
	}}
}

// textsOf are the texts that a history leads to, character by character.
func textsOf(h history) []string {
	type char struct {
		number int
		r      rune
		gone   bool
	}
	texts, chars := [][]char{nil}, 0
	at := func(text, number int) int {
		return slices.IndexFunc(texts[text], func(c char) bool { return c.number == number })
	}
	for s := range h.all() {
		if s.text == len(texts) {
			texts = append(texts, nil)
		}
		if s.insert == "" {
			texts[s.text][at(s.text, s.remove)].gone = true
			continue
		}
		pos := at(s.text, s.after) + 1 // -1: nobody has that number
		for _, r := range s.insert {
			texts[s.text] = slices.Insert(texts[s.text], pos, char{number: chars, r: r})
			pos++
			chars++
		}
	}
	var all []string
	for _, text := range texts {
		var b strings.Builder
		for _, c := range text {
			if !c.gone {
				b.WriteRune(c.r)
			}
		}
		all = append(all, b.String())
	}
	return all
}

// stock runs a stock client in a document and returns when it shows what is
// wanted. It types first, if it has what to.
func stock(t *testing.T, p *kjproc.Process, y *yjs, doc docName, typing string, want func(texts []string) bool) {
	t.Helper()
	provider := "y-websocket"
	if y.hocuspocus {
		provider = "hocuspocus"
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", filepath.Join("rivals", "client.mjs"),
		"--provider", provider, "--url", "ws"+strings.TrimPrefix(p.URL, "http"), "--document", string(doc), "--type", typing)
	stdin, err := cmd.StdinPipe() // it ends with us
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var complaints strings.Builder
	cmd.Stderr = &complaints
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = stdin.Close()
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
	}()
	var texts []string
	for sc := bufio.NewReader(out); ; {
		line, err := sc.ReadBytes('\n')
		if err != nil {
			t.Fatalf("the stock client ended (%v) with texts %.2000q\n%s", err, texts, complaints.String())
		}
		if err := json.Unmarshal(line, &texts); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if want(texts) {
			return
		}
	}
}

func TestStockYjsClientsReadWhatTheRawOneWrites(t *testing.T) {
	eachYjs(t, func(t *testing.T, c contestant, y *yjs, start func() *kjproc.Process) {
		p, doc := start(), newDocName()
		if err := y.seed(t.Context(), p, doc, scribble()); err != nil {
			t.Fatal(err)
		}
		want := textsOf(scribble())
		stock(t, p, y, doc, "", func(texts []string) bool { return slices.Equal(texts, want) })

		typed := make([]string, 2)
		for i, word := range []string{" größer ", " 漢字 "} {
			e, err := y.enter(t.Context(), p, doc, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range []error{
				e.edit(t.Context(), 1), e.edit(t.Context(), 3), e.insert(t.Context(), word), e.edit(t.Context(), 1), e.ready(t.Context()), e.close(),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			typed[i] = "the " + word + string("the quick brown fox jumps over the lazy dog "[4+len([]rune(word))])
		}
		// Who typed at one place at once comes in the order of the clients' ids.
		stock(t, p, y, doc, "", func(texts []string) bool {
			return len(texts) == len(want) && slices.Equal(texts[1:], want[1:]) &&
				(texts[0] == typed[0]+typed[1]+want[0] || texts[0] == typed[1]+typed[0]+want[0])
		})
	})
}

func TestRawYjsClientReadsWhatStockOnesWrite(t *testing.T) {
	eachYjs(t, func(t *testing.T, c contestant, y *yjs, start func() *kjproc.Process) {
		p, doc := start(), newDocName()
		if err := y.seed(t.Context(), p, doc, scribble()); err != nil {
			t.Fatal(err)
		}
		e, err := y.enter(t.Context(), p, doc, nil)
		if err != nil {
			t.Fatal(err)
		}
		const word, left = "abcdefgh", "aceg"
		stock(t, p, y, doc, word, func(texts []string) bool {
			return len(texts) > 0 && strings.HasPrefix(texts[0], left+textsOf(scribble())[0])
		})
		there := func(c *yjsClient) func() bool {
			return func() bool {
				for client, units := range c.state {
					if client != yjsSeeder && units == uint64(len(word)) {
						return true
					}
				}
				return false
			}
		}
		if err := e.(*yjsClient).wait(t.Context(), "what the stock client typed", there(e.(*yjsClient))); err != nil {
			t.Error(err)
		}
		late, err := y.connect(t.Context(), p, doc, nil) // gets it as one update, with what was deleted
		if err != nil {
			t.Fatal(err)
		}
		if err := late.open(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := late.wait(t.Context(), "what the stock client typed", there(late)); err != nil {
			t.Error(err)
		}
		for _, c := range []editor{e, late} {
			if err := c.close(); err != nil {
				t.Error(err)
			}
		}
	})
}

// listen runs a listener on a connection until the connection ends; ready is
// closed when the document is there.
func listen(t *testing.T, url string, l listener) (ready chan struct{}) {
	t.Helper()
	conn, _, err := dialYjs(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	ready = make(chan struct{})
	done := make(chan struct{})
	t.Cleanup(func() { _ = conn.CloseNow(); <-done })
	say := func(messages [][]byte) {
		for _, m := range messages {
			if err := conn.Write(t.Context(), websocket.MessageBinary, m); err != nil {
				t.Error(err)
			}
		}
	}
	say(l.greet())
	go func() {
		defer close(done)
		for was := false; ; {
			_, message, err := conn.Read(t.Context())
			if err != nil {
				return
			}
			answer, err := l.hear(message[:min(len(message), heardBytes)], len(message), time.Now())
			if err != nil {
				t.Error(err)
				return
			}
			say(answer)
			if !was && l.ready() {
				was = true
				close(ready)
			}
		}
	}()
	return ready
}

func TestYjsEditsReachTheJournal(t *testing.T) {
	eachYjs(t, func(t *testing.T, c contestant, y *yjs, start func() *kjproc.Process) {
		p, doc := start(), newDocName()
		long := manyTexts("long words", 40, func(i int) string { return strings.Repeat("x", heardBytes/20) })
		if err := y.seed(t.Context(), p, doc, long); err != nil {
			t.Fatal(err)
		}
		j := newJournal(2)
		j.record()
		var editors [2]editor
		for i := range editors {
			e, err := y.enter(t.Context(), p, doc, j)
			if err != nil {
				t.Fatal(err)
			}
			editors[i] = e
		}
		url, next := y.listeners(p, doc, j)
		select {
		case <-listen(t, url, next()):
		case <-time.After(time.Minute):
			t.Fatal("the listener never got the document")
		}
		const each = 1 + 5 + 1
		for _, e := range editors {
			for _, err := range []error{e.edit(t.Context(), 1), e.edit(t.Context(), 5), e.insert(t.Context(), "漢字 paragraph"), e.ready(t.Context())} {
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		j.close()
		select {
		case <-j.complete:
		case <-time.After(time.Minute):
		}
		edits, missing := j.seal(time.Now())
		if edits != 2*each || len(missing) != 0 || len(j.visible) != 2*2*each || len(j.acked) != 2*each {
			t.Errorf("%d edits, %d missing, %d arrivals, %d stored; want %d, 0, %d, %d", edits, len(missing), len(j.visible), len(j.acked), 2*each, 2*2*each, 2*each)
		}
		for _, e := range editors {
			if err := e.close(); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestYjsColdJoinAfterARestart(t *testing.T) {
	eachYjs(t, func(t *testing.T, c contestant, y *yjs, start func() *kjproc.Process) {
		if c.fleeting {
			t.Skip("it keeps nothing")
		}
		p, doc := start(), newDocName()
		h := typed(20_000, 5_000)
		if err := y.seed(t.Context(), p, doc, h); err != nil {
			t.Fatal(err)
		}
		warm, err := y.coldJoin(t.Context(), p, doc)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Stop(); err != nil {
			t.Fatalf("stop: %v: %s", err, p.Log())
		}
		p = start()
		cold, err := y.coldJoin(t.Context(), p, doc)
		if err != nil {
			t.Fatal(err)
		}
		size, err := y.saved(doc)
		if err != nil {
			t.Fatal(err)
		}
		for name, o := range map[string]opening{"warm": warm, "cold": cold} {
			if o.took <= 0 || o.bytes < size || o.turns < 1 {
				t.Errorf("%s join = %+v, want a time, at least the %d bytes of the document, a turn", name, o, size)
			}
		}
		want := textsOf(typed(20_000, 5_000))
		stock(t, p, y, doc, "", func(texts []string) bool { return slices.Equal(texts, want) })
	})
}

// TestYjsDocumentsAreThereAsSoonAsTheyAreMade opens many documents while their
// makers have hardly left.
func TestYjsDocumentsAreThereAsSoonAsTheyAreMade(t *testing.T) {
	eachYjs(t, func(t *testing.T, c contestant, y *yjs, start func() *kjproc.Process) {
		p := start()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		var all sync.WaitGroup
		for i := range 40 {
			all.Go(func() {
				doc := newDocName()
				if err := y.seed(ctx, p, doc, emptyText()); err != nil {
					t.Errorf("document %d: %v", i, err)
					return
				}
				e, err := y.enter(ctx, p, doc, nil)
				if err == nil {
					err = e.close()
				}
				if err != nil {
					t.Errorf("document %d: %v", i, err)
				}
			})
		}
		all.Wait()
	})
}
