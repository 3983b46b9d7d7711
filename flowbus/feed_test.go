package flowbus_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"kaijutsu"
	"kaijutsu/flowbus"
)

func TestFeedKeepsOrderAndSwallowsDuplicates(t *testing.T) {
	s := startNATS(t, serverOptions())
	a, b := openBus(t, "a", s.ClientURL()), openBus(t, "b", s.ClientURL())
	r := consume(t, b, 3, flowbus.Cursor{}) // makes the stream
	appendAll(t, a, 3, "first", 0, 1)
	var acks []*flowbus.Ack
	for i := range 2000 {
		acks = append(acks, a.Feed().Append(t.Context(), 3, "doc.x", fmt.Sprint("id", i), fmt.Appendf(nil, "data %d", i)))
	}
	for i, ack := range acks {
		if err := ack.Err(); err != nil || ack.Seq() != uint64(i+2) || ack.Duplicate() {
			t.Fatalf("ack %d: %v, seq %d, duplicate %v", i, err, ack.Seq(), ack.Duplicate())
		}
	}
	if again := a.Feed().Append(t.Context(), 3, "doc.y", "id7", []byte("other")); again.Err() != nil || !again.Duplicate() {
		t.Errorf("the same id again: %v, duplicate %v", again.Err(), again.Duplicate())
	}
	r.upTo("first0")
	for i := range 2000 {
		rec := next(t, "a record", r.records)
		if rec.ID != fmt.Sprint("id", i) || rec.Node != "a" || rec.Subject != "doc.x" || string(rec.Data) != fmt.Sprint("data ", i) || rec.Shard != 3 || rec.Seq != uint64(i+2) {
			t.Fatalf("record %d = %+v", i, rec)
		}
		if rec.Last != (i == 1999) && i == 1999 {
			t.Errorf("the last record does not say so")
		}
	}
	if len(r.resets) > 0 {
		t.Errorf("reset: %s", <-r.resets)
	}
	if last, err := b.Feed().Last(t.Context(), 3); err != nil || last != 2001 {
		t.Errorf("Last = %d, %v, want 2001", last, err)
	}
	own := consume(t, a, 3, flowbus.Cursor{})
	own.upTo("id1999")
	if err := r.stop(); !errors.Is(err, context.Canceled) {
		t.Errorf("Consume = %v, want canceled", err)
	}
	mine := errors.New("mine")
	err := b.Feed().Consume(t.Context(), 3, flowbus.Cursor{}, func(flowbus.Record) error { return mine }, func(string) {})
	if !errors.Is(err, mine) {
		t.Errorf("Consume = %v, want the caller's error", err)
	}
}

func TestAppendRefuses(t *testing.T) {
	s := startNATS(t, serverOptions())
	a := openBus(t, "a", s.ClientURL())
	for _, c := range []struct {
		name        string
		shard       int
		subject, id string
		size        int
		want        error
	}{
		{"shard", 8, "d", "i", 0, kaijutsu.ErrInvalid},
		{"subject", 0, "d.*", "i", 0, kaijutsu.ErrInvalid},
		{"no id", 0, "d", "", 0, kaijutsu.ErrInvalid},
		{"id with a space", 0, "d", "a b", 0, kaijutsu.ErrInvalid},
		{"long id", 0, "d", strings.Repeat("i", 257), 0, kaijutsu.ErrInvalid},
		{"size", 0, "d", "i", flowbus.MaxMessage + 1, kaijutsu.ErrTooLarge},
	} {
		if err := a.Feed().Append(t.Context(), c.shard, c.subject, c.id, make([]byte, c.size)).Err(); !errors.Is(err, c.want) {
			t.Errorf("%s: Append = %v, want %v", c.name, err, c.want)
		}
	}
	if err := a.Feed().Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := a.Feed().Append(t.Context(), 0, "d", "i", make([]byte, flowbus.MaxMessage)).Err(); err != nil {
		t.Errorf("the largest record: %v", err)
	}
}

