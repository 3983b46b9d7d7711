package kernel_test

import (
	"errors"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// TestCommentersOnlyComment holds every way to write against what a commenter
// may: make comments, and edit its own.
func TestCommentersOnlyComment(t *testing.T) {
	w := newWorld(t)
	plan := w.context("Plan")
	commenter, other := w.member("commenter", kaijutsu.RightComment), w.member("other", kaijutsu.RightComment)
	comment := blocks.BlockSpec{Kind: blocks.KindComment, Content: "hm"}
	text := w.block(owner, plan.Doc, blocks.BlockSpec{Content: "text"})
	owners := w.block(owner, plan.Doc, comment)
	mine := w.block(commenter, plan.Doc, comment)
	tests := []struct {
		name  string
		write func(tx *blocks.Tx, id blocks.ID) error
		own   error // on a comment of its own
		// On anything else it is refused.
	}{
		{"append", func(tx *blocks.Tx, id blocks.ID) error { return tx.AppendText(id, "x") }, nil},
		{"splice", func(tx *blocks.Tx, id blocks.ID) error { return tx.SpliceText(id, 0, 1, "x") }, nil},
		{"replace", func(tx *blocks.Tx, id blocks.ID) error { return tx.ReplaceText(id, "other") }, nil},
		{"status", func(tx *blocks.Tx, id blocks.ID) error { return tx.SetStatus(id, blocks.StatusError) }, nil},
		{"meta", func(tx *blocks.Tx, id blocks.ID) error { return tx.SetMeta(id, `{"a":1}`) }, nil},
		{"flag", func(tx *blocks.Tx, id blocks.ID) error { return tx.SetFlag(id, blocks.FlagExcluded, true) }, nil},
		{"move", func(tx *blocks.Tx, id blocks.ID) error { return tx.Move(id, "", blocks.First()) }, nil},
		{"two blocks at once", func(tx *blocks.Tx, id blocks.ID) error {
			return errors.Join(tx.AppendText(mine, "x"), tx.AppendText(owners, "x"), tx.AppendText(id, "x"))
		}, kaijutsu.ErrDenied},
		{"the title", func(tx *blocks.Tx, id blocks.ID) error {
			return errors.Join(tx.AppendText(mine, "x"), tx.SetTitle("mine"))
		}, kaijutsu.ErrDenied},
		{"a text block", func(tx *blocks.Tx, id blocks.ID) error {
			return tx.InsertBlock(blocks.BlockSpec{ID: blocks.NewID(time.Now()), Content: "x"})
		}, kaijutsu.ErrDenied},
		{"delete", func(tx *blocks.Tx, id blocks.ID) error { return tx.Delete(id) }, nil},
	}
	for _, test := range tests {
		for of, id := range map[string]blocks.ID{"text": text, "owner's comment": owners, "own comment": mine} {
			t.Run(test.name+" of "+of, func(t *testing.T) {
				want := kaijutsu.ErrDenied
				if id == mine {
					want = test.own
				}
				before := w.version(plan.Doc)
				edited, err := w.kernel.Edit(t.Context(), commenter, plan.Doc, "x", func(_ repo.View, tx *blocks.Tx) error { return test.write(tx, id) })
				if still := err == nil && edited.Change == (kaijutsu.ChangeHash{}); !errors.Is(err, want) && !still { // what is so already is no change
					t.Fatalf("Edit = %+v, %v, want %v", edited, err, want)
				}
				if got := w.version(plan.Doc); want != nil && got != before {
					t.Errorf("%d changes were written, want none", got-before)
				}
				edited, err = w.kernel.Edit(t.Context(), other, plan.Doc, "x", func(_ repo.View, tx *blocks.Tx) error { return test.write(tx, id) })
				if !errors.Is(err, kaijutsu.ErrDenied) && edited.Change != (kaijutsu.ChangeHash{}) {
					t.Errorf("Edit by another commenter = %+v, %v, want ErrDenied", edited, err)
				}
			})
		}
	}
	if _, _, err := w.insert(commenter, plan.Doc, blocks.BlockSpec{Kind: blocks.KindComment, Parent: text, Content: "on this"}); err != nil {
		t.Errorf("comment below a block: %v", err)
	}
	if got := w.content(plan.Doc, text); got != "text" {
		t.Errorf("content = %q", got)
	}
}

func TestRolesInContexts(t *testing.T) {
	w := newWorld(t)
	plan := w.context("Plan")
	ops := map[string]func(op.Call) error{
		"read": func(c op.Call) error {
			return w.kernel.View(t.Context(), c, plan.Doc, func(repo.View) error { return nil })
		},
		"comment": func(c op.Call) error {
			_, _, err := w.insert(c, plan.Doc, blocks.BlockSpec{Kind: blocks.KindComment})
			return err
		},
		"write":   func(c op.Call) error { _, _, err := w.insert(c, plan.Doc, blocks.BlockSpec{}); return err },
		"rename":  func(c op.Call) error { _, err := w.kernel.Rename(t.Context(), c, plan.Doc, "Plan"); return err },
		"archive": func(c op.Call) error { _, err := w.kernel.Archive(t.Context(), c, plan.Doc, false); return err },
		"delete":  func(c op.Call) error { return w.kernel.Delete(t.Context(), c, plan.Doc, false) }, // refused in any case: it is not archived
	}
	needs := map[string]kaijutsu.Right{
		"read": kaijutsu.RightRead, "comment": kaijutsu.RightComment, "write": kaijutsu.RightEdit, "rename": kaijutsu.RightEdit,
		"archive": kaijutsu.RightEdit, "delete": kaijutsu.RightOwn,
	}
	for kernelRight := kaijutsu.RightNone; kernelRight <= kaijutsu.RightOwn; kernelRight++ {
		for grant := kaijutsu.RightNone; grant <= kaijutsu.RightOwn+1; grant++ {
			name := kernelRight.String() + " of the kernel"
			effective := kernelRight
			c := w.member("p"+kernelRight.String()+grant.String(), kernelRight)
			if grant <= kaijutsu.RightOwn {
				name += ", " + grant.String() + " of the context"
				w.grant(plan.Doc, c.By.Name, grant)
				if kernelRight < kaijutsu.RightOwn {
					effective = grant
				}
			}
			t.Run(name, func(t *testing.T) {
				if got := w.kernel.Right(c, plan.Doc); got != effective {
					t.Errorf("Right = %v, want %v", got, effective)
				}
				if got := w.kernel.SyncRight(c.By, plan.Doc); got != effective {
					t.Errorf("SyncRight = %v, want %v", got, effective)
				}
				for what, do := range ops {
					var want error
					switch {
					case effective == kaijutsu.RightNone:
						want = kaijutsu.ErrNotFound
					case effective < needs[what]:
						want = kaijutsu.ErrDenied
					case what == "delete":
						want = kaijutsu.ErrConflict
					}
					if err := do(c); !errors.Is(err, want) {
						t.Errorf("%s = %v, want %v", what, err, want)
					}
				}
			})
		}
	}
}
