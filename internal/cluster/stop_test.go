package cluster

import (
	"context"
	"testing"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/repo"
)

// pendingAt waits until a house has read records that are not on its disk.
func (h *house) pendingAt(shard int) {
	h.t.Helper()
	h.await("a record waits", func() bool { return h.status().Streams[shard].Pending > 0 })
}

// TestStopWithRecordsUnderWay stops a node that has read what is not on its
// disk, while who wrote it goes away for good: the feed is what still has it.
func TestStopWithRecordsUnderWay(t *testing.T) {
	s := newStreet(t)
	a, b := s.house("a"), s.house("b", func(h *house) { h.deaf = true })
	doc := a.create("context")
	b.holds(doc, a.edit(doc, "one"))
	b.await("b has read the feed", func() bool { return caughtUp(a, b) })
	for range laneSlots {
		b.cluster.lanes.slots <- struct{}{}
	}
	change := a.edit(doc, "two")
	a.relayed()
	b.pendingAt(flowbus.Shard(doc))
	a.close()
	b.close()
	b.open()
	b.holds(doc, change)
}

// TestStopBeforeTheRest stops a node that waits for what a record depends on.
func TestStopBeforeTheRest(t *testing.T) {
	s := newStreet(t)
	a, b := s.house("a"), s.house("b", func(h *house) { h.deaf = true })
	doc := a.create("context")
	together(a, b)
	b.await("b has read the feed", func() bool { return caughtUp(a, b) })
	cid, err := kaijutsu.ParseContextID(doc.Name())
	if err != nil {
		t.Fatal(err)
	}
	shard := flowbus.Shard(doc)
	before := b.cluster.marks.cursor(shard)
	feed := &send{shard: shard, subject: doc.String(), id: "stray", data: split(doc, repo.Origin{}, strayChange(t, cid))[0].encode()}
	a.cluster.append(context.Background(), feed)
	if err := feed.ack.Err(); err != nil {
		t.Fatal(err)
	}
	b.pendingAt(shard)
	stopped := b.cluster
	b.close()
	if got := stopped.marks.cursor(shard); got.Seq != before.Seq {
		t.Errorf("the cursor is behind record %d, which is not on disk; it was behind %d", got.Seq, before.Seq)
	}
}
