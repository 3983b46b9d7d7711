package git

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"kaijutsu"
)

// lockWait is how long UpdateIndex waits for others: git status takes the lock
// for an instant to refresh the index.
const lockWait = time.Second

// UpdateIndex lets change work on the index under git's lock, and writes what
// it made of it. Entries that change does not touch stay as they are; what the
// index knows of trees is forgotten where it is not true any more. If change
// returns an error, nothing is written and the error is returned. While others
// hold the lock it waits for up to a second; then the error wraps
// kaijutsu.ErrUnavailable. After change returned, the index is not its any more.
func (w *Worktree) UpdateIndex(ctx context.Context, change func(*Index) error) error {
	path := filepath.Join(w.gitdir, "index")
	l, err := waitForLock(ctx, path)
	if err != nil {
		return err
	}
	defer l.abort()
	old, err := w.cachedIndex()
	if err != nil {
		return err
	}
	x, before := old.clone(), old.Entries
	if err := change(x); err != nil {
		return err
	}
	x.forget(before)
	if err := w.smudge(x, before); err != nil {
		return err
	}
	return w.writeIndex(l, x, before)
}

// waitForLock takes a lock, and tries again for a while if somebody has it.
func waitForLock(ctx context.Context, path string) (*lock, error) {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	pause := time.NewTicker(5 * time.Millisecond)
	defer pause.Stop()
	for {
		l, err := lockFile(path)
		if !errors.Is(err, kaijutsu.ErrUnavailable) {
			return l, err
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			return nil, err
		}
	}
}

// forget takes out what is not true any more of the trees and of the other
// caches, after entries changed.
func (x *Index) forget(before []IndexEntry) {
	changed, moved := false, len(before) != len(x.Entries)
	i, j := 0, 0
	for i < len(before) || j < len(x.Entries) {
		var c int
		switch {
		case i == len(before):
			c = 1
		case j == len(x.Entries):
			c = -1
		default:
			c = compareIndex(before[i], x.Entries[j])
		}
		switch {
		case c < 0:
			x.invalidate(before[i].Path)
			changed, moved = true, true
			i++
		case c > 0:
			x.invalidate(x.Entries[j].Path)
			changed, moved = true, true
			j++
		default:
			a, b := &before[i], &x.Entries[j]
			if *a != *b {
				changed = true
			}
			if a.Hash != b.Hash || a.Mode != b.Mode || a.IntentToAdd != b.IntentToAdd {
				x.invalidate(b.Path)
			}
			i++
			j++
		}
	}
	x.kept = slices.DeleteFunc(x.kept, func(e indexExtension) bool {
		// The untracked cache is by directory, the monitor's by position.
		return e.name == "UNTR" && moved || e.name == "FSMN" && changed
	})
}

func (x *Index) invalidate(path string) {
	if x.trees != nil {
		x.trees.invalidate(path)
	}
}

// smudge makes sure that a file that changed in the instant in which the old
// index was written still counts as changed for the new one: its size becomes
// 0, as ce_smudge_racily_clean_entry of git does.
func (w *Worktree) smudge(x *Index, before []IndexEntry) error {
	var src *statusWalk
	files := newLstatter(w.dir)
	at := 0
	for i := range x.Entries {
		e := &x.Entries[i]
		if e.Stage != 0 || !e.Mode.IsFile() && e.Mode != Symlink || e.Stat == (IndexStat{}) || !e.Stat.racy(x.mtime) || x.mtime.IsZero() {
			continue
		}
		for at < len(before) && compareIndex(before[at], *e) < 0 {
			at++
		}
		if at == len(before) || before[at] != *e {
			continue // new: who changed it has just looked at the file
		}
		if src == nil {
			var err error
			if src, err = w.newStatusWalk(x, StatusOptions{}); err != nil {
				return err
			}
		}
		fi, err := files.lstat(e.Path)
		if err != nil || !e.Stat.sameFile(statOf(fi), src.trustCTime) {
			continue
		}
		same, err := src.sameContent(e, fi)
		if err == nil && !same {
			e.Stat.Size = 0
		}
	}
	return nil
}
