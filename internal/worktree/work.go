package worktree

import (
	"context"
	"errors"
	"slices"
	"time"

	"kaijutsu"
	"kaijutsu/git"
)

// work looks at files, decides, and does what was decided.
func (o *Overlay) work(ctx context.Context, now time.Time, batch []*file) {
	looks := make([]*look, 0, len(batch))
	for _, f := range batch {
		f.due = time.Time{}
		if l := o.lookAtDisk(f, now); l.problem != nil {
			o.fail(f, "read", l.problem)
		} else {
			looks = append(looks, l)
		}
	}
	if err := o.lookAtBlocks(ctx, looks); err != nil {
		for _, l := range looks {
			o.fail(l.f, "look at", unlessDone(ctx, err))
		}
		return
	}
	if e, err := o.cfg.Git.Epoch(); err != nil || e != o.own.epoch {
		for _, l := range looks {
			l.f.hurry(now) // what was read may be another branch's
		}
		return
	}
	quietFrom := o.own.moved.Add(still)
	looks = slices.DeleteFunc(looks, func(l *look) bool {
		if !l.missing {
			return false
		}
		o.fail(l.f, "forget", unlessDone(ctx, o.forget(ctx, l.f))) // its making was cut off
		return true
	})
	for _, l := range looks {
		if l.differs() && now.Before(quietFrom) {
			l.settled = false
			l.again = quietFrom
		}
		if l.unknown() {
			continue // verdict wait
		}
		l.verdict, l.agreed = decide(o.facts(l))
		if l.verdict == take && !l.f.rec.Fresh || l.verdict == merge {
			if from := o.overtakes(l); from != nil && !o.mayBeGits(l) {
				l.verdict, l.overtook = merge, from
			} else if from := o.stashed(l); from != nil {
				l.verdict, l.overtook = merge, from
			}
		}
		if n := len(l.f.flushed); n > 0 && now.Sub(l.f.flushed[n-1].at) > 2*stalled {
			l.f.flushed = nil
		}
	}
	for _, l := range looks {
		if l.verdict == take && !l.f.rec.Exists && !l.f.rec.Fresh && l.f.rec.Closed == "" && o.mayBeMoved(l.f.rec.Path) {
			l.verdict, l.settled, l.again = wait, false, now.Add(quiet) // not its own file, it may be
		}
	}
	o.hold(now, looks)
	o.follows(ctx, looks)
	o.carryOut(ctx, now, looks)
	o.rightMetas(ctx, looks)
	for _, l := range looks {
		if o.own.files[l.f.rec.Block] == l.f {
			o.present(l.f)
		}
	}
}

// many is how many files are gone at once for that to be believed only after
// longAbsence: somebody may be removing the worktree.
const (
	many        = 8
	longAbsence = time.Second
)

// hold puts off burying many files at once that git still has.
func (o *Overlay) hold(now time.Time, looks []*look) {
	var gone []*look
	for _, l := range looks {
		if l.verdict == bury && !l.f.rec.Fresh && l.f.index == o.own.epoch.Index {
			gone = append(gone, l)
		}
	}
	if len(gone) < many {
		return
	}
	for _, l := range gone {
		if at := l.f.seenAt.Add(longAbsence); now.Before(at) {
			l.verdict, l.settled, l.again = wait, false, at
		}
	}
}

// carryOut does what was decided.
func (o *Overlay) carryOut(ctx context.Context, now time.Time, looks []*look) {
	var takes, buries []*look
	var settled []*file // that the disk counts for, whatever the block holds, has to be over on record
	for _, l := range looks {
		f := l.f
		f.dirty = !l.b.equal(side{f.rec.Exists, f.rec.Text}) && l.b.Exists
		f.left = l.verdict == leave && f.rec.Closed == ""
		if l.verdict != wait {
			f.changed = time.Time{}
			f.problem = ""
		}
		var err error
		switch l.verdict {
		case wait:
			o.putOff(l, now)
		case agree:
			fresh := f.rec.Fresh
			if err = o.agreeOn(ctx, l); fresh && err == nil {
				settled = append(settled, f)
			}
		case flush:
			err = o.flush(ctx, l)
		case take:
			takes = append(takes, l)
		case bury:
			buries = append(buries, l)
		case merge:
			err = o.merge(ctx, l)
		case orphan:
			err = o.disagree(ctx, l, "The file was deleted on the disk while its block held edits that the disk did not have.")
		case stand:
			err = o.disagree(ctx, l, "The file can be no block any more: "+l.foreign+". Its block held edits that the disk did not have.")
		case shut:
			err = o.shut(ctx, l)
		case leave:
			f.stale = false
		case remove:
			err = o.remove(ctx, l)
		}
		o.fail(f, l.verdict.String(), unlessDone(ctx, err))
	}
	if err := o.save(ctx, o.own.at.Doc, settled); err != nil && ctx.Err() == nil {
		o.cfg.Log.Warn("what is known of files is not kept", "mount", o.cfg.Mount, "err", err)
	}
	o.take(ctx, takes)
	for _, l := range buries {
		o.fail(l.f, "bury", unlessDone(ctx, o.bury(ctx, l)))
	}
}

