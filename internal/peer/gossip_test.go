package peer_test

import (
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/wire"
)

const (
	amyStorage = "a0000000-0000-4000-8000-000000000000"
	benStorage = "b0000000-0000-4000-8000-000000000000"
)

func (c *client) subscribe(ids ...string) {
	c.send(wire.SubscriptionChange{SenderID: c.id, TargetID: serverID, Add: ids})
}

// tells reports whether a message says that a storage holds a change.
func tells(storage string, h kaijutsu.ChangeHash) func(wire.HeadsChanged) bool {
	return func(m wire.HeadsChanged) bool { return m.Heads[storage].Heads.Contains(h) }
}

func TestSubscribersHearOfTheServersHeads(t *testing.T) {
	s := start(t, nil)
	doc := newDocument()
	deaf := s.join("deaf").replica(doc)
	h := deaf.edit("k", amfile.IntValue(1))
	deaf.acked(h)

	a := s.join("amy").replica(doc).open()
	a.has(h)
	before := time.Now().Add(-time.Minute)
	a.subscribe(storageID) // after the heads were told: replayed
	m := wait(a.client, "the server's heads", tells(storageID, h))
	if m.SenderID != serverID || m.TargetID != a.client.id || m.DocumentID != doc.String() || len(m.Heads) != 1 {
		t.Errorf("got %+v", m)
	}
	if at := m.Heads[storageID].UnixMillis; at < millis(before) || at > millis(time.Now()) {
		t.Errorf("time %v is not now", at)
	}
	last := 0.0
	for i := range 10 {
		h := a.edit("k", amfile.IntValue(int64(i)))
		m := wait(a.client, "the server's heads after an edit", tells(storageID, h))
		if at := m.Heads[storageID].UnixMillis; at <= last {
			t.Errorf("time %v is not after %v", at, last)
		} else {
			last = at
		}
	}
	a.send(wire.SubscriptionChange{SenderID: a.client.id, Remove: []string{storageID}})
	n := len(all[wire.HeadsChanged](a.client))
	a.acked(a.edit("k", amfile.IntValue(99)))
	a.acked(a.edit("k", amfile.IntValue(100)))
	if got := len(all[wire.HeadsChanged](a.client)); got != n {
		t.Errorf("%d messages after the subscription ended", got-n)
	}
	if got := all[wire.HeadsChanged](deaf.client); len(got) > 0 {
		t.Errorf("told without a subscription: %+v", got)
	}
}

func millis(t time.Time) float64 { return float64(t.UnixMilli()) }

func TestSubscribersHearOfOtherStorages(t *testing.T) {
	s := start(t, nil)
	doc := newDocument()
	a := s.dial("amy", "").shake(amyStorage).replica(doc)
	h := a.edit("k", amfile.IntValue(1))
	a.acked(h)

	b := s.dial("ben", "").shake(benStorage)
	b.subscribe(amyStorage, benStorage) // before the document is open
	r := b.replica(doc).open()
	r.has(h)
	wait(b, "amy's last heads when the document opens", tells(amyStorage, h))
	h = a.edit("k", amfile.IntValue(2))
	wait(b, "amy's next heads", tells(amyStorage, h))

	late := s.join("late").replica(doc).open()
	late.has(h)
	late.subscribe(amyStorage)
	wait(late.client, "amy's last heads when the subscription comes", tells(amyStorage, h))

	elsewhere := s.join("elsewhere")
	elsewhere.subscribe(amyStorage)
	x := elsewhere.replica(newDocument())
	x.acked(x.edit("k", amfile.IntValue(1)))
	a.acked(a.edit("k", amfile.IntValue(3)))
	x.acked(x.edit("k", amfile.IntValue(2)))
	if got := all[wire.HeadsChanged](elsewhere); len(got) > 0 {
		t.Errorf("told of a document that is not open: %+v", got)
	}
	for _, m := range all[wire.HeadsChanged](b) {
		if _, own := m.Heads[benStorage]; own {
			t.Errorf("told of its own storage: %+v", m)
		}
	}
}

func TestHeadsAreForwardedWhenTheyAreNews(t *testing.T) {
	s := start(t, nil)
	doc := newDocument()
	a, b := s.join("amy").replica(doc), s.join("ben").replica(doc)
	h := a.edit("k", amfile.IntValue(1))
	b.open().has(h)
	b.subscribe("far", storageID)
	wait(b.client, "the server's heads", tells(storageID, h))

	say := func(storage string, at float64, n byte) kaijutsu.ChangeHash {
		hash := kaijutsu.ChangeHash{n}
		a.send(wire.HeadsChanged{SenderID: a.client.id, TargetID: serverID, DocumentID: doc.String(), Heads: map[string]wire.StorageHeads{storage: {Heads: kaijutsu.Heads{hash}, UnixMillis: at}}})
		return hash
	}
	now := millis(time.Now())
	want := []kaijutsu.ChangeHash{say("far", now-1000, 1)}
	wait(b.client, "news", tells("far", want[0]))
	say("far", now-1000, 2)                          // not newer
	say("far", now-2000, 3)                          // older
	say("far", now+millis(time.Unix(0, 0))+7.2e6, 4) // two hours ahead
	say(storageID, now+1000, 5)                      // nobody speaks for the server
	say("near", now, 6)                              // nobody asked
	want = append(want, say("far", now-500.5, 7))    // news again
	m := wait(b.client, "news", tells("far", want[1]))
	if got := m.Heads["far"].UnixMillis; got != now-500.5 {
		t.Errorf("time forwarded as %v, want %v", got, now-500.5)
	}
	for _, m := range all[wire.HeadsChanged](b.client) {
		for storage, heads := range m.Heads {
			if storage != storageID && (storage != "far" || !heads.Heads.Contains(want[0]) && !heads.Heads.Contains(want[1])) {
				t.Errorf("forwarded %q %v", storage, heads)
			}
			if storage == storageID && !heads.Heads.Contains(h) {
				t.Errorf("somebody spoke for the server: %v", heads)
			}
		}
	}
	// A peer that does not have the document open is not believed about it.
	c := s.join("cleo")
	c.send(wire.HeadsChanged{SenderID: c.id, DocumentID: doc.String(), Heads: map[string]wire.StorageHeads{"far": {Heads: kaijutsu.Heads{{8}}, UnixMillis: now}}})
	r := c.replica(newDocument())
	r.acked(r.edit("k", amfile.IntValue(1)))
	for _, m := range all[wire.HeadsChanged](b.client) {
		if m.Heads["far"].Heads.Contains(kaijutsu.ChangeHash{8}) {
			t.Errorf("forwarded from a stranger to the document: %+v", m)
		}
	}
}

func TestSubscriptionsAreLimited(t *testing.T) {
	s := start(t, nil)
	c := s.join("amy")
	ids := make([]string, 600)
	for part := range 2 {
		for i := range ids {
			ids[i] = fresh("storage")
		}
		c.subscribe(ids...)
		_ = part
	}
	wait(c, "error about the limit", func(wire.Error) bool { return true })
}
