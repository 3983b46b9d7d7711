package kernel_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
)

// TestRegistry is what a register of contexts has to do for those who send
// things from one to another.
func TestRegistry(t *testing.T) {
	resolve := func(t *testing.T, w *world, c op.Call, address string, want kaijutsu.DocumentID) {
		t.Helper()
		if got, err := w.kernel.Resolve(t.Context(), c, address, kaijutsu.RightRead); err != nil || got != want {
			t.Errorf("Resolve(%q) = %v, %v, want %v", address, got, err, want)
		}
	}
	t.Run("register_and_lookup", func(t *testing.T) {
		w := newWorld(t)
		plan, err := w.kernel.CreateAs(t.Context(), owner, kernel.NewContext{Title: "The plan", Label: "plan"}, "context_create", nil)
		if err != nil {
			t.Fatal(err)
		}
		other := w.context("Other")
		for range 2 {
			for _, address := range []string{plan.ID, plan.Short, "plan", "The plan", "the p", "main:plan", plan.Doc.URL()} {
				resolve(t, w, owner, address, plan.Doc)
			}
			resolve(t, w, owner, other.Short, other.Doc)
			w.restart()
		}
	})
	t.Run("register_with_parent", func(t *testing.T) {
		w := newWorld(t)
		plan := w.context("Plan")
		fork, err := w.kernel.Fork(t.Context(), owner, plan.Doc, nil, "Fork")
		if err != nil {
			t.Fatal(err)
		}
		again, err := w.kernel.Fork(t.Context(), owner, fork.Doc, nil, "Again")
		if err != nil {
			t.Fatal(err)
		}
		if fork.Fork.From != plan.Doc || again.Fork.From != fork.Doc {
			t.Errorf("forked from %v and %v, want %v and %v", fork.Fork.From, again.Fork.From, plan.Doc, fork.Doc)
		}
		within := owner
		within.Context = again.Short
		resolve(t, w, within, ".parent", fork.Doc)
		resolve(t, w, within, ".parent.parent", plan.Doc)
	})
	t.Run("short_id_uniqueness", func(t *testing.T) {
		w := newWorld(t)
		short := make(map[string]kaijutsu.DocumentID)
		for range 100 {
			info := w.context("Plan")
			short[w.kernel.Short(info.Doc)] = info.Doc
		}
		if len(short) != 100 {
			t.Errorf("%d short ids, want 100", len(short))
		}
		for s, doc := range short {
			resolve(t, w, owner, s, doc)
		}
	})
	t.Run("context_to_short_id", func(t *testing.T) {
		w := newWorld(t)
		plan := w.context("Plan")
		short := w.kernel.Short(plan.Doc)
		if len(short) != 6 || !strings.HasSuffix(plan.ID, short) || short != plan.Short {
			t.Errorf("Short = %q, in the list %q, want the last 6 digits of %s", short, plan.Short, plan.ID)
		}
		resolve(t, w, owner, short, plan.Doc)
		resolve(t, w, owner, strings.ToUpper(short), plan.Doc)
	})
	t.Run("list_contexts_sorted", func(t *testing.T) {
		w := newWorld(t)
		for _, title := range []string{"c", "a", "b", "a"} {
			w.context(title)
		}
		all, err := w.kernel.Contexts(t.Context(), owner, false)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSortedFunc(all, func(a, b kernel.ContextInfo) int { return a.Doc.Compare(b.Doc) }) || len(all) != 4 {
			t.Errorf("contexts = %v, want 4 by id", titles(all))
		}
		if !slices.IsSortedFunc(all, func(a, b kernel.ContextInfo) int { return a.Created.Compare(b.Created) }) {
			t.Errorf("contexts = %v, want the oldest first", titles(all))
		}
	})
	t.Run("shared_drift_on_fork", func(t *testing.T) {
		w := newWorld(t)
		plan, notes := w.context("Plan"), w.context("Notes")
		fork, err := w.kernel.Fork(t.Context(), owner, plan.Doc, nil, "Fork")
		if err != nil {
			t.Fatal(err)
		}
		within := owner
		within.Context = fork.ID
		for address, want := range map[string]kaijutsu.DocumentID{".": fork.Doc, ".parent": plan.Doc, "Plan": plan.Doc, notes.Short: notes.Doc} {
			resolve(t, w, within, address, want)
		}
		if got := w.titles(within, false); got != "Plan, Notes, Fork" {
			t.Errorf("a fork sees the contexts %q, want its parent's and itself", got)
		}
	})
	t.Run("configure_llm", func(t *testing.T) {
		w := newWorld(t)
		plan := w.context("Plan")
		if provider, model := w.kernel.Model(plan.Doc); provider != "" || model != "" {
			t.Errorf("Model of a new context = %q, %q, want none", provider, model)
		}
		m := kernel.Model{Provider: "anthropic", Name: "claude-opus-4"}
		if info, err := w.kernel.SetModel(t.Context(), owner, plan.Doc, m); err != nil || info.Model != m {
			t.Fatalf("SetModel = %+v, %v", info.Model, err)
		}
		w.restart()
		if provider, model := w.kernel.Model(plan.Doc); provider != m.Provider || model != m.Name {
			t.Errorf("Model = %q, %q, want %v", provider, model, m)
		}
	})
	t.Run("configure_llm_unknown_context", func(t *testing.T) {
		w := newWorld(t)
		w.context("Plan")
		unknown := kaijutsu.ContextID{1, 2, 3}.Document()
		if _, err := w.kernel.SetModel(t.Context(), owner, unknown, kernel.Model{Name: "x"}); !errors.Is(err, kaijutsu.ErrNotFound) {
			t.Errorf("SetModel of an unknown context = %v, want ErrNotFound", err)
		}
		if provider, model := w.kernel.Model(unknown); provider != "" || model != "" {
			t.Errorf("Model = %q, %q, want none", provider, model)
		}
	})
}
