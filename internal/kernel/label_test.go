package kernel_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/kernel"
)

func (w *world) label(doc kaijutsu.DocumentID, label string) {
	w.t.Helper()
	if info, err := w.kernel.SetLabel(w.t.Context(), owner, doc, label); err != nil || info.Label != label {
		w.t.Fatalf("SetLabel(%q) = %q, %v", label, info.Label, err)
	}
}

// holds reports who has a label: a title, or nobody.
func (w *world) holds(label string) string {
	w.t.Helper()
	doc, err := w.kernel.Resolve(w.t.Context(), owner, label, kaijutsu.RightRead)
	if errors.Is(err, kaijutsu.ErrNotFound) {
		return "nobody"
	}
	if err != nil {
		w.t.Fatal(err)
	}
	info, err := w.kernel.Context(w.t.Context(), owner, doc)
	if err != nil {
		w.t.Fatal(err)
	}
	if info.Label != label {
		w.t.Errorf("context %q is found as %q and has the label %q", info.Title, label, info.Label)
	}
	return info.Title
}

func TestLabelsAreUnique(t *testing.T) {
	w := newWorld(t)
	one, two := w.context("One"), w.context("Two")
	w.label(one.Doc, "notes")
	refused := func(name string, err error) {
		t.Helper()
		if !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), one.Short+` notes "One"`) {
			t.Errorf("%s = %v, want ErrConflict that names who has it", name, err)
		}
	}
	_, err := w.kernel.SetLabel(t.Context(), owner, two.Doc, "notes")
	refused("SetLabel", err)
	_, err = w.kernel.CreateAs(t.Context(), owner, kernel.NewContext{Title: "Three", Label: "notes"}, "context_create", nil)
	refused("CreateAs", err)
	_, err = w.kernel.ForkAs(t.Context(), owner, one.Doc, nil, kernel.NewContext{Title: "Three", Label: "notes"})
	refused("ForkAs", err)
	if got := w.titles(owner, true); got != "One, Two" {
		t.Errorf("contexts = %q, want none made without its label", got)
	}
	reader := w.member("reader", kaijutsu.RightEdit)
	w.grant(one.Doc, "reader", kaijutsu.RightNone)
	if _, err := w.kernel.SetLabel(t.Context(), reader, two.Doc, "notes"); !errors.Is(err, kaijutsu.ErrConflict) || strings.Contains(err.Error(), "One") {
		t.Errorf("SetLabel by who may not read the other = %v, want ErrConflict that does not name it", err)
	}
	if _, err := w.kernel.Resolve(t.Context(), reader, "notes", kaijutsu.RightRead); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Resolve by who may not read it = %v, want ErrNotFound", err)
	}

	w.label(one.Doc, "notes") // as it is
	w.label(one.Doc, "first")
	if got := w.holds("notes"); got != "nobody" {
		t.Errorf("the old label is of %s, want it free", got)
	}
	w.label(two.Doc, "notes")
	if _, err := w.kernel.Archive(t.Context(), owner, one.Doc, true); err != nil {
		t.Fatal(err)
	}
	_, err = w.kernel.SetLabel(t.Context(), owner, two.Doc, "first")
	if !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("SetLabel of an archived context's = %v, want ErrConflict", err)
	}
	for range 2 {
		if first, notes := w.holds("first"), w.holds("notes"); first != "One" || notes != "Two" {
			t.Errorf("labels are of %s and %s, want One and Two", first, notes)
		}
		w.restart()
	}
	if err := w.kernel.Delete(t.Context(), owner, one.Doc, false); err != nil {
		t.Fatal(err)
	}
	if got := w.holds("first"); got != "nobody" {
		t.Errorf("the label of a deleted context is of %s, want it free", got)
	}
	w.label(two.Doc, "first")
	w.label(two.Doc, "")
	for name := range w.records.All("kernel/label/") {
		t.Errorf("record %s is left", name)
	}
}

