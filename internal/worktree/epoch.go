package worktree

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/git"
)

// Why an overlay is paused for a moment only.
const (
	reasonLocked    = "git is at work (index.lock is there)"
	reasonSwitching = "git has checked out another branch"
)

// reasonStuck is why an overlay is paused when git has its lock for longer than
// stuck: what it does takes long, or it was killed.
const (
	reasonStuck = "git has held index.lock for more than 5 seconds: try again when it is done, or remove the file if no git is at work"
	stuck       = 5 * time.Second
)

// patience is how long who writes waits for git.
const patience = time.Second

func transient(reason string) bool { return reason == reasonLocked || reason == reasonSwitching }

// branchOf returns the name under which the overlay knows the branch that is
// checked out.
func branchOf(e git.Epoch) string {
	if e.Branch == "" {
		return Detached
	}
	return e.Branch
}

// follow reads the epoch and follows it. It reports false when nothing may be
// done now.
func (o *Overlay) follow(ctx context.Context, now time.Time) bool {
	reason := o.followed(ctx, now)
	if reason != o.own.paused && ctx.Err() == nil {
		if o.own.paused = reason; !transient(reason) {
			o.cfg.Log.Info("worktree paused or resumed", "mount", o.cfg.Mount, "branch", o.own.at.Branch, "reason", reason)
		}
	}
	return reason == ""
}

// followed is follow; it returns why nothing may be done, "" when it may.
func (o *Overlay) followed(ctx context.Context, now time.Time) string {
	if now.Before(o.own.retry) {
		return o.own.paused
	}
	if _, err := o.cfg.Folder.Stamp(".git"); err != nil {
		return "the worktree's directory or its .git is gone"
	}
	e, err := o.cfg.Git.Epoch()
	if err != nil {
		return fmt.Sprintf("the state of the worktree cannot be read: %v", err)
	}
	if e.Branch != o.own.epoch.Branch || e.Head != o.own.epoch.Head || e.Index != o.own.epoch.Index {
		if e.Index != o.own.epoch.Index {
			o.own.window = nil
		}
		o.own.moved = now
	}
	o.own.epoch = e
	switch {
	case !e.Locked:
		o.own.locked = time.Time{}
	case o.own.locked.IsZero():
		o.own.locked = now
	}
	switch {
	case e.State != "":
		return "in progress: " + e.State
	case e.Locked && now.Sub(o.own.locked) > stuck:
		return reasonStuck
	case e.Locked:
		return reasonLocked
	case o.own.ready && o.cfg.Kernel.Deleted(o.own.at.Doc):
		return "the context of this branch was deleted"
	case o.own.ready && o.cfg.Kernel.Archived(o.own.at.Doc):
		return "the context of this branch is archived"
	}
	switch {
	case !o.own.ready || branchOf(e) != o.own.at.Branch:
		if o.own.ready && now.Sub(o.own.moved) < still {
			return reasonSwitching
		}
		if err := o.switchTo(ctx, e); err != nil {
			o.own.retry = now.Add(again)
			o.cfg.Log.Warn("worktree cannot follow its branch", "mount", o.cfg.Mount, "branch", branchOf(e), "err", err)
			return fmt.Sprintf("the context of branch %s: %v", branchOf(e), err)
		}
	case e.Head != o.own.at.Head:
		if err := o.advance(ctx, now, e); err != nil {
			o.own.retry = now.Add(again)
			return fmt.Sprintf("the state of the worktree cannot be kept: %v", err)
		}
	}
	return ""
}

// advance goes on with another commit of the same branch: with what a Snapshot
// was committed as, nothing else changes; else every file is looked at.
func (o *Overlay) advance(ctx context.Context, now time.Time, e git.Epoch) error {
	o.mu.Lock()
	ours := o.moved && o.expect == e.Head
	o.moved = o.moved && !ours
	o.mu.Unlock()
	at := o.own.at
	at.Head, at.Generation = e.Head, at.Generation+1
	if err := o.savePlace(ctx, at); err != nil {
		return err
	}
	o.own.at = at
	if ours {
		for _, f := range o.own.files {
			if f.due.IsZero() {
				f.index, f.head = e.Index, e.Head
			}
		}
		return nil
	}
	for _, f := range o.own.files {
		f.stirred(now)
	}
	return nil
}

