package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/vfs"
)

// look is a file as it was found on the disk and in its block.
type look struct {
	f *file

	here    bool // there is something on the disk
	stamp   vfs.Stamp
	read    bool // what follows is what the disk holds
	same    bool // it holds what was agreed on
	text    string
	disk    hash // of the bytes
	shape   shape
	foreign string // why it can be no block
	settled bool
	again   time.Time // when to look again, where it is not settled
	problem error

	b       side
	block   string // what the block holds, also a deleted one
	form    blocks.Form
	meta    string
	heads   kaijutsu.Heads
	noticed bool // the block that shows the conflict is there and not deleted
	asked   bool // the block was looked at
	missing bool // there is no such block

	overtook *string // what the disk's text was made of, when flushes came between

	verdict verdict
	agreed  side
}

// lookAtDisk samples a file.
func (o *Overlay) lookAtDisk(f *file, now time.Time) *look {
	l := &look{f: f}
	st, err := o.cfg.Folder.Stamp(f.rec.Path)
	switch {
	case err == nil:
		l.here, l.stamp = true, st
	case errors.Is(err, kaijutsu.ErrNotFound), errors.Is(err, vfs.ErrNotDirectory):
		st = vfs.Stamp{}
	case errors.Is(err, vfs.ErrEscapes):
		l.here, l.foreign = true, "a symbolic link on the way leads out of the worktree"
	default:
		l.problem = err
		return l
	}
	if st != f.seen || f.seenAt.IsZero() {
		if f.changed.IsZero() {
			f.changed = now
		}
		f.seen, f.seenAt = st, now
	}
	if l.here && l.foreign == "" {
		l.foreign = o.foreignByStamp(f, st)
	}
	if l.foreign != "" {
		l.wait(now, quiet)
		return l
	}
	if !l.here {
		if f.rec.Exists || f.rec.Fresh {
			l.wait(now, absence)
		} else {
			l.settled = true
		}
		return l
	}
	if f.rec.Exists && st == f.rec.Stamp && !f.racy() && f.rec.Pending == nil && !f.rec.Fresh {
		l.disk, l.shape, l.settled, l.same = f.rec.Disk, f.rec.Shape, true, true
		return l
	}
	l.wait(now, quiet)
	if !l.settled && now.Sub(f.changed) >= restless {
		l.settled = true
	}
	if l.settled || st == f.rec.Stamp {
		o.readDisk(l, now)
	}
	return l
}

// wait says that the file is settled when it was still for so long, and else
// when it will be.
func (l *look) wait(now time.Time, d time.Duration) {
	at := l.f.seenAt.Add(d)
	l.settled = !now.Before(at)
	if !l.settled {
		l.again = at
	}
}

// foreignByStamp says why what stands there can be no block, without reading it.
func (o *Overlay) foreignByStamp(f *file, st vfs.Stamp) string {
	switch st.Mode & syscall.S_IFMT {
	case syscall.S_IFREG:
	case syscall.S_IFLNK:
		return "it is a symbolic link now"
	case syscall.S_IFDIR:
		return "it is a directory now"
	default:
		return "it is no regular file now"
	}
	if st.Size > o.cfg.Limit {
		return fmt.Sprintf("it has %d bytes now, and files of more than %d are no blocks", st.Size, o.cfg.Limit)
	}
	return o.linkedAbove(f.rec.Path)
}

// linkedAbove says whether a directory of a path is a symbolic link: the file
// has another path then, under which it may be a block.
func (o *Overlay) linkedAbove(name string) string {
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		st, err := o.cfg.Folder.Stamp(name[:i])
		if err == nil && st.Mode&syscall.S_IFMT == syscall.S_IFLNK {
			return fmt.Sprintf("%s is a symbolic link", name[:i])
		}
	}
	return ""
}

