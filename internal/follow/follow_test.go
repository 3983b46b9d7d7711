package follow_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/flowbus"
	"kaijutsu/internal/follow"
)

// TestWhoFollowsIsToldOfEveryChange follows one context through each kind of
// change.
func TestWhoFollowsIsToldOfEveryChange(t *testing.T) {
	h := open(t, t.TempDir(), follow.Config{})
	id := h.newContext("Plan")
	f := h.follow("ctx."+id.String()+".>", "")
	if got := h.next(f); got[0].Name != follow.Hello {
		t.Fatalf("the first item is %s, want hello", got[0].Name)
	}
	block := blocks.NewID(time.Now())
	h.edit(id, func(tx *blocks.Tx) error {
		return tx.InsertBlock(blocks.BlockSpec{ID: block, Content: "one", Status: blocks.StatusPending})
	})
	h.appendText(id, block, " two")
	h.edit(id, func(tx *blocks.Tx) error { return tx.SetStatus(block, blocks.StatusRunning) })
	h.edit(id, func(tx *blocks.Tx) error { return tx.SetFlag(block, blocks.FlagExcluded, true) })
	h.edit(id, func(tx *blocks.Tx) error { return tx.SetMeta(block, `{"a":1}`) })
	h.edit(id, func(tx *blocks.Tx) error { return tx.SetTitle("Other") })
	second := h.insert(id, "")
	h.edit(id, func(tx *blocks.Tx) error { return tx.Move(second, "", blocks.First()) })
	h.edit(id, func(tx *blocks.Tx) error { return tx.Delete(second) })
	h.edit(id, func(tx *blocks.Tx) error { return tx.Restore(second) })

	want := []flowbus.Kind{
		flowbus.BlockInserted, flowbus.BlockText, flowbus.BlockStatus, flowbus.BlockFlags, flowbus.BlockMeta, flowbus.ContextRenamed,
		flowbus.BlockInserted, flowbus.BlockMoved, flowbus.BlockDeleted, flowbus.BlockInserted,
	}
	var got []flowbus.Kind
	version := uint64(0)
	for len(got) < len(want) {
		for _, i := range h.next(f) {
			e := h.decode(i)
			got = append(got, e.Kind)
			if version > 0 && e.Version != version && e.Version != version+1 {
				t.Errorf("version %d follows %d", e.Version, version)
			}
			version = e.Version
			if e.Principal != amy || e.Change == (kaijutsu.ChangeHash{}) || len(e.Heads) == 0 || e.Context != id || e.Kernel != "main" {
				t.Errorf("event %s lacks something: %s", e.Kind, i.Data)
			}
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("events = %v, want %v", got, want)
	}
}

// TestASnapshotIsWholeAndWhatComesBehindItNewer begins a mirror while somebody
// writes, and compares it when they have stopped.
func TestASnapshotIsWholeAndWhatComesBehindItNewer(t *testing.T) {
	h := open(t, t.TempDir(), follow.Config{})
	id := h.newContext("Plan")
	block := h.insert(id, "x")
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				h.appendText(id, block, "y")
			}
		}
	}()
	type reader struct {
		f *follow.Follower
		m mirror
	}
	var all []*reader
	for range 20 {
		f, err := h.hub.Follow(t.Context(), follow.Want{Pattern: "ctx." + id.String() + ".>", Snapshot: true, Right: owns})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		all = append(all, &reader{f: f})
	}
	close(stop)
	<-done
	rows, version, _ := h.rows(id)
	for _, r := range all {
		for r.m.version < version {
			for _, i := range h.next(r.f) {
				switch i.Name {
				case follow.Hello:
				case follow.Snapshot:
					r.m.load(t, i.Data)
				default:
					e := h.decode(i)
					if e.Version != r.m.version+1 || e.Part != 1 || e.Parts != 1 {
						t.Fatalf("version %d, part %d of %d, follows %d", e.Version, e.Part, e.Parts, r.m.version)
					}
					if err := r.m.apply(e); err != nil {
						t.Fatal(err)
					}
					r.m.version = e.Version
				}
			}
		}
		if !reflect.DeepEqual(r.m.rows, rows) {
			t.Errorf("the mirror has %v, want %v", r.m.rows, rows)
		}
	}
}

