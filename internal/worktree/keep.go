package worktree

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/internal/guard"
	"kaijutsu/internal/repo"
)

// savers is how many records are written at the same time: they share the wait
// for the disk.
const savers = 16

// loadPlace reads where the overlay was when it was last attached.
func (o *Overlay) loadPlace() (place, error) {
	data, err := o.cfg.Store.Record(o.keys.place())
	if err != nil {
		return place{}, err
	}
	return decodePlace(data)
}

func (o *Overlay) savePlace(ctx context.Context, p place) error {
	data, err := p.encode()
	if err != nil {
		return err
	}
	return o.cfg.Store.PutRecord(ctx, o.keys.place(), data)
}

// loadFiles reads the records of a context's files. One that cannot be read is
// logged and left alone: its file is not followed.
func (o *Overlay) loadFiles(doc kaijutsu.DocumentID) ([]*file, error) {
	var names []string
	prefix := o.keys.files(doc)
	for name, err := range o.cfg.Store.Records(prefix) {
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	var files []*file
	paths := map[string]bool{}
	for _, name := range names {
		data, err := o.cfg.Store.Record(name)
		if err != nil {
			return nil, err
		}
		r, err := decodeRecord(data)
		if err == nil && (string(r.Block) != strings.TrimPrefix(name, prefix) || paths[r.Path]) {
			err = fmt.Errorf("record %s is of block %s and path %q: %w", name, r.Block, r.Path, kaijutsu.ErrInvalid)
		}
		if err != nil {
			o.cfg.Log.Error("a file of a worktree is not followed", "mount", o.cfg.Mount, "err", err)
			continue
		}
		paths[r.Path] = true
		files = append(files, &file{rec: r, saved: true, loaded: true})
	}
	return files, nil
}

// filesOf returns the files of a context that the overlay is about to attach:
// those that it had, or, when it was never attached, those of the context so
// far, of which it is a fork.
func (o *Overlay) filesOf(ctx context.Context, doc kaijutsu.DocumentID) ([]*file, error) {
	_, err := o.cfg.Store.Record(o.keys.known(doc))
	if err == nil {
		return o.loadFiles(doc)
	}
	if !errors.Is(err, kaijutsu.ErrNotFound) {
		return nil, err
	}
	files, err := o.inherited(ctx, doc)
	if err != nil {
		return nil, err
	}
	if err := o.save(ctx, doc, files); err != nil {
		return nil, err
	}
	return files, o.cfg.Store.PutRecord(ctx, o.keys.known(doc), []byte(`{"v":1}`))
}

// inherited copies what is known of the files whose blocks a fork has too.
func (o *Overlay) inherited(ctx context.Context, doc kaijutsu.DocumentID) ([]*file, error) {
	if len(o.own.files) == 0 {
		return nil, nil
	}
	var files []*file
	err := o.cfg.Repo.View(ctx, doc, func(v repo.View) error {
		files = files[:0]
		for _, f := range o.own.files {
			if _, ok := v.Block(f.rec.Block); !ok {
				continue
			}
			r := f.rec
			r.Fresh, r.Pending, r.Base, r.Past = true, nil, nil, slices.Clone(r.Past)
			files = append(files, &file{rec: r})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look at the fork for the branch: %w", err)
	}
	return files, nil
}

// save writes the records of files.
func (o *Overlay) save(ctx context.Context, doc kaijutsu.DocumentID, files []*file) error {
	errs := make([]error, len(files))
	turns := make(chan struct{}, savers)
	var all sync.WaitGroup
	for i, f := range files {
		r := f.rec
		if f.racy() {
			r.Stamp.MTime, r.Stamp.CTime = 0, 0 // to be read again after a restart
		}
		data, err := r.encode()
		if err != nil {
			errs[i] = err
			continue
		}
		turns <- struct{}{}
		all.Go(guard.Func(o.cfg.Log, "records of an overlay", func() {
			errs[i] = o.cfg.Store.PutRecord(ctx, o.keys.file(doc, r.Block), data)
			<-turns
		}))
	}
	all.Wait()
	for i, f := range files {
		f.saved = errs[i] == nil
	}
	return errors.Join(errs...)
}

// saveSome writes records that are not on disk yet, of files that were left in
// peace for a while, and returns when to go on. They are not needed for what is
// known to be right: they spare work after a restart.
func (o *Overlay) saveSome(ctx context.Context) time.Time {
	const delay = 250 * time.Millisecond
	now := time.Now()
	var next time.Time
	var some []*file
	for _, f := range o.own.files {
		if f.saved {
			continue
		}
		if at := f.seenAt.Add(delay); at.After(now) {
			if next.IsZero() || at.Before(next) {
				next = at
			}
			continue
		}
		if some = append(some, f); len(some) == maxTurn {
			next = now
			break
		}
	}
	if err := o.save(ctx, o.own.at.Doc, some); err != nil && ctx.Err() == nil {
		o.cfg.Log.Warn("what is known of files is not kept", "mount", o.cfg.Mount, "err", err)
		return now.Add(again)
	}
	return next
}

// saveAll writes all records that are not on disk yet.
func (o *Overlay) saveAll(ctx context.Context) error {
	var some []*file
	for _, f := range o.own.files {
		if !f.saved {
			some = append(some, f)
		}
	}
	if err := o.save(ctx, o.own.at.Doc, some); err != nil {
		return fmt.Errorf("keep what is known of the files of %s: %w", o.cfg.Mount, err)
	}
	return nil
}

// forget lets go of a file's record.
func (o *Overlay) forget(ctx context.Context, f *file) error {
	o.cfg.Watch.Remove(o.own.root + f.rec.Path)
	delete(o.own.files, f.rec.Block)
	if o.own.paths[f.rec.Path] == f {
		delete(o.own.paths, f.rec.Path)
	}
	o.mu.Lock()
	delete(o.known, f.rec.Block)
	delete(o.shown, f.rec.Block)
	o.mu.Unlock()
	return o.cfg.Store.DeleteRecord(ctx, o.keys.file(o.own.at.Doc, f.rec.Block))
}
