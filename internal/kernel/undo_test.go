package kernel_test

import (
	"errors"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

func TestUndo(t *testing.T) {
	w := newWorld(t)
	plan := w.context("Plan")
	amy, ben := w.member("amy", kaijutsu.RightEdit), w.member("ben", kaijutsu.RightEdit)
	id := w.block(owner, plan.Doc, blocks.BlockSpec{Content: "0"})
	write := func(c op.Call, text string) repo.Edited {
		t.Helper()
		edited, err := w.kernel.Edit(t.Context(), c, plan.Doc, "block_edit", func(_ repo.View, tx *blocks.Tx) error { return tx.AppendText(id, text) })
		if err != nil {
			t.Fatal(err)
		}
		return edited
	}
	undo := func(c op.Call, steps int, want string) []string {
		t.Helper()
		done, err := w.kernel.Undo(t.Context(), c, plan.Doc, steps)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.content(plan.Doc, id); got != want {
			t.Errorf("content after the undo = %q, want %q", got, want)
		}
		var units []string
		for _, unit := range done.Units {
			units = append(units, unit[len(unit)-1].String())
		}
		return units
	}
	first := write(amy, "a")
	write(ben, "b")
	write(amy, "c")
	write(ben, "d")
	undo(amy, 0, "0abd")
	undo(amy, 0, "0abcd") // what was undone is there again
	undo(ben, 1, "0abc")
	w.restart() // her changes have another actor from here on
	write(amy, "e")
	if units := undo(amy, 3, "0b"); len(units) != 3 || units[2] != first.Change.String() {
		t.Errorf("undone units = %v, want three, the oldest of them %v", units, first.Change)
	}
	if _, err := w.kernel.Undo(t.Context(), amy, plan.Doc, 1); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("undo of nothing = %v, want ErrNotFound", err)
	}
	w.append(amy, plan.Doc, id, "waits", false)
	undo(amy, 1, "0b")

	if _, err := w.kernel.UndoChange(t.Context(), ben, plan.Doc, first.Change); !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("undo of somebody else's change = %v, want ErrDenied", err)
	}
	if _, err := w.kernel.UndoChange(t.Context(), ben, plan.Doc, kaijutsu.ChangeHash{1}); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("undo of an unknown change = %v, want ErrNotFound", err)
	}
	last := write(amy, "z")
	write(ben, "y")
	if _, err := w.kernel.UndoChange(t.Context(), amy, plan.Doc, last.Change); err != nil {
		t.Fatal(err)
	}
	if got := w.content(plan.Doc, id); strings.Contains(got, "z") || !strings.Contains(got, "y") {
		t.Errorf("content = %q, want y and not z", got)
	}
	if _, err := w.kernel.Undo(t.Context(), w.member("reader", kaijutsu.RightRead), plan.Doc, 0); !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("undo by a reader = %v, want ErrDenied", err)
	}
}
