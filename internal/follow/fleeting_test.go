package follow_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"kaijutsu/flowbus"
	"kaijutsu/internal/follow"
)

// TestAFloodOfPresencePushesNothingOut has seats show where they are while a
// reader looks elsewhere: it is told of what is kept, and of the newest of each
// seat.
func TestAFloodOfPresencePushesNothingOut(t *testing.T) {
	h := open(t, t.TempDir(), follow.Config{RingEvents: 80})
	id := h.newContext("Plan")
	publish := func(kind flowbus.Kind, data flowbus.Payload) {
		t.Helper()
		if err := h.hub.Publish(flowbus.Event{Kind: kind, Context: id, Principal: amy, Data: data}); err != nil {
			t.Fatal(err)
		}
	}
	one, all := h.follow("ctx."+id.String()+".>", ""), h.follow(">", "")
	h.next(one)
	h.next(all)
	publish(flowbus.SeatJoined, &flowbus.Seat{Nick: "vim", Instance: "1", Door: "sync"})
	for n := range 1000 {
		state := json.RawMessage(fmt.Sprintf(`{"n":%d}`, n))
		publish(flowbus.SeatPresence, &flowbus.Presence{Nick: "vim", Instance: fmt.Sprint(n % 3), State: state})
	}
	publish(flowbus.SeatLeft, &flowbus.Seat{Nick: "vim", Instance: "1", Door: "sync"})
	want := []string{"seat.joined", `seat.presence {"n":997}`, `seat.presence {"n":998}`, `seat.presence {"n":999}`, "seat.left"}
	for _, f := range []*follow.Follower{one, all} {
		var got []string
		for len(got) < len(want) {
			for _, i := range h.next(f) {
				text := i.Name
				if p, ok := h.decode(i).Data.(*flowbus.Presence); ok {
					text += " " + string(p.State)
				}
				got = append(got, text)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("it is told %q, want %q", got, want)
		}
	}
	if got := h.hub.Stats().Events; got != 10 {
		t.Errorf("the ring holds %d events, want 5 of each of 2 topics", got)
	}
	for n := range 1000 { // as many seats
		publish(flowbus.SeatPresence, &flowbus.Presence{Nick: "vim", Instance: fmt.Sprint("many", n), State: json.RawMessage("{}")})
	}
	if got := h.hub.Stats().Events; got != 4+10 {
		t.Errorf("the ring holds %d events, want 4 that are kept and 10 that are fleeting", got)
	}
}
