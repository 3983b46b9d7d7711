package kernel_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
)

// tape is what a kernel told, in order.
type tape struct {
	mu     sync.Mutex
	events []flowbus.Event
	moved  chan struct{} // closed when there is more
}

func (t *tape) take(e flowbus.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events = append(t.events, e)
	if t.moved != nil {
		close(t.moved)
		t.moved = nil
	}
}

// text is the events since the last time, as kind nick instance status reason.
func (t *tape) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []string
	for _, e := range t.events {
		out = append(out, eventText(e))
	}
	t.events = nil
	return strings.Join(out, "; ")
}

func eventText(e flowbus.Event) string {
	switch d := e.Data.(type) {
	case *flowbus.Seat:
		return strings.Join(strings.Fields(fmt.Sprint(e.Kind, " ", d.Nick, " ", d.Instance, " ", d.Status, " ", d.Reason)), " ")
	case *flowbus.Presence:
		return fmt.Sprintf("%s %s %s", e.Kind, d.Instance, d.State)
	case *flowbus.Elicitation:
		return fmt.Sprintf("%s %s", e.Kind, d.Message)
	case *flowbus.Answer:
		return fmt.Sprintf("%s %s %s", e.Kind, d.Action, d.Reason)
	}
	return string(e.Kind)
}

// check fails unless these events were told since the last time, and each can
// be sent.
func (t *tape) check(tb testing.TB, want string) {
	tb.Helper()
	t.mu.Lock()
	for _, e := range t.events {
		if _, err := flowbus.Encode(&e); err != nil {
			tb.Errorf("event %s: %v", eventText(e), err)
		}
	}
	t.mu.Unlock()
	if got := t.text(); got != want {
		tb.Errorf("told %q, want %q", got, want)
	}
}

// taped returns a world whose events are on a tape.
func taped(t testing.TB, config func(*kernel.Config)) (*world, *tape) {
	tp := &tape{}
	return newWorldWith(t, func(c *kernel.Config) {
		c.Emit = tp.take
		if config != nil {
			config(c)
		}
	}), tp
}

// from is a call from an instance.
func from(c op.Call, instance string) op.Call {
	c.Session = instance
	return c
}

func (w *world) sit(c op.Call, spec kernel.SeatSpec) {
	w.t.Helper()
	if _, err := w.kernel.JoinSeat(w.t.Context(), c, spec); err != nil {
		w.t.Fatal(err)
	}
}

// seated are the instances of the seats that a caller sees, with their status.
func (w *world) seated(c op.Call, only kaijutsu.DocumentID) string {
	var all []string
	for _, s := range w.kernel.Seats(c, only) {
		all = append(all, s.Instance+":"+string(s.Status))
	}
	return strings.Join(all, " ")
}

func (w *world) checkSeated(c op.Call, only kaijutsu.DocumentID, want string) {
	w.t.Helper()
	if got := w.seated(c, only); got != want {
		w.t.Errorf("seats = %q, want %q", got, want)
	}
}

var anywhere kaijutsu.DocumentID

func TestSeatsAreTakenAndLeft(t *testing.T) {
	w, tape := taped(t, nil)
	plan := w.context("Plan")
	amy := w.member("amy", kaijutsu.RightEdit)
	chair := w.kernel.Sit(from(amy, "laptop"), kernel.SeatSpec{Context: plan.Doc})
	w.sit(from(amy, "phone"), kernel.SeatSpec{Nick: "mum", Context: plan.Doc})
	w.sit(from(owner, "x"), kernel.SeatSpec{})
	seats := w.kernel.Seats(owner, plan.Doc)
	if len(seats) != 2 || seats[0].Nick != "amy" || seats[1].Nick != "mum" || seats[0].Principal != amy.By || seats[0].Since.IsZero() || seats[0].Context != plan.Doc {
		t.Errorf("Seats = %+v, want both of amy's in the order they came", seats)
	}
	w.checkSeated(owner, anywhere, "laptop:active phone:active x:active")
	chair.Leave()
	chair.Leave()
	if n := w.kernel.LeaveSeats(from(amy, "phone"), kernel.SeatSpec{Nick: "mum", Context: plan.Doc}); n != 1 {
		t.Errorf("LeaveSeats = %d, want 1", n)
	}
	if n := w.kernel.LeaveSeats(from(owner, "x"), kernel.SeatSpec{}); n != 1 {
		t.Errorf("LeaveSeats = %d, want 1", n)
	}
	tape.check(t, "seat.joined amy laptop active; seat.joined mum phone active; seat.joined owner x active; "+
		"seat.left amy laptop left; seat.left mum phone left; seat.left owner x left")
	w.checkSeated(owner, anywhere, "")
}