// TestOneMayGoOnFromAVersion reads everything from version 0, and from the
// newest.
func TestOneMayGoOnFromAVersion(t *testing.T) {
	h := open(t, t.TempDir(), follow.Config{})
	id := h.newContext("Plan")
	block := h.insert(id, "x")
	f := h.follow("ctx."+id.String()+".>", "0")
	h.next(f) // hello
	var got []flowbus.Kind
	for len(got) < 3 {
		for _, i := range h.next(f) {
			got = append(got, h.decode(i).Kind)
		}
	}
	if want := []flowbus.Kind{flowbus.ContextAdvanced, flowbus.ContextCreated, flowbus.BlockInserted}; !reflect.DeepEqual(got, want) {
		t.Errorf("events from version 0 = %v, want %v", got, want)
	}
	h.appendText(id, block, "y")
	if e := h.decode(h.next(f)[0]); e.Kind != flowbus.BlockText || e.Version != 4 {
		t.Errorf("the next event is %s of version %d, want the text of 4", e.Kind, e.Version)
	}
}

// TestAStreamBeginsAnewWhereItCannotGoOn asks for what is not this node's.
func TestAStreamBeginsAnewWhereItCannotGoOn(t *testing.T) {
	h := open(t, t.TempDir(), follow.Config{})
	id := h.newContext("Plan")
	h.insert(id, "x")
	one, all := "ctx."+id.String()+".>", ">"
	for _, tt := range []struct{ name, pattern, since string }{
		{"another node", one, "ffffffff.1.1.1"},
		{"a version to come", one, "99"},
		{"an id to come", one, shortOf(h) + ".0.99.1"},
		{"of all contexts", one, shortOf(h) + ".1.0.0.w7"},
		{"all: another node", all, "ffffffff.1.1.1"},
		{"all: of one context", all, shortOf(h) + ".0.3.1"},
		{"all: an id to come", all, shortOf(h) + ".999.3.1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := h.follow(tt.pattern, tt.since)
			items := h.next(f)
			if len(items) < 2 || items[1].Name != follow.Reset {
				t.Fatalf("items = %v, want hello and reset", names(items))
			}
			if snapshot := len(items) == 3 && items[2].Name == follow.Snapshot; snapshot != (tt.pattern == one) {
				t.Errorf("items = %v; a snapshot is for one context", names(items))
			}
		})
	}
}

func shortOf(h *house) string { return h.store.StorageID()[:8] }

func names(items []follow.Item) (all []string) {
	for _, i := range items {
		all = append(all, i.Name)
	}
	return all
}

// TestWishesThatMakeNoSense are refused.
func TestWishesThatMakeNoSense(t *testing.T) {
	h := open(t, t.TempDir(), follow.Config{})
	id := h.newContext("Plan")
	missing := kaijutsu.NewContextID(time.Now())
	none := func(kaijutsu.DocumentID) kaijutsu.Right { return kaijutsu.RightNone }
	for _, tt := range []struct {
		name string
		want follow.Want
		err  error
	}{
		{"no pattern", follow.Want{Right: owns}, kaijutsu.ErrInvalid},
		{"a pattern of nothing", follow.Want{Pattern: "ctx.*.block.vanished", Right: owns}, kaijutsu.ErrInvalid},
		{"a snapshot of all", follow.Want{Pattern: ">", Snapshot: true, Right: owns}, kaijutsu.ErrInvalid},
		{"a version of all", follow.Want{Pattern: ">", Since: "3", Right: owns}, kaijutsu.ErrInvalid},
		{"an id that is none", follow.Want{Pattern: ">", Since: "a.b", Right: owns}, kaijutsu.ErrInvalid},
		{"a context that is not there", follow.Want{Pattern: "ctx." + missing.String() + ".>", Right: owns}, kaijutsu.ErrNotFound},
		{"a context one may not read", follow.Want{Pattern: "ctx." + id.String() + ".>", Right: none}, kaijutsu.ErrNotFound},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := h.hub.Follow(t.Context(), tt.want)
			if !errors.Is(err, tt.err) {
				t.Errorf("Follow = %v, %v; want %v", f, err, tt.err)
			}
		})
	}
	if got := h.hub.Stats(); got.Followers != 0 || got.Topics != 0 {
		t.Errorf("Stats = %+v, want nobody", got)
	}
}

