package kjtest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"kaijutsu/internal/kjtest"
)

type outcome struct {
	Block   string `json:"block_id"`
	Pending bool
	Action  string
	Reason  string
	Content json.RawMessage
	By      string
}

// TestAQuestionIsAnsweredOnAnotherServer asks on one server of a kernel and
// answers on the other, and kills the asker's.
func TestAQuestionIsAnsweredOnAnotherServer(t *testing.T) {
	nats := startNATS(t)
	one := kjtest.Serve(t, t.TempDir(), "--nats", nats.Config.URL())
	two := kjtest.Serve(t, t.TempDir(), "--nats", nats.Config.URL())
	must[contextRow](t, one, "context_create", `{"title":"Plan"}`)
	ben, cleo := makeToken(t, one, "ben", "editor"), makeToken(t, one, "cleo", "editor")
	await(t, "the context and the tokens on the other server", func() bool {
		status, _ := post(t, two, ben, "context_get", `{"context":"Plan"}`)
		other, _ := post(t, two, cleo, "context_get", `{"context":"Plan"}`)
		return status == http.StatusOK && other == http.StatusOK
	})

	if out := must[outcome](t, one, "elicit", `{"context":"Plan","message":"Anybody?","if_present":true}`); out.Action != "decline" || out.Reason != "unavailable" {
		t.Errorf("with nobody there: %+v, want unavailable", out)
	}

	if status, body := post(t, two, ben, "seat_join", `{"context":"Plan"}`); status != http.StatusOK {
		t.Fatalf("seat_join: %d %s", status, body)
	}
	await(t, "ben's seat on the other server", func() bool { return seats(t, one, "Plan") == "http:ben" })
	heard := make(chan outcome, 1)
	go func() {
		_, body := post(t, one, "", "elicit", `{"context":"Plan","message":"Deploy?","schema":{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}}`)
		var out outcome
		_ = json.Unmarshal([]byte(body), &out) // what is missing is found below
		heard <- out
	}()
	block := ""
	await(t, "the question on the other server", func() bool {
		list := must[struct {
			Blocks []struct{ ID, Kind, Content string }
		}](t, two, "block_list", `{"context":"Plan"}`)
		for _, b := range list.Blocks {
			if b.Kind == "query" {
				block = b.ID
			}
		}
		return block != ""
	})
	answer := fmt.Sprintf(`{"context":"Plan","block_id":%q,"action":"accept","content":{"ok":true}}`, block)
	if status, body := post(t, two, ben, "elicit_answer", answer); status != http.StatusOK {
		t.Fatalf("elicit_answer: %d %s", status, body)
	}
	if out := <-heard; out.Action != "accept" || out.Reason != "answered" || out.By != "ben" || string(out.Content) != `{"ok":true}` {
		t.Errorf("the asker heard %+v, want what ben accepted", out)
	}
	if status, body := post(t, one, cleo, "elicit_answer", answer); status != http.StatusConflict || !strings.Contains(body, "ben") {
		t.Errorf("a second answer: %d %s, want a conflict that names ben", status, body)
	}

	// Who asked, and its server, go: the question is closed all the same.
	q := must[outcome](t, one, "elicit", `{"context":"Plan","message":"And now?","timeout_s":3,"wait":false}`)
	ask := fmt.Sprintf(`{"context":"Plan","block_id":%q,"wait":false}`, q.Block)
	await(t, "the question on the other server", func() bool {
		status, _ := post(t, two, "", "elicit", ask)
		return status == http.StatusOK
	})
	one.Kill()
	began := time.Now()
	await(t, "the question to be closed", func() bool {
		list := must[struct{ Blocks []struct{ ID, Status string } }](t, two, "block_list", `{"context":"Plan"}`)
		for _, b := range list.Blocks {
			if b.ID == q.Block {
				return b.Status == "cancelled"
			}
		}
		return false
	})
	t.Logf("closed %v after the asker's server was killed", time.Since(began))
	if out := must[outcome](t, two, "elicit", ask); out.Action != "decline" || out.Reason != "expired" {
		t.Errorf("what came of it: %+v, want that it expired", out)
	}
}
