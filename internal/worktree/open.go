package worktree

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/git"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/vfs"
)

// maxSync is how long a reader waits for what the disk just got.
const maxSync = 400 * time.Millisecond

// maxMoving is how long a reader waits until it is known whether a new file is
// one that had another name before.
const maxMoving = 2 * time.Second

// cleanName returns a file's name in the form of the records, or an error that
// says what is wrong with it.
func cleanName(name string) (string, error) {
	clean, err := vfs.Clean(name)
	if err != nil {
		return "", err
	}
	return clean, notGits(clean)
}

// OpenFile returns a file's text, and makes a block of it when it is none yet.
// What the disk got just before is in it, unless the overlay is paused. A file
// that can be no block comes without one: with Info.Binary when it is no text,
// and with an error that wraps kaijutsu.ErrTooLarge when it is over the limit.
// The error wraps kaijutsu.ErrNotFound when there is no such file, or the caller
// may not read the context.
func (o *Overlay) OpenFile(ctx context.Context, call op.Call, name string) (File, error) {
	name, err := cleanName(name)
	if err != nil {
		return File{}, err
	}
	if name, err = o.resolved(name, true); err != nil {
		return File{}, err
	}
	out, err := o.opened(ctx, call, name, true)
	if err != nil || out.Block == "" {
		return out, err
	}
	return o.filled(ctx, call, out)
}

// filled adds what the block holds to a file that is one.
func (o *Overlay) filled(ctx context.Context, call op.Call, out File) (File, error) {
	err := o.cfg.Kernel.View(ctx, call, out.Doc, func(v repo.View) error {
		b, ok := v.Block(out.Block)
		if !ok || b.Deleted {
			return fmt.Errorf("file %q: %w", out.Path, kaijutsu.ErrNotFound)
		}
		out.Heads, out.Content = v.Heads, b.Content
		return nil
	})
	if err != nil {
		return File{}, err
	}
	out.Info.Size, out.Info.Hash = int64(len(out.Content)), vfs.HashOf([]byte(out.Content))
	out.Info.Document, out.Info.Block = out.Doc, string(out.Block)
	return out, nil
}

// opened finds or makes the block of a file. Without make it looks only.
func (o *Overlay) opened(ctx context.Context, call op.Call, name string, make bool) (out File, err error) {
	start := time.Now()
	end := start.Add(maxSync)
	first, reopened := true, false
	err = o.await(ctx, func(ctx context.Context) (bool, error) {
		if !o.own.ready {
			return true, o.errPaused()
		}
		out = File{Path: name, Doc: o.own.at.Doc}
		if !o.cfg.Kernel.MayRead(call, out.Doc) {
			return true, fmt.Errorf("file %q: %w", name, kaijutsu.ErrNotFound)
		}
		if transient(o.own.paused) && !o.own.held && time.Now().Before(end) {
			return false, nil // git is done in a moment
		}
		idle := o.own.paused == "" && !o.own.held
		f := o.own.paths[name]
		if f != nil && idle && o.own.files[f.rec.Block] == f && time.Now().Before(end) {
			if o.isNoted(f) {
				return false, nil // it may just have been deleted
			}
			if f.left && !reopened {
				reopened = true
				if err := o.reopen(ctx, f); err != nil {
					return true, err
				}
			}
			if first && !o.sameStamp(f) {
				f.hurry(time.Now())
			}
			first = false
			if !f.due.IsZero() && f.rec.Conflict == nil && f.problem == "" {
				return false, nil
			}
		}
		switch {
		case f != nil && f.rec.Exists && f.rec.Closed == "" && !f.left:
			out.Block = f.rec.Block
			out.Info, _ = o.cfg.Folder.Stat(ctx, name)
			out.Info.Path = name
			return true, nil
		case f == nil && idle && make && time.Since(start) < maxMoving && o.mayBeMoved(name):
			return false, nil
		case f == nil && idle && make:
			out, err = o.openNew(ctx, out)
			return !errors.Is(err, errAgain), ignore(err, errAgain)
		}
		out, err = o.asFile(ctx, out)
		return true, err
	})
	return out, err
}

// isNoted reports whether there was an edit of a file's block of which nothing has
// been made yet.
func (o *Overlay) isNoted(f *file) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, noted := o.noted[f.rec.Block]
	return noted || o.all
}

func ignore(err, this error) error {
	if errors.Is(err, this) {
		return nil
	}
	return err
}

