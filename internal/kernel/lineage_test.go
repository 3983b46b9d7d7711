package kernel_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
)

// tree shows a lineage, a line for each context.
func tree(all []kernel.Kin) string {
	var b strings.Builder
	for _, kin := range all {
		fmt.Fprintf(&b, "%s%s", strings.Repeat(" ", kin.Depth), kin.Title)
		for _, mark := range []struct {
			text string
			is   bool
		}{{"*", kin.Here}, {"#" + kin.Label, kin.Label != ""}, {"~", !kin.Archived.IsZero()}, {"x", kin.Deleted}} {
			if mark.is {
				b.WriteString(mark.text)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestLineage(t *testing.T) {
	w := newWorld(t)
	made := map[string]kernel.ContextInfo{"root": w.context("root")}
	fork := func(of, title string) {
		t.Helper()
		info, err := w.kernel.ForkAs(t.Context(), owner, made[of].Doc, nil, kernel.NewContext{Title: title})
		if err != nil {
			t.Fatal(err)
		}
		made[title] = info
	}
	fork("root", "a")
	fork("a", "a1")
	fork("a1", "a1x")
	fork("a", "a2")
	fork("root", "b")
	w.label(made["a1"].Doc, "one")
	if _, err := w.kernel.Archive(t.Context(), owner, made["a2"].Doc, true); err != nil {
		t.Fatal(err)
	}
	reader := w.member("reader", kaijutsu.RightRead)
	check := func(name string, c op.Call, of, want string) {
		t.Helper()
		got, err := w.kernel.Lineage(t.Context(), c, made[of].Doc)
		if err != nil {
			t.Fatal(err)
		}
		if tree(got) != want {
			t.Errorf("%s: lineage of %s =\n%swant\n%s", name, of, tree(got), want)
		}
		for i, kin := range got {
			if kin.Depth > 0 && (kin.Fork.From.IsZero() || len(kin.Fork.Heads) == 0) || i == 0 && !kin.Fork.From.IsZero() {
				t.Errorf("%s: %s was forked from %+v", name, kin.Title, kin.Fork)
			}
		}
	}
	check("of the top", owner, "root", "root*\n a\n  a1#one\n   a1x\n  a2~\n b\n")
	check("of the middle", owner, "a", "root\n a*\n  a1#one\n   a1x\n  a2~\n")
	check("of the end", owner, "a1x", "root\n a\n  a1#one\n   a1x*\n")
	w.grant(made["a1"].Doc, "reader", kaijutsu.RightNone)
	check("what may not be read", reader, "root", "root*\n a\n  a2~\n b\n")
	check("below what may not be read", reader, "a1x", "a1x*\n")
	if _, err := w.kernel.Lineage(t.Context(), reader, made["a1"].Doc); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Lineage of what may not be read = %v, want ErrNotFound", err)
	}
	w.restart()
	check("after a restart", owner, "a", "root\n a*\n  a1#one\n   a1x\n  a2~\n")
	if err := w.kernel.Delete(t.Context(), owner, made["a"].Doc, true); err != nil {
		t.Fatal(err)
	}
	check("a deleted parent", owner, "a2", "x\n a2*~\n")
	check("a deleted fork", owner, "root", "root*\n b\n")
}
