package worktree

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/vfs"
)

// flushWithin is how long a write waits for the disk.
const flushWithin = time.Second

// files is the worktree as a file system, for one caller.
type files struct {
	o    *Overlay
	call op.Call
}

// FS returns the worktree as a file system in which a caller reads and writes:
// blocks where the files are text, which are opened by that, and the disk else.
// What git keeps for itself is not there. A write waits for the disk, up to a
// second; when it returns it is in the block. Only the caller may be who writes.
func (o *Overlay) FS(call op.Call) vfs.FS { return files{o, call} }

// name cleans a name for reading, and follows links, with last also at its end:
// what is git's own is not there, whatever leads to it.
func (s files) name(name string, last bool) (string, error) {
	clean, err := vfs.Clean(name)
	if err != nil {
		return "", err
	}
	if notGits(clean) != nil {
		return "", fmt.Errorf("file %q: %w", clean, kaijutsu.ErrNotFound)
	}
	return s.o.resolved(clean, last)
}

// mayRead says that there is nothing for who may not read the context.
func (s files) mayRead(name string) (kaijutsu.DocumentID, error) {
	s.o.mu.Lock()
	doc := s.o.doc
	s.o.mu.Unlock()
	if doc.IsZero() || !s.o.cfg.Kernel.MayRead(s.call, doc) {
		return doc, fmt.Errorf("file %q: %w", name, kaijutsu.ErrNotFound)
	}
	return doc, nil
}

// Stat describes a file or directory, with the block that holds it.
func (s files) Stat(ctx context.Context, name string) (vfs.Info, error) {
	name, err := s.name(name, false)
	if err != nil {
		return vfs.Info{}, err
	}
	doc, err := s.mayRead(name)
	if err != nil {
		return vfs.Info{}, err
	}
	info, err := s.o.cfg.Folder.Stat(ctx, name)
	if err != nil {
		return vfs.Info{}, err
	}
	one := []vfs.Info{info}
	s.o.submodules(one)
	s.o.blocksOf(one, doc)
	return one[0], nil
}

// List describes what a directory holds.
func (s files) List(ctx context.Context, name string) ([]vfs.Info, error) {
	name, err := s.name(name, true)
	if err != nil {
		return nil, err
	}
	doc, err := s.mayRead(name)
	if err != nil {
		return nil, err
	}
	all, err := s.o.cfg.Folder.List(ctx, name)
	if err != nil {
		return nil, err
	}
	out := all[:0]
	for _, info := range all {
		if notGits(info.Path) == nil {
			out = append(out, info)
		}
	}
	s.o.submodules(out)
	s.o.blocksOf(out, doc)
	return out, nil
}

func (o *Overlay) blockOf(info *vfs.Info, doc kaijutsu.DocumentID) {
	one := []vfs.Info{*info}
	o.blocksOf(one, doc)
	*info = one[0]
}

// blocksOf adds the blocks that hold files.
func (o *Overlay) blocksOf(infos []vfs.Info, doc kaijutsu.DocumentID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if doc != o.doc || len(infos) == 0 {
		return
	}
	at := make(map[string]int, len(infos))
	for i, info := range infos {
		at[info.Path] = i
	}
	for _, f := range o.shown {
		if i, ok := at[f.Path]; ok && !f.Deleted && f.Closed == "" && infos[i].Kind == vfs.KindFile {
			infos[i].Document, infos[i].Block = doc, string(f.Block)
		}
	}
}

// Read returns a file: the block's text, which is opened by that, or the disk's
// bytes. Info.Hash is of what is returned.
func (s files) Read(ctx context.Context, _ kaijutsu.Principal, name string, limit int64) ([]byte, vfs.Info, error) {
	return s.read(ctx, name, limit, true)
}

// Peek is Read that opens nothing.
func (s files) Peek(ctx context.Context, name string, limit int64) ([]byte, vfs.Info, error) {
	return s.read(ctx, name, limit, false)
}

