package cluster

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/repo"
)

// TestRecordsComeFirst has a node come back behind many changes of the kernel's
// records, a few of other documents, and NATS that was away: it shows none of
// those before the records are there.
func TestRecordsComeFirst(t *testing.T) {
	s := newStreet(t)
	var records kaijutsu.DocumentID
	withRecords := func(h *house) { h.config = func(_ *house, c *Config) { c.Records = records } }
	a := s.house("a", withRecords)
	records = a.create("records")
	var docs []kaijutsu.DocumentID
	for len(docs) < 3 {
		if doc := a.create("context"); flowbus.Shard(doc) != flowbus.Shard(records) {
			docs = append(docs, doc)
		}
	}
	b := s.house("b", withRecords)
	together(a, b)
	b.await("b has read the feed", func() bool { return caughtUp(a, b) })
	b.close()

	var last kaijutsu.ChangeHash
	for i := range 40 {
		last = a.edit(records, fmt.Sprint("record ", i))
		a.relayed() // a record of the feed each
	}
	var secrets []kaijutsu.ChangeHash
	for _, doc := range docs {
		secrets = append(secrets, a.edit(doc, "secret"))
	}
	a.relayed()
	var mu sync.Mutex
	known, early := false, 0
	b.seen = func(done repo.Committed) {
		mu.Lock()
		defer mu.Unlock()
		for _, c := range done.Changes {
			known = known || c.Hash == last
			if !known && slices.Contains(secrets, c.Hash) {
				early++
			}
		}
	}
	b.open()
	for i, doc := range docs {
		b.holds(doc, secrets[i])
	}
	mu.Lock()
	defer mu.Unlock()
	if early > 0 {
		t.Errorf("%d changes were shown before the records that came before them", early)
	}
}

// TestNothingIsHeldBackForEver has a node whose records nobody can bring.
func TestNothingIsHeldBackForEver(t *testing.T) {
	f := first{doc: kaijutsu.DocumentID{}}
	if f.holds(kaijutsu.DocumentID{}) || f.wait(context.Background()) != nil {
		t.Error("something is held back although there are no records")
	}
	s := newStreet(t)
	a := s.house("a", func(h *house) {
		h.tune.first = 500 * time.Millisecond
		h.config = func(_ *house, c *Config) {
			c.Records = kaijutsu.ContextID{1}.Document()
			c.Settle = func(context.Context) error { return kaijutsu.ErrUnavailable }
		}
	})
	b := s.house("b")
	doc := b.create("context")
	b.relayed()
	a.holds(doc)
	a.await("the context comes although records never count", func() bool {
		info, err := a.store.Info(context.Background(), doc)
		return err == nil && info.Changes > 0
	})
}
