package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/textdiff"
)

// merge puts together what block and disk have each made of the agreed text, or
// shows that it does not go together.
func (o *Overlay) merge(ctx context.Context, l *look) error {
	f := l.f
	if c := f.rec.Conflict; c != nil && !l.noticed && c.Disk == l.disk {
		return o.blockWins(ctx, l)
	}
	base, err := o.baseOf(ctx, l)
	if err != nil {
		return err
	}
	if base, _ = reended(base, l.text, ending(f.rec.Shape, l.shape)); l.overtook == nil {
		if err := o.reend(ctx, l); err != nil {
			return err
		}
	}
	m := textdiff.Merge3(base, l.block, l.text)
	if len(m.Conflicts) > 0 && f.loaded { // the base may be older than both
		if longer, ok := longerOf(l.block, l.text); ok {
			return o.blend(ctx, l, base, longer)
		}
		if base, err = o.laterBase(ctx, l, base); err != nil {
			return err
		}
		m = textdiff.Merge3(base, l.block, l.text)
	}
	if len(m.Conflicts) > 0 {
		return o.conflict(ctx, l, conflictText(f.rec.Path, base, m.Conflicts))
	}
	return o.blend(ctx, l, base, m.Text)
}

// Where a base is looked for that is later than the one on record.
const (
	maxLater  = 4000 // changes
	maxImport = 24   // imports among them
)