func (s files) read(ctx context.Context, name string, limit int64, open bool) ([]byte, vfs.Info, error) {
	name, err := s.name(name, true)
	if err != nil {
		return nil, vfs.Info{}, err
	}
	doc, err := s.mayRead(name)
	if err != nil {
		return nil, vfs.Info{}, err
	}
	info, err := s.o.cfg.Folder.Stat(ctx, name)
	if err == nil {
		s.o.blockOf(&info, doc)
	}
	if open && err == nil && info.Kind == vfs.KindFile && info.Size <= s.o.cfg.Limit || info.Block != "" {
		var f File
		if f, err = s.o.opened(ctx, s.call, name, open); err == nil && f.Block != "" {
			f, err = s.o.filled(ctx, s.call, f)
		}
		if err != nil {
			return nil, f.Info, err
		}
		if f.Block != "" {
			if limit > 0 && int64(len(f.Content)) > limit {
				return nil, f.Info, fmt.Errorf("read %q: %d bytes, at most %d: %w", name, len(f.Content), limit, kaijutsu.ErrTooLarge)
			}
			return []byte(f.Content), f.Info, nil
		}
	}
	return s.o.cfg.Folder.Read(ctx, s.call.By, name, limit)
}

// writable refuses changes that may not be made.
func (s files) writable(ctx context.Context, by kaijutsu.Principal, name string) (string, error) {
	clean, err := cleanName(name)
	switch {
	case err != nil:
		return "", err
	case clean == ".":
		return "", fmt.Errorf("%q: %w", name, vfs.ErrIsDirectory)
	case by != s.call.By:
		return "", fmt.Errorf("write as %s, called by %s: %w", by, s.call.By, kaijutsu.ErrDenied)
	case s.o.cfg.ReadOnly:
		return "", fmt.Errorf("%s: %w", s.o.cfg.Mount, vfs.ErrReadOnly)
	}
	if _, err := s.mayRead(clean); err != nil {
		return "", err
	}
	if _, err := s.o.buildable(clean); err != nil {
		return "", err
	}
	return clean, s.o.awaitFree(ctx, func(context.Context) error { return s.o.mayEdit(s.call) })
}

// Write makes data the whole of a file: by an edit of its block where that is
// one, or can be, and else on the disk.
func (s files) Write(ctx context.Context, by kaijutsu.Principal, name string, data []byte, w vfs.WriteOptions) (vfs.Info, error) {
	name, err := s.writable(ctx, by, name)
	if err != nil {
		return vfs.Info{}, err
	}
	o := s.o
	old, err := o.opened(ctx, s.call, name, true)
	missing := errors.Is(err, kaijutsu.ErrNotFound)
	if err != nil && !missing && !errors.Is(err, kaijutsu.ErrTooLarge) {
		return vfs.Info{}, err
	}
	text, shp, isText := fromDisk(data)
	fits := isText && int64(len(data)) <= o.cfg.Limit && o.cfg.Git.Attributes(name).Editable()
	if !missing && w.Exclusive {
		return vfs.Info{}, fmt.Errorf("write %q: %w", name, vfs.ErrExists)
	}
	plain := !fits || !missing && old.Block == ""
	if plain {
		info, err := o.cfg.Folder.Write(ctx, by, name, data, w)
		if err != nil {
			return vfs.Info{}, err
		}
		o.poke(ctx, name)
		return info, nil
	}
	if above, err := o.buildable(name); err != nil {
		return vfs.Info{}, err
	} else if above && !w.Parents {
		return vfs.Info{}, fmt.Errorf("write %q: its directory is not there: make it first, or ask for parents: %w", name, kaijutsu.ErrNotFound)
	}
	if w.IfHash != "" && missing {
		return vfs.Info{}, fmt.Errorf("write %q: it is not there, and was to have hash %s: %w", name, w.IfHash, kaijutsu.ErrConflict)
	}
	err = o.awaitFree(ctx, func(ctx context.Context) error { return o.writeBlock(ctx, s.call, name, text, shp, w) })
	if err != nil {
		return vfs.Info{}, err
	}
	o.awaitFlush(ctx, name)
	if w.Exec != nil {
		s.setExec(ctx, name, *w.Exec)
	}
	info, err := s.Stat(ctx, name)
	if err != nil { // not flushed: paused, or in conflict
		info = vfs.Info{Path: name, Kind: vfs.KindFile}
	}
	info.Size, info.Hash = int64(len(text)), vfs.HashOf([]byte(text))
	return info, nil
}

