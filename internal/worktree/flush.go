package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"kaijutsu/internal/vfs"
)

// flush writes a block's text to the disk, if the disk still holds what was
// agreed on and git is where it was. The record says what is about to be written
// before it is.
func (o *Overlay) flush(ctx context.Context, l *look) error {
	f := l.f
	s := f.rec.Shape
	if s.EOL == "" {
		s.EOL = eolLF
	}
	if l.read {
		s = l.shape
	}
	data := toDisk(l.block, s)
	if why := o.unfit(data); why != "" { // the edits stay, and can be undone
		f.problem, f.stale = why, true
		return nil
	}
	was := f.rec
	if l.agreed != (side{was.Exists, was.Text}) { // a flush that was cut off had got there
		was.Exists, was.Text, was.Disk = true, l.agreed.Hash, l.disk
	}
	if l.read { // it is the agreed text, whatever is known of its bytes
		was.Disk = l.disk
	}
	f.rec.Pending = &pending{Text: l.b.Hash, Disk: hashBytes(data), Heads: l.heads}
	if err := o.save(ctx, o.own.at.Doc, []*file{f}); err != nil {
		f.rec.Pending = nil
		return fmt.Errorf("keep what is about to be written: %w", err)
	}
	epoch := o.own.epoch
	at := time.Now()
	var before []byte
	stamp, err := o.cfg.Folder.Replace(f.rec.Path, data, f.perm(), func(old []byte, _ vfs.Stamp, exists bool) error {
		before = old
		if exists != was.Exists || exists && hashBytes(old) != was.Disk {
			return errAgain
		}
		return nil
	}, func() error {
		if e, err := o.cfg.Git.Epoch(); err != nil || e != epoch {
			return errAgain
		}
		return nil
	})
	if err != nil {
		f.stale = true
		return o.displaced(ctx, l, err)
	}
	f.rec.Disk, f.rec.Shape, f.rec.Stamp = hashBytes(data), s, stamp
	f.rec.Exec = stamp.Mode&0o100 != 0
	f.seen, f.seenAt, f.readAt = stamp, at, at
	if text, _, ok := fromDiskAs(before, was.Shape); ok && was.Exists {
		f.remember(flushed{text, l.block, time.Now()})
	}
	o.agreed(f, l.b.Hash, l.heads)
	return o.reconciled(ctx, f)
}

// remove removes the file whose block somebody deleted, if the disk still holds
// what was agreed on and git is where it was.
func (o *Overlay) remove(ctx context.Context, l *look) error {
	f, epoch := l.f, o.own.epoch
	disk := f.rec.Disk
	if l.read {
		disk = l.disk
	}
	err := o.cfg.Folder.RemoveIf(f.rec.Path, func(old []byte, _ vfs.Stamp, exists bool) error {
		if !exists || hashBytes(old) != disk {
			return errAgain
		}
		if e, err := o.cfg.Git.Epoch(); err != nil || e != epoch {
			return errAgain
		}
		return nil
	})
	if err != nil {
		f.stale = true
		return err
	}
	f.stale, f.flushed = false, nil
	return o.buried(ctx, f, l.heads)
}

// unfit says why a file that a block would be on the disk could be no block when
// it is read again; "" when it could.
func (o *Overlay) unfit(data []byte) string {
	if int64(len(data)) > o.cfg.Limit {
		return fmt.Sprintf("not written to the disk: the block makes a file of %d bytes, and files of more than %d are no blocks: make it shorter", len(data), o.cfg.Limit)
	}
	if _, _, ok := fromDisk(data); !ok {
		return "not written to the disk: the block holds a NUL character, and files with one are no text: take it out"
	}
	return ""
}

// perm are the permissions of a file that is made.
func (f *file) perm() fs.FileMode {
	if f.rec.Exec {
		return 0o777
	}
	return 0
}

// displaced takes what another program wrote in the moment of a flush, and what
// is nowhere else any more, into the block.
func (o *Overlay) displaced(ctx context.Context, l *look, err error) error {
	var lost *vfs.Displaced
	if !errors.As(err, &lost) {
		return err
	}
	text, _, ok := fromDiskAs(lost.Old, l.f.rec.Shape)
	if !ok || int64(len(lost.Old)) > o.cfg.Limit {
		return err
	}
	l.f.rec.Pending = nil
	rescued := *l
	rescued.text, rescued.read, rescued.disk, rescued.stamp = text, true, hashBytes(lost.Old), vfs.Stamp{}
	if err := o.merge(ctx, &rescued); err != nil {
		return err
	}
	return errAgain
}
