package kernel_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/flowbus"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

var yesOrNo = json.RawMessage(`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}`)

func (w *world) ask(c op.Call, doc kaijutsu.DocumentID, q kernel.Question) kernel.Outcome {
	w.t.Helper()
	out, err := w.kernel.Ask(w.t.Context(), c, doc, q)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func (w *world) answer(c op.Call, q kernel.Outcome, action, content string) (kernel.Outcome, error) {
	r := kernel.Reply{Action: action}
	if content != "" {
		r.Content = json.RawMessage(content)
	}
	return w.kernel.AnswerElicit(w.t.Context(), c, q.Context, q.Block, r)
}

func (w *world) heard(c op.Call, q kernel.Outcome) kernel.Outcome {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	out, err := w.kernel.AwaitAnswer(ctx, c, q.Context, q.Block)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// shown returns a block as it is.
func (w *world) shown(doc kaijutsu.DocumentID, id blocks.ID) repo.Block {
	w.t.Helper()
	var found repo.Block
	err := w.kernel.View(w.t.Context(), owner, doc, func(v repo.View) error {
		found, _ = v.Block(id)
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return found
}

// came is what came of a question, in short.
func came(out kernel.Outcome) string {
	if out.Pending {
		return "pending"
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s %s", out.Action, out.Reason, out.By, out.Content))
}

func TestAnAnswerReachesWhoAskedAndIsWritten(t *testing.T) {
	for _, c := range []struct {
		action, content string
		want, told      string
		status          blocks.Status
	}{
		{"accept", `{"ok":true}`, `accept answered amy {"ok":true}`, "accept answered", blocks.StatusDone},
		{"decline", "", "decline denied amy", "decline denied", blocks.StatusDone},
		{"cancel", "", "cancel cancelled amy", "cancel cancelled", blocks.StatusCancelled},
	} {
		t.Run(c.action, func(t *testing.T) {
			w, tape := taped(t, nil)
			plan := w.context("Plan")
			amy, bot := w.member("amy", kaijutsu.RightEdit), op.Call{By: kaijutsu.Principal{Name: "bot", Kind: kaijutsu.Agent}, Right: kaijutsu.RightEdit}
			q := w.ask(bot, plan.Doc, kernel.Question{Message: "Deploy?", Schema: yesOrNo})
			if b := w.shown(plan.Doc, q.Block); b.Kind != blocks.KindQuery || b.Role != blocks.RoleTool || b.Status != blocks.StatusPending || b.Content != "Deploy?" || b.By != bot.By {
				t.Errorf("question = %+v, want a pending query of the asker", b)
			}
			got := make(chan kernel.Outcome, 1)
			go func() { got <- w.heard(bot, q) }()
			if _, err := w.answer(amy, q, c.action, c.content); err != nil {
				t.Fatal(err)
			}
			out := <-got
			if came(out) != c.want {
				t.Errorf("the asker heard %q, want %q", came(out), c.want)
			}
			if b := w.shown(plan.Doc, q.Block); b.Status != c.status {
				t.Errorf("question's status = %s, want %s", b.Status, c.status)
			}
			if b := w.shown(plan.Doc, out.Answer); b.Parent != q.Block || b.By != amy.By || b.Status != blocks.StatusDone {
				t.Errorf("answer = %+v, want a block of amy's below the question", b)
			}
			tape.check(t, "elicitation.request Deploy?; elicitation.answered "+c.told)
		})
	}
}

func TestASecondAnswerIsAConflictThatNamesTheFirst(t *testing.T) {
	w := newWorld(t)
	plan := w.context("Plan")
	amy, bob := w.member("amy", kaijutsu.RightEdit), w.member("bob", kaijutsu.RightEdit)
	q := w.ask(owner, plan.Doc, kernel.Question{Message: "Deploy?"})
	if _, err := w.answer(amy, q, "decline", ""); err != nil {
		t.Fatal(err)
	}
	_, err := w.answer(bob, q, "accept", "")
	if !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), "amy") || !strings.Contains(err.Error(), "decline") {
		t.Errorf("a second answer = %v, want a conflict that names amy and what she said", err)
	}
	if out := w.heard(owner, q); came(out) != "decline denied amy" {
		t.Errorf("outcome = %q, want the first answer", came(out))
	}
}

func TestOfManyAnswersAtOnceOneCounts(t *testing.T) {
	w, tape := taped(t, nil)
	plan := w.context("Plan")
	q := w.ask(owner, plan.Doc, kernel.Question{Message: "Deploy?"})
	tape.text()
	var wg sync.WaitGroup
	var mu sync.Mutex
	first := 0
	for range 20 {
		wg.Go(func() {
			_, err := w.answer(owner, q, "accept", "")
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				first++
			} else if !errors.Is(err, kaijutsu.ErrConflict) {
				t.Errorf("answer = %v, want a conflict", err)
			}
		})
	}
	wg.Wait()
	if first != 1 {
		t.Errorf("%d answers counted, want 1", first)
	}
	tape.check(t, "elicitation.answered accept answered")
}

func TestAnAnswerIsHeldAgainstWhatWasAskedFor(t *testing.T) {
	w := newWorld(t)
	plan := w.context("Plan")
	note := w.block(owner, plan.Doc, blocks.BlockSpec{Kind: blocks.KindQuery, Content: "no question of elicit"})
	strict := w.ask(owner, plan.Doc, kernel.Question{Message: "Deploy?", Schema: yesOrNo})
	loose := w.ask(owner, plan.Doc, kernel.Question{Message: "Anything?"})
	for _, c := range []struct {
		name, action, content string
		q                     kernel.Outcome
		want                  error
		words                 string
	}{
		{"of another type", "accept", `{"ok":"yes"}`, strict, kaijutsu.ErrInvalid, "content.ok"},
		{"nothing", "accept", "", strict, kaijutsu.ErrInvalid, "content"},
		{"not all", "accept", `{}`, strict, kaijutsu.ErrInvalid, "content.ok"},
		{"content with a decline", "decline", `{"ok":true}`, strict, kaijutsu.ErrInvalid, "accept only"},
		{"a block that is no question", "accept", "", kernel.Outcome{Context: plan.Doc, Block: note}, kaijutsu.ErrInvalid, "no question"},
		{"no such block", "accept", "", kernel.Outcome{Context: plan.Doc, Block: blocks.NewID(time.Now())}, kaijutsu.ErrNotFound, ""},
		{"any object", "accept", `{"a":[1,{"b":2}]}`, loose, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := w.answer(owner, c.q, c.action, c.content)
			if !errors.Is(err, c.want) || err != nil && !strings.Contains(err.Error(), c.words) {
				t.Errorf("answer %s %s = %v, want %v with %q", c.action, c.content, err, c.want, c.words)
			}
		})
	}
	if out, err := w.kernel.Outcome(t.Context(), owner, plan.Doc, strict.Block); err != nil || !out.Pending {
		t.Errorf("outcome = %+v, %v, want that the question waits still", out, err)
	}
	for _, schema := range []string{`{"type":"string"}`, `{`, `{"type":"object","$ref":"#"}`, `{"type":"object","properties":{"a":{"$ref":"http://example.org/x"}}}`, `{"type":"object","pattern":3}`} {
		if _, err := w.kernel.Ask(t.Context(), owner, plan.Doc, kernel.Question{Message: "?", Schema: json.RawMessage(schema)}); !errors.Is(err, kaijutsu.ErrInvalid) {
			t.Errorf("Ask with the schema %s = %v, want that it is invalid", schema, err)
		}
	}
}

func TestWhoMayNotEditNeitherAsksNorAnswers(t *testing.T) {
	w := newWorld(t)
	plan := w.context("Plan")
	q := w.ask(owner, plan.Doc, kernel.Question{Message: "Deploy?"})
	for name, c := range map[string]struct {
		right kaijutsu.Right
		want  error
	}{"rita": {kaijutsu.RightRead, kaijutsu.ErrDenied}, "carl": {kaijutsu.RightComment, kaijutsu.ErrDenied}, "eve": {kaijutsu.RightNone, kaijutsu.ErrNotFound}} {
		call := w.member(name, c.right)
		if _, err := w.answer(call, q, "accept", ""); !errors.Is(err, c.want) {
			t.Errorf("%s answers: %v, want %v", name, err, c.want)
		}
		if _, err := w.kernel.Ask(t.Context(), call, plan.Doc, kernel.Question{Message: "?"}); !errors.Is(err, c.want) {
			t.Errorf("%s asks: %v, want %v", name, err, c.want)
		}
	}
	if _, err := w.kernel.AwaitAnswer(t.Context(), w.member("fay", kaijutsu.RightNone), plan.Doc, q.Block); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("who may not read hears %v, want that there is none", err)
	}
}