// sameStamp reports whether the disk looks as it did when it was agreed on.
func (o *Overlay) sameStamp(f *file) bool {
	st, err := o.cfg.Folder.Stamp(f.rec.Path)
	if err != nil {
		return !f.rec.Exists
	}
	return f.rec.Exists && st == f.rec.Stamp
}

// reopen brings back a block that somebody deleted while its file is there.
func (o *Overlay) reopen(ctx context.Context, f *file) error {
	_, err := o.cfg.Repo.Edit(ctx, o.own.at.Doc, repo.Edit{By: Keeper, Message: "op:file_open"}, func(v repo.View, tx *blocks.Tx) error {
		if b, ok := v.Block(f.rec.Block); !ok || !b.Deleted {
			return nil
		}
		return tx.Restore(f.rec.Block)
	})
	if err != nil {
		return err
	}
	f.stale, f.touched, f.left = true, true, false
	f.hurry(time.Now())
	return nil
}

// asFile reads a file that is no block.
func (o *Overlay) asFile(ctx context.Context, out File) (File, error) {
	data, info, err := o.cfg.Folder.Read(ctx, o.cfg.DiskAs, out.Path, o.cfg.Limit)
	out.Info = info
	if err != nil {
		return out, err
	}
	if text, _, ok := fromDisk(data); ok {
		out.Content = text
	} else {
		out.Info.Binary = true
	}
	return out, nil
}

// openNew makes a block of a file, a record until somebody edits it.
func (o *Overlay) openNew(ctx context.Context, out File) (File, error) {
	st, err := o.cfg.Folder.Stamp(out.Path)
	if err != nil {
		return out, err
	}
	if o.foreignByStamp(&file{rec: record{Path: out.Path}}, st) != "" || !o.cfg.Git.Attributes(out.Path).Editable() || o.otherRepository(out.Path) != "" {
		return o.asFile(ctx, out)
	}
	at := time.Now()
	data, info, err := o.cfg.Folder.Read(ctx, o.cfg.DiskAs, out.Path, o.cfg.Limit)
	if out.Info = info; err != nil {
		return out, err
	}
	text, s, ok := fromDisk(data)
	if !ok {
		out.Info.Binary = true
		return out, nil
	}
	if again, err := o.cfg.Folder.Stamp(out.Path); err != nil || again != st {
		return out, errAgain
	}
	if e, err := o.cfg.Git.Epoch(); err != nil || e != o.own.epoch {
		return out, errAgain
	}
	f := &file{rec: record{Block: blocks.NewID(o.cfg.Now()), Path: out.Path}, seen: st, seenAt: at, readAt: at}
	l := &look{f: f, here: true, read: true, stamp: st, text: text, disk: hashBytes(data), shape: s}
	f.rec.Fresh, f.rec.Shape = true, s // the record first: it is how the block is known after a crash
	if err := o.save(ctx, o.own.at.Doc, []*file{f}); err != nil {
		return out, err
	}
	e, err := o.firstText(ctx, f, text)
	if err != nil {
		return out, errors.Join(err, o.forget(ctx, f))
	}
	f.stamped(l)
	o.agreed(f, hashText(text), e.Heads)
	o.add(f)
	out.Block = f.rec.Block
	return out, o.save(ctx, o.own.at.Doc, []*file{f})
}

// firstText writes the block of a file: what HEAD holds by git, and what the disk
// has otherwise by who edits there.
func (o *Overlay) firstText(ctx context.Context, f *file, text string) (repo.Edited, error) {
	held, committed := o.heldAt(o.own.epoch.Head, f.rec.Path)
	first, who := text, o.cfg.DiskAs
	if committed && int64(len(held)) <= o.cfg.Limit {
		first, who = held, Git
	}
	spec, err := o.specOf(f, first)
	if err != nil {
		return repo.Edited{}, err
	}
	e, err := o.cfg.Repo.Edit(ctx, o.own.at.Doc, repo.Edit{By: who, Message: "op:file_open"}, func(_ repo.View, tx *blocks.Tx) error {
		return tx.InsertBlock(spec)
	})
	if err != nil || first == text {
		return e, err
	}
	return o.cfg.Repo.Edit(ctx, o.own.at.Doc, repo.Edit{By: o.cfg.DiskAs, Message: "op:file_open"}, func(_ repo.View, tx *blocks.Tx) error {
		return tx.ReplaceText(f.rec.Block, text)
	})
}

