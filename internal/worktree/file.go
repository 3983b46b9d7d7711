package worktree

import (
	"time"

	"kaijutsu/git"
	"kaijutsu/internal/vfs"
)

// How long things are waited for.
const (
	// debounce is how long a block has to be still before it is flushed, and
	// steady how long it is waited for under steady typing.
	debounce = 30 * time.Millisecond
	steady   = 100 * time.Millisecond
	// quiet is how long a disk file has to be still before it is imported,
	// restless how long that is waited for, and absence how long a file has to
	// be gone, empty or cut short before that is believed.
	quiet    = 20 * time.Millisecond
	restless = 100 * time.Millisecond
	absence  = 150 * time.Millisecond
	// still is how long index and HEAD have to be as they are before anything is
	// imported: git writes files, then the index, then HEAD.
	still = 60 * time.Millisecond
	// tick is how far apart two writes have to be for the disk's clock to tell
	// them apart.
	tick = 20 * time.Millisecond
	// again is when what failed is tried again.
	again = time.Second
)

// file is a file that was opened, as the owner knows it.
type file struct {
	rec record
	// saved says that the store has rec.
	saved bool
	// loaded says that block and disk have not agreed since the record was read: they
	// may have done so later than that says.
	loaded bool
	// due is when it is looked at; zero: when something happens.
	due time.Time
	// stale says that the block may hold something else than when it was last
	// looked at, since edited.
	stale  bool
	edited time.Time
	// again is how often it was to be looked at again since block and disk agreed.
	again int
	// touched says that its meta may have to be put right, rightAt when that was
	// done last.
	touched bool
	rightAt time.Time
	// seen is the disk's stamp as of seenAt, zero when there was no file; it has
	// been moving since changed.
	seen    vfs.Stamp
	seenAt  time.Time
	changed time.Time
	// readAt is when the disk was found to hold what rec says.
	readAt time.Time
	// flushed are the last flushes, the newest last, for a while and until
	// something else comes from the disk.
	flushed []flushed
	// index and head are git's, when block and disk last agreed, and squash is
	// when a squash was begun that was not committed then.
	index  git.IndexStamp
	head   git.Hash
	squash time.Time
	// dirty, left and problem are for show.
	dirty   bool
	left    bool
	problem string
}

// How long after a flush a file may have been written that was made of what was
// there before: overtaken, whatever it holds; stalled, when it also brings lines
// of its own, as what a program wrote that had to wait for the disk.
const (
	overtaken = 500 * time.Millisecond
	stalled   = 5 * time.Second
)

// Bounds of the flushes that are remembered of a file.
const (
	maxFlushed      = 128
	maxFlushedBytes = 1 << 20 // of their texts
)

// flushed is what a flush wrote, and what was there before.
type flushed struct {
	before, text string
	at           time.Time
}

// remember notes a flush, and forgets those that are too old or too many.
func (f *file) remember(p flushed) {
	all := f.flushed
	if n := len(all); n > 0 && all[n-1].text == p.before {
		p.before = all[n-1].text // the same memory
	}
	all = append(all, p)
	from, bytes := 0, 0
	for i := len(all) - 1; i >= 0; i-- {
		bytes += len(all[i].before)
		if i < len(all)-1 && (len(all)-i > maxFlushed || bytes > maxFlushedBytes || p.at.Sub(all[i].at) > 2*stalled) {
			from = i + 1
			break
		}
	}
	f.flushed = append([]flushed(nil), all[from:]...)
}

// hurry has the file looked at by then.
func (f *file) hurry(at time.Time) {
	if f.due.IsZero() || at.Before(f.due) {
		f.due = at
	}
}

// typed notes that the block changed: it is looked at when it was still for a
// while, or has not been for long.
func (f *file) typed(now time.Time) {
	if !f.stale || f.edited.IsZero() {
		f.edited = now
	}
	f.stale = true
	at := now.Add(debounce)
	if last := f.edited.Add(steady); last.Before(at) {
		at = last
	}
	f.due = at
}

// stirred notes that the disk may have changed.
func (f *file) stirred(now time.Time) {
	f.hurry(now)
}

// racy reports whether the file could have been written again, with the same
// stamp, after it was read.
func (f *file) racy() bool {
	at := max(f.rec.Stamp.MTime, f.rec.Stamp.CTime)
	return f.readAt.UnixNano()-at < int64(tick)
}

// show is what is known of the file.
func (f *file) show() FileState {
	s := FileState{
		Path: f.rec.Path, Block: f.rec.Block, Dirty: f.dirty, Conflict: f.rec.Conflict != nil, Notice: f.rec.Notice,
		Deleted: !f.rec.Exists && f.rec.Closed == "", Closed: f.rec.Closed, Problem: f.problem,
	}
	if f.rec.Conflict != nil {
		s.Notice = f.rec.Conflict.Block
	}
	if f.left {
		s.Closed = "the block was deleted"
	}
	return s
}
