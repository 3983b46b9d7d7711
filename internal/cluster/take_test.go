package cluster

import (
	"context"
	"testing"
)

// TestUnreadableBase has a fork come whose base a node can read no more: what
// is behind it in the feed is not to wait for that.
func TestUnreadableBase(t *testing.T) {
	s := newStreet(t)
	a, b := s.house("a"), s.house("b", func(h *house) { h.deaf = true })
	doc := a.create("context")
	together(a, b)
	b.await("b has read the feed", func() bool { return caughtUp(a, b) })
	if err := b.store.Delete(context.Background(), doc); err != nil { // the repo does not know
		t.Fatal(err)
	}
	if _, err := a.repo.Fork(context.Background(), amy, doc, nil, "the fork"); err != nil {
		t.Fatal(err)
	}
	a.relayed()
	b.await("the fork holds nothing up", func() bool { return caughtUp(a, b) })
}