func TestAppendWaitsForRoom(t *testing.T) {
	t.Parallel()
	s := startNATS(t, serverOptions())
	a := openBus(t, "a", s.ClientURL())
	nc := rawConn(t, s.ClientURL())
	// Somebody listens who never answers, so that nothing is acknowledged.
	if _, err := nc.Subscribe("kj.test.node.feed.5.>", func(*nats.Msg) {}); err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	var acks []*flowbus.Ack
	for i := range 256 {
		acks = append(acks, a.Feed().Append(t.Context(), 5, "d", fmt.Sprint(i), nil))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := a.Feed().Append(ctx, 5, "d", "more", nil).Err(); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("one more than the window = %v, want deadline exceeded", err)
	}
	if err := a.Feed().Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	appendAll(t, a, 4, "another-shard", 0, 1)
	for _, ack := range acks {
		if err := ack.Err(); !errors.Is(err, kaijutsu.ErrUnavailable) {
			t.Fatalf("without an acknowledgement: %v, want unavailable", err)
		}
	}
	appendAll(t, a, 5, "after", 0, 1)
}

// TestCursorThatDoesNotHold is about what the server does not say: a consumer
// may begin before the first record and after the last.
func TestCursorThatDoesNotHold(t *testing.T) {
	s := startNATS(t, serverOptions())
	a, b := openBus(t, "a", s.ClientURL()), openBus(t, "b", s.ClientURL())
	js, err := jetstream.New(rawConn(t, s.ClientURL()))
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Feed().Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	stream := func(shard int) jetstream.Stream {
		st, err := js.Stream(t.Context(), fmt.Sprint("KJ_test_", shard))
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	for shard, c := range []struct {
		name  string
		spoil func(shard int) // between reading 10 records and going on
		says  string          // of the reset; "": none
		want  string          // the first record after it
	}{
		{"nothing", func(shard int) { appendAll(t, a, shard, "x", 10, 12) }, "", "x10"},
		{"made anew, with fewer records", func(shard int) {
			js.DeleteStream(t.Context(), fmt.Sprint("KJ_test_", shard))
			appendAll(t, a, shard, "y", 0, 2)
		}, "made anew", "y0"},
		{"made anew, with more records", func(shard int) {
			js.DeleteStream(t.Context(), fmt.Sprint("KJ_test_", shard))
			appendAll(t, a, shard, "y", 0, 12)
		}, "made anew", "y0"},
		{"dropped before it was read", func(shard int) {
			appendAll(t, a, shard, "x", 10, 20)
			stream(shard).Purge(t.Context(), jetstream.WithPurgeKeep(5))
		}, "begins at 16 and we had read 10", "x15"},
		{"dropped what was read", func(shard int) {
			appendAll(t, a, shard, "x", 10, 20)
			stream(shard).Purge(t.Context(), jetstream.WithPurgeKeep(10))
		}, "", "x10"},
		{"emptied after all was read", func(shard int) {
			stream(shard).Purge(t.Context())
			appendAll(t, a, shard, "x", 10, 12)
		}, "", "x10"},
		{"a record in between deleted", func(shard int) {
			appendAll(t, a, shard, "x", 10, 13)
			stream(shard).DeleteMsg(t.Context(), 11)
		}, "records 11 to 11 are no more", "x11"},
		{"the last read deleted", func(shard int) {
			appendAll(t, a, shard, "x", 10, 13)
			stream(shard).DeleteMsg(t.Context(), 10)
		}, "is no more in the stream", "x0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			appendAll(t, a, shard, "x", 0, 10)
			r := consume(t, b, shard, flowbus.Cursor{})
			_, last := r.upTo("x9")
			r.stop()
			c.spoil(shard)
			r = consume(t, b, shard, last.Cursor)
			if got := next(t, "the first record", r.records); got.ID != c.want {
				t.Errorf("first record = %s, want %s", got.ID, c.want)
			}
			why := ""
			if len(r.resets) > 0 {
				why = <-r.resets
			}
			if (why == "") != (c.says == "") || !strings.Contains(why, c.says) {
				t.Errorf("reset = %q, want one that says %q", why, c.says)
			}
		})
	}
}