func (o *Overlay) specOf(f *file, text string) (blocks.BlockSpec, error) {
	meta, err := json.Marshal(map[string]string{"path": f.rec.Path, "mount": o.cfg.Mount})
	if err != nil {
		return blocks.BlockSpec{}, err
	}
	if right, ok := rightMeta(string(meta), o.cfg.Mount, f.rec.Path); ok {
		meta = []byte(right)
	}
	return blocks.BlockSpec{
		ID: f.rec.Block, Kind: blocks.KindFile, Role: blocks.RoleSystem, Form: blocks.FormBody, Content: text, Meta: string(meta),
	}, nil
}

// Frozen runs f on files as their blocks hold them, while nothing goes to the
// disk or comes from it. Before that, what is under way is finished. Paths nil
// means every file that was opened; paths that were not are left out. Inside of
// f the overlay can be read, and everything that would change it waits. The
// error wraps kaijutsu.ErrUnavailable when the overlay is paused.
func (o *Overlay) Frozen(ctx context.Context, paths []string, f func(Snapshot) error) error {
	select {
	case o.frozen <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-o.done:
		return errClosed
	}
	defer func() { <-o.frozen }()
	var snap Snapshot
	first := true
	err := o.await(ctx, func(ctx context.Context) (bool, error) {
		if first {
			first = false
			o.hurryAll(paths)
			return false, nil
		}
		ok, err := o.settled(paths)
		if err != nil || !ok {
			return false, err
		}
		if snap, err = o.snapshot(ctx, paths); err == nil {
			o.own.held = true
		}
		return true, err
	})
	if err != nil {
		return err
	}
	defer func() {
		_ = o.ask(context.WithoutCancel(ctx), func(context.Context) error {
			o.own.held = false
			return nil
		})
	}()
	return f(snap)
}

// hurryAll has files looked at now.
func (o *Overlay) hurryAll(paths []string) {
	now := time.Now()
	if paths == nil {
		for _, f := range o.own.files {
			f.hurry(now)
		}
	}
	for _, p := range paths {
		if f := o.own.paths[p]; f != nil {
			f.hurry(now)
		}
	}
}

// snapshot reads files from their blocks.
func (o *Overlay) snapshot(ctx context.Context, paths []string) (Snapshot, error) {
	snap := Snapshot{Epoch: o.own.epoch, Doc: o.own.at.Doc}
	var files []*file
	if paths == nil {
		for _, f := range o.own.files {
			files = append(files, f)
		}
	}
	for _, p := range paths {
		if f := o.own.paths[p]; f != nil {
			files = append(files, f)
		}
	}
	texts := make([]string, len(files))
	err := o.cfg.Repo.View(ctx, snap.Doc, func(v repo.View) error {
		snap.Heads, snap.Files = v.Heads, snap.Files[:0]
		for i, f := range files {
			b, ok := v.Block(f.rec.Block)
			live := ok && !b.Deleted
			if f.rec.Closed != "" || !live && f.rec.Exists {
				continue // it is a file now, and no block
			}
			texts[len(snap.Files)] = b.Content
			_ = i
			snap.Files = append(snap.Files, Snap{
				Path: f.rec.Path, Block: f.rec.Block, Exists: live, Mode: f.modeOf(), Conflict: f.rec.Conflict != nil, Problem: f.problem,
				Dirty: live && (!f.rec.Exists || hashText(b.Content) != f.rec.Text),
			})
		}
		return nil
	})
	if err != nil {
		return Snapshot{}, err
	}
	for i := range snap.Files {
		s := &snap.Files[i]
		if s.Exists {
			s.RepoData = o.repoData(s.Path, texts[i], snap.Epoch.Head)
		}
	}
	sortSnaps(snap.Files)
	return snap, nil
}

// repoData returns what git would keep of a block's text.
func (o *Overlay) repoData(name, text string, head git.Hash) []byte {
	data := toDisk(text, o.own.paths[name].shapeNow())
	var index []byte
	if held, err := o.cfg.Git.Repo().FileAt(head, name); err == nil && head != "" {
		index = held.Data
	}
	return o.cfg.Git.Attributes(name).ToRepo(data, index)
}

// shapeNow is the shape in which the file is written.
func (f *file) shapeNow() shape {
	if f.rec.Shape.EOL == "" {
		return shape{EOL: eolLF}
	}
	return f.rec.Shape
}
