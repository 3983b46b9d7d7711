package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/flowbus"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// most is how long anything in a test may take before it has failed.
const most = 30 * time.Second

// street is a NATS server and the houses at it.
type street struct {
	t    testing.TB
	dir  string
	opts server.Options
	nats *server.Server
}

func newStreet(t testing.TB) *street {
	s := &street{t: t, dir: t.TempDir()}
	s.opts = server.Options{
		Host: "127.0.0.1", Port: -1, JetStream: true, JetStreamMaxStore: 100 << 30, StoreDir: filepath.Join(s.dir, "jetstream"),
		NoSigs: true, NoLog: true, DisableJetStreamBanner: true, MaxPayload: 1 << 20,
	}
	s.start()
	s.opts.Port = s.nats.Addr().(*net.TCPAddr).Port
	t.Cleanup(s.stop)
	return s
}

func (s *street) start() {
	s.t.Helper()
	opts := s.opts
	n, err := server.NewServer(&opts)
	if err != nil {
		s.t.Fatal(err)
	}
	n.Start()
	if !n.ReadyForConnections(most) {
		s.t.Fatal("NATS does not start")
	}
	s.nats = n
}

func (s *street) stop() {
	if s.nats != nil {
		s.nats.Shutdown()
		s.nats.WaitForShutdown()
		s.nats = nil
	}
}

// wipe loses all that the NATS server, which is stopped, has stored.
func (s *street) wipe() {
	s.t.Helper()
	if err := os.RemoveAll(s.opts.StoreDir); err != nil {
		s.t.Fatal(err)
	}
}

// copyStore copies what the NATS server, which is stopped, has stored.
func (s *street) copyStore() (dir string) {
	s.t.Helper()
	dir = s.t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(s.opts.StoreDir)); err != nil {
		s.t.Fatal(err)
	}
	return dir
}