// readDisk reads a file between two looks at its stamp.
func (o *Overlay) readDisk(l *look, now time.Time) {
	f := l.f
	at := time.Now()
	data, _, err := o.cfg.Folder.Read(context.Background(), o.cfg.DiskAs, f.rec.Path, o.cfg.Limit)
	if err == nil {
		var st vfs.Stamp
		if st, err = o.cfg.Folder.Stamp(f.rec.Path); err == nil && st != l.stamp {
			f.seen, f.seenAt = st, now
			l.settled, l.again = false, now.Add(quiet)
			return
		}
	}
	switch {
	case errors.Is(err, kaijutsu.ErrNotFound), errors.Is(err, kaijutsu.ErrTooLarge), errors.Is(err, vfs.ErrIsDirectory), errors.Is(err, vfs.ErrNotDirectory):
		f.seenAt = now
		l.settled, l.again = false, now.Add(quiet) // it moved between two looks
		return
	case err != nil:
		l.problem = err
		return
	}
	l.disk = hashBytes(data)
	text, s, ok := fromDiskAs(data, f.rec.Shape)
	if !ok {
		l.foreign = "it is no UTF-8 text now"
		return
	}
	l.text = text
	if f.rec.Exists && l.disk == f.rec.Disk {
		l.shape, l.settled, l.same = f.rec.Shape, true, true
		f.rec.Exec = l.stamp.Mode&0o100 != 0
		f.rec.Stamp, f.readAt, f.saved = l.stamp, at, false
		return
	}
	l.read, l.shape = true, s
	f.readAt = at
	if f.cutShort(l.text) && l.settled {
		l.wait(now, absence)
	}
}

// cutShort reports whether a file may be one that somebody has emptied and is
// about to write: it holds nothing, and held something.
func (f *file) cutShort(text string) bool {
	return text == "" && f.rec.Exists && f.rec.Text != hashText("")
}

// facts are what a look found, to decide about.
func (o *Overlay) facts(l *look) facts {
	f := l.f
	out := facts{
		S: side{f.rec.Exists, f.rec.Text}, B: l.b, Settled: l.settled, Foreign: l.foreign != "", Closed: f.rec.Closed != "",
		Fresh: f.rec.Fresh, ReadOnly: o.cfg.ReadOnly, Held: o.own.paused != "" || o.own.held,
	}
	switch {
	case !l.here:
	case l.read:
		out.D = side{true, hashText(l.text)}
	default:
		out.D = side{true, f.rec.Text}
	}
	if f.rec.Pending != nil {
		out.Pending = &f.rec.Pending.Text
		if l.read && l.disk != f.rec.Pending.Disk {
			out.Pending = nil
		}
	}
	return out
}

// unknown reports whether something stands on the disk that was not read yet.
func (l *look) unknown() bool { return l.here && !l.read && !l.same && l.foreign == "" }

// differs reports whether the disk may hold something else than what was agreed.
func (l *look) differs() bool {
	return l.read || l.foreign != "" || l.here != l.f.rec.Exists || l.f.rec.Fresh || l.unknown()
}

// lookAtBlocks reads the blocks of files that may hold something else than
// agreed, or whose disk does.
func (o *Overlay) lookAtBlocks(ctx context.Context, looks []*look) error {
	need := false
	for _, l := range looks {
		l.asked = l.f.stale || l.f.touched || l.differs() || l.f.rec.Conflict != nil || l.f.rec.Pending != nil
		need = need || l.asked
		if !l.asked {
			l.b = side{l.f.rec.Exists, l.f.rec.Text}
		}
	}
	if !need {
		return nil
	}
	err := o.cfg.Repo.View(ctx, o.own.at.Doc, func(v repo.View) error {
		for _, l := range looks {
			if !l.asked {
				continue
			}
			b, ok := v.Block(l.f.rec.Block)
			l.b, l.missing = side{Exists: ok && !b.Deleted}, !ok
			l.block, l.form, l.meta, l.heads = b.Content, b.Form, b.Meta, v.Heads
			if c := l.f.rec.Conflict; c != nil {
				n, ok := v.Block(c.Block)
				l.noticed = ok && !n.Deleted
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the blocks of %s: %w", o.cfg.Mount, err)
	}
	for _, l := range looks {
		if l.asked {
			l.b.Hash = hashText(l.block)
		}
	}
	return nil
}

// lastReflog returns the message of the newest entry of HEAD's reflog, "" when
// there is none that can be read.
func (o *Overlay) lastReflog() string {
	const enough = 4 << 10
	file, err := os.Open(filepath.Join(o.cfg.Git.GitDir(), "logs", "HEAD"))
	if err != nil {
		return ""
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	buf := make([]byte, min(info.Size(), enough))
	if _, err := file.ReadAt(buf, info.Size()-int64(len(buf))); err != nil {
		return ""
	}
	line := strings.TrimSuffix(string(buf), "\n")
	line = line[strings.LastIndexByte(line, '\n')+1:]
	_, message, _ := strings.Cut(line, "\t")
	return message
}