func TestASeatWithoutAConnectionEndsUnlessItIsRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, tape := taped(t, nil)
		plan := w.context("Plan")
		amy := from(w.member("amy", kaijutsu.RightEdit), "cli")
		w.sit(amy, kernel.SeatSpec{Context: plan.Doc})
		time.Sleep(14 * time.Second)
		w.sit(amy, kernel.SeatSpec{Context: plan.Doc})
		time.Sleep(14 * time.Second)
		w.kernel.Seen(amy)
		time.Sleep(14 * time.Second)
		w.checkSeated(owner, plan.Doc, "cli:active")
		w.kernel.Seen(from(amy, "another"))
		time.Sleep(3 * time.Second)
		w.checkSeated(owner, plan.Doc, "")
		tape.check(t, "seat.joined amy cli active; seat.left amy cli expired")

		chair := w.kernel.Sit(amy, kernel.SeatSpec{}) // a session answers for what its agent sits at
		w.sit(amy, kernel.SeatSpec{Context: plan.Doc})
		time.Sleep(50 * time.Second)
		w.checkSeated(owner, plan.Doc, "cli:active")
		chair.Leave()
		time.Sleep(2 * time.Second)
		w.checkSeated(owner, plan.Doc, "")
		w.close()
	})
}

func TestASeatIsIdleAfterAMinuteAndAwayAfterTen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, tape := taped(t, nil)
		plan := w.context("Plan")
		amy := from(w.member("amy", kaijutsu.RightEdit), "tab")
		chair := w.kernel.Sit(amy, kernel.SeatSpec{Context: plan.Doc})
		time.Sleep(59 * time.Second)
		w.checkSeated(owner, plan.Doc, "tab:active")
		time.Sleep(2 * time.Second)
		w.checkSeated(owner, plan.Doc, "tab:idle")
		chair.Touch()
		w.checkSeated(owner, plan.Doc, "tab:active")
		time.Sleep(10*time.Minute + time.Second)
		w.checkSeated(owner, plan.Doc, "tab:away")
		w.kernel.Seen(amy)
		tape.check(t, "seat.joined amy tab active; seat.status amy tab idle; seat.status amy tab active; "+
			"seat.status amy tab idle; seat.status amy tab away; seat.status amy tab active")

		w.sit(amy, kernel.SeatSpec{Context: plan.Doc, Status: kernel.SeatAway})
		chair.Touch()
		time.Sleep(2 * time.Minute)
		w.checkSeated(owner, plan.Doc, "tab:away") // it says so itself
		w.sit(amy, kernel.SeatSpec{Context: plan.Doc})
		w.checkSeated(owner, plan.Doc, "tab:active")
		w.close()
	})
}

func TestASeatIsTakenOverByTheSamePrincipalOnly(t *testing.T) {
	w, tape := taped(t, nil)
	plan, other := w.context("Plan"), w.context("Other")
	amy, bob := w.member("amy", kaijutsu.RightEdit), w.member("bob", kaijutsu.RightEdit)
	spec := kernel.SeatSpec{Nick: "claude", Instance: "1", Context: plan.Doc}
	w.sit(amy, spec)
	for _, at := range []kaijutsu.DocumentID{plan.Doc, other.Doc, anywhere} {
		_, err := w.kernel.JoinSeat(t.Context(), bob, kernel.SeatSpec{Nick: "claude", Instance: "1", Context: at})
		if !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), "amy") {
			t.Errorf("JoinSeat of amy's nick and instance = %v, want a conflict that names her", err)
		}
	}
	first := w.kernel.Sit(amy, spec)
	second := w.kernel.Sit(amy, spec) // a connection that came again before the first was missed
	first.Leave()
	w.checkSeated(owner, plan.Doc, "1:active")
	second.Leave()
	w.sit(bob, spec)
	tape.check(t, "seat.joined claude 1 active; seat.left claude 1 left; seat.joined claude 1 active")
}

