package kjtest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/editor"
	"kaijutsu/internal/kjproc"
	"kaijutsu/internal/kjtest"
)

type seatRow struct{ Principal, Nick, Instance, Door, Context, Status, Node string }

// seats returns who is there, as a server says, as door:nick.
func seats(t *testing.T, p *kjproc.Process, context string) string {
	t.Helper()
	var all []string
	list := must[struct{ Seats []seatRow }](t, p, "seat_list", fmt.Sprintf(`{"context":%q}`, context))
	for _, s := range list.Seats {
		all = append(all, s.Door+":"+s.Nick)
	}
	return strings.Join(all, " ")
}

// TestSeatsOfEditorsAndCommandsOnEveryServer has an editor, and an agent that
// calls over HTTP, on two servers of one kernel, and kills what can crash.
func TestSeatsOfEditorsAndCommandsOnEveryServer(t *testing.T) {
	nats := startNATS(t)
	one := kjtest.Serve(t, t.TempDir(), "--nats", nats.Config.URL())
	two := kjtest.Serve(t, t.TempDir(), "--nats", nats.Config.URL())
	plan := must[contextRow](t, one, "context_create", `{"title":"Plan"}`)
	await(t, "the context on the other server", func() bool { _, ok := contexts(t, two)["Plan"]; return ok })

	amy, err := editor.Dial(t.Context(), editor.Config{URL: two.SyncURL(), PeerID: "amy"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = amy.Close() }() // its server is killed
	doc, err := kaijutsu.ParseDocumentID(plan.URL)
	if err != nil {
		t.Fatal(err)
	}
	amy.Open(t.Context(), doc)
	await(t, "amy's seat", func() bool { return seats(t, two, "Plan") == "sync:local" })
	must[any](t, two, "seat_join", `{"context":"Plan","nick":"bot","instance":"7"}`)
	must[any](t, one, "seat_join", `{"context":"Plan","nick":"cli","instance":"9"}`)
	for _, p := range []*kjproc.Process{one, two} {
		await(t, "all three seats", func() bool { return seats(t, p, "Plan") == "sync:local http:bot http:cli" })
	}
	status, body := post(t, one, "", "seat_join", `{"context":"Plan","nick":"bot","instance":"7"}`)
	if status != http.StatusOK || !strings.Contains(body, `"instance":"7"`) {
		t.Errorf("the same principal takes its seat over: %d %s", status, body)
	}
	ben := makeToken(t, one, "ben", "editor")
	if status, body := post(t, one, ben, "seat_join", `{"context":"Plan","nick":"cli","instance":"9"}`); status != http.StatusConflict {
		t.Errorf("somebody else takes a seat: %d %s, want a conflict", status, body)
	}

	began := time.Now()
	two.Kill()
	await(t, "the seats of the server that was killed to be gone", func() bool { return !strings.Contains(seats(t, one, "Plan"), "sync:") })
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("its seats were gone after %v, want within 20 s", took)
	} else {
		t.Logf("gone after %v", took)
	}
	await(t, "seats that nobody renews to be gone", func() bool { return seats(t, one, "Plan") == "" })
}