// TestARightThatIsTakenAwayEndsTheStream takes it away in the middle.
func TestARightThatIsTakenAwayEndsTheStream(t *testing.T) {
	h := open(t, t.TempDir(), follow.Config{})
	id, other := h.newContext("Plan"), h.newContext("Other")
	may := true
	right := func(doc kaijutsu.DocumentID) kaijutsu.Right {
		if doc == id.Document() && !may {
			return kaijutsu.RightNone
		}
		return kaijutsu.RightRead
	}
	one, err := h.hub.Follow(t.Context(), follow.Want{Pattern: "ctx." + id.String() + ".>", Right: right})
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	all, err := h.hub.Follow(t.Context(), follow.Want{Pattern: ">", Right: right})
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	h.next(one)
	h.next(all)
	h.insert(id, "x")
	h.next(one)
	h.next(all)

	may = false
	h.hub.Review(id.Document())
	at := time.Now()
	_, err = read(one)
	var ended *follow.Ended
	if !errors.As(err, &ended) || !errors.Is(err, kaijutsu.ErrDenied) || ended.ID == "" {
		t.Errorf("Next = %v, want an end that wraps ErrDenied and an id", err)
	}
	if took := time.Since(at); took > 100*time.Millisecond {
		t.Errorf("the stream ended after %v, want at most 100 ms", took)
	}
	h.insert(id, "y")
	if items, err := read(one); !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("asked again it gets %v, %v, want the same end", names(items), err)
	}
	h.insert(other, "z")
	if e := h.decode(h.next(all)[0]); e.Context != other {
		t.Errorf("an event of context %v is told, want of %v only", e.Context, other)
	}
}

// TestAContextThatIsDeletedEndsItsStreams tells so first.
func TestAContextThatIsDeletedEndsItsStreams(t *testing.T) {
	h := open(t, t.TempDir(), follow.Config{})
	id := h.newContext("Plan")
	f, all := h.follow("ctx."+id.String()+".>", ""), h.follow("ctx.*.context.deleted", "")
	h.next(f)
	h.next(all)
	if err := h.repo.Delete(context.Background(), id.Document()); err != nil {
		t.Fatal(err)
	}
	for _, f := range []*follow.Follower{f, all} {
		if e := h.decode(h.next(f)[0]); e.Kind != flowbus.ContextDeleted || e.Context != id {
			t.Errorf("the next event is %s, want context.deleted", e.Kind)
		}
	}
	if _, err := read(f); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Next of a deleted context = %v, want ErrNotFound", err)
	}
}

// TestEventsOfNoDocument are told to those who may hear them.
func TestEventsOfNoDocument(t *testing.T) {
	h := open(t, t.TempDir(), follow.Config{})
	id, other := h.newContext("Plan"), h.newContext("Other")
	one, all := h.follow("ctx."+id.String()+".seat.>", ""), h.follow("*.>", "")
	stranger, err := h.hub.Follow(t.Context(), follow.Want{Pattern: ">", Right: func(doc kaijutsu.DocumentID) kaijutsu.Right {
		if doc == other.Document() {
			return kaijutsu.RightRead
		}
		return kaijutsu.RightNone
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	for _, f := range []*follow.Follower{one, all, stranger} {
		h.next(f)
	}
	seat := &flowbus.Seat{Nick: "vim", Instance: "1", Door: "sync"}
	for _, e := range []flowbus.Event{
		{Kind: flowbus.LogMessage, Data: &flowbus.Log{Level: "info", Message: "hello"}},
		{Kind: flowbus.SeatJoined, Context: id, Principal: amy, Data: seat},
		{Kind: flowbus.SeatLeft, Context: other, Principal: amy, Data: seat},
	} {
		if err := h.hub.Publish(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.hub.Publish(flowbus.Event{Kind: flowbus.ContextDeleted, Context: id, Data: &flowbus.Nothing{}}); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("Publish of context.deleted = %v, want ErrInvalid", err)
	}
	got := func(f *follow.Follower, n int) (kinds []string) {
		for len(kinds) < n {
			kinds = append(kinds, names(h.next(f))...)
		}
		return kinds
	}
	if got, want := got(one, 1), []string{"seat.joined"}; !reflect.DeepEqual(got, want) {
		t.Errorf("of one context: %v, want %v", got, want)
	}
	if got, want := got(all, 3), []string{"log.message", "seat.joined", "seat.left"}; !reflect.DeepEqual(got, want) {
		t.Errorf("of all: %v, want %v", got, want)
	}
	if got, want := got(stranger, 1), []string{"seat.left"}; !reflect.DeepEqual(got, want) {
		t.Errorf("for a stranger: %v, want %v", got, want)
	}
}
