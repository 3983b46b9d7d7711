package follow_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/follow"
	"kaijutsu/internal/repo"
)

// ledger is what a follower got of documents: it wants each once and in order.
type ledger struct {
	at map[kaijutsu.ContextID]flowbus.Event
}

// take notes an event and refuses one that is doubled, missing before it, or out
// of order.
func (l *ledger) take(e flowbus.Event) error {
	if e.Version == 0 {
		return nil
	}
	last, known := l.at[e.Context]
	l.at[e.Context] = e
	switch {
	case !known:
		if e.Part != 1 {
			return fmt.Errorf("context %s begins with part %d of version %d", e.Context, e.Part, e.Version)
		}
	case last.Part < last.Parts:
		if e.Version != last.Version || e.Part != last.Part+1 || e.Parts != last.Parts {
			return fmt.Errorf("context %s: behind part %d of %d of version %d comes %d of %d", e.Context, last.Part, last.Parts, last.Version, e.Version, e.Part)
		}
	case e.Version != last.Version+1 || e.Part != 1:
		return fmt.Errorf("context %s: behind version %d comes part %d of %d", e.Context, last.Version, e.Part, e.Version)
	}
	return nil
}

// TestEveryEventComesOnceAcrossCutsAndRestarts follows one context and all of
// them, with a ring so small that most comes from the log, cuts the streams at
// random, in the middle of versions too, resumes them, and restarts the server.
// A mirror has to be the context in the end.
func TestEveryEventComesOnceAcrossCutsAndRestarts(t *testing.T) {
	for _, ring := range []int{3, 40, 100000} {
		for seed := range uint64(3) {
			t.Run(fmt.Sprintf("ring %d, seed %d", ring, seed), func(t *testing.T) {
				t.Parallel()
				everyEventOnce(t, rand.New(rand.NewPCG(seed, uint64(ring))), ring)
			})
		}
	}
}

// reading is a follower that is cut now and then.
type reading struct {
	h       *house
	pattern string
	id      string // where to go on
	f       *follow.Follower
	ledger  ledger
	mirror  mirror // of one context
	one     kaijutsu.ContextID
}

// open begins, or goes on.
func (r *reading) open(t *testing.T) {
	var err error
	w := follow.Want{Pattern: r.pattern, Since: r.id, Right: owns, Snapshot: r.one != (kaijutsu.ContextID{})}
	if r.f, err = r.h.hub.Follow(context.Background(), w); err != nil {
		t.Fatal(err)
	}
}

// take takes one item.
func (r *reading) take(t *testing.T, i follow.Item) {
	t.Helper()
	switch i.Name {
	case follow.Hello:
	case follow.Reset:
		t.Fatalf("%s: reset: %s", r.pattern, i.Data)
	case follow.Snapshot:
		r.mirror.load(t, i.Data)
		r.ledger.at[r.one] = flowbus.Event{Version: r.mirror.version, Part: 1, Parts: 1}
	default:
		e, err := flowbus.Decode(i.Data)
		if err != nil {
			t.Fatalf("%s: %v", i.Data, err)
		}
		if err := r.ledger.take(e); err != nil {
			t.Fatalf("%s: %v", r.pattern, err)
		}
		if e.Context == r.one {
			if err := r.mirror.apply(e); err != nil {
				t.Fatalf("%s: %s: %v", r.pattern, i.Data, err)
			}
		}
	}
	if i.ID != "" {
		r.id = i.ID
	}
}

// some reads a few items, and perhaps drops the stream in the middle of them.
func (r *reading) some(t *testing.T, rnd *rand.Rand) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	items, err := r.f.Next(ctx)
	if r.ended(t, err) {
		return
	}
	cut := rnd.IntN(4) == 0
	for n, i := range items {
		if cut && n > 0 && rnd.IntN(3) == 0 {
			break
		}
		r.take(t, i)
	}
	if cut {
		if err == nil && len(items) == 0 {
			r.id = r.f.ID()
		}
		r.f.Close()
		r.open(t)
	}
}

