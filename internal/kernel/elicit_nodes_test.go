package kernel_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/kernel"
)

func TestTheFirstAnswerCountsOnWhicheverNode(t *testing.T) {
	s := startNATS(t)
	a, b := newNode(t, "a", s), newNode(t, "b", s)
	plan := a.context("Plan")
	q := a.ask(owner, plan.Doc, kernel.Question{Message: "Deploy?"})
	holds(t, plan.Doc, a, b)
	var wg sync.WaitGroup
	errs := make([]error, 2)
	for i, n := range []*node{a, b} { // neither has the other's answer in the document
		wg.Go(func() { _, errs[i] = n.answer(owner, q, "accept", "") })
	}
	wg.Wait()
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Fatalf("answers at two nodes = %v, want one that counts", errs)
	}
	if err := errors.Join(errs...); !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), "owner") {
		t.Errorf("the other answer = %v, want a conflict that names the first", err)
	}
}

func TestWithoutNATSTheDocumentDecides(t *testing.T) {
	s := startNATS(t)
	a, b := newNode(t, "a", s), newNode(t, "b", s)
	plan := a.context("Plan")
	q := a.ask(owner, plan.Doc, kernel.Question{Message: "Deploy?"})
	holds(t, plan.Doc, a, b)
	s.stop()
	until(t, "the nodes see that NATS is away", func() bool { return !a.bus.State().Connected && !b.bus.State().Connected })
	for n, content := range map[*node]string{a: `{"from":"a"}`, b: `{"from":"b"}`} {
		if _, err := n.answer(owner, q, "accept", content); err != nil {
			t.Fatal(err)
		}
	}
	holds(t, plan.Doc, a, b)
	holds(t, plan.Doc, b, a)
	got, other := came(a.heard(owner, q)), came(b.heard(owner, q))
	if got != other || !strings.HasPrefix(got, `accept answered owner {"from":`) {
		t.Errorf("the nodes say %q and %q, want one of the answers, and the same", got, other)
	}
}

func TestAQuestionIsClosedByOneNodeWhenTheAskersIsGone(t *testing.T) {
	s := startNATS(t)
	a, b, c := newNode(t, "a", s), newNode(t, "b", s), newNode(t, "c", s)
	plan := a.context("Plan")
	q := a.ask(owner, plan.Doc, kernel.Question{Message: "Deploy?", For: 2 * time.Second})
	holds(t, plan.Doc, a, b, c)
	if err := a.bus.Close(); err != nil {
		t.Fatal(err)
	}
	a.close()
	closed := func() (n int) {
		for _, n2 := range []*node{b, c} {
			if n2.shown(plan.Doc, q.Block).Status == blocks.StatusCancelled {
				n++
			}
		}
		return n
	}
	until(t, "one of the other nodes closes it", func() bool { return closed() > 0 })
	for _, n := range []*node{b, c} {
		if out := n.heard(owner, q); came(out) != "decline expired" {
			t.Errorf("node %s says %q, want that it expired", n.bus.Node(), came(out))
		}
	}
	until(t, "that is told", func() bool { return len(b.events())+len(c.events()) > 0 })
	b.close()
	c.close()
	told := append(b.events(), c.events()...)
	if len(told) != 1 || told[0] != "elicitation.answered decline expired" {
		t.Errorf("the nodes told %q, want once that it expired", told)
	}
}
