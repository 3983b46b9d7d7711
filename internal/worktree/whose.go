package worktree

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"kaijutsu"
	"kaijutsu/git"
)

// whose says in whose name an import is made: git's, when git did something
// since block and disk last agreed and the text is what git has; else that of
// who edits on the disk.
func (o *Overlay) whose(l *look) kaijutsu.Principal {
	f, e := l.f, o.own.epoch
	if f.rec.Fresh {
		return Git
	}
	if f.index == e.Index && f.head == e.Head {
		return o.cfg.DiskAs
	}
	if !l.here {
		if _, err := o.cfg.Git.Repo().FileAt(e.Head, f.rec.Path); err != nil && f.head != e.Head {
			return Git
		}
		return o.cfg.DiskAs
	}
	if o.isGits(e, l) {
		return Git
	}
	return o.cfg.DiskAs
}

// isGits reports whether git has put this text on the disk, as far as can be
// told: it is what HEAD holds, unless it has just been committed from the disk,
// or it is kept by git and not because somebody has added it to the index.
func (o *Overlay) isGits(e git.Epoch, l *look) bool {
	f, path := l.f, l.f.rec.Path
	held, ok := o.heldAt(e.Head, path)
	if ok && held == l.text {
		if f.head == e.Head || !commits(o.lastReflog()) {
			return true
		}
		c, err := o.cfg.Git.Repo().Commit(string(e.Head))
		switch {
		case err != nil || len(c.Parents) == 0:
			return false
		case len(c.Parents) > 1: // what had to be decided is in the name of who did, as of git
			return true
		}
		h := o.blobOf(l)
		if before, ok := o.heldAt(c.Parents[0], path); ok && before == l.text || o.isPut(h, l) {
			return true
		}
		return o.isIn(c.Parents[0], e.Head, path, h)
	}
	return o.isKept(e, l)
}

// mayBeGits reports whether git did something since block and disk last agreed,
// and has the text that the disk holds, otherwise than because it was taken from
// there.
func (o *Overlay) mayBeGits(l *look) bool {
	f, e := l.f, o.own.epoch
	if f.rec.Fresh {
		return true
	}
	if f.index == e.Index && f.head == e.Head {
		return false
	}
	h := o.blobOf(l)
	return o.cfg.Git.Repo().HasBlob(h) && !o.isAdded(h, l)
}

// isAdded reports whether git made, or made again, a blob after the file that
// holds it was written.
func (o *Overlay) isAdded(h git.Hash, l *look) bool {
	made, ok := o.looseSince(h)
	return ok && made > l.stamp.MTime
}

// looseSince returns when git last made a blob, in nanoseconds since 1970, of one
// that is a file of its own.
func (o *Overlay) looseSince(h git.Hash) (int64, bool) {
	if len(h) < 3 {
		return 0, false
	}
	info, err := os.Lstat(filepath.Join(o.cfg.Git.Repo().GitDir(), "objects", string(h[:2]), string(h[2:])))
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	return info.ModTime().UnixNano(), true
}

// commits reports whether a reflog entry says that what was in the worktree
// became a commit.
func commits(message string) bool {
	const prefix = "commit"
	return len(message) > len(prefix) && message[:len(prefix)] == prefix
}

// heldAt returns the text of a file in a commit, as a block would hold it.
func (o *Overlay) heldAt(commit git.Hash, path string) (string, bool) {
	if commit == "" {
		return "", false
	}
	b, err := o.cfg.Git.Repo().FileAt(commit, path)
	if err != nil || !b.Mode.IsFile() {
		return "", false
	}
	text, _, ok := fromDisk(o.cfg.Git.Attributes(path).ToDisk(b.Data))
	return text, ok
}

// isKept reports whether git keeps a text otherwise than because somebody has
// added it to the index.
func (o *Overlay) isKept(e git.Epoch, l *look) bool {
	h := o.blobOf(l)
	if !o.cfg.Git.Repo().HasBlob(h) {
		return false
	}
	index, err := o.cfg.Git.ReadIndex()
	if err != nil {
		return false
	}
	entry := index.Find(l.f.rec.Path)
	squash := o.squashed()
	return entry == nil || entry.Hash != h || o.isPut(h, l) || !squash.IsZero() && !squash.Equal(l.f.squash) || o.isIn(e.Head, "", l.f.rec.Path, h)
}

// blobOf names what git would keep of what is on the disk.
func (o *Overlay) blobOf(l *look) git.Hash {
	return git.BlobHash(o.cfg.Git.Attributes(l.f.rec.Path).ToRepo(toDisk(l.text, l.shape), nil))
}

// isPut reports whether git had a blob before the file that holds it was written:
// who checks out, merges or picks makes the file of the blob, while git add makes
// the blob of the file, and gives a blob that was there already the time of that.
// Where both have the same tick of the clock, it is git's if our logs know lines
// that it brings.
func (o *Overlay) isPut(h git.Hash, l *look) bool {
	made, ok := o.looseSince(h)
	if !ok || made > l.stamp.MTime {
		return false
	}
	return made < l.stamp.MTime || len(o.writers(context.Background(), l.f, l.block, l.text)) > 0
}

// squashed returns when git merge --squash was last done and not yet committed;
// zero: it was not.
func (o *Overlay) squashed() (at time.Time) {
	if info, err := os.Lstat(filepath.Join(o.cfg.Git.GitDir(), "SQUASH_MSG")); err == nil {
		at = info.ModTime()
	}
	return at
}

// Where a file's earlier texts are looked for.
const (
	maxTips    = 64
	maxParents = 16
)

// isIn reports whether a branch's tip, but for one, or a commit, or one not long
// before that, holds a file like that.
func (o *Overlay) isIn(at, but git.Hash, name string, h git.Hash) bool {
	r := o.cfg.Git.Repo()
	has := func(commit git.Hash) bool {
		b, err := r.FileAt(commit, name)
		return err == nil && b.Hash == h
	}
	for range maxParents {
		if at == "" || has(at) {
			return at != ""
		}
		c, err := r.Commit(string(at))
		if err != nil || len(c.Parents) == 0 {
			break
		}
		at = c.Parents[0]
	}
	branches, err := r.Branches()
	if err != nil {
		return false
	}
	for _, b := range branches[:min(len(branches), maxTips)] {
		if b.Head != but && has(b.Head) {
			return true
		}
	}
	return false
}