// setExec sets or takes away the right to execute of a file on the disk.
func (s files) setExec(ctx context.Context, name string, exec bool) {
	data, info, err := s.o.cfg.Folder.Read(ctx, s.call.By, name, 0)
	if err != nil || exec == (info.Mode&0o100 != 0) {
		return
	}
	if _, err := s.o.cfg.Folder.Write(ctx, s.call.By, name, data, vfs.WriteOptions{Exec: &exec, IfHash: vfs.HashOf(data)}); err == nil {
		s.o.poke(ctx, name)
	}
}

// writeBlock makes a text the content of a file's block, or makes the block of a
// file that is not there yet.
func (o *Overlay) writeBlock(ctx context.Context, call op.Call, name, text string, shp shape, w vfs.WriteOptions) error {
	f := o.own.paths[name]
	fresh := f == nil
	if fresh {
		if _, err := o.cfg.Folder.Stamp(name); err == nil {
			return fmt.Errorf("write %q: something was put there in the same moment; try again: %w", name, kaijutsu.ErrConflict)
		}
		f = &file{rec: record{Block: blocks.NewID(o.cfg.Now()), Path: name, Shape: o.newShape(name, shp), Exec: w.Exec != nil && *w.Exec}}
	}
	spec, err := o.specOf(f, "")
	if err != nil {
		return err
	}
	spec.Form = blocks.FormText
	if fresh { // the record first: it is how the block is known after a crash
		if err := o.save(ctx, o.own.at.Doc, []*file{f}); err != nil {
			return err
		}
	}
	_, err = o.cfg.Kernel.Edit(ctx, call, o.own.at.Doc, "fs_write", func(v repo.View, tx *blocks.Tx) error {
		b, ok := v.Block(f.rec.Block)
		if ok && w.IfHash != "" && w.IfHash != vfs.HashOf([]byte(b.Content)) {
			return fmt.Errorf("write %q: it changed since it was read; read it again: %w", name, kaijutsu.ErrConflict)
		}
		var err error
		switch {
		case !ok:
			err = tx.InsertBlock(spec)
		case b.Deleted:
			err = tx.Restore(f.rec.Block)
		}
		if err != nil {
			return err
		}
		return tx.ReplaceText(f.rec.Block, text)
	})
	if err != nil && fresh {
		return errors.Join(err, o.forget(ctx, f))
	}
	if err != nil {
		return err
	}
	if fresh {
		o.add(f)
	} else if shp.EOL == eolCRLF {
		f.rec.Shape.EOL = eolCRLF
	}
	f.stale = true
	f.hurry(time.Now())
	return nil
}

// newShape is how a new file ends its lines: as it came, or as git wants it.
func (o *Overlay) newShape(name string, came shape) shape {
	if came.EOL == eolLF && o.cfg.Git.Attributes(name).EOL == "crlf" {
		came.EOL = eolCRLF
	}
	return came
}

// poke has a file looked at now.
func (o *Overlay) poke(ctx context.Context, name string) {
	_ = o.ask(ctx, func(context.Context) error {
		if f := o.own.paths[name]; f != nil {
			f.hurry(time.Now())
		}
		return nil
	})
}

