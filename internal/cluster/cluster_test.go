package cluster

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

// TestNodesConverge edits at three nodes at once, whose clocks are two hours
// apart and one of which hears no live copies, while somebody repeats and
// reorders the live copies.
func TestNodesConverge(t *testing.T) {
	s := newStreet(t)
	a := s.house("a", func(h *house) { h.skew = time.Hour })
	b := s.house("b", func(h *house) { h.skew = -time.Hour })
	c := s.house("c", func(h *house) { h.deaf = true })
	houses := []*house{a, b, c}
	var docs []kaijutsu.DocumentID
	for i := range 6 {
		docs = append(docs, houses[i%3].create(fmt.Sprint("context ", i)))
	}
	together(a, b, c)

	stop := s.shuffle()
	type acked struct {
		doc    kaijutsu.DocumentID
		change kaijutsu.ChangeHash
	}
	const edits = 150
	made := make([][]acked, 3)
	var editing sync.WaitGroup
	for i, h := range houses {
		editing.Go(func() {
			for n := range edits {
				doc := docs[rand.IntN(len(docs))]
				change := h.edit(doc, fmt.Sprintf("title %d of %s %d", n, h.name, rand.Uint64()))
				if change == (kaijutsu.ChangeHash{}) {
					t.Errorf("edit %d at %s wrote nothing", n, h.name)
				}
				made[i] = append(made[i], acked{doc, change})
			}
		})
	}
	editing.Wait()
	stop()
	same(a, b, c)
	for _, h := range houses {
		for _, list := range made {
			for _, one := range list {
				h.holds(one.doc, one.change)
			}
		}
		if refused := h.status().Refused; len(refused) > 0 {
			t.Errorf("house %s refused %v, want nothing", h.name, refused)
		}
	}
	if got := c.status().Counts.Taken; got < 2*edits {
		t.Errorf("the house without live copies took %d changes, want %d or more", got, 2*edits)
	}
}

