package provenance_test

import (
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/repo"
)

// startNATS starts a server and returns its URL.
func startNATS(t *testing.T) string {
	t.Helper()
	n, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: -1, JetStream: true, JetStreamMaxStore: 100 << 30, StoreDir: filepath.Join(t.TempDir(), "jetstream"),
		NoSigs: true, NoLog: true, DisableJetStreamBanner: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	n.Start()
	t.Cleanup(func() { n.Shutdown(); n.WaitForShutdown() })
	if !n.ReadyForConnections(20 * time.Second) {
		t.Fatal("NATS does not start")
	}
	return "nats://" + n.Addr().(*net.TCPAddr).String()
}

// node is a world that is one of several nodes.
func node(t *testing.T, url, name string) *world {
	t.Helper()
	bus, err := flowbus.Open(t.Context(), flowbus.Config{Log: slog.New(slog.DiscardHandler), Kernel: "main", Node: name, Servers: []string{url}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bus.Close() })
	w := &world{tester: t, dir: t.TempDir(), ctx: t.Context(), bus: bus}
	w.open()
	t.Cleanup(w.close)
	return w
}

// until waits for what changes of a document bring about.
func (w *world) until(t *testing.T, doc kaijutsu.DocumentID, f func() bool) {
	t.Helper()
	watch, err := w.repo.Watch(t.Context(), doc)
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	for !f() {
		if _, err := watch.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOneNodeKeepsTheMarks holds that of two nodes one writes, and that when it
// goes the other takes over and writes what was not.
func TestOneNodeKeepsTheMarks(t *testing.T) {
	url := startNATS(t)
	one := node(t, url, "one")
	source, target := one.context("Source"), one.context("Target")
	text, heads := one.text(source, poem)
	_, block := one.drift(owner.By, source, target, "a claim [1]", cites(1, source, text, heads, 2, 2))
	one.replace(source, text, "x")
	one.until(t, target, func() bool { return one.marks(target, block) == "1 changed" })

	two := node(t, url, "two")
	one.send(two, source)
	one.send(two, target)
	two.replace(source, text, poem)
	two.settle()
	if got := two.marks(target, block); got != "1 changed" {
		t.Errorf("the node that does not keep them has made the marks %q", got)
	}
	two.send(one, source)
	one.until(t, target, func() bool { return one.marks(target, block) == "" })

	one.send(two, target)
	if got := two.marks(target, block); got != "" {
		t.Fatalf("the other node has the marks %q, want none", got)
	}

	one.close()
	two.replace(source, text, "y")
	two.until(t, target, func() bool { return two.marks(target, block) == "1 changed" })
	err := two.repo.View(t.Context(), target, func(v repo.View) error {
		b, _ := v.Block(block)
		if !strings.Contains(b.Meta, "-two\\n+y\\n") {
			t.Errorf("meta = %s, want the diff to y", b.Meta)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
