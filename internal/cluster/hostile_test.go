package cluster

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/repo"
)

// TestHostileMessages sends nonsense and forgeries to every subject between
// nodes.
func TestHostileMessages(t *testing.T) {
	s := newStreet(t)
	a, b := s.house("a"), s.house("b")
	doc := a.create("context")
	together(a, b)
	conn, err := nats.Connect(s.url())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()

	shard := flowbus.Shard(doc)
	live := fmt.Sprint("node.live.", shard)
	feed := fmt.Sprint("node.feed.", shard, ".", doc)
	wrong := fmt.Sprint("node.live.", (shard+1)%flowbus.Shards)
	subjects := []string{live, feed, wrong, "node.live.x", "node.ae", "node.ask", "node.ask." + a.id(), "node.ask." + b.id()}
	send := func(subject, schema, node string, data []byte) {
		m := nats.NewMsg("kj.test." + subject)
		if schema != "" {
			m.Header.Set("Kj-Schema", schema)
		}
		if node != "" {
			m.Header.Set("Kj-Node", node)
		}
		m.Header.Set("Nats-Msg-Id", fmt.Sprint("forged-", rand.Uint64()))
		m.Reply = conn.NewInbox()
		m.Data = data
		if err := conn.PublishMsg(m); err != nil {
			t.Fatal(err)
		}
	}

	messages := [][]byte{nil, {0}, {kindBatch}, bytes.Repeat([]byte{0xff}, 300), make([]byte, 600<<10), []byte("{}")}
	for _, data := range testMessages(t) {
		messages = append(messages, data, data[:len(data)/2])
		spoiled := bytes.Clone(data)
		spoiled[rand.IntN(len(spoiled))] ^= 0x55
		messages = append(messages, spoiled)
	}
	messages = append(messages, forgeries(t, a, doc)...)
	for _, subject := range subjects {
		for _, data := range messages {
			send(subject, "1", "evil", data)
		}
		send(subject, "2", "old", messages[2])
		send(subject, "", "", messages[2])
	}
	if err := conn.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, h := range []*house{a, b} {
		h.await("forgeries are counted", func() bool {
			refused := h.status().Refused
			return refused["malformed"] > 0 && refused["wrong subject"] > 0
		})
		h.await("another schema is counted", func() bool { return h.bus.State().Refused["old"] > 0 })
	}

	change := a.edit(doc, "after all that")
	b.holds(doc, change)
	change = b.edit(doc, "and back")
	a.holds(doc, change)
	b.relayed()
	a.await("the feed is read to its end", func() bool { return caughtUp(a, b) && caughtUp(b, a) })
	same(a, b)
}

// forgeries are batches that decode and are not to be taken.
func forgeries(t *testing.T, h *house, doc kaijutsu.DocumentID) [][]byte {
	t.Helper()
	other := h.create("another")
	read := func(doc kaijutsu.DocumentID) []repo.Change {
		changes, err := h.repo.Raw(context.Background(), doc, 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		return changes
	}
	foreign := split(doc, repo.Origin{}, read(other))[0]
	renamed := split(doc, repo.Origin{}, read(doc))[0]
	renamed.hashes[1][0] ^= 1
	cut := split(doc, repo.Origin{}, read(other)[1:])[0]
	cut.raws[0] = cut.raws[0][:len(cut.raws[0])-1]
	return [][]byte{foreign.encode(), renamed.encode(), cut.encode()}
}

// TestOrphanOfNobody sends a change whose past nobody has: it must hold nothing
// up for long.
func TestOrphanOfNobody(t *testing.T) {
	s := newStreet(t)
	a, b := s.house("a"), s.house("b")
	doc := a.create("context")
	together(a, b)
	alone := s.house("alone", func(h *house) { h.street = nil })
	cid, err := kaijutsu.ParseContextID(doc.Name())
	if err != nil {
		t.Fatal(err)
	}
	stray := strayChange(t, cid)
	feed := &send{shard: flowbus.Shard(doc), subject: doc.String(), id: "stray", data: split(doc, repo.Origin{}, stray)[0].encode()}
	a.cluster.append(context.Background(), feed)
	if err := feed.ack.Err(); err != nil {
		t.Fatal(err)
	}
	change := a.edit(doc, "behind it")
	a.relayed()
	b.holds(doc, change)
	b.await("the cursor is behind the orphan", func() bool { return caughtUp(a, b) })
	alone.close()
}

// strayChange is a change that depends on one that does not exist.
func strayChange(t *testing.T, cid kaijutsu.ContextID) []repo.Change {
	t.Helper()
	_, changes := testChanges(t, 3)
	return changes[3:]
}

// TestStrangeNodes puts keys into the registry.
func TestStrangeNodes(t *testing.T) {
	s := newStreet(t)
	a := s.house("a")
	stranger, err := flowbus.Open(context.Background(), flowbus.Config{Kernel: "test", Node: "stranger", Servers: []string{s.url()}})
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	put := func(id, value string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), most)
		defer cancel()
		for {
			_, err := stranger.Put(ctx, nodePrefix+id, []byte(value), 20*time.Second)
			if err == nil {
				return
			}
			if !sleep(ctx, 20*time.Millisecond) {
				t.Fatal(err)
			}
		}
	}
	put("garbage", "no json")
	put("long", `{"schema":1,"addr":"`+strings.Repeat("x", maxNodeBytes)+`"}`)
	put("old", `{"schema":7,"addr":"http://old"}`)
	put("late", `{"schema":1,"addr":"http://late"}`)
	a.await("the last key is seen", func() bool { return len(a.status().Nodes) == 3 })
	status := a.status()
	if status.Refused["malformed"] != 1 || status.Refused["too large"] != 1 {
		t.Errorf("refused %v, want one malformed and one too large", status.Refused)
	}
	if got := strings.Join(status.Problems, "\n"); !strings.Contains(got, "speaks schema 7, this one 1") {
		t.Errorf("problems %q, want one that names schema 7", got)
	}
	if living, _ := a.cluster.nodes.living(); len(living) != 1 || living[0] != "late" {
		t.Errorf("living = %v, want late", living)
	}
}
