package kjtest_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestScenario19PushQueueFlush(t *testing.T) {
	owner, _ := office(t, t.TempDir())
	amy := owner.desk("amy", "person", "editor")
	a, b := amy.context("A"), amy.context("B")
	amy.ok("context_model", answer{"context": a, "provider": "anthropic", "model": "claude"})

	amy.ok("drift_push", answer{"context": a, "to": b, "content": "x"})
	amy.ok("drift_push", answer{"context": a, "to": b, "content": "y", "stage": true})
	equal(t, "what B says before the flush", amy.said(b), []string{"x"})
	if f := amy.ok("drift_flush", answer{"context": a}); f.num("delivered") != 1 {
		t.Errorf("the flush delivered %v, want 1", f["delivered"])
	}
	found := amy.drifts(b)
	if len(found) != 2 {
		t.Fatalf("B has %d drift blocks, want 2", len(found))
	}
	for i, block := range found {
		var meta answer
		if err := json.Unmarshal([]byte(block.str("meta")), &meta); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"drift_kind": "push", "source_context": a}
		for key, value := range want {
			if got := meta.str(key); got != value {
				t.Errorf("block %d: meta.%s = %q, want %q", i, key, got, value)
			}
		}
		if !strings.Contains(meta.str("model"), "claude") {
			t.Errorf("block %d: model %q, want that of A", i, meta.str("model"))
		}
		if block.str("role") != "system" || block.str("status") != "done" || block.str("author") != "amy" || block.str("content") != []string{"x", "y"}[i] {
			t.Errorf("block %d: %v, want role system, done, by amy", i, block)
		}
	}
}

func TestScenario20NoSuchTargetAndSeveral(t *testing.T) {
	owner, _ := office(t, t.TempDir())
	amy := owner.desk("amy", "person", "editor")
	a := amy.context("Here")
	amy.context("Release notes")
	amy.context("Release plan")
	secret := owner.context("Release secret")
	owner.ok("role_set", answer{"principal": "amy", "role": "none", "context": secret})
	amy.refused("drift_push", answer{"context": a, "to": "Bogus", "content": "x", "stage": true}, "not_found", "Bogus", "Release notes")
	amy.refused("drift_push", answer{"context": a, "to": "Release", "content": "x", "stage": true}, "conflict", "Release notes", "Release plan")
	amy.refused("drift_push", answer{"context": a, "to": secret, "content": "x", "stage": true}, "not_found")
	amy.refused("drift_push", answer{"context": a, "to": "Release", "content": "x"}, "conflict", "Release notes")
	_, problem := amy.post("drift_push", answer{"context": a, "to": "Bogus", "content": "x"})
	if problem == nil || strings.Contains(problem.Message, "secret") {
		t.Errorf("the problem is %+v, which tells of what is not amy's", problem)
	}
	equal(t, "what waits", amy.numbers(), nil)
}

func TestScenario21CancelTwice(t *testing.T) {
	owner, _ := office(t, t.TempDir())
	amy := owner.desk("amy", "person", "editor")
	a, b := amy.context("A"), amy.context("B")
	for _, text := range []string{"one", "two"} {
		amy.ok("drift_push", answer{"context": a, "to": b, "content": text, "stage": true})
	}
	equal(t, "what waits", amy.numbers(), []int{1, 2})
	if got := amy.ok("drift_cancel", answer{"item": 1}).str("state"); got != "cancelled" {
		t.Errorf("the first cancel says %q, want cancelled", got)
	}
	amy.refused("drift_cancel", answer{"item": "1"}, "not_found", "Staged drift #1 not found", "#2", "two")
	amy.ok("drift_flush", answer{"context": a})
	equal(t, "what B says", amy.said(b), []string{"two"})
}

func TestScenario22AFlushIsOfItsSource(t *testing.T) {
	owner, _ := office(t, t.TempDir())
	amy := owner.desk("amy", "person", "editor")
	a, b, c := amy.context("A"), amy.context("B"), amy.context("C")
	amy.ok("drift_push", answer{"context": a, "to": b, "content": "from a", "stage": true})
	amy.ok("drift_push", answer{"context": c, "to": b, "content": "from c", "stage": true})
	amy.ok("drift_push", answer{"context": c, "to": a, "content": "to a", "stage": true})
	amy.ok("drift_flush", answer{"context": a})
	equal(t, "what B says", amy.said(b), []string{"from a"})
	equal(t, "what A says", amy.said(a), nil)
	equal(t, "what waits", amy.numbers(), []int{2, 3})
	amy.ok("drift_flush", answer{"context": b})
	equal(t, "what waits when the receiver flushes", amy.numbers(), []int{2, 3})
}

