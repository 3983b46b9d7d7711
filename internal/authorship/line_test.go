package authorship_test

import (
	"errors"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/access"
	"kaijutsu/internal/authorship"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/repo"
)

func TestLinesNameTheLastWriter(t *testing.T) {
	w := newWorld(t)
	doc := w.context("app@main")
	id, _ := w.file(authorship.Git, doc, "a\nb\nc\n")
	w.replace(repo.Edit{By: amy}, doc, id, "a\nb, by amy\nc\n")
	w.replace(repo.Edit{By: bot}, doc, id, "a\nnew\nb, by amy\nc\n")
	w.replace(repo.Edit{By: authorship.Disk}, doc, id, "a\nnew\nb, by amy\nc, on disk\n")
	lines := w.lines(doc, id)
	if got, want := names(lines), "git bot amy disk"; got != want {
		t.Fatalf("Lines = %s, want %s", got, want)
	}
	if l := lines[2]; l.Start != 6 || l.Len != 9 || l.Doc != doc || l.Change == (kaijutsu.ChangeHash{}) || l.Model != "" {
		t.Errorf("Lines[2] = %+v, want 9 characters from 6", l)
	}
	if _, err := w.book.Lines(t.Context(), doc, blocks.NewID(w.clock.now())); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Lines of no block = %v, want ErrNotFound", err)
	}
}

func TestLinesNameTheModel(t *testing.T) {
	w := newWorld(t)
	doc := w.context("app@main")
	id, _ := w.file(bot, doc, "a\n")
	model := func() string { return w.lines(doc, id)[0].Model }
	if got := model(); got != "" {
		t.Errorf("model of nobody's word = %q, want none", got)
	}
	if _, err := w.kernel.SetModel(t.Context(), owner, doc, kernel.Model{Provider: "p", Name: "of-the-context"}); err != nil {
		t.Fatal(err)
	}
	if got := model(); got != "of-the-context" {
		t.Errorf("model = %q, want the context's", got)
	}
	w.identify(bot, access.Person{Model: "of-the-agent"})
	if got := model(); got != "of-the-agent" {
		t.Errorf("model = %q, want the agent's own", got)
	}
}

func TestCarriedLinesAreTheirWriters(t *testing.T) {
	w := newWorld(t)
	doc, other := w.context("app@main"), w.context("app@side")
	id, _ := w.file(authorship.Git, doc, "a\nb\n")
	first := w.replace(repo.Edit{By: amy}, doc, id, "a\nx\nb\n")
	at := w.lines(doc, id)[1].Time
	away := func() { w.replace(repo.Edit{By: authorship.Git, Via: authorship.Git}, doc, id, "a\nb\n") }
	tests := []struct {
		name   string
		back   repo.Edit
		change func(made repo.Edited) kaijutsu.ChangeHash // that the line is to name
		doc    kaijutsu.DocumentID
		old    bool // it has the time of the first change
	}{
		{"as it says", repo.Edit{By: amy, Via: authorship.Git, Message: "carried " + first.Change.String()},
			func(repo.Edited) kaijutsu.ChangeHash { return first.Change }, doc, true},
		{"from another context", repo.Edit{By: amy, Via: authorship.Git, Message: authorship.Carried(kaijutsu.ChangeHash{7}, other)},
			func(repo.Edited) kaijutsu.ChangeHash { return kaijutsu.ChangeHash{7} }, other, false},
		{"from a context that is not named", repo.Edit{By: amy, Via: authorship.Git, Message: "carried " + strings.Repeat("ab", 32)},
			func(repo.Edited) kaijutsu.ChangeHash {
				h, _ := kaijutsu.ParseChangeHash(strings.Repeat("ab", 32))
				return h
			}, doc, false},
		{"not through git", repo.Edit{By: amy, Message: "carried " + first.Change.String()},
			func(made repo.Edited) kaijutsu.ChangeHash { return made.Change }, doc, false},
		{"somebody else's change", repo.Edit{By: ben, Via: authorship.Git, Message: "carried " + first.Change.String()},
			func(made repo.Edited) kaijutsu.ChangeHash { return made.Change }, doc, false},
		{"by git itself", repo.Edit{By: authorship.Git, Via: authorship.Git, Message: "carried " + first.Change.String()},
			func(made repo.Edited) kaijutsu.ChangeHash { return made.Change }, doc, false},
		{"no hash", repo.Edit{By: amy, Via: authorship.Git, Message: "carried along"},
			func(made repo.Edited) kaijutsu.ChangeHash { return made.Change }, doc, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			away()
			made := w.replace(test.back, doc, id, "a\nx\nb\n")
			l := w.lines(doc, id)[1]
			if l.By != test.back.By || l.Via != test.back.Via || l.Change != test.change(made) || l.Doc != test.doc || l.Time.Equal(at) != test.old {
				t.Errorf("line = %+v, want by %v, change %v of %s, as old as the first: %v", l, test.back.By, test.change(made), test.doc.Name(), test.old)
			}
		})
	}
	t.Run("twice", func(t *testing.T) {
		away()
		again := w.replace(repo.Edit{By: amy, Via: authorship.Git, Message: "carried " + first.Change.String()}, doc, id, "a\nx\nb\n")
		away()
		w.replace(repo.Edit{By: amy, Via: authorship.Git, Message: authorship.Carried(again.Change, doc)}, doc, id, "a\nx\nb\n")
		if l := w.lines(doc, id)[1]; l.Change != first.Change || !l.Time.Equal(at) {
			t.Errorf("line = %+v, want the first change %v", l, first.Change)
		}
	})
}