// shuffle repeats live copies, later and in another order.
func (s *street) shuffle() (stop func()) {
	s.t.Helper()
	conn, err := nats.Connect(s.url())
	if err != nil {
		s.t.Fatal(err)
	}
	var mu sync.Mutex
	var heard []*nats.Msg
	_, err = conn.Subscribe("kj.test.node.live.*", func(m *nats.Msg) {
		mu.Lock()
		defer mu.Unlock()
		if m.Header.Get("Repeated") != "" {
			return
		}
		again := nats.NewMsg(m.Subject)
		again.Header, again.Data = m.Header, m.Data
		again.Header.Set("Repeated", "yes")
		heard = append(heard, again)
		if len(heard) >= 20 {
			rand.Shuffle(len(heard), func(i, j int) { heard[i], heard[j] = heard[j], heard[i] })
			for _, m := range heard {
				if err := conn.PublishMsg(m); err != nil {
					s.t.Error(err)
				}
			}
			heard = heard[10:]
		}
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return conn.Close
}

// TestNATSAway stops NATS and starts it again.
func TestNATSAway(t *testing.T) {
	s := newStreet(t)
	a, b := s.house("a"), s.house("b")
	doc := a.create("context")
	together(a, b)
	a.relayed()
	s.stop()
	a.await("NATS is away", func() bool { return !a.status().Connected })
	var changes []kaijutsu.ChangeHash
	for i := range 50 {
		begun := time.Now()
		changes = append(changes, a.edit(doc, fmt.Sprint("a", i)), b.edit(doc, fmt.Sprint("b", i)))
		if took := time.Since(begun); took > 5*time.Second {
			t.Fatalf("two edits without NATS took %v", took)
		}
	}
	status := a.status()
	if status.Outbox.Changes != 50 || len(status.Problems) == 0 || !strings.Contains(status.Problems[0], "50 changes wait for it") ||
		strings.Contains(strings.Join(status.Problems[1:], "\n"), "wait") || len(status.Problems) > 2 { // the second says why
		t.Errorf("outbox of %d changes, problems %q, want 50 and a sentence that says so, and why", status.Outbox.Changes, status.Problems)
	}
	s.start()
	same(a, b)
	a.holds(doc, changes...)
	a.relayed()
	b.relayed()
	a.await("no problems", func() bool { return len(a.status().Problems) == 0 })
}

// TestNATSWiped wipes NATS while a node is down, so that only the comparison
// can bring what it missed.
func TestNATSWiped(t *testing.T) {
	s := newStreet(t)
	a, b := s.house("a"), s.house("b")
	doc := a.create("context")
	together(a, b)
	b.close()
	var changes []kaijutsu.ChangeHash
	for i := range 100 {
		changes = append(changes, a.edit(doc, fmt.Sprint("a", i)))
	}
	other := a.create("another")
	a.relayed()
	s.stop()
	s.wipe()
	s.start()
	a.await("NATS is back", func() bool { return a.status().Connected })
	b.open()
	b.holds(doc, changes...)
	same(a, b)
	if b.heads()[other] == "" {
		t.Error("the document made meanwhile is missing")
	}
	b.await("100 changes or more came by comparison with a", func() bool {
		got := b.status()
		return got.Counts.Healed >= 100 && got.LastHeal.Node == a.id()
	})
}

// TestTailLost has the stream lose its tail and give its numbers again while a
// node is down.
func TestTailLost(t *testing.T) {
	s := newStreet(t)
	a, b := s.house("a"), s.house("b")
	doc := a.create("context")
	together(a, b)
	a.relayed()
	s.stop()
	saved := s.copyStore()
	s.start()
	var changes []kaijutsu.ChangeHash
	edit := func(n int) {
		for range n {
			changes = append(changes, a.edit(doc, fmt.Sprint("title ", len(changes))))
			a.relayed() // a record each
		}
	}
	a.await("NATS is back", func() bool { return a.status().Connected })
	edit(10)
	same(a, b)
	b.await("b has read the feed", func() bool { return caughtUp(a, b) })
	b.close()
	s.stop()
	s.wipe()
	s.restoreStore(saved)
	s.start()
	a.await("NATS is back", func() bool { return a.status().Connected })
	edit(20) // reuses the numbers that b has read
	b.open()
	b.holds(doc, changes...)
	b.await("it was noticed", func() bool {
		for _, stream := range b.status().Streams {
			if stream.Resets > 0 && stream.Reason != "" {
				return true
			}
		}
		return false
	})
	c := s.house("c") // has only the feed without the tail, and the others
	c.holds(doc, changes...)
	same(a, b, c)
}

// caughtUp reports whether b has everything on disk that a has in the feed.
func caughtUp(a, b *house) bool {
	as, bs := a.status(), b.status()
	for i := range as.Streams {
		if bs.Streams[i].Stored != as.Streams[i].Received || bs.Streams[i].Pending > 0 {
			return false
		}
	}
	return true
}

// TestNodeDown starts a node again that has its cursor: the feed brings what it
// missed, and not what it had.
func TestNodeDown(t *testing.T) {
	s := newStreet(t)
	a, b := s.house("a"), s.house("b", func(h *house) { h.deaf = true })
	doc := a.create("context")
	together(a, b)
	for i := range 50 {
		a.edit(doc, fmt.Sprint("before ", i))
	}
	same(a, b)
	b.await("b has read the feed", func() bool { return caughtUp(a, b) })
	b.close()
	a.await("b is gone", func() bool { return len(a.status().Nodes) == 1 })
	var changes []kaijutsu.ChangeHash
	for i := range 50 {
		changes = append(changes, a.edit(doc, fmt.Sprint("meanwhile ", i)))
	}
	a.relayed()
	b.open()
	b.holds(doc, changes...)
	together(a, b)
	b.await("b has read the feed", func() bool { return caughtUp(a, b) })
	counts := b.status().Counts
	if counts.Taken != 50 || counts.Duplicates > 50 {
		t.Errorf("took %d changes and dropped %d, want 50 and few", counts.Taken, counts.Duplicates)
	}
	for _, stream := range b.status().Streams {
		if stream.Resets > 0 {
			t.Errorf("shard %d was read again: %s", stream.Shard, stream.Reason)
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.joined[b.id()] != 1 {
		t.Errorf("joins less leaves of b = %d, want 1", a.joined[b.id()])
	}
}

// TestNodeJoins has a node with an empty store join others whose documents were
// made before there was a cluster.
func TestNodeJoins(t *testing.T) {
	s := newStreet(t)
	a := s.house("a", func(h *house) { h.street = nil })
	var docs []kaijutsu.DocumentID
	for i := range 300 {
		docs = append(docs, a.create(fmt.Sprint("context ", i)))
	}
	if status := a.status(); !status.Embedded || status.Journal.Relayed != status.Journal.Last {
		t.Errorf("status of a node that is alone: %+v", status)
	}
	a.close()
	a.street = s
	a.open()
	b := s.house("b")
	together(a, b)
	if got := b.heads(); len(got) != len(docs) {
		t.Errorf("b holds %d documents, want %d", len(got), len(docs))
	}
	b.await("all changes came by comparison", func() bool { return b.status().Counts.Healed == int64(2*len(docs)) })
}

// TestForksAndLargeChanges makes a fork and a change that no message holds.
func TestForksAndLargeChanges(t *testing.T) {
	s := newStreet(t)
	a, b := s.house("a"), s.house("b")
	doc := a.create("context")
	together(a, b)
	for i := range 20 {
		a.edit(doc, fmt.Sprint("title ", i))
	}
	fork, err := a.repo.Fork(context.Background(), amy, doc, nil, "the fork")
	if err != nil {
		t.Fatal(err)
	}
	same(a, b)
	if info, err := b.store.Info(context.Background(), fork.Document()); err != nil || info.Base == nil || info.Base.Doc != doc {
		t.Errorf("the fork at b is %+v, %v, want one that rests on its base", info, err)
	}
	b.edit(fork.Document(), "edited at b")
	large := a.insert(doc, strings.Repeat("a large block. ", 1<<20/15), 5)
	b.holds(doc, large)
	same(a, b)

	// A node that joins gets the fork before or after its base.
	a.close()
	s.stop()
	s.wipe()
	s.start()
	c := s.house("c")
	same(b, c)
	if info, err := c.store.Info(context.Background(), fork.Document()); err != nil || info.Changes == 0 {
		t.Errorf("the fork at c is %+v, %v", info, err)
	}
	a.open()
	together(a, b, c)
}

// insert adds n blocks in one change and returns it.
func (h *house) insert(doc kaijutsu.DocumentID, content string, n int) kaijutsu.ChangeHash {
	h.t.Helper()
	done, err := h.repo.Edit(context.Background(), doc, repo.Edit{By: bot}, func(_ repo.View, tx *blocks.Tx) error {
		for range n {
			if err := tx.InsertBlock(blocks.BlockSpec{ID: blocks.NewID(time.Now()), Kind: blocks.KindToolResult, Content: content}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return done.Change
}

// TestSkipAhead lets the journal grow beyond what waits for NATS.
func TestSkipAhead(t *testing.T) {
	s := newStreet(t)
	a := s.house("a", func(h *house) { h.tune.journal = 40 })
	b := s.house("b")
	doc := a.create("context")
	together(a, b)
	s.stop()
	a.await("NATS is away", func() bool { return !a.status().Connected })
	var changes []kaijutsu.ChangeHash
	for i := range 100 {
		changes = append(changes, a.edit(doc, fmt.Sprint("title ", i)))
	}
	a.await("it is said that changes are skipped", func() bool {
		return a.status().Outbox.Skipped > 0 && strings.Contains(strings.Join(a.status().Problems, "\n"), "not put into the feed")
	})
	s.start()
	b.holds(doc, changes...)
	same(a, b)
	a.await("no problems", func() bool { return len(a.status().Problems) == 0 })
}

// TestFetch asks for documents that are known elsewhere, and nowhere.
func TestFetch(t *testing.T) {
	s := newStreet(t)
	a, b := s.house("a"), s.house("b")
	doc := a.create("context")
	together(a, b)
	ctx := context.Background()
	if got := b.cluster.whoHas(ctx, doc); got != a.id() {
		t.Errorf("whoHas = %q, want a's %q", got, a.id())
	}
	if !b.cluster.Fetch(ctx, doc) {
		t.Error("Fetch of a document that another node has = false")
	}
	begun := time.Now()
	if b.cluster.Fetch(ctx, kaijutsu.NewContextID(time.Now()).Document()) {
		t.Error("Fetch of a document that nobody has = true")
	}
	if took := time.Since(begun); took > whoTime {
		t.Errorf("Fetch of a document that nobody has took %v, want much less than %v", took, whoTime)
	}
	err := b.repo.View(ctx, kaijutsu.NewContextID(time.Now()).Document(), func(repo.View) error { return nil })
	if err == nil {
		t.Error("View of a document that nobody has works")
	}
}

// TestAdmit slows editing down when NATS takes less than is written.
func TestAdmit(t *testing.T) {
	s := newStreet(t)
	a := s.house("a", func(h *house) { h.tune.outbox = 100 })
	a.await("NATS is there", func() bool { return a.status().Connected })
	waits := func() time.Duration {
		begun := time.Now()
		if err := a.cluster.Admit(context.Background()); err != nil {
			t.Error(err)
		}
		return time.Since(begun)
	}
	if got := waits(); got > admitMost/2 {
		t.Errorf("Admit waited %v with nothing in the outbox", got)
	}
	o := a.cluster.outbox
	o.note(1<<40, []repo.Change{{Change: blocks.Genesis()}}, time.Now())
	o.changes = 1000
	if got := waits(); got < admitMost {
		t.Errorf("Admit waited %v with a full outbox, want %v", got, admitMost)
	}
	s.stop()
	a.await("NATS is away", func() bool { return !a.status().Connected })
	if got := waits(); got > admitMost/2 {
		t.Errorf("Admit waited %v without NATS", got)
	}
}
