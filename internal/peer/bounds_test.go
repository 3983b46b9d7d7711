package peer

import (
	"fmt"
	"net"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/wire"
)

func TestBucket(t *testing.T) {
	const rate, bytes = 10, 1000
	var b bucket
	burst := func(now time.Duration, size int) int {
		n := 0
		for b.take(now, size, rate, bytes) {
			n++
		}
		return n
	}
	steps := []struct {
		name string
		now  time.Duration
		size int
		want int
	}{
		{"full", 0, 1, 20},
		{"empty", 0, 1, 0},
		{"half a second later", 500 * time.Millisecond, 1, 5},
		{"a long time later", time.Minute, 1, 20},
		{"large messages", 2 * time.Minute, 500, 4},
		{"a message above the burst", 3 * time.Minute, 2001, 0},
	}
	for _, s := range steps {
		if got := burst(s.now, s.size); got != s.want {
			t.Errorf("%s: %d messages, want %d", s.name, got, s.want)
		}
	}
}

func TestDuplicatesAreRememberedAndBounded(t *testing.T) {
	var d duplicates
	amy := kaijutsu.Principal{Name: "amy"}
	fresh := func(by kaijutsu.Principal, session string, count uint64) bool {
		return d.fresh(by, wire.Ephemeral{SenderID: "p", SessionID: session, Count: count})
	}
	if !fresh(amy, "s", 5) || fresh(amy, "s", 5) || fresh(amy, "s", 4) || !fresh(amy, "s", 6) {
		t.Error("counts of one session are not told apart")
	}
	if !fresh(kaijutsu.Principal{Name: "ben"}, "s", 1) {
		t.Error("a principal used up the counts of another")
	}
	for i := range maxSessions + maxSessions/2 {
		fresh(amy, fmt.Sprint(i), 1)
	}
	if fresh(amy, fmt.Sprint(maxSessions), 1) {
		t.Error("a recent session was forgotten")
	}
	for i := range 10 * maxSessions {
		fresh(amy, fmt.Sprint("more ", i), 1)
	}
	if n := len(d.recent) + len(d.old); n > 2*maxSessions {
		t.Errorf("%d sessions are remembered, want at most %d", n, 2*maxSessions)
	}
}

func TestEphemeralQueueDropsTheOldest(t *testing.T) {
	var q ephemeralQueue
	dropped := 0
	for i := range 10 {
		dropped += q.push(relay(wire.Ephemeral{Count: uint64(i), Data: []byte{1}}), 3)
	}
	if dropped != 7 || q.len() != 3 || q.bytes != 3 {
		t.Errorf("dropped %d, kept %d of %d bytes; want 7, 3, 3", dropped, q.len(), q.bytes)
	}
	for _, want := range []uint64{7, 8, 9} {
		if got := q.pop().Count; got != want {
			t.Errorf("pop = %d, want %d", got, want)
		}
	}
	large := make([]byte, maxEphemeralBacklog/2)
	for i := range 5 {
		q.push(relay(wire.Ephemeral{Count: uint64(i), Data: large}), 100)
	}
	if q.len() != 2 || q.pop().Count != 3 {
		t.Errorf("%d large messages wait, want the last 2", q.len()+1)
	}
}

func TestHeadsQueueKeepsTheLatest(t *testing.T) {
	var q headsQueue
	push := func(doc, storage string, at float64) {
		q.push(wire.HeadsChanged{DocumentID: doc, Heads: map[string]wire.StorageHeads{storage: {UnixMillis: at}}}, storage)
	}
	push("d1", "s1", 1)
	push("d2", "s1", 2)
	push("d1", "s1", 3)
	push("d1", "s2", 4)
	var got []string
	for q.len() > 0 {
		m := q.pop()
		for storage, h := range m.Heads {
			got = append(got, fmt.Sprint(m.DocumentID, storage, h.UnixMillis))
		}
	}
	if want := "[d1s13 d2s12 d1s24]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %v", got, want)
	}
	for i := range 2 * maxQueuedHeads {
		push(fmt.Sprint(i), "s", 1)
	}
	if len(q.order) != maxQueuedHeads || len(q.due) != maxQueuedHeads {
		t.Errorf("%d and %d wait, want %d", len(q.order), len(q.due), maxQueuedHeads)
	}
}

func TestGossipIsBounded(t *testing.T) {
	var g gossip
	for i := range maxGossip {
		heads := make(kaijutsu.Heads, i%7)
		g.keepLocked(fmt.Sprint("storage ", i%100), fmt.Sprint("document ", i%50_000), wire.StorageHeads{Heads: heads})
	}
	n := 0
	for _, docs := range g.last {
		for _, h := range docs {
			n += 1 + len(h.Heads)
		}
	}
	if n != g.size || n > maxGossip || n < maxGossip-2*7 { // one was dropped to make room, another has shrunk
		t.Errorf("%d heads are remembered, counted as %d; want about %d", n, g.size, maxGossip)
	}
}

// TestSilence has a socket whose clock the test turns.
func TestSilence(t *testing.T) {
	now := time.Duration(0)
	near, far := net.Pipe()
	defer near.Close()
	defer far.Close()
	s := newSocket(near, func() time.Duration { return now }, time.Second)
	check := func(what string, want time.Duration) {
		t.Helper()
		if got := s.silence(); got != want {
			t.Errorf("%s: silent for %v, want %v", what, got, want)
		}
	}
	now = 3 * time.Second
	check("at first", 3*time.Second)
	go func() { _, _ = far.Write([]byte{1}) }()
	if _, err := s.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	check("after a byte came", 0)
	now = 5 * time.Second
	s.draining(10 * slowLinkBytes)
	check("while ten seconds' worth is on its way", -10*time.Second)
	now = 20 * time.Second
	check("when that should have arrived", 5*time.Second)
	s.draining(1 << 30)
	check("a gigabyte gives no more than a minute", -maxDrain)
}