// ended goes on when the stream was ended, because events passed that are not
// kept.
func (r *reading) ended(t *testing.T, err error) bool {
	t.Helper()
	var ended *follow.Ended
	switch {
	case errors.As(err, &ended) && errors.Is(err, kaijutsu.ErrUnavailable):
		r.id = ended.ID
		r.f.Close()
		r.open(t)
		return true
	case err != nil && !(errors.Is(err, context.DeadlineExceeded) && r.f != nil):
		t.Fatalf("%s: %v", r.pattern, err)
	}
	return false
}

// upTo reads until it has seen the newest version of a context.
func (r *reading) upTo(t *testing.T, id kaijutsu.ContextID, version uint64) {
	t.Helper()
	for r.ledger.at[id].Version < version || r.ledger.at[id].Part < r.ledger.at[id].Parts {
		items, err := read(r.f)
		if r.ended(t, err) {
			continue
		}
		for _, i := range items {
			r.take(t, i)
		}
	}
}

func everyEventOnce(t *testing.T, rnd *rand.Rand, ring int) {
	h := open(t, t.TempDir(), follow.Config{RingEvents: ring, Pending: 1 + rnd.IntN(20)})
	ids := []kaijutsu.ContextID{h.newContext("A"), h.newContext("B"), h.newContext("C")}
	all := &reading{h: h, pattern: ">", ledger: ledger{make(map[kaijutsu.ContextID]flowbus.Event)}}
	readings := []*reading{all}
	for _, id := range ids[:2] {
		readings = append(readings, &reading{h: h, pattern: "ctx." + id.String() + ".>", one: id, ledger: ledger{make(map[kaijutsu.ContextID]flowbus.Event)}})
	}
	for _, r := range readings {
		r.open(t)
	}
	for range 50 {
		var writers sync.WaitGroup
		for i, id := range ids {
			mine := rand.New(rand.NewPCG(rnd.Uint64(), uint64(i)))
			writers.Go(func() {
				for range mine.IntN(6) {
					h.anything(mine, id)
				}
			})
		}
		for _, r := range readings {
			r.some(t, rnd)
		}
		if rnd.IntN(3) == 0 {
			e := flowbus.Event{Kind: flowbus.SeatStatus, Context: ids[rnd.IntN(3)], Data: &flowbus.Seat{Nick: "vim", Instance: "1", Status: "idle"}}
			if err := h.hub.Publish(e); err != nil && ring > 1000 {
				t.Fatal(err)
			}
		}
		writers.Wait()
		if rnd.IntN(15) == 0 {
			for _, r := range readings {
				r.f.Close()
			}
			h.restart()
			for _, r := range readings {
				r.open(t)
			}
		}
	}
	for n, id := range ids {
		rows, version, title := h.rows(id)
		all.upTo(t, id, version)
		if n == 2 {
			continue
		}
		r := readings[n+1]
		r.upTo(t, id, version)
		if !reflect.DeepEqual(r.mirror.rows, rows) || r.mirror.title != title {
			t.Errorf("the mirror of %s has\n%+v\nwant\n%+v", id, r.mirror.rows, rows)
		}
	}
	for _, r := range readings {
		r.f.Close()
	}
}