func TestConsumeGoesOnWhenTheStreamIsMadeAnew(t *testing.T) {
	s := startNATS(t, serverOptions())
	a, b := openBus(t, "a", s.ClientURL()), openBus(t, "b", s.ClientURL())
	js, err := jetstream.New(rawConn(t, s.ClientURL()))
	if err != nil {
		t.Fatal(err)
	}
	r := consume(t, b, 0, flowbus.Cursor{})
	appendAll(t, a, 0, "old", 0, 5)
	r.upTo("old4")
	if err := js.DeleteStream(t.Context(), "KJ_test_0"); err != nil {
		t.Fatal(err)
	}
	// With more records than before, so that the number alone would hold.
	want := appendAll(t, a, 0, "new", 0, 8)
	if got, _ := r.upTo("new7"); !slices.Equal(got, want) {
		t.Errorf("records = %v, want %v", got, want)
	}
	if why := next(t, "a reset", r.resets); !strings.Contains(why, "made anew") {
		t.Errorf("reset = %q", why)
	}
}

func TestForeignRecordsOfTheFeed(t *testing.T) {
	s := startNATS(t, serverOptions())
	a, b := openBus(t, "a", s.ClientURL()), openBus(t, "b", s.ClientURL())
	nc := rawConn(t, s.ClientURL())
	r := consume(t, b, 1, flowbus.Cursor{})
	appendAll(t, a, 1, "x", 0, 2)
	for _, h := range []nats.Header{
		{},
		{"Kj-Schema": {"9"}, "Kj-Node": {"z"}, "Nats-Msg-Id": {"s"}},
		{"Kj-Schema": {"1"}, "Kj-Node": {"z"}},
		{"Kj-Schema": {"1"}, "Kj-Node": {"z"}, "Nats-Msg-Id": {strings.Repeat("i", 300)}},
	} {
		if _, err := nc.RequestMsg(&nats.Msg{Subject: "kj.test.node.feed.1.x", Header: h}, patience); err != nil {
			t.Fatal(err)
		}
	}
	appendAll(t, a, 1, "x", 2, 4)
	got, last := r.upTo("x3")
	if want := []string{"x0", "x1", "", "", "", "", "x2", "x3"}; !slices.Equal(got, want) || len(r.resets) > 0 {
		t.Errorf("records = %v and %d resets, want %v and none", got, len(r.resets), want)
	}
	if refused := b.State().Refused; refused[""] != 1 || refused["z"] != 3 {
		t.Errorf("refused = %v, want 1 of nobody and 3 of z", refused)
	}
	r.stop()
	r = consume(t, b, 1, last.Cursor)
	appendAll(t, a, 1, "x", 4, 5)
	if got, _ := r.upTo("x4"); len(got) != 1 || len(r.resets) > 0 {
		t.Errorf("from the cursor: %v and %d resets, want x4", got, len(r.resets))
	}

	// Who has read nothing else goes on behind what was refused.
	for _, h := range []nats.Header{{"Kj-Schema": {"9"}, "Kj-Node": {"z"}, "Nats-Msg-Id": {"t"}}, {}} {
		if _, err := nc.RequestMsg(&nats.Msg{Subject: "kj.test.node.feed.1.x", Header: h}, patience); err != nil {
			t.Fatal(err)
		}
		last = next(t, "a refused record", r.records)
		if !last.Refused || last.Data != nil || last.Subject != "" {
			t.Errorf("record = %+v, want one that is refused", last)
		}
		r.stop()
		r = consume(t, b, 1, last.Cursor)
	}
	appendAll(t, a, 1, "x", 5, 6)
	if got, _ := r.upTo("x5"); len(got) != 1 || len(r.resets) > 0 {
		t.Errorf("behind what was refused: %v and %d resets, want x5", got, len(r.resets))
	}
}