// laterBase returns the text that block and disk come from, of those that they
// may have agreed on behind the record's back, as when the program was killed
// before an import was on record: what a flush was about to write, and what the
// imports in the log left in the block. It is the one that differs least from
// both.
func (o *Overlay) laterBase(ctx context.Context, l *look, base string) (string, error) {
	best := lines(textdiff.Hunks(base, l.block)) + lines(textdiff.Hunks(base, l.text))
	try := func(text string) {
		if n := lines(textdiff.Hunks(text, l.block)) + lines(textdiff.Hunks(text, l.text)); n < best {
			base, best = text, n
		}
	}
	if p := l.f.rec.Pending; p != nil {
		text, err := o.textAt(ctx, l.f, p.Heads)
		if err != nil {
			return "", err
		}
		try(text)
	}
	var texts []string
	err := o.cfg.Repo.View(ctx, o.own.at.Doc, func(v repo.View) error {
		log := v.Log()
		texts = texts[:0]
		for i := log.Len() - 1; i >= max(log.Len()-maxLater, 0) && len(texts) < maxImport; i-- {
			if by, via := v.Principal(log.Author(i)); by != o.cfg.DiskAs && by != Git && via != Git {
				continue
			}
			then, err := v.ContentAt(l.f.rec.Block, kaijutsu.Heads{log.Hash(i)})
			if errors.Is(err, kaijutsu.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			texts = append(texts, then.Content)
		}
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("look for what block and disk come from: %w", err)
	}
	for _, text := range texts {
		try(text)
	}
	return base, nil
}

// longerOf returns the one of two texts that has all lines of the other, in their
// order, and more.
func longerOf(a, b string) (string, bool) {
	aMore, bMore := false, false
	for _, h := range textdiff.Hunks(a, b) {
		aMore, bMore = aMore || len(h.Old) > 0, bMore || len(h.New) > 0
	}
	if aMore {
		return a, !bMore
	}
	return b, true
}

// baseOf returns the text that block and disk come from: what they last agreed
// on, or, after a crash, something older.
func (o *Overlay) baseOf(ctx context.Context, l *look) (string, error) {
	f := l.f
	if l.overtook != nil {
		return *l.overtook, nil
	}
	base := ""
	var err error
	switch {
	case f.rec.Base != nil:
		base = *f.rec.Base
	case f.rec.Exists && len(f.rec.Heads) > 0:
		base, err = o.textAt(ctx, f, f.rec.Heads)
	}
	if p := f.rec.Pending; p != nil && err == nil {
		var cutOff string
		if cutOff, err = o.textAt(ctx, f, p.Heads); err == nil && hashText(cutOff) == p.Text {
			if m := textdiff.Merge3(base, cutOff, l.text); len(m.Conflicts) == 0 && m.Text == l.text {
				base = cutOff // it got to the disk, and the disk was edited since
			}
		}
	}
	return base, err
}

// overtakes returns the text that the file on the disk was made of, when that is
// one that was there before our last flushes: as sed -i does, which reads, writes
// another file and renames it. Such a file was last written, and put there, not
// long after the flush, and lacks all that was flushed since, which goes together
// with what it has instead. Of several such texts it is the one that is most like
// the file. What only takes away, or is just what was there once, counts for
// shorter: somebody may have meant that.
func (o *Overlay) overtakes(l *look) *string {
	all := l.f.flushed
	if !l.read || len(all) == 0 || hashText(all[len(all)-1].text) != l.f.rec.Text {
		return nil
	}
	now := all[len(all)-1].text
	end := time.Now().Add(maxComparing)
	written := max(l.stamp.MTime, l.stamp.CTime) // ctime: when it was put there
	var from *string
	least := lines(textdiff.Hunks(now, l.text))
	for i := len(all) - 1; i >= 0; i-- {
		p := &all[i]
		since := time.Duration(written - p.at.UnixNano())
		if since > stalled || max(len(p.before), len(now), len(l.text)) > maxOvertaken {
			break
		}
		if len(all)-i > alwaysCompared && time.Now().After(end) {
			break
		}
		own := textdiff.Hunks(p.before, l.text)
		if len(own) == 0 && since > overtaken {
			return nil // it was put back
		}
		if n := lines(own); n < least && (since <= overtaken || brings(own)) && lacks(p.before, now, l.text) {
			from, least = &p.before, n
		}
	}
	return from
}

// brings reports whether lines are among what differs that were not there.
func brings(hunks []textdiff.Hunk) bool {
	return slices.ContainsFunc(hunks, func(h textdiff.Hunk) bool { return len(h.New) > 0 })
}

// stashed returns the text that git stash has taken, when we flushed after that and
// before git put back what it has: what was flushed then is in no stash, and is
// not to go with what is.
func (o *Overlay) stashed(l *look) *string {
	all := l.f.flushed
	if !l.read || len(all) == 0 || hashText(all[len(all)-1].text) != l.f.rec.Text {
		return nil
	}
	r := o.cfg.Git.Repo()
	h, err := r.Resolve("refs/stash")
	if err != nil {
		return nil
	}
	made, err := os.Lstat(filepath.Join(r.GitDir(), "refs", "stash"))
	if err != nil || made.ModTime().Before(all[0].at.Add(-time.Second)) {
		return nil // it is an older one
	}
	held, ok := o.heldAt(h, l.f.rec.Path)
	if !ok || held == all[len(all)-1].text {
		return nil
	}
	for i := range all {
		if all[i].before == held {
			return &all[i].before
		}
	}
	return nil
}

// Bounds of the search for what a text was made of: the bytes of a text, and how
// many are compared however long it takes.
const (
	maxOvertaken   = 256 << 10
	alwaysCompared = 8
)

// lacks reports whether a text has nothing of what became of before, and what it
// has instead goes together with all of that; and is nearer to before than to
// what that became.
func lacks(before, now, text string) bool {
	ours := textdiff.Hunks(before, now)
	if lines(textdiff.Hunks(before, text)) >= lines(textdiff.Hunks(now, text)) {
		return false
	}
	m := textdiff.Merge3(before, now, text)
	if len(m.Conflicts) > 0 || len(ours) == 0 {
		return false
	}
	return slices.EqualFunc(ours, textdiff.Hunks(text, m.Text), func(a, b textdiff.Hunk) bool {
		return slices.Equal(a.Old, b.Old) && slices.Equal(a.New, b.New)
	})
}

// lines counts the lines that differ.
func lines(hunks []textdiff.Hunk) (n int) {
	for _, h := range hunks {
		n += len(h.Old) + len(h.New)
	}
	return n
}

// textAt returns what a file's block held at some heads; nothing, when that is
// not known any more.
func (o *Overlay) textAt(ctx context.Context, f *file, heads kaijutsu.Heads) (text string, err error) {
	if len(heads) == 0 {
		return "", nil
	}
	err = o.cfg.Repo.View(ctx, o.own.at.Doc, func(v repo.View) error {
		then, err := v.ContentAt(f.rec.Block, heads)
		text = then.Content
		return err
	})
	if errors.Is(err, kaijutsu.ErrNotFound) {
		return "", nil
	}
	return text, err
}

// blend makes the merged text the block's, as edits of what the disk brings. The
// block then differs from the disk by what it had itself, and is flushed.
func (o *Overlay) blend(ctx context.Context, l *look, base, merged string) error {
	f, skip := l.f, false
	if l.overtook != nil { // else, should it end here, the disk would have taken away what was flushed
		f.halfway(base)
		if err := o.save(ctx, o.own.at.Doc, []*file{f}); err != nil {
			return err
		}
	}
	who := o.whose(l)
	var steps []carryStep
	if who == Git && o.mayCarry() {
		steps = o.stepsTo(ctx, l, base, merged)
	}
	var err error
	if len(steps) > 1 {
		was := f.rec
		_, _, err = o.bring(ctx, l, steps, func(s carryStep, _ repo.Edited, _ bool) { f.halfway(s.disk) })
		if err == nil {
			f.rec = was
		}
	} else {
		_, err = o.cfg.Repo.Edit(ctx, o.own.at.Doc, repo.Edit{By: who, Message: "op:file_import"}, func(v repo.View, tx *blocks.Tx) (err error) {
			moved := *l
			moved.text = merged
			_, skip, err = write(v, tx, &moved)
			return err
		})
	}
	switch {
	case err != nil:
		return err
	case skip:
		return errAgain
	}
	text := l.text
	heads := f.rec.Heads
	if p := f.rec.Pending; p != nil && l.agreed.Exists && l.agreed.Hash == p.Text {
		heads = p.Heads
	}
	f.stamped(l)
	o.agreed(f, hashText(text), heads)
	f.rec.Base, f.stale, f.dirty = &text, true, true
	if err := o.reconciled(ctx, f); err != nil {
		return err
	}
	if err := o.save(ctx, o.own.at.Doc, []*file{f}); err != nil {
		return err
	}
	return errAgain // and flush it
}

// blockWins ends a conflict in favour of the block: what the disk holds counts
// as seen, and is written over.
func (o *Overlay) blockWins(ctx context.Context, l *look) error {
	f := l.f
	if l.here && !l.read {
		return nil // it cannot be written over
	}
	f.rec.Exists, f.rec.Pending = l.here, nil
	if l.here {
		text := l.text
		f.stamped(l)
		f.rec.Text, f.rec.Base = hashText(text), &text
	}
	if err := o.reconciled(ctx, f); err != nil {
		return err
	}
	f.stale, f.saved = true, false
	if err := o.save(ctx, o.own.at.Doc, []*file{f}); err != nil {
		return err
	}
	return errAgain
}

// disagree shows a conflict that no merge can end.
func (o *Overlay) disagree(ctx context.Context, l *look, why string) error {
	if c := l.f.rec.Conflict; c != nil && !l.noticed && c.Disk == l.disk {
		return o.blockWins(ctx, l)
	}
	return o.conflict(ctx, l, why+"\n"+howToEnd(l.f.rec.Path, l.here))
}

// shut closes the block of a file that can be none any more.
func (o *Overlay) shut(ctx context.Context, l *look) error {
	f, skip := l.f, false
	id := blocks.NewID(o.cfg.Now())
	text := f.rec.Path + " is no block any more: " + l.foreign + ". Its block is put away, and comes back when the file is a text again; until then it is read and written as a file."
	_, err := o.cfg.Repo.Edit(ctx, o.own.at.Doc, repo.Edit{By: o.whose(l), Message: "op:file_close"}, func(v repo.View, tx *blocks.Tx) error {
		b, ok := v.Block(f.rec.Block)
		if skip = ok && b.Content != l.block; skip || !ok || b.Deleted {
			return nil
		}
		return tx.Delete(f.rec.Block)
	})
	if err != nil {
		return err
	}
	if skip {
		return errAgain
	}
	if err := o.insertNotice(ctx, id, "", text, metaOfNotice{Path: f.rec.Path, Closed: l.foreign}); err != nil {
		return err
	}
	f.rec.Exists, f.rec.Closed, f.rec.Fresh, f.rec.Pending = false, l.foreign, false, nil
	f.rec.Notice = id
	f.stale, f.dirty, f.saved = false, false, false
	if c := f.rec.Conflict; c != nil {
		if err := o.deleteNotice(ctx, c.Block); err != nil {
			return err
		}
		f.rec.Conflict = nil
	}
	return o.save(ctx, o.own.at.Doc, []*file{f})
}

// reconciled ends what was said to be the matter with a file.
func (o *Overlay) reconciled(ctx context.Context, f *file) error {
	if c := f.rec.Conflict; c != nil {
		if err := o.deleteNotice(ctx, c.Block); err != nil {
			return err
		}
		delete(o.own.aside, c.Block)
		f.rec.Conflict, f.saved = nil, false
	}
	if f.rec.Notice != "" && f.rec.Closed == "" {
		if err := o.deleteNotice(ctx, f.rec.Notice); err != nil {
			return err
		}
		f.rec.Notice, f.saved = "", false
	}
	return nil
}