// TestSlowSubscriberIsTerminatedAndFastOneLosesNothing lets a burst of events
// pass that is kept nowhere, and one of changes. The fast one reads all of
// either. The slow one gets the changes from the log, and is ended by the rest.
func TestSlowSubscriberIsTerminatedAndFastOneLosesNothing(t *testing.T) {
	const burst = 20000
	h := open(t, t.TempDir(), follow.Config{RingEvents: 1024})
	id := h.newContext("Plan")
	pattern := "ctx." + id.String() + ".>"
	fast, slow := h.follow(pattern, ""), h.follow(pattern, "")
	h.next(fast)
	h.next(slow)
	for i := range burst {
		e := flowbus.Event{Kind: flowbus.SeatJoined, Context: id, Data: &flowbus.Seat{Nick: "n", Instance: fmt.Sprint(i)}}
		if err := h.hub.Publish(e); err != nil {
			t.Fatal(err)
		}
		if i%500 != 499 {
			continue
		}
		for n := 0; n < 500; { // it keeps up
			for _, item := range h.next(fast) {
				if want := fmt.Sprintf(`"instance":"%d"`, i-499+n); !strings.Contains(string(item.Data), want) {
					t.Fatalf("the fast one gets %s, want %s", item.Data, want)
				}
				n++
			}
		}
	}
	_, err := read(slow)
	var ended *follow.Ended
	if !errors.As(err, &ended) || !errors.Is(err, kaijutsu.ErrUnavailable) || ended.ID == "" {
		t.Fatalf("the slow one gets %v, want an end with a reason and an id", err)
	}
	if _, again := read(slow); again == nil || again.Error() != err.Error() {
		t.Errorf("asked again it gets %v, want the same", again)
	}

	late := h.follow("ctx."+id.String()+".block.>", "")
	h.next(late)
	block := h.insert(id, "")
	for range 2000 {
		h.appendText(id, block, "x")
	}
	_, version, _ := h.rows(id)
	r := &reading{h: h, f: late, pattern: pattern, ledger: ledger{make(map[kaijutsu.ContextID]flowbus.Event)}}
	r.upTo(t, id, version)
	if got := h.hub.Stats(); got.Events > 1024 {
		t.Errorf("the ring holds %d events, want at most 1024", got.Events)
	}
}

// TestADeliverySpanningTheSnapshotVersionMustNotDoubleApply takes a snapshot
// while a change of several parts is on its way: the parts up to the version of
// the snapshot are left out, the others come.
func TestADeliverySpanningTheSnapshotVersionMustNotDoubleApply(t *testing.T) {
	h := open(t, t.TempDir(), follow.Config{})
	id := h.newContext("Plan")
	pattern := "ctx." + id.String() + ".>"
	first := h.follow(pattern, "") // its topic is there before the snapshot is taken
	h.next(first)
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		var writer sync.WaitGroup
		mine := rand.New(rand.NewPCG(rnd.Uint64(), 1))
		writer.Go(func() {
			for range 20 {
				h.anything(mine, id)
			}
		})
		r := &reading{h: h, pattern: pattern, one: id, ledger: ledger{make(map[kaijutsu.ContextID]flowbus.Event)}}
		r.open(t)
		writer.Wait()
		rows, version, title := h.rows(id)
		for r.mirror.rows == nil && r.ledger.at[id].Version == 0 {
			r.some(t, rand.New(rand.NewPCG(3, 3)))
		}
		r.upTo(t, id, version)
		if !reflect.DeepEqual(append(r.mirror.rows, rows[:0]...), rows) && len(rows)+len(r.mirror.rows) > 0 || r.mirror.title != title {
			t.Fatalf("the mirror has\n%+v\nwant\n%+v", r.mirror.rows, rows)
		}
		r.f.Close()
	}
}

// TestWhatNobodyToldOfIsMadeUpFor leaves out what was committed now and then:
// the journal and the log know.
func TestWhatNobodyToldOfIsMadeUpFor(t *testing.T) {
	h := &house{t: t, dir: t.TempDir()}
	var every atomic.Int64
	h.deaf = func(repo.Committed) bool { return every.Add(1)%3 == 0 }
	h.start()
	t.Cleanup(h.shut)
	ids := []kaijutsu.ContextID{h.newContext("A"), h.newContext("B")}
	all := &reading{h: h, pattern: ">", ledger: ledger{make(map[kaijutsu.ContextID]flowbus.Event)}}
	one := &reading{h: h, pattern: "ctx." + ids[0].String() + ".>", ledger: ledger{make(map[kaijutsu.ContextID]flowbus.Event)}}
	all.open(t)
	one.open(t)
	rnd := rand.New(rand.NewPCG(1, 1))
	for range 40 {
		h.anything(rnd, ids[rnd.IntN(2)])
	}
	every.Store(0) // the last ones are told of
	h.insert(ids[0], "end")
	h.insert(ids[1], "end")
	for _, id := range ids {
		_, version, _ := h.rows(id)
		all.upTo(t, id, version)
	}
	_, version, _ := h.rows(ids[0])
	one.upTo(t, ids[0], version)
	all.f.Close()
	one.f.Close()
}