func TestStreamOfAnotherProgram(t *testing.T) {
	s := startNATS(t, serverOptions())
	js, err := jetstream.New(rawConn(t, s.ClientURL()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "KJ_test_2", Subjects: []string{"other"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "all", Subjects: []string{"kj.test.node.feed.3.x"}}); err != nil {
		t.Fatal(err)
	}
	a := openBus(t, "a", s.ClientURL())
	if err := a.Feed().Ready(t.Context()); !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), "other subjects") {
		t.Errorf("Ready = %v, want conflict", err)
	}
	if ps := a.State().Problems; len(ps) != 1 || !strings.Contains(ps[0], "KJ_test_2") {
		t.Errorf("problems = %q", ps)
	}
	if err := js.DeleteStream(t.Context(), "KJ_test_2"); err != nil {
		t.Fatal(err)
	}
	if err := a.Feed().Ready(t.Context()); !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), "takes the subject") {
		t.Errorf("Ready = %v, want conflict", err)
	}
	if err := js.DeleteStream(t.Context(), "all"); err != nil {
		t.Fatal(err)
	}
	if err := a.Feed().Ready(t.Context()); err != nil || len(a.State().Problems) > 0 {
		t.Errorf("Ready = %v, problems %q", err, a.State().Problems)
	}
}

func TestFeedOfAServerWithLittleRoom(t *testing.T) {
	s := &natsServer{t: t, opts: serverOptions()}
	s.opts.Host, s.opts.Port, s.opts.StoreDir = "127.0.0.1", -1, t.TempDir()
	s.opts.JetStream, s.opts.NoSigs, s.opts.NoLog = true, true, true
	s.opts.JetStreamMaxStore, s.opts.JetStreamMaxMemory = 2<<30, 64<<20
	s.start()
	defer s.stop()
	a := openBus(t, "a", s.ClientURL())
	if err := a.Feed().Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ps := a.State().Problems; len(ps) == 0 || !strings.Contains(ps[0], "no room") {
		t.Errorf("problems = %q, want that there is no room", ps)
	}
}

func TestServerWithoutJetStream(t *testing.T) {
	s := &natsServer{t: t, opts: serverOptions()}
	s.opts.Host, s.opts.Port, s.opts.NoSigs, s.opts.NoLog = "127.0.0.1", -1, true, true
	s.start()
	defer s.stop()
	a := openBus(t, "a", s.ClientURL())
	if err := a.Feed().Ready(t.Context()); !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("Ready = %v, want unavailable", err)
	}
	if _, err := a.Put(t.Context(), "k", nil, 0); !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("Put = %v, want unavailable", err)
	}
	if ps := a.State().Problems; len(ps) != 1 || !strings.Contains(ps[0], "no JetStream") {
		t.Errorf("problems = %q, want that there is no JetStream", ps)
	}
}

func TestCursorText(t *testing.T) {
	c := flowbus.Cursor{Created: time.Date(2026, 11, 21, 10, 0, 0, 123456789, time.UTC), Seq: 77, ID: "doc:hash with spaces"}
	text, err := c.MarshalText()
	if want := "1 77 2026-11-21T10:00:00.123456789Z doc:hash with spaces"; err != nil || string(text) != want {
		t.Errorf("text = %q, %v, want %q", text, err, want)
	}
	var back flowbus.Cursor
	if err := back.UnmarshalText(text); err != nil || back != c {
		t.Errorf("back = %+v, %v, want %+v", back, err, c)
	}
	text, err = flowbus.Cursor{}.MarshalText()
	if err != nil || back.UnmarshalText(text) != nil || back != (flowbus.Cursor{}) {
		t.Errorf("zero cursor = %q, %v, and back %+v", text, err, back)
	}
	for _, bad := range []string{"1", "2 7 2026-11-21T10:00:00Z x", "1 0 2026-11-21T10:00:00Z x", "1 -7 2026-11-21T10:00:00Z x", "1 7 yesterday x", "1 7 2026-11-21T10:00:00Z"} {
		if err := back.UnmarshalText([]byte(bad)); !errors.Is(err, kaijutsu.ErrInvalid) {
			t.Errorf("UnmarshalText(%q) = %v, want invalid", bad, err)
		}
	}
}

func TestShard(t *testing.T) {
	id := kaijutsu.ContextID{1, 2, 3}
	if got, want := flowbus.Shard(id.Document()), 1; got != want {
		t.Errorf("Shard = %d, want %d: another number moves documents between streams", got, want)
	}
}