// attachFirst finds the branch that the overlay was attached to, or attaches it
// to the one that is checked out, unless git is at work.
func (o *Overlay) attachFirst(ctx context.Context) error {
	e, err := o.cfg.Git.Epoch()
	if err != nil {
		return err
	}
	o.own.epoch = e
	at, err := o.loadPlace()
	switch {
	case errors.Is(err, kaijutsu.ErrNotFound):
		if e.State != "" || e.Locked {
			return nil
		}
		return o.switchTo(ctx, e)
	case err != nil:
		return err
	}
	files, err := o.loadFiles(at.Doc)
	if err != nil {
		return err
	}
	for _, f := range files {
		f.head = at.Head
	}
	o.attach(at, files)
	return nil
}

// switchTo goes on with the branch that is checked out: with the context that it
// had, or a fork of the one so far, whose blocks then become what the disk
// holds. What was not flushed stays in the old context.
func (o *Overlay) switchTo(ctx context.Context, e git.Epoch) error {
	old := o.own.at
	if o.own.ready {
		o.revertWindow(ctx, e)
		if err := o.saveAll(ctx); err != nil {
			return err
		}
	}
	doc, err := o.cfg.Context(ctx, branchOf(e), old.Doc)
	if err != nil {
		return err
	}
	files, err := o.filesOf(ctx, doc)
	if err != nil {
		return err
	}
	at := place{Branch: branchOf(e), Head: e.Head, Doc: doc, Generation: old.Generation + 1}
	if err := o.savePlace(ctx, at); err != nil {
		return err
	}
	o.attach(at, files)
	return nil
}

// attach makes a context the one that the disk belongs to.
func (o *Overlay) attach(at place, files []*file) {
	for _, f := range o.own.files {
		o.cfg.Watch.Remove(o.own.root + f.rec.Path)
	}
	o.own.at, o.own.ready = at, true
	clear(o.own.files)
	clear(o.own.paths)
	clear(o.own.aside)
	clear(o.own.elsewhere)
	o.own.window = nil
	o.mu.Lock()
	o.doc = at.Doc
	clear(o.known)
	clear(o.noted)
	clear(o.shown)
	o.all, o.moved = false, false
	o.mu.Unlock()
	for _, name := range o.own.watch {
		o.cfg.Watch.Remove(name)
	}
	o.own.watch = o.cfg.Git.WatchFiles()
	for _, name := range o.own.watch {
		o.watchFile(name)
	}
	now := time.Now()
	for _, f := range files {
		f.stale, f.touched = true, true
		f.hurry(now)
		o.add(f)
	}
}

// add takes a file among those that are followed.
func (o *Overlay) add(f *file) {
	o.own.files[f.rec.Block] = f
	o.own.paths[f.rec.Path] = f
	o.know(f.rec.Block)
	if c := f.rec.Conflict; c != nil {
		o.aside(f, c.Block)
	}
	o.watchFile(o.own.root + f.rec.Path)
	o.present(f)
}

// aside notes that a block says what is the matter with a file.
func (o *Overlay) aside(f *file, id blocks.ID) {
	o.own.aside[id] = f
	o.know(id)
}

func (o *Overlay) know(id blocks.ID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.known[id] = true
}

// watchFile has a file watched; where that fails, the rescan and the next look
// find what changed.
func (o *Overlay) watchFile(name string) {
	if err := o.cfg.Watch.Add(name); err != nil {
		o.cfg.Log.Debug("file is not watched", "mount", o.cfg.Mount, "err", err)
	}
}