func TestALabelIsAsked(t *testing.T) {
	w := newWorld(t)
	plan := w.context("Plan")
	for _, label := range []string{"a", "9", "release-notes", "v1.2_rc+3", "cafe", "feed-back", "deadbeat", strings.Repeat("x", 63)} {
		w.label(plan.Doc, label)
	}
	for _, label := range []string{"-a", ".a", "A", "a b", "a:b", "a/b", "é", strings.Repeat("x", 64), "a1b2c3", "00000000", plan.ID, plan.ID[:9], plan.Doc.String(), "a\n"} {
		if _, err := w.kernel.SetLabel(t.Context(), owner, plan.Doc, label); !errors.Is(err, kaijutsu.ErrInvalid) {
			t.Errorf("SetLabel(%q) = %v, want ErrInvalid", label, err)
		}
	}
	reader := w.member("reader", kaijutsu.RightComment)
	if _, err := w.kernel.SetLabel(t.Context(), reader, plan.Doc, "x"); !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("SetLabel by a commenter = %v, want ErrDenied", err)
	}
	if _, err := w.kernel.SetLabel(t.Context(), owner, w.records.Doc(), "x"); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("SetLabel of the records = %v, want ErrNotFound", err)
	}
}

// TestTwoNodesGiveOneLabel: one context has it in the end, the same on both.
func TestTwoNodesGiveOneLabel(t *testing.T) {
	a, b := newWorld(t), newWorld(t)
	one, two := a.context("One"), b.context("Two")
	a.label(one.Doc, "notes")
	b.label(two.Doc, "notes")
	share(a, b)
	if err := errors.Join(a.bring(b, two.Doc), b.bring(a, one.Doc)); err != nil {
		t.Fatal(err)
	}
	holder := a.holds("notes")
	if got := b.holds("notes"); got != holder || holder == "nobody" {
		t.Errorf("the label is of %s here and of %s there, want one of them", holder, got)
	}
	for _, w := range []*world{a, b} {
		labels := w.kernel.Label(one.Doc) + w.kernel.Label(two.Doc)
		if labels != "notes" {
			t.Errorf("the labels of both are %q, want one", labels)
		}
	}

	// And one context, given two labels at once, has the later.
	a.label(one.Doc, "early")
	share(a, b)
	a.label(one.Doc, "left")
	b.label(one.Doc, "right")
	share(a, b)
	label := a.kernel.Label(one.Doc)
	if got := b.kernel.Label(one.Doc); got != label || label != "right" {
		t.Errorf("the label is %q here and %q there, want the later one", label, got)
	}
	if got := a.holds("left"); got != "nobody" {
		t.Errorf("the label that lost is of %s, want nobody", got)
	}
	a.label(two.Doc, "left")
	share(a, b)
	if got := b.holds("left"); got != "Two" {
		t.Errorf("the label that was free is of %s, want Two", got)
	}
}

// TestALabelThatIsLostAtOnceIsAConflict: what is said to be labelled is.
func TestALabelThatIsLostAtOnceIsAConflict(t *testing.T) {
	a, b := newWorld(t), newWorld(t)
	one, two := a.context("One"), b.context("Two")
	for range 50 { // so that what a writes counts, not what b does at once
		a.settle()
	}
	lost := 0
	for i := range 40 {
		label := fmt.Sprintf("race-%d", i)
		a.label(one.Doc, label)
		var coming sync.WaitGroup
		coming.Go(func() {
			if err := b.bring(a, a.records.Doc()); err != nil {
				t.Error(err)
			}
		})
		info, err := b.kernel.SetLabel(t.Context(), owner, two.Doc, label)
		coming.Wait()
		switch {
		case errors.Is(err, kaijutsu.ErrConflict):
			lost++
		case err != nil:
			t.Fatal(err)
		case info.Label != label:
			t.Errorf("SetLabel(%q) = %+v, want the label or an error", label, info)
		}
	}
	t.Logf("%d of 40 were lost", lost)
}

// TestLabelRecordsThatCannotBeRead name nobody and are not written over.
func TestLabelRecordsThatCannotBeRead(t *testing.T) {
	w := newWorld(t)
	plan := w.context("Plan")
	for label, value := range map[string]string{
		"newer": `{"v":2,"doc":"` + plan.Doc.String() + `","at":"2026-01-01T00:00:00Z"}`, "other": `{"v":1,"doc":"` + plan.Doc.String() + `","x":1}`,
		"none": `{"v":1,"doc":"x"}`, "junk": `[`,
	} {
		if err := w.records.Put(t.Context(), owner.By, "kernel/label/"+label, []byte(value)); err != nil {
			t.Fatal(err)
		}
		if got := w.kernel.Label(plan.Doc); got != "" {
			t.Errorf("label = %q by %s", got, value)
		}
		if _, err := w.kernel.SetLabel(t.Context(), owner, plan.Doc, label); !errors.Is(err, kaijutsu.ErrConflict) {
			t.Errorf("SetLabel(%q) = %v, want ErrConflict", label, err)
		}
	}
}