// awaitFlush waits a while until a block's text is on the disk.
func (o *Overlay) awaitFlush(ctx context.Context, name string) {
	ctx, cancel := context.WithTimeout(ctx, flushWithin)
	defer cancel()
	_ = o.await(ctx, func(context.Context) (bool, error) {
		f := o.own.paths[name]
		return f == nil || f.due.IsZero() || f.problem != "" || f.rec.Conflict != nil, nil
	})
}

// Mkdir makes a directory.
func (s files) Mkdir(ctx context.Context, by kaijutsu.Principal, name string) error {
	name, err := s.writable(ctx, by, name)
	if err != nil {
		return err
	}
	return s.o.cfg.Folder.Mkdir(ctx, by, name)
}

// Remove removes a file or directory, and deletes the blocks of what was there.
func (s files) Remove(ctx context.Context, by kaijutsu.Principal, name string, recursive bool) error {
	name, err := s.writable(ctx, by, name)
	if err != nil {
		return err
	}
	o := s.o
	if err := o.withoutRepositories(ctx, name); err != nil {
		return err
	}
	return o.awaitFree(ctx, func(ctx context.Context) error {
		err := o.cfg.Folder.Remove(ctx, by, name, recursive)
		if f := o.own.paths[name]; err != nil && (f == nil || f.rec.Exists) {
			return err
		}
		return o.entomb(ctx, s.call, o.below(name))
	})
}

// below returns the files that are at a path or below it.
func (o *Overlay) below(name string) []*file {
	var out []*file
	for p, f := range o.own.paths {
		if p == name || strings.HasPrefix(p, name+"/") {
			out = append(out, f)
		}
	}
	return out
}

// entomb deletes the blocks of files that a caller has removed.
func (o *Overlay) entomb(ctx context.Context, call op.Call, gone []*file) error {
	if len(gone) == 0 {
		return nil
	}
	e, err := o.cfg.Kernel.Edit(ctx, call, o.own.at.Doc, "fs_remove", func(v repo.View, tx *blocks.Tx) error {
		for _, f := range gone {
			if b, ok := v.Block(f.rec.Block); !ok || b.Deleted {
				continue
			}
			if err := tx.Delete(f.rec.Block); err != nil {
				return err
			}
		}
		return nil
	})
	now := time.Now()
	for _, f := range gone {
		f.stale = true
		f.hurry(now)
	}
	if err != nil {
		return err
	}
	for _, f := range gone {
		if err := o.buried(ctx, f, e.Heads); err != nil {
			return err
		}
	}
	return nil
}

// Rename moves a file or directory; its blocks go with it.
func (s files) Rename(ctx context.Context, by kaijutsu.Principal, from, to string) error {
	from, err := s.writable(ctx, by, from)
	if err != nil {
		return err
	}
	if to, err = s.writable(ctx, by, to); err != nil {
		return err
	}
	o := s.o
	if err := o.withoutRepositories(ctx, from); err != nil {
		return err
	}
	return o.awaitFree(ctx, func(ctx context.Context) error {
		if err := o.cfg.Folder.Rename(ctx, by, from, to); err != nil {
			return err
		}
		moved := o.below(from)
		var replaced []*file
		for _, f := range moved {
			if other := o.own.paths[to+strings.TrimPrefix(f.rec.Path, from)]; other != nil && other != f {
				replaced = append(replaced, other)
			}
		}
		if len(moved) == 0 {
			o.poked(o.below(to))
			return nil
		}
		if err := o.entomb(ctx, s.call, replaced); err != nil {
			return err
		}
		for _, f := range moved {
			if err := o.rename(ctx, f, to+strings.TrimPrefix(f.rec.Path, from)); err != nil {
				return err
			}
			f.hurry(time.Now())
			o.present(f)
		}
		return nil
	})
}

func (o *Overlay) poked(some []*file) {
	for _, f := range some {
		f.hurry(time.Now())
	}
}
