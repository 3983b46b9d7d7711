package kernel_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/kernel"
)

// golden writes a record as a release has written it, with the documents that it
// names put in.
func (w *world) golden(file, name string, put ...string) {
	w.t.Helper()
	value, err := os.ReadFile("testdata/" + file)
	if err != nil {
		w.t.Fatal(err)
	}
	text := strings.NewReplacer(put...).Replace(strings.TrimSpace(string(value)))
	if err := w.records.Put(w.t.Context(), owner.By, name, []byte(text)); err != nil {
		w.t.Fatal(err)
	}
}

// TestRecordsOfEveryRelease must be read for ever, and by the release that wrote
// them: a record says no higher version than what is in it needs.
func TestRecordsOfEveryRelease(t *testing.T) {
	w := newWorld(t)
	parent, doc := w.context("Parent"), w.context("Plan").Doc
	at := time.Date(2026, 11, 21, 10, 0, 0, 123e6, time.UTC)
	info := func() kernel.ContextInfo {
		t.Helper()
		info, err := w.kernel.Context(t.Context(), owner, doc)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	amy := kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person}
	record := "kernel/context/" + doc.String()

	w.golden("context_record.1.json", record, "<parent>", parent.Doc.String())
	got := info()
	if got.By != amy || !got.Created.Equal(at) || got.Archived.IsZero() || got.Fork.From != parent.Doc || len(got.Fork.Heads) != 1 || got.Model != (kernel.Model{}) {
		t.Errorf("the first release's record = %+v", got)
	}
	before, _ := w.records.Get(record)
	if _, err := w.kernel.SetModel(t.Context(), owner, doc, kernel.Model{Name: "m"}); err != nil {
		t.Fatal(err)
	}
	if now, _ := w.records.Get(record); !strings.HasPrefix(string(now), `{"v":2,`) {
		t.Errorf("a record with a model = %s, want version 2", now)
	}
	if _, err := w.kernel.SetModel(t.Context(), owner, doc, kernel.Model{}); err != nil {
		t.Fatal(err)
	}
	if now, _ := w.records.Get(record); string(now) != string(before) {
		t.Errorf("the record without a model = %s, want %s as it was", now, before)
	}

	w.golden("context_record.2.json", record)
	if got := info(); got.By != amy || got.Model != (kernel.Model{Provider: "anthropic", Name: "claude-opus-4"}) || !got.Archived.IsZero() {
		t.Errorf("a record with a model = %+v", got)
	}
	w.golden("label_record.1.json", "kernel/label/notes", "<document>", doc.String())
	if got := w.holds("notes"); got != "Plan" {
		t.Errorf("the label is of %s, want Plan", got)
	}
	if n := w.kernel.Unread(); n != 0 {
		t.Errorf("%d records cannot be read, want none", n)
	}
}

func TestAModelIsAsked(t *testing.T) {
	w := newWorld(t)
	plan := w.context("Plan")
	reader := w.member("reader", kaijutsu.RightComment)
	if _, err := w.kernel.SetModel(t.Context(), reader, plan.Doc, kernel.Model{Name: "m"}); err == nil {
		t.Error("SetModel by a commenter works")
	}
	for _, m := range []kernel.Model{
		{Provider: "p"}, {Name: " m"}, {Name: "m\n"}, {Name: "\xff"}, {Name: strings.Repeat("m", 201)}, {Provider: strings.Repeat("p", 65), Name: "m"},
	} {
		if _, err := w.kernel.SetModel(t.Context(), owner, plan.Doc, m); err == nil {
			t.Errorf("SetModel(%q) works", m)
		}
	}
}
