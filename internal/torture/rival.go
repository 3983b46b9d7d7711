package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/editor"
	"kaijutsu/internal/kjproc"
)

const (
	// rivalDocs is how many documents are written to on a rival, and
	// rivalWriters how many write to each.
	rivalDocs, rivalWriters = 3, 3
	// rivalReady is how long a rival may take to serve, and rivalReads how long
	// to give a document.
	rivalReady, rivalReads = 60 * time.Second, 15 * time.Second
)

// rivalStrikes are what can be done to a server of which only its address is
// known, and to one that can be killed and started.
var (
	rivalAttacks = []string{"garbage", "malformed", "oversized", "bombs", "poison", "half-open"}
	rivalFaults  = []string{"kill", "stop"}
)

// RivalOptions say which other server of the sync protocol to work on.
type RivalOptions struct {
	// URL is where editors connect, such as ws://127.0.0.1:3030.
	URL string
	// Start is a command that runs the server, words separated by spaces;
	// {data} stands for a directory. Empty: it runs already, and is neither
	// killed nor stopped.
	Start string
}

// Rival lets editors write on another server, does to it what can be done to
// any, and lets the checker decide with what applies: nothing that was
// acknowledged is lost, all readers get the same. An acknowledgement is the
// server's own: that its heads, in a sync message, contain the change.
func Rival(ctx context.Context, rival RivalOptions, opt Options) (*Report, error) {
	at, err := url.Parse(rival.URL)
	if err != nil || at.Host == "" {
		return nil, fmt.Errorf("--rival %q: %w: want an address such as ws://127.0.0.1:3030", rival.URL, kaijutsu.ErrInvalid)
	}
	allowed := rivalAttacks
	if rival.Start != "" {
		allowed = append(rivalFaults, rivalAttacks...)
	}
	if len(opt.Only) == 0 {
		opt.Only = allowed
	}
	opt.rival = &rival
	return run(ctx, fault{name: "rival", layout: layout{nodes: 1}, play: playMixed}, opt)
}

// openRival makes the rival the one node, and documents on it.
func (m *mixed) openRival(ctx context.Context) error {
	at, _ := url.Parse(m.opt.rival.URL) // Rival has looked
	at.Scheme = map[string]string{"wss": "https"}[at.Scheme]
	if at.Scheme == "" {
		at.Scheme = "http"
	}
	data := filepath.Join(m.dir, "rival")
	n := &node{name: "R", base: at.Scheme + "://" + at.Host, sync: m.opt.rival.URL}
	if words := strings.Fields(strings.ReplaceAll(m.opt.rival.Start, "{data}", data)); len(words) > 0 {
		n.command = func() *exec.Cmd { return exec.Command(words[0], words[1:]...) }
	}
	if err := os.MkdirAll(data, 0o700); err != nil {
		return err
	}
	m.nodes, m.disks = append(m.nodes, n), make([]*brittle, 1)
	if err := n.start(ctx); err != nil {
		return err
	}
	for range rivalDocs + 1 {
		var id [16]byte
		for i := range id {
			id[i] = byte(m.random.Uint32())
		}
		doc, err := kaijutsu.DocumentIDFromBytes(id[:])
		if err != nil {
			return err
		}
		m.docs = append(m.docs, &target{doc: doc, id: doc.String()})
	}
	m.docs, m.scratch = m.docs[:rivalDocs], m.docs[rivalDocs]
	m.targets = m.docs
	return nil
}

// startRival runs the command and waits until a peer may join.
func (n *node) startRival(ctx context.Context) error {
	if n.command != nil {
		p, err := kjproc.Spawn(n.command())
		if err != nil {
			return fmt.Errorf("start the rival: %w", err)
		}
		n.mu.Lock()
		n.proc = p
		n.mu.Unlock()
	}
	ctx, cancel := context.WithTimeout(ctx, rivalReady)
	defer cancel()
	for {
		attempt, stop := context.WithTimeout(ctx, time.Second)
		p, err := dialPeer(attempt, n, "")
		stop()
		if err == nil {
			p.close()
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("the rival at %s does not let anybody join: %w: %w", n.sync, kaijutsu.ErrUnavailable, err)
		}
		pauseFor(ctx, 50*time.Millisecond)
	}
}