func (s *street) restoreStore(dir string) {
	s.t.Helper()
	if err := os.CopyFS(s.opts.StoreDir, os.DirFS(dir)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *street) url() string { return fmt.Sprintf("nats://127.0.0.1:%d", s.opts.Port) }

// house is a node: a store, a repo, a bus and a cluster.
type house struct {
	t       testing.TB
	name    string
	dir     string
	street  *street // nil: embedded
	tune    tuning
	skew    time.Duration
	deaf    bool // takes no live copies
	config  func(*house, *Config)
	seen    func(repo.Committed)
	store   *store.Store
	repo    *repo.Repo
	bus     *flowbus.Bus
	cluster *Cluster

	mu     sync.Mutex
	moved  chan struct{} // closed when something was committed
	joined map[string]int
}

// quick is for tests that wait for comparisons.
var quick = tuning{announce: 200 * time.Millisecond, announceMax: time.Second, quiet: 100 * time.Millisecond, renew: 500 * time.Millisecond, nodeTTL: 3 * time.Second}

func (s *street) house(name string, change ...func(*house)) *house {
	h := &house{t: s.t, name: name, dir: filepath.Join(s.dir, name), street: s, tune: quick, moved: make(chan struct{}), joined: make(map[string]int)}
	for _, f := range change {
		f(h)
	}
	h.open()
	s.t.Cleanup(h.close)
	return h
}

func (h *house) open() {
	h.t.Helper()
	log := slog.New(slog.NewTextHandler(testLog{h.t, h.name}, &slog.HandlerOptions{Level: slog.LevelInfo}))
	must := func(err error) {
		h.t.Helper()
		if err != nil {
			h.t.Fatalf("open house %s: %v", h.name, err)
		}
	}
	var err error
	h.store, err = store.Open(store.Options{Dir: h.dir, Log: log})
	must(err)
	now := func() time.Time { return time.Now().Add(h.skew) }
	cfg := flowbus.Config{Log: log, Kernel: "test", Node: h.store.StorageID(), Now: now}
	if h.street != nil {
		cfg.Servers = []string{h.street.url()}
	}
	h.bus, err = flowbus.Open(context.Background(), cfg)
	must(err)
	var c *Cluster
	started := make(chan struct{})
	h.repo = repo.Start(repo.Config{
		Log: log, Store: h.store, Now: now,
		Committed: func(done repo.Committed) {
			<-started
			c.Note(done)
			h.mu.Lock()
			close(h.moved)
			h.moved = make(chan struct{})
			seen := h.seen
			h.mu.Unlock()
			if seen != nil {
				seen(done)
			}
		},
		Fetch: func(ctx context.Context, doc kaijutsu.DocumentID) bool { return c.Fetch(ctx, doc) },
		Admit: func(ctx context.Context) error { return c.Admit(ctx) },
	})
	config := Config{
		Log: log, Bus: h.bus, Repo: h.repo, Store: h.store, Now: now, Version: "1.0", Addr: "http://" + h.name, tune: h.tune,
		OnNode: func(n Node, joined bool) {
			h.mu.Lock()
			defer h.mu.Unlock()
			if joined {
				h.joined[n.ID]++
			} else {
				h.joined[n.ID]--
			}
		},
	}
	if h.config != nil {
		h.config(h, &config)
	}
	c, err = Start(config)
	must(err)
	h.cluster = c
	close(started)
	if h.deaf {
		c.stops[0]()
	}
}

// close ends the house as a stop of its process does.
func (h *house) close() {
	h.t.Helper()
	if h.cluster == nil {
		return
	}
	err := errors.Join(h.cluster.Close(), h.repo.Close(), h.store.Close(), h.bus.Close())
	if err != nil {
		h.t.Errorf("close house %s: %v", h.name, err)
	}
	h.cluster = nil
}

func (h *house) id() string { return h.bus.Node() }

func (h *house) status() Status { return h.cluster.Status() }

// create makes a context.
func (h *house) create(title string) kaijutsu.DocumentID {
	h.t.Helper()
	cid, err := h.repo.CreateContext(context.Background(), amy, title)
	if err != nil {
		h.t.Fatal(err)
	}
	return cid.Document()
}

// edit makes one change and returns it when it is acknowledged.
func (h *house) edit(doc kaijutsu.DocumentID, title string) kaijutsu.ChangeHash {
	h.t.Helper()
	done, err := h.repo.Edit(context.Background(), doc, repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error {
		return tx.SetTitle(title)
	})
	if err != nil {
		h.t.Fatalf("edit at %s: %v", h.name, err)
	}
	return done.Change
}

// heads returns the heads of all documents.
func (h *house) heads() map[kaijutsu.DocumentID]string {
	h.t.Helper()
	all := make(map[kaijutsu.DocumentID]string)
	for s, err := range h.store.Summaries() {
		if err != nil {
			h.t.Fatal(err)
		}
		all[s.Doc] = strings.Join(s.Heads.Texts(), " ")
	}
	return all
}

// await waits until ok, which is asked whenever something was committed here
// and now and then.
func (h *house) await(what string, ok func() bool) {
	h.t.Helper()
	deadline := time.NewTimer(most)
	defer deadline.Stop()
	for {
		h.mu.Lock()
		moved := h.moved
		h.mu.Unlock()
		if ok() {
			return
		}
		again := time.NewTimer(20 * time.Millisecond)
		select {
		case <-moved:
		case <-again.C:
		case <-deadline.C:
			h.t.Fatalf("house %s: still not: %s; status %+v", h.name, what, h.status())
		}
		again.Stop()
	}
}

// holds waits until the house holds these changes.
func (h *house) holds(doc kaijutsu.DocumentID, changes ...kaijutsu.ChangeHash) {
	h.t.Helper()
	h.await(fmt.Sprintf("%d changes of %s", len(changes), doc), func() bool {
		has, err := h.repo.Has(context.Background(), doc, changes)
		if err != nil {
			return false
		}
		for _, known := range has {
			if !known {
				return false
			}
		}
		return true
	})
}

// same waits until all houses hold the same heads of the same documents.
func same(houses ...*house) {
	houses[0].t.Helper()
	for _, other := range houses[1:] {
		other.await("the same heads as "+houses[0].name, func() bool {
			a, b := houses[0].heads(), other.heads()
			if len(a) != len(b) {
				return false
			}
			for doc, heads := range a {
				if b[doc] != heads {
					return false
				}
			}
			return true
		})
	}
}

// together waits until the houses know of each other and hold the same.
func together(houses ...*house) {
	houses[0].t.Helper()
	for _, h := range houses {
		h.await("all nodes known", func() bool { return len(h.status().Nodes) == len(houses) })
	}
	same(houses...)
}

// relayed waits until everything of the house is in the feed.
func (h *house) relayed() {
	h.t.Helper()
	h.await("everything is in the feed", func() bool {
		s := h.status()
		return s.Outbox.Changes == 0 && s.Journal.Relayed == s.Journal.Last
	})
}

// testLog writes logs to the test's.
type testLog struct {
	t    testing.TB
	name string
}

func (l testLog) Write(b []byte) (int, error) {
	if testing.Verbose() {
		l.t.Logf("%s: %s", l.name, strings.TrimSpace(string(b)))
	}
	return len(b), nil
}