func TestScenario23DeadLetters(t *testing.T) {
	owner, _ := office(t, t.TempDir())
	amy := owner.desk("amy", "person", "editor")
	a, b := amy.context("A"), amy.context("B")
	amy.ok("drift_push", answer{"context": a, "to": b, "content": "late", "stage": true})
	owner.ok("context_archive", answer{"context": b})
	for try := 1; try <= 5; try++ {
		f := amy.ok("drift_flush", answer{"context": a})
		if want := try < 5; (f.num("failed") == 1) != want || (f.num("dead") == 1) == want {
			t.Errorf("flush %d: %v", try, f)
		}
	}
	dead := amy.ok("drift_dead_letters", answer{}).list("items")
	if len(dead) != 1 || dead[0].num("failures") != 5 || !strings.Contains(dead[0].str("last_error"), "archived") {
		t.Fatalf("the dead letters are %v, want one that says archived", dead)
	}
	equal(t, "what waits", amy.numbers(), nil)
	owner.ok("context_archive", answer{"context": b, "archived": false})
	amy.ok("drift_replay", answer{"item": dead[0].num("number")})
	equal(t, "what B says", amy.said(b), []string{"late"})
	if left := amy.ok("drift_dead_letters", answer{}).list("items"); len(left) != 0 {
		t.Errorf("after the replay there are %v", left)
	}
}

// TestScenario24KilledBeforeAndDuringAFlush kills the server at some moment of a
// flush, several times over.
func TestScenario24KilledBeforeAndDuringAFlush(t *testing.T) {
	const items, rounds = 300, 4
	dir := t.TempDir()
	owner, p := office(t, dir)
	a, b := owner.context("A"), owner.context("B")
	var pushing sync.WaitGroup
	for worker := range 6 {
		pushing.Go(func() {
			for i := worker; i < items; i += 6 {
				owner.ok("drift_push", answer{"context": a, "to": b, "content": fmt.Sprintf("finding %d", i), "stage": true})
			}
		})
	}
	pushing.Wait()
	p.Kill() // before any flush
	for range rounds {
		owner, p = office(t, dir)
		done := make(chan struct{})
		go func() {
			defer close(done)
			owner.post("drift_flush", answer{"context": a}) // it may be cut off
		}()
		select {
		case <-time.After(time.Duration(rand.IntN(60)) * time.Millisecond):
		case <-done:
		}
		p.Kill()
		<-done
	}
	owner, _ = office(t, dir)
	owner.ok("drift_flush", answer{"context": a})
	eventually(t, "the queue to be empty", func() bool { return len(owner.numbers()) == 0 })
	seen := make(map[string]int)
	for _, text := range owner.said(b) {
		seen[text]++
	}
	for i := range items {
		if text := fmt.Sprintf("finding %d", i); seen[text] != 1 {
			t.Errorf("%q is there %d times, want once", text, seen[text])
		}
	}
	if len(seen) != items {
		t.Errorf("B says %d things, want %d", len(seen), items)
	}
}

// TestScenario25CancelDuringAFlush cancels what is being flushed: each drift is
// delivered, and the cancel says so, or it is gone for good.
func TestScenario25CancelDuringAFlush(t *testing.T) {
	const items = 200
	owner, _ := office(t, t.TempDir())
	a, b := owner.context("A"), owner.context("B")
	for i := range items {
		owner.ok("drift_push", answer{"context": a, "to": b, "content": fmt.Sprintf("finding %d", i+1), "stage": true})
	}
	cancelled := make([]bool, items+1)
	var working sync.WaitGroup
	working.Go(func() { owner.ok("drift_flush", answer{"context": a}) })
	working.Go(func() {
		for n := items; n > 0; n-- {
			out, problem := owner.post("drift_cancel", answer{"item": n})
			switch {
			case problem != nil && problem.Kind != "not_found":
				t.Errorf("cancel %d: %+v", n, problem)
			case problem == nil:
				cancelled[n] = out.str("state") == "cancelled"
			}
		}
	})
	working.Wait()
	owner.ok("drift_flush", answer{"context": a})
	equal(t, "what waits", owner.numbers(), nil)
	there := make(map[string]int)
	for _, text := range owner.said(b) {
		there[text]++
	}
	gone := 0
	for n := 1; n <= items; n++ {
		want := 1
		if cancelled[n] {
			want = 0
			gone++
		}
		if got := there[fmt.Sprintf("finding %d", n)]; got != want {
			t.Errorf("drift %d is there %d times, want %d", n, got, want)
		}
	}
	t.Logf("%d of %d were cancelled", gone, items)
}

