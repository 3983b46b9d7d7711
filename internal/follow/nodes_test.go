package follow_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/follow"
)

// startNATS starts a NATS server in this process and returns its URL.
func startNATS(t *testing.T) string {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true, JetStream: true, JetStreamMaxStore: 100 << 30, StoreDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(20 * time.Second) {
		t.Fatal("the NATS server is not ready")
	}
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	return s.ClientURL()
}

// dial returns a node's bus, connected.
func dial(t *testing.T, url, node string) *flowbus.Bus {
	t.Helper()
	b, err := flowbus.Open(t.Context(), flowbus.Config{Kernel: "main", Node: node, Servers: []string{url}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// TestEventsOfOtherNodes travel once, and what is forged, malformed or too
// large is refused, counted, and costs nobody anything.
func TestEventsOfOtherNodes(t *testing.T) {
	url := startNATS(t)
	here := open(t, t.TempDir(), follow.Config{Node: "here", Bus: dial(t, url, "here")})
	there := open(t, t.TempDir(), follow.Config{Node: "there", Bus: dial(t, url, "there")})
	forger := dial(t, url, "forger")
	f, g := here.follow(">", ""), there.follow(">", "")
	here.next(f)
	there.next(g)

	good := flowbus.Event{
		Kernel: "main", Kind: flowbus.LogMessage, Node: "forger", Time: time.Unix(1, 0).UTC(), Data: &flowbus.Log{Level: "info", Message: "hello"},
	}
	text, err := flowbus.Encode(&good)
	if err != nil {
		t.Fatal(err)
	}
	change := good
	change.Kind, change.Data = flowbus.ContextAdvanced, &flowbus.Nothing{}
	change.Context, change.Version, change.Part, change.Parts = kaijutsu.NewContextID(time.Now()), 3, 1, 1
	derived, err := flowbus.Encode(&change)
	if err != nil {
		t.Fatal(err)
	}
	gone := good
	gone.Kind, gone.Data, gone.Context = flowbus.ContextDeleted, &flowbus.Nothing{}, change.Context
	deleted, err := flowbus.Encode(&gone)
	if err != nil {
		t.Fatal(err)
	}
	bad := [][]byte{
		[]byte("{"),
		[]byte(strings.Replace(string(text), `"node":"forger"`, `"node":"there"`, 1)),
		[]byte(strings.Replace(string(text), `"node":"forger"`, `"node":"here"`, 1)),
		[]byte(strings.ReplaceAll(strings.Replace(string(text), `"kernel":"main"`, `"kernel":"other"`, 1), "kj.main.", "kj.other.")),
		[]byte(strings.Replace(string(text), `hello`, strings.Repeat("x", flowbus.MaxNodeEvent), 1)),
		derived, deleted,
	}
	for _, b := range bad {
		if err := forger.Publish("node.event", b); err != nil {
			t.Fatal(err)
		}
	}
	if err := forger.Publish("node.event", text); err != nil {
		t.Fatal(err)
	}
	for _, i := range append(here.next(f), there.next(g)...) {
		if e := here.decode(i); e.Kind != flowbus.LogMessage || e.Node != "forger" {
			t.Errorf("a follower is told of %s", i.Data)
		}
	}
	if got := here.hub.Stats().Refused["forger"]; got != int64(len(bad)) {
		t.Errorf("%d events were refused, want %d", got, len(bad))
	}

	if err := here.hub.Publish(flowbus.Event{Kind: flowbus.ProgressUpdate, Data: &flowbus.Progress{Token: "t", Progress: 1}}); err != nil {
		t.Fatal(err)
	}
	for _, h := range []struct {
		*house
		f *follow.Follower
	}{{here, f}, {there, g}} {
		items := h.next(h.f)
		if e := h.decode(items[0]); len(items) != 1 || e.Kind != flowbus.ProgressUpdate || e.Node != "here" {
			t.Errorf("a follower is told of %d events, of which the first is %s of %s", len(items), e.Kind, e.Node)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if items, err := f.Next(ctx); err == nil && len(items) > 0 {
		t.Errorf("the sender's own followers are told twice: %s", items[0].Data)
	}

	// An id of one node begins anew at the other.
	again := there.follow(">", f.ID())
	if items := there.next(again); len(items) != 2 || items[1].Name != follow.Reset {
		t.Errorf("with the id of another node comes %v, want hello and reset", names(items))
	}
}
