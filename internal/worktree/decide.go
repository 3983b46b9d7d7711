package worktree

// A side is one of the three states of a file: what block and disk last agreed
// on, what the block holds, what the disk holds.
type side struct {
	// Exists is false for a file that is not there, and for a block that is a
	// tombstone.
	Exists bool
	// Hash is that of the text, as the block holds it.
	Hash hash
}

func (a side) equal(b side) bool {
	return a.Exists == b.Exists && (!a.Exists || a.Hash == b.Hash)
}

// verdict is what is to be done with a file.
type verdict uint8

const (
	// wait: nothing can be said now.
	wait verdict = iota
	// agree: block and disk hold the same.
	agree
	// flush: the block's text goes to the disk.
	flush
	// take: the disk's text goes into the block.
	take
	// bury: the file is gone, and so goes the block.
	bury
	// merge: both changed.
	merge
	// orphan: the file is gone, while the block changed.
	orphan
	// shut: the disk holds what no block can, and the block is as agreed.
	shut
	// stand: the disk holds what no block can, while the block changed.
	stand
	// leave: the block is deleted, and the file stays as it is, unfollowed.
	leave
	// remove: somebody deleted the block, and the file goes too.
	remove
)

func (v verdict) String() string {
	return [...]string{"wait", "agree", "flush", "take", "bury", "merge", "orphan", "shut", "stand", "leave", "remove"}[v]
}

// facts are what a decision rests on.
type facts struct {
	S, B, D side
	// Pending is the text that a flush was about to put on the disk when it was
	// last heard of.
	Pending *hash
	// Held says that nothing may be done now: the overlay is paused, or frozen.
	Held bool
	// Settled says that the disk was still for as long as it takes.
	Settled bool
	// Foreign says that what is on the disk can be no block: a symbolic link, a
	// directory, binary, too large. D.Hash means nothing then.
	Foreign bool
	// Closed says that the block was closed for such a reason.
	Closed bool
	// Fresh says that the block is a fork of another branch's: the disk counts,
	// whatever the block holds.
	Fresh bool
	// ReadOnly says that nothing may be written to the disk.
	ReadOnly bool
}

// decide says what is to be done with a file, and on what block and disk agree
// as far as is known: a flush that was cut off is part of that when the disk
// holds what it wrote.
func decide(f facts) (verdict, side) {
	s := f.S
	if f.Held {
		return wait, s
	}
	if f.Pending != nil && !f.Foreign && f.D.Exists && f.D.Hash == *f.Pending {
		s = f.D
	}
	switch {
	case f.Foreign:
		return f.foreign(s), s
	case f.Fresh:
		return f.fresh(), s
	case !f.Settled && !f.D.equal(s):
		return wait, s
	case f.B.equal(f.D):
		return agree, f.D
	case f.D.equal(s):
		return f.outward(), s
	case !f.B.Exists && s.Exists && f.ReadOnly:
		return leave, s
	case !f.B.Exists && s.Exists:
		return take, s // the disk has what nobody has seen who deleted the block
	case f.B.equal(s) && f.D.Exists:
		return take, s
	case f.B.equal(s):
		return bury, s
	case !f.D.Exists:
		return orphan, s
	}
	return merge, s
}

// foreign decides about a file that can be no block.
func (f facts) foreign(s side) verdict {
	switch {
	case f.Closed, !f.B.Exists:
		return leave
	case !f.Settled:
		return wait
	case f.B.equal(s), f.Fresh:
		return shut
	}
	return stand
}

// fresh decides about a block that another branch's was forked into.
func (f facts) fresh() verdict {
	switch {
	case !f.Settled:
		return wait
	case f.B.equal(f.D):
		return agree
	case f.D.Exists:
		return take
	}
	return bury
}

// outward decides where the disk is as agreed and the block is not.
func (f facts) outward() verdict {
	switch {
	case !f.B.Exists && f.ReadOnly:
		return leave
	case !f.B.Exists:
		return remove
	case f.ReadOnly:
		return wait
	}
	return flush
}