func TestScenario26Merge(t *testing.T) {
	owner, _ := office(t, t.TempDir())
	parent := owner.context("Plan")
	owner.write(parent, "Ship the release.")
	fork := owner.ok("context_fork", answer{"context": parent, "title": "Try"}).str("id")
	owner.write(fork, "We decided to drop the cache: the database is fast enough.")
	owner.ok("drift_merge", answer{"context": fork})
	found := owner.drifts(parent)
	if len(found) != 1 || !strings.Contains(found[0].str("content"), "drop the cache") {
		t.Fatalf("the parent has %v, want one briefing of the fork", found)
	}
	var meta answer
	if err := json.Unmarshal([]byte(found[0].str("meta")), &meta); err != nil || meta.str("drift_kind") != "merge" || meta.str("source_context") != fork {
		t.Errorf("meta = %v, %v, want a merge of %s", meta, err, fork)
	}
	owner.refused("drift_merge", answer{"context": parent}, "invalid", "no parent")
}

func TestScenario27Pull(t *testing.T) {
	model := newModel(t)
	owner, _ := office(t, t.TempDir(), "--llm", "openai", "--llm-url", model.url, "--llm-model", "small")
	a, empty, b := owner.context("A"), owner.context("Empty"), owner.context("B")
	owner.write(a, "The cache holds answers for 30 seconds.")
	owner.refused("drift_pull", answer{"from": b, "context": b}, "invalid")
	owner.refused("drift_pull", answer{"from": empty, "context": b}, "invalid")
	if n := len(model.asked()); n != 0 {
		t.Errorf("the model was asked %d times for nothing", n)
	}
	model.fail("the model is ill")
	owner.refused("drift_pull", answer{"from": a, "context": b, "focus": "caching"}, "denied", "the server answers 401")
	equal(t, "what B says", owner.said(b), nil)
	equal(t, "what waits", owner.numbers(), nil)
	model.fail("")
	owner.ok("drift_pull", answer{"from": a, "context": b, "focus": "what was decided about caching?"})
	equal(t, "what B says", owner.said(b), []string{"A briefing."})
	asked := model.asked()
	if last := asked[len(asked)-1]; !strings.Contains(last, "Focus your summary on: what was decided about caching?") {
		t.Errorf("the model was asked %q, without the focus", last)
	}
}

func TestScenario28ALongBlockIsCut(t *testing.T) {
	model := newModel(t)
	owner, _ := office(t, t.TempDir(), "--llm", "openai", "--llm-url", model.url, "--llm-model", "small")
	a, b := owner.context("A"), owner.context("B")
	owner.write(a, strings.Repeat("é😀", 1700)) // of 6 bytes
	owner.write(a, "")
	owner.write(a, "short")
	owner.ok("drift_push", answer{"context": a, "to": b, "summarize": true, "focus": "length"})
	asked := model.asked()
	if len(asked) != 1 {
		t.Fatalf("the model was asked %d times, want once", len(asked))
	}
	prompt := asked[0]
	if !strings.Contains(prompt, "... [truncated, 10200 bytes total]") || strings.Contains(prompt, "\uFFFD") || strings.Contains(prompt, strings.Repeat("é😀", 334)) {
		t.Errorf("the long block is not cut at 2000 bytes between characters: %.3000q", prompt)
	}
	if !strings.Contains(prompt, strings.Repeat("é😀", 333)) || !strings.Contains(prompt, "short") {
		t.Errorf("the prompt lacks what it has to hold: %.3000q", prompt)
	}
	if strings.Count(prompt, "**User**") != 2 {
		t.Errorf("the prompt has %d blocks, want 2: empty ones are skipped: %q", strings.Count(prompt, "**User**"), prompt)
	}
	if !strings.Contains(prompt, "\n---\n\nFocus your summary on: length") {
		t.Errorf("the prompt has no focus: %q", prompt)
	}
}

func TestScenario29TheAuthorIsTheStager(t *testing.T) {
	owner, _ := office(t, t.TempDir())
	amy, bob := owner.desk("amy", "person", "editor"), owner.desk("bob", "agent", "editor")
	a, b := amy.context("A"), amy.context("B")
	amy.ok("drift_push", answer{"context": a, "to": b, "content": "amy's", "stage": true})
	bob.ok("drift_flush", answer{"context": a})
	found := bob.drifts(b)
	if len(found) != 1 || found[0].str("author") != "amy" {
		t.Errorf("B has %v, want one drift by amy", found)
	}
	runs := bob.ok("block_blame", answer{"context": b, "block_id": found[0].str("id")}).list("runs")
	for _, r := range runs {
		if r.str("author") != "amy" {
			t.Errorf("the text is blamed on %q, want amy", r.str("author"))
		}
	}
}