func TestNoAnswerInTimeIsADecline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, tape := taped(t, nil)
		plan := w.context("Plan")
		q := w.ask(owner, plan.Doc, kernel.Question{Message: "Deploy?", For: time.Minute})
		long := w.ask(owner, plan.Doc, kernel.Question{Message: "And then?", For: time.Hour})
		time.Sleep(59 * time.Second)
		if out, err := w.kernel.Outcome(t.Context(), owner, plan.Doc, q.Block); err != nil || !out.Pending {
			t.Errorf("after 59 s the outcome is %+v, %v, want pending", out, err)
		}
		time.Sleep(time.Second)
		if out, err := w.kernel.Outcome(t.Context(), owner, plan.Doc, q.Block); err != nil || came(out) != "decline expired" {
			t.Errorf("after a minute the outcome is %q, %v, want that it expired", came(out), err)
		}
		if _, err := w.answer(owner, q, "accept", ""); !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), "expired") {
			t.Errorf("an answer that is late = %v, want a conflict", err)
		}
		time.Sleep(2 * time.Second)
		w.untilStatus(plan.Doc, q.Block, blocks.StatusCancelled)
		tape.check(t, "elicitation.request Deploy?; elicitation.request And then?; elicitation.answered decline expired")
		if out, err := w.kernel.Outcome(t.Context(), owner, plan.Doc, long.Block); err != nil || !out.Pending {
			t.Errorf("the other question is %+v, %v, want that it waits", out, err)
		}
		w.close()
	})
}