// writeRival starts editors, some for each document.
func (m *mixed) writeRival(ctx context.Context) {
	m.stops = make(chan struct{})
	m.stopWriting = sync.OnceFunc(func() { close(m.stops); m.writing.Wait() })
	for i, t := range m.docs {
		for k := range rivalWriters {
			w := &keyTypist{name: fmt.Sprintf("editor %d%c", i+1, 'a'+k), node: m.nodes[0], target: t, ledger: m.ledger, h: m.h, random: m.branch()}
			m.h.note(Entry{Says: saysWho, Who: w.name, Name: w.name, Role: "editor", Node: w.node.name, What: doorSync})
			m.writing.Go(func() { w.run(ctx, m.stops) })
		}
	}
}

// keyTypist writes keys into a document that is nobody's context.
type keyTypist struct {
	name   string
	node   *node
	target *target
	ledger *ledger
	h      *history
	random *rand.Rand
	count  int
}

func (w *keyTypist) run(ctx context.Context, stop <-chan struct{}) {
	for ctx.Err() == nil && !isClosed(stop) {
		w.session(ctx, stop)
		pauseFor(ctx, comeback)
	}
}

// session is one editor, until its connection ends.
func (w *keyTypist) session(ctx context.Context, stop <-chan struct{}) {
	dialing, dialed := context.WithTimeout(ctx, 5*time.Second)
	defer dialed()
	client, err := editor.Dial(dialing, editor.Config{URL: w.node.syncURL("")})
	if err != nil {
		return
	}
	defer client.Disconnect()
	gone := client.Gone()
	doc := client.Open(ctx, w.target.doc)
	opening, opened := context.WithTimeout(ctx, rivalReads)
	defer opened()
	if doc.Wait(opening, func() bool { return doc.Len() > 0 || doc.Unavailable() }) != nil {
		return
	}
	for !isClosed(stop) && !isClosed(gone) && ctx.Err() == nil {
		w.count++
		c, err := doc.Add(ctx, func(c *amfile.Change) {
			c.Ops = []amfile.Op{{Action: amfile.Put, Key: fmt.Sprintf("%s %d", w.name, w.count), Value: amfile.StringValue("x")}}
		})
		if err != nil {
			return
		}
		hash, began := c.Hash, time.Now()
		w.h.note(Entry{Says: saysTry, Who: w.name, Doc: w.target.id, Hash: short(hash)})
		patience, cancel := context.WithTimeout(ctx, honestWait)
		err = doc.Wait(patience, func() bool { return doc.Stored(hash) || isClosed(gone) })
		cancel()
		switch {
		case doc.Stored(hash):
			w.h.note(Entry{Says: saysAck, Who: w.name, Doc: w.target.id, Hash: short(hash), Ms: millis(time.Since(began))})
			w.ledger.ack(w.target.doc, hash, "editors", w.name)
			w.ledger.waited(w.node.name, time.Since(began))
		case isClosed(gone):
			return
		case err != nil && ctx.Err() == nil:
			w.h.note(Entry{Says: saysLate, Who: w.name, Doc: w.target.id, Hash: short(hash), Ms: millis(time.Since(began))})
			return
		}
		pauseFor(ctx, within(w.random, mixedPause/2, mixedPause*3/2))
	}
}

// lookRival records what a fresh reader gets of a document.
func (m *mixed) lookRival(ctx context.Context, n *node, t *target, final bool) error {
	m.lookMu.Lock()
	defer m.lookMu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, rivalReads)
	defer cancel()
	began := time.Now()
	client, err := editor.Dial(ctx, editor.Config{URL: n.syncURL("")})
	if err != nil {
		return err
	}
	defer client.Disconnect()
	doc := client.Open(ctx, t.doc)
	whole := func() bool { return doc.Len() > 0 && doc.Acked().Equal(doc.Heads()) }
	if err := doc.Wait(ctx, func() bool { return whole() || doc.Unavailable() }); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var changes []*amfile.Change
	for _, h := range doc.Hashes() {
		changes = append(changes, &amfile.Change{Hash: h})
	}
	m.noteHas(n, t, changes, final, time.Since(began))
	return nil
}