// putOff has a file looked at again when that may lead to something.
func (o *Overlay) putOff(l *look, now time.Time) {
	switch {
	case !l.settled && !l.again.IsZero():
		l.f.hurry(l.again)
	case !l.settled:
		l.f.hurry(now.Add(quiet))
	case o.cfg.ReadOnly:
		l.f.stale = true
	}
}

// errAgain says that block or disk moved while something was done: to be looked
// at again at once.
var errAgain = errors.New("it moved meanwhile")

// fail notes that something could not be done with a file, and when to try
// again.
func (o *Overlay) fail(f *file, doing string, err error) {
	switch {
	case err == nil:
		return
	case errors.Is(err, errAgain):
		f.again++
		f.hurry(time.Now().Add(backoff(f.again)))
		return
	}
	f.problem = doing + ": " + cut(err.Error(), 500)
	f.stale = true
	f.hurry(time.Now().Add(again))
	o.cfg.Log.Warn("file and block are not in step", "mount", o.cfg.Mount, "doing", doing, "err", err)
	if o.own.files[f.rec.Block] == f {
		o.present(f)
	}
}

// backoff is how long a file waits that is to be looked at again at once, for the
// n-th time since block and disk agreed: what goes on in its way may last.
func backoff(n int) time.Duration {
	if n <= 8 {
		return 0
	}
	return min(time.Duration(n-8)*5*time.Millisecond, again)
}

// agreed notes that block and disk hold the same: the text of which the block's
// hash is text, at heads.
func (o *Overlay) agreed(f *file, text hash, heads kaijutsu.Heads) {
	f.rec.Exists, f.rec.Text, f.rec.Heads = true, text, heads
	f.rec.Pending, f.rec.Fresh, f.rec.Closed = nil, false, ""
	f.rec.Base, f.stale, f.dirty, f.saved, f.again = nil, false, false, false, 0
	o.inEpoch(f)
}

// inEpoch notes what git was at when block and disk agreed.
func (o *Overlay) inEpoch(f *file) {
	f.loaded = false
	f.index, f.head, f.squash = o.own.epoch.Index, o.own.epoch.Head, o.squashed()
}

// stamped notes what the disk's file is besides its text.
func (f *file) stamped(l *look) {
	f.flushed = nil
	f.rec.Disk, f.rec.Shape, f.rec.Stamp = l.disk, l.shape, l.stamp
	f.rec.Exec = l.stamp.Mode&0o100 != 0
	f.saved = false
}

// agreeOn notes what was found to be the same.
func (o *Overlay) agreeOn(ctx context.Context, l *look) error {
	f := l.f
	if !l.here {
		if f.rec.Exists || f.rec.Fresh || f.rec.Closed != "" || f.rec.Pending != nil {
			f.rec.Exists, f.rec.Fresh, f.rec.Closed, f.rec.Pending, f.saved = false, false, "", nil, false
		}
		f.stale, f.dirty = false, false
		return o.reconciled(ctx, f)
	}
	if l.read {
		f.stamped(l)
	}
	if l.asked && (f.rec.Text != l.b.Hash || f.rec.Pending != nil || f.rec.Base != nil || f.rec.Fresh || !f.rec.Exists) {
		o.agreed(f, l.b.Hash, l.heads)
	}
	f.stale, f.dirty = false, false
	o.inEpoch(f)
	return o.reconciled(ctx, f)
}

// modeOf returns what git says of a file's mode.
func (f *file) modeOf() git.Mode {
	if f.rec.Exec {
		return git.Executable
	}
	return git.Regular
}
