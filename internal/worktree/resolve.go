package worktree

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/textdiff"
)

func sortSnaps(snaps []Snap) {
	slices.SortFunc(snaps, func(a, b Snap) int { return strings.Compare(a.Path, b.Path) })
}

// What Resolve can take.
const (
	TakeBlock  = "block"
	TakeDisk   = "disk"
	TakeMerged = "merged"
)

// Resolve ends the conflict of a file: with what the block says, with what the
// disk holds, or with both, merged, where the lines that both changed stand one
// behind the other between marks. It is an edit of the caller's, who needs the
// right to edit the context; what the disk holds comes by who edits there, by way
// of the caller. The error wraps kaijutsu.ErrConflict when there is
// no conflict, and ErrInvalid when take is none of these.
func (o *Overlay) Resolve(ctx context.Context, call op.Call, name, take string) error {
	name, err := cleanName(name)
	if err != nil {
		return err
	}
	if take != TakeBlock && take != TakeDisk && take != TakeMerged {
		return kaijutsu.About("take", fmt.Errorf("take %.40q: want %s, %s or %s: %w", take, TakeBlock, TakeDisk, TakeMerged, kaijutsu.ErrInvalid))
	}
	return o.awaitFree(ctx, func(ctx context.Context) error {
		f := o.own.paths[name]
		if f == nil || f.rec.Conflict == nil {
			return kaijutsu.About("path", fmt.Errorf("file %q: there is no conflict to resolve: %w", name, kaijutsu.ErrConflict))
		}
		if err := o.mayEdit(call); err != nil {
			return err
		}
		l := o.lookAtDisk(f, time.Now())
		if l.problem != nil {
			return l.problem
		}
		if l.here && l.foreign == "" && !l.read {
			o.readDisk(l, time.Now())
		}
		if err := o.lookAtBlocks(ctx, []*look{l}); err != nil {
			return err
		}
		err := o.resolve(ctx, call, l, take)
		f.stale = true
		f.hurry(time.Now())
		o.present(f)
		return ignore(err, errAgain)
	})
}

func (o *Overlay) resolve(ctx context.Context, call op.Call, l *look, take string) error {
	f := l.f
	if l.here && !l.read && take != TakeDisk {
		return fmt.Errorf("file %q: %s; take disk, or put a text in its place: %w", f.rec.Path, cmpOr(l.foreign, "it has not changed"), kaijutsu.ErrConflict)
	}
	if take == TakeBlock {
		return o.blockWins(ctx, l)
	}
	text := l.text
	if take == TakeMerged && l.here {
		base, err := o.baseOf(ctx, l)
		if err != nil {
			return err
		}
		text = merged(textdiff.Merge3(base, l.block, l.text))
	}
	// The lines of the disk are whose they are; the caller chose them.
	theirs, here := text, l.here && l.foreign == ""
	if take == TakeMerged && here {
		theirs = withoutMarks(text)
	}
	from := l.block
	change := func(to string) func(repo.View, *blocks.Tx) error {
		return func(v repo.View, tx *blocks.Tx) error {
			b, ok := v.Block(f.rec.Block)
			switch {
			case !ok:
				return fmt.Errorf("block %s: %w", f.rec.Block, kaijutsu.ErrNotFound)
			case b.Content != from:
				return fmt.Errorf("file %q: its block was edited in the same moment; try again: %w", f.rec.Path, kaijutsu.ErrConflict)
			case !here:
				return tx.Delete(f.rec.Block)
			}
			return tx.ReplaceText(f.rec.Block, to)
		}
	}
	if !here {
		_, err := o.cfg.Kernel.Edit(ctx, call, o.own.at.Doc, "fs_resolve", change(""))
		return err
	}
	if _, err := o.cfg.Repo.Edit(ctx, o.own.at.Doc, repo.Edit{By: o.whose(l), Via: call.By, Message: "op:fs_resolve"}, change(theirs)); err != nil {
		return err
	}
	from = theirs
	if theirs != text {
		if _, err := o.cfg.Kernel.Edit(ctx, call, o.own.at.Doc, "fs_resolve", change(text)); err != nil {
			return err
		}
	}
	return o.blockWins(ctx, l)
}

func cmpOr(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// The marks between the sides of a conflict.
const (
	markBlock   = "<<<<<<< block\n"
	markBetween = "=======\n"
	markDisk    = ">>>>>>> disk\n"
)

// withoutMarks is a merged text without the lines that are marks.
func withoutMarks(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line != markBlock && line != markBetween && line != markDisk {
			b.WriteString(line)
		}
	}
	return b.String()
}

// merged returns a merge's text, with the lines of both sides between marks
// where they overlap.
func merged(m textdiff.Merged) string {
	var b strings.Builder
	lines := strings.SplitAfter(m.Text, "\n")
	at := 0
	for _, c := range m.Conflicts {
		to := min(max(c.Line, at), len(lines))
		b.WriteString(strings.Join(lines[at:to], ""))
		at = min(to+len(c.Ours), len(lines))
		fence(&b, markBlock, c.Ours)
		fence(&b, markBetween, c.Theirs)
		fence(&b, markDisk, nil)
	}
	b.WriteString(strings.Join(lines[at:], ""))
	return b.String()
}

// fence writes a mark, on a line of its own, and lines.
func fence(b *strings.Builder, mark string, lines []string) {
	if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
		b.WriteByte('\n')
	}
	b.WriteString(mark)
	b.WriteString(strings.Join(lines, ""))
}

// mayEdit refuses callers that may not edit the context.
func (o *Overlay) mayEdit(call op.Call) error {
	if o.cfg.Kernel.Right(call, o.own.at.Doc) < kaijutsu.RightEdit {
		return fmt.Errorf("%s may not edit the files of %s: %w", call.By.Name, o.cfg.Mount, kaijutsu.ErrDenied)
	}
	return nil
}

// awaitFree runs f in the owner's goroutine, when the overlay is neither paused
// for longer than patience nor frozen.
func (o *Overlay) awaitFree(ctx context.Context, f func(context.Context) error) error {
	var paused time.Time
	return o.await(ctx, func(ctx context.Context) (bool, error) {
		now := time.Now()
		switch {
		case o.own.paused == "":
			paused = time.Time{}
		case paused.IsZero():
			paused = now
		}
		switch {
		case !o.own.ready || o.own.paused != "" && (!transient(o.own.paused) || now.Sub(paused) > patience):
			return true, o.errPaused()
		case o.own.held || o.own.paused != "":
			return false, nil
		}
		return true, f(ctx)
	})
}
