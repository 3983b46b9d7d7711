package bench

import (
	"testing"
	"time"
)

// TestJetStreamHandsOnEachMessageOnce pushes to a real nats-server and has it
// store a message twice under one id.
func TestJetStreamHandsOnEachMessageOnce(t *testing.T) {
	opt := &ClusterOptions{}
	if err := opt.fill(); err != nil {
		t.Fatal(err)
	}
	c, err := openNATS(t.Context(), opt, t.TempDir(), true)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	r, err := c.push(t.Context(), time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if r.sent != driftRate || len(r.durable) != r.sent || len(r.seen) != r.sent || len(r.confirmed) != r.sent {
		t.Errorf("%d sent, %d stored, %d seen, %d confirmed, want %d of each", r.sent, len(r.durable), len(r.seen), len(r.confirmed), driftRate)
	}
	n := c.(*natsCourier)
	const again = "pushed1"
	if _, err := n.sender.request(t.Context(), again, again+"-0", []byte("again")); err != nil {
		t.Fatal(err)
	}
	if err := n.holds(t.Context(), again, driftRate); err != nil {
		t.Errorf("after a message under an id that was there: %v", err)
	}
	if err := n.sender.api(t.Context(), "STREAM.INFO.none", nil); err == nil {
		t.Error("a stream that is not there gives no error")
	}
}