// untilStatus waits for a block that a goroutine of the kernel writes, whose
// disk takes real time.
func (w *world) untilStatus(doc kaijutsu.DocumentID, id blocks.ID, want blocks.Status) {
	w.t.Helper()
	for range 1000 {
		if w.shown(doc, id).Status == want {
			return
		}
	}
	w.t.Errorf("status = %s, want %s", w.shown(doc, id).Status, want)
}

func TestAQuestionIsClosedAlsoWhenWhoAskedAndTheServerWent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _ := taped(t, nil)
		plan := w.context("Plan")
		q := w.ask(owner, plan.Doc, kernel.Question{Message: "Deploy?", For: time.Minute})
		w.close()
		time.Sleep(30 * time.Second)
		w.open()
		time.Sleep(29 * time.Second)
		if got := w.shown(plan.Doc, q.Block).Status; got != blocks.StatusPending {
			t.Errorf("after 59 s the status is %s, want pending", got)
		}
		time.Sleep(3 * time.Second)
		w.untilStatus(plan.Doc, q.Block, blocks.StatusCancelled)
		w.close()
		time.Sleep(time.Hour)
		w.open()
		names := 0
		for range w.store.Records("elicit/") {
			names++
		}
		if names != 0 {
			t.Errorf("%d documents are on record as having questions, want none", names)
		}
		w.close()
	})
}

func TestNobodyThereToAnswerIsUnavailable(t *testing.T) {
	w, tape := taped(t, nil)
	plan := w.context("Plan")
	amy, rita := w.member("amy", kaijutsu.RightEdit), w.member("rita", kaijutsu.RightRead)
	bot := from(owner, "bot")
	w.sit(bot, kernel.SeatSpec{Context: plan.Doc})
	w.sit(from(rita, "r"), kernel.SeatSpec{Context: plan.Doc})
	w.sit(from(amy, "elsewhere"), kernel.SeatSpec{})
	tape.text()
	before := w.version(plan.Doc)
	out := w.ask(bot, plan.Doc, kernel.Question{Message: "Deploy?", IfPresent: true})
	if came(out) != "decline unavailable" || out.Block != "" || w.version(plan.Doc) != before {
		t.Errorf("outcome = %+v, want that nothing was asked", out)
	}
	tape.check(t, "")
	w.sit(from(amy, "tab"), kernel.SeatSpec{Context: plan.Doc})
	if out := w.ask(bot, plan.Doc, kernel.Question{Message: "Deploy?", IfPresent: true}); !out.Pending {
		t.Errorf("outcome = %+v, want that it is asked, for amy is there", out)
	}
}

