package kernel_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/flowbus"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
)

func cursor(pos int) kernel.Presence {
	return kernel.Presence{Cursor: &kernel.CursorAt{Block: "00000000-0000-7000-8000-000000000001", Pos: pos}}
}

func (w *world) show(c op.Call, doc kaijutsu.DocumentID, p kernel.Presence) {
	w.t.Helper()
	if _, err := w.kernel.SetPresence(c, kernel.SeatSpec{Context: doc}, p); err != nil {
		w.t.Fatal(err)
	}
}

const firstBlock = `seat.presence tab {"cursor":{"block":"00000000-0000-7000-8000-000000000001","pos":%d}}`

func TestOfQuickPresencesTheLastIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, tape := taped(t, nil)
		plan := w.context("Plan")
		amy := from(w.member("amy", kaijutsu.RightEdit), "tab")
		before := w.version(plan.Doc)
		for i := range 101 { // 10 ms apart: one second
			w.show(amy, plan.Doc, cursor(i))
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		told := strings.Split(tape.text(), "; ")
		if told[0] != "seat.joined amy tab active" || told[1] != fmt.Sprintf(firstBlock, 0) {
			t.Errorf("told first %q, want the seat, and the first presence at once", told[:2])
		}
		if last, want := told[len(told)-1], fmt.Sprintf(firstBlock, 100); last != want {
			t.Errorf("told last %q, want %q", last, want)
		}
		if n := len(told) - 1; n < 10 || n > 20 {
			t.Errorf("%d presences told of 101 in a second, want 10 to 20", n)
		}
		if got := w.version(plan.Doc); got != before {
			t.Errorf("version = %d, want %d: presence is not stored", got, before)
		}
		w.close()
	})
}

// TestManySeatsOfOneShowLessOften has one member move on 100 seats at once, 100
// times a second, which others must not drown in; the last one wins.
func TestManySeatsOfOneShowLessOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, tape := taped(t, nil)
		plan := w.context("Plan")
		by := w.member("amy", kaijutsu.RightEdit)
		for i := range 101 {
			for seat := range 100 {
				w.show(from(by, fmt.Sprint("tab", seat)), plan.Doc, cursor(i))
			}
			time.Sleep(10 * time.Millisecond)
		}
		told := tape.text()
		if n := strings.Count(told, "seat.presence"); n > 400 {
			t.Errorf("%d presences of one member in a second, want at most 400", n)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if n := strings.Count(told+tape.text(), `"pos":100}`); n != 100 {
			t.Errorf("%d seats are told to be where they were last, want 100", n)
		}
		w.close()
	})
}

func TestPresenceEndsByItselfAndWithItsSeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, tape := taped(t, nil)
		plan := w.context("Plan")
		amy := from(w.member("amy", kaijutsu.RightEdit), "tab")
		chair := w.kernel.Sit(amy, kernel.SeatSpec{Context: plan.Doc})
		w.show(amy, plan.Doc, kernel.Presence{Typing: true})
		time.Sleep(29 * time.Second)
		tape.check(t, `seat.joined amy tab active; seat.presence tab {"typing":true}`)
		time.Sleep(2 * time.Second)
		tape.check(t, `seat.presence tab {}`)
		w.show(amy, plan.Doc, cursor(1))
		w.show(amy, plan.Doc, cursor(2)) // waits for its time
		chair.Leave()
		time.Sleep(time.Minute)
		tape.check(t, fmt.Sprintf(firstBlock, 1)+"; seat.left amy tab left")
		w.close()
	})
}

func TestPresenceIsCheckedAndOfItsContext(t *testing.T) {
	w, tape := taped(t, nil)
	plan := w.context("Plan")
	eve := from(w.member("eve", kaijutsu.RightEdit), "tab")
	w.grant(plan.Doc, "eve", kaijutsu.RightNone)
	if _, err := w.kernel.SetPresence(eve, kernel.SeatSpec{Context: plan.Doc}, cursor(1)); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("SetPresence where one may not read = %v, want that it is not there", err)
	}
	bad := kernel.Presence{Selection: &kernel.SelectionAt{Block: blocks.ID(strings.Repeat("x", 36))}}
	if _, err := w.kernel.SetPresence(from(owner, "tab"), kernel.SeatSpec{Context: plan.Doc}, bad); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("SetPresence in no block = %v, want that it is invalid", err)
	}
	tape.check(t, "")
	w.show(from(owner, "tab"), plan.Doc, cursor(1))
	last := tape.events[len(tape.events)-1]
	if last.Kind != flowbus.SeatPresence || last.Context.Document() != plan.Doc || last.Principal != owner.By {
		t.Errorf("event %+v, want the owner's presence at the context", last)
	}
}