func TestSeatsAtContextsThatOneMayNotReadDoNotShow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, tape := taped(t, nil)
		plan := w.context("Plan")
		amy, eve := w.member("amy", kaijutsu.RightEdit), w.member("eve", kaijutsu.RightEdit)
		w.grant(plan.Doc, "eve", kaijutsu.RightNone)
		w.kernel.Sit(from(amy, "tab"), kernel.SeatSpec{Context: plan.Doc})
		w.checkSeated(owner, anywhere, "tab:active")
		w.checkSeated(eve, anywhere, "")
		w.checkSeated(eve, plan.Doc, "")
		if _, err := w.kernel.JoinSeat(t.Context(), eve, kernel.SeatSpec{Context: plan.Doc}); !errors.Is(err, kaijutsu.ErrNotFound) {
			t.Errorf("JoinSeat at a context that one may not read = %v, want that it is not there", err)
		}
		for _, e := range tape.events {
			if e.Context.Document() != plan.Doc {
				t.Errorf("event %s is of context %s, want the one that decides who is told", eventText(e), e.Context)
			}
		}
		w.grant(plan.Doc, "amy", kaijutsu.RightNone)
		time.Sleep(2 * time.Second)
		w.checkSeated(owner, anywhere, "")
		tape.check(t, "seat.joined amy tab active; seat.left amy tab denied")
		w.close()
	})
}

func TestAnEditorSitsWhenItsDocumentIsThere(t *testing.T) {
	w, other := newWorld(t), newWorld(t)
	amy, plan := w.member("amy", kaijutsu.RightEdit), other.context("Plan")
	chair := w.kernel.Sit(from(amy, "tab"), kernel.SeatSpec{Context: plan.Doc})
	chair.Touch()
	w.checkSeated(owner, anywhere, "")
	if err := w.bring(other, plan.Doc); err != nil {
		t.Fatal(err)
	}
	chair.Touch()
	w.checkSeated(owner, anywhere, "tab:active")
	chair.Leave()
	w.checkSeated(owner, anywhere, "")
}

func TestSeatsAreBounded(t *testing.T) {
	w := newWorld(t)
	amy := w.member("amy", kaijutsu.RightEdit)
	for _, c := range []struct {
		name string
		spec kernel.SeatSpec
		want error
	}{
		{"a long nick", kernel.SeatSpec{Nick: strings.Repeat("x", 257)}, kaijutsu.ErrInvalid},
		{"a nick that does not print", kernel.SeatSpec{Nick: "a\x00b"}, kaijutsu.ErrInvalid},
		{"a nick that is no UTF-8", kernel.SeatSpec{Nick: "\xff"}, kaijutsu.ErrInvalid},
		{"an instance with a line feed", kernel.SeatSpec{Instance: "a\nb"}, kaijutsu.ErrInvalid},
		{"no such status", kernel.SeatSpec{Status: "asleep"}, kaijutsu.ErrInvalid},
		{"anything that prints", kernel.SeatSpec{Nick: "é * > . 雪", Instance: ".. $SYS.>"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := w.kernel.JoinSeat(t.Context(), amy, c.spec); !errors.Is(err, c.want) {
				t.Errorf("JoinSeat(%+v) = %v, want %v", c.spec, err, c.want)
			}
		})
	}
	n := 1
	for ; n < 2000; n++ {
		_, err := w.kernel.JoinSeat(t.Context(), amy, kernel.SeatSpec{Instance: fmt.Sprint(n)})
		if errors.Is(err, kaijutsu.ErrUnavailable) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if n != 1000 {
		t.Errorf("one principal has %d seats, want 1,000", n)
	}
	w.sit(owner, kernel.SeatSpec{Instance: "and others"})
	if got := len(slices.DeleteFunc(w.kernel.Seats(owner, anywhere), func(s kernel.Seat) bool { return s.Principal != amy.By })); got != n {
		t.Errorf("Seats shows %d of them, want %d", got, n)
	}
}
