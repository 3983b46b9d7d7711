package cluster

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"kaijutsu"
)

// TestHungNode has a node that is listed and never answers: only the first who
// asks for a document that there is not waits for it.
func TestHungNode(t *testing.T) {
	s := newStreet(t)
	a, b := s.house("a"), s.house("b")
	together(a, b)
	conn, err := nats.Connect(s.url())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.SubscribeSync("kj.test.node.ask.hung"); err != nil {
		t.Fatal(err)
	}
	if err := conn.Flush(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	if _, err := b.bus.Put(ctx, nodePrefix+"hung", []byte(`{"schema":1}`), most); err != nil {
		t.Fatal(err)
	}
	a.await("the hung node is listed", func() bool { return len(a.status().Nodes) == 3 })
	ask := func() time.Duration {
		begun := time.Now()
		if a.cluster.Fetch(ctx, kaijutsu.NewContextID(time.Now()).Document()) {
			t.Error("Fetch of a document that nobody has = true")
		}
		return time.Since(begun)
	}
	ask()
	begun := time.Now()
	for range 5 {
		ask()
	}
	if took := time.Since(begun); took > 4*whoTime {
		t.Errorf("five more took %v, want that they do not wait for %v each", took, whoTime)
	}
	doc := b.create("context")
	if got := a.cluster.whoHas(ctx, doc); got != b.id() {
		t.Errorf("whoHas = %q, want b's %q", got, b.id())
	}
}
