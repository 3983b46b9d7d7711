package kernel_test

import (
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
)

// TestQuestions: what waits is listed for those who may read the context, the
// most urgent first, and no longer when it is answered.
func TestQuestions(t *testing.T) {
	w := newWorld(t)
	plan, notes := w.context("Plan"), w.context("Notes")
	amy, rita := w.member("amy", kaijutsu.RightEdit), w.member("rita", kaijutsu.RightRead)
	nobody := w.member("nobody", kaijutsu.RightNone)
	w.ask(owner, plan.Doc, kernel.Question{Message: "Deploy?", Schema: yesOrNo, For: time.Hour})
	soon := w.ask(owner, notes.Doc, kernel.Question{Message: "Which?", For: time.Minute})
	list := func(c op.Call, limit int) string {
		t.Helper()
		all, err := w.kernel.Questions(t.Context(), c, limit)
		if err != nil {
			t.Fatal(err)
		}
		var words []string
		for _, q := range all {
			s := q.Message + " by " + q.By
			if q.Schema != nil {
				s += " with a schema"
			}
			if q.Answerable {
				s += ", answerable"
			}
			words = append(words, s)
		}
		return strings.Join(words, "; ")
	}
	by := owner.By.Name
	for _, c := range []struct {
		who   op.Call
		limit int
		want  string
	}{
		{amy, 10, "Which? by " + by + ", answerable; Deploy? by " + by + " with a schema, answerable"},
		{amy, 1, "Which? by " + by + ", answerable"},
		{rita, 10, "Which? by " + by + "; Deploy? by " + by + " with a schema"},
		{nobody, 10, ""},
	} {
		if got := list(c.who, c.limit); got != c.want {
			t.Errorf("%s's questions, at most %d = %q, want %q", c.who.By.Name, c.limit, got, c.want)
		}
	}
	if _, err := w.answer(amy, soon, "decline", ""); err != nil {
		t.Fatal(err)
	}
	if got := list(amy, 10); strings.Contains(got, "Which?") {
		t.Errorf("questions after an answer = %q, want the other one alone", got)
	}
}