func TestQuestionsAtTheSameTimeAreIndependent(t *testing.T) {
	w := newWorld(t)
	plan := w.context("Plan")
	var wg sync.WaitGroup
	for i := range 20 {
		q := w.ask(owner, plan.Doc, kernel.Question{Message: fmt.Sprint(i)})
		wg.Go(func() {
			want := fmt.Sprintf(`accept answered owner {"n":%d}`, i)
			if got := came(w.heard(owner, q)); got != want {
				t.Errorf("question %d heard %q, want %q", i, got, want)
			}
		})
		wg.Go(func() {
			if _, err := w.answer(owner, q, "accept", fmt.Sprintf(`{"n":%d}`, i)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestAQuestionThatIsClosedByHandIsCancelled(t *testing.T) {
	w := newWorld(t)
	plan := w.context("Plan")
	for name, f := range map[string]func(*blocks.Tx, blocks.ID) error{
		"done":    func(tx *blocks.Tx, id blocks.ID) error { return tx.SetStatus(id, blocks.StatusDone) },
		"deleted": (*blocks.Tx).Delete,
	} {
		q := w.ask(owner, plan.Doc, kernel.Question{Message: name})
		if _, err := w.kernel.Edit(t.Context(), owner, plan.Doc, "test", func(_ repo.View, tx *blocks.Tx) error { return f(tx, q.Block) }); err != nil {
			t.Fatal(err)
		}
		if out := w.heard(owner, q); came(out) != "cancel cancelled" {
			t.Errorf("%s: outcome = %q, want that it is cancelled", name, came(out))
		}
	}
}

func TestTimeoutsAreExact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, tape := taped(t, nil)
		plan := w.context("Plan")
		time.Sleep(530*time.Millisecond + 123*time.Microsecond) // no whole second, and no whole millisecond
		for _, wait := range []time.Duration{time.Second, 2 * time.Second, 2500 * time.Millisecond} {
			asked := time.Now()
			q := w.ask(owner, plan.Doc, kernel.Question{Message: "Deploy?", For: wait})
			if late := q.Expires.Sub(asked.Add(wait)); late < 0 || late >= time.Millisecond {
				t.Errorf("a question of %v expires %v after its time, want within a millisecond", wait, late)
			}
			tape.mu.Lock()
			told := tape.events[len(tape.events)-1].Data.(*flowbus.Elicitation).Expires
			tape.mu.Unlock()
			if at, err := time.Parse(time.RFC3339, told); err != nil || !at.Equal(q.Expires) {
				t.Errorf("the event says it expires at %q, want %v", told, q.Expires)
			}
			if out := w.heard(owner, q); came(out) != "decline expired" {
				t.Errorf("outcome = %q, want that it expired", came(out))
			}
			if took := time.Since(asked); took < wait || took > wait+5*time.Millisecond {
				t.Errorf("a question of %v ended after %v", wait, took)
			}
		}
		w.close()
	})
}

// TestWhatIsToldOfAQuestionNamesItsChange, so that other nodes tell it where the
// question is.
func TestWhatIsToldOfAQuestionNamesItsChange(t *testing.T) {
	w, tape := taped(t, nil)
	plan := w.context("Plan")
	check := func(what string) {
		t.Helper()
		heads, err := w.repo.Heads(t.Context(), plan.Doc)
		tape.mu.Lock()
		defer tape.mu.Unlock()
		if e := tape.events[len(tape.events)-1]; err != nil || len(heads) != 1 || e.Change != heads[0] {
			t.Errorf("%s: the event names the change %s, want %v, %v", what, e.Change, heads, err)
		}
	}
	q := w.ask(owner, plan.Doc, kernel.Question{Message: "Deploy?"})
	check("asked")
	if _, err := w.answer(owner, q, "decline", ""); err != nil {
		t.Fatal(err)
	}
	check("answered")
}

// TestWhoAnsweredIsWhoMadeTheAnswer, whatever an editor writes into the meta.
func TestWhoAnsweredIsWhoMadeTheAnswer(t *testing.T) {
	w := newWorld(t)
	plan := w.context("Plan")
	mallory := w.member("mallory", kaijutsu.RightEdit)
	q := w.ask(owner, plan.Doc, kernel.Question{Message: "Deploy?"})
	_, err := w.kernel.Edit(t.Context(), mallory, plan.Doc, "test", func(_ repo.View, tx *blocks.Tx) error {
		meta := `{"elicit":{"by":"owner","timeout_s":300,"expires":"2030-01-01T00:00:00Z","answer":{"action":"accept","reason":"answered","by":"amy","at":"2026-01-01T00:00:00Z"}}}`
		return errors.Join(tx.SetMeta(q.Block, meta), tx.SetStatus(q.Block, blocks.StatusDone))
	})
	if err != nil {
		t.Fatal(err)
	}
	if out := w.heard(owner, q); out.By == "amy" {
		t.Errorf("outcome = %q, want nothing in the name of amy", came(out))
	}
}
