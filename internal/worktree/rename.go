package worktree

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/internal/vfs"
)

// Bounds of the search for where files have gone.
const (
	maxWalked    = 200_000
	maxWalk      = 2 * time.Second
	maxRead      = 200 // files that are read to be compared
	maxComparing = 300 * time.Millisecond
)

// follows finds files that are gone under one name and there under another, and
// were not there under that before: the same inode, the same bytes, or a text of
// which at least half is the same (alike). Their blocks go with them.
func (o *Overlay) follows(ctx context.Context, looks []*look) {
	var gone []*look
	for _, l := range looks {
		if l.verdict == bury && !l.f.rec.Fresh || l.verdict == orphan {
			gone = append(gone, l)
		}
	}
	if len(gone) == 0 {
		return
	}
	for _, p := range o.pair(ctx, gone, o.newFiles(ctx, gone)) {
		if err := o.rename(ctx, p.gone.f, p.name); err != nil {
			o.fail(p.gone.f, "rename", err)
			continue
		}
		p.gone.verdict = wait
		p.gone.settled = false
		p.gone.again = time.Now()
	}
}

// candidate is a file on the disk that is no block.
type candidate struct {
	name  string
	stamp vfs.Stamp
	read  bool // what follows is known
	data  hash // of its bytes
	text  string
	old   bool // it was there before
	asked bool // old is known
}

// pairing is a file that is gone and the name under which it may be there now.
type pairing struct {
	gone  *look
	name  string
	score int // per thousand; more than that when it is the same
}

// What speaks for a pairing more than likeness does, which is at most 1000.
const (
	enough     = 500  // likeness at which git speaks of a rename
	scoreBytes = 2000 // the same bytes
	scoreInode = 3000 // the same file, untouched
)

// pair says which of the files that are gone are there under another name: the
// best pairings first, each file once. Where two are as good, the one that keeps
// the name wins, and without one there is none.
func (o *Overlay) pair(ctx context.Context, gone []*look, found []candidate) []pairing {
	var all []pairing
	read, end := 0, time.Now().Add(maxComparing)
	for i := range found {
		c := &found[i]
		for _, l := range gone {
			score := 0
			switch rec := l.f.rec; {
			case sameInode(rec, c.stamp):
				score = scoreInode
			case o.wasThere(l.f, c):
			case !c.read && (read >= maxRead || time.Now().After(end)):
			default:
				if !c.read {
					read++
					o.readCandidate(ctx, c)
				}
				switch {
				case l.verdict == orphan && !inodeOf(rec, c.stamp): // its edits would go into a file that may be another
				case c.data == rec.Disk && rec.Stamp.Size > 0:
					score = scoreBytes
				default:
					score = likeness(l.block, c.text)
				}
			}
			if score < enough {
				continue
			}
			if path.Base(c.name) == path.Base(l.f.rec.Path) {
				score++
			}
			all = append(all, pairing{l, c.name, score})
		}
	}
	slices.SortStableFunc(all, func(a, b pairing) int { return b.score - a.score })
	return choose(all)
}

// choose takes the best pairings; of those that are as good as one another for a
// file that is gone, none.
func choose(all []pairing) []pairing {
	var out []pairing
	taken, done := map[string]bool{}, map[*look]bool{}
	for i, p := range all {
		if taken[p.name] || done[p.gone] {
			continue
		}
		same := func(q pairing) bool {
			return q.gone == p.gone && q.score == p.score && !taken[q.name]
		}
		done[p.gone] = true
		if slices.ContainsFunc(all[i+1:], same) {
			continue
		}
		taken[p.name] = true
		out = append(out, p)
	}
	return out
}

// newFiles walks over the worktree and returns the files that are no blocks and
// have the inode of one that is gone, or a size that is not another altogether.
func (o *Overlay) newFiles(ctx context.Context, gone []*look) []candidate {
	inodes := map[uint64]bool{}
	smallest, largest := int64(math.MaxInt64), int64(0)
	for _, l := range gone {
		inodes[l.f.rec.Stamp.Ino] = true
		smallest, largest = min(smallest, l.f.rec.Stamp.Size), max(largest, l.f.rec.Stamp.Size)
	}
	var found []candidate
	n, end := 0, time.Now().Add(maxWalk)
	root := o.cfg.Folder.Dir()
	_ = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if n++; n > maxWalked || ctx.Err() != nil || n%1000 == 0 && time.Now().After(end) {
			return filepath.SkipAll
		}
		rel, bad := filepath.Rel(root, name)
		if err != nil || bad != nil {
			return nil
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if rel != "." && (notGits(rel) != nil || o.cfg.Git.Ignored(rel, true)) {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || checkPath(rel) != nil {
			return nil
		}
		if f := o.own.paths[rel]; f != nil && f.rec.Exists {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		if st := vfs.StampOf(info); inodes[st.Ino] || st.Size > 0 && st.Size <= o.cfg.Limit && st.Size >= smallest/2 && st.Size <= 2*largest {
			found = append(found, candidate{name: rel, stamp: st})
		}
		return nil
	})
	// The newest first: they are read until it is enough.
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(b.stamp.CTime, a.stamp.CTime) })
	return found
}

// inodeOf reports whether a file on the disk has the inode of one that is gone;
// another that is made later may get it too.
func inodeOf(rec record, st vfs.Stamp) bool {
	return rec.Stamp.Ino != 0 && st.Ino == rec.Stamp.Ino && st.Dev == rec.Stamp.Dev
}

// sameInode reports whether a file on the disk is one that is gone, and nobody
// has written it.
func sameInode(rec record, st vfs.Stamp) bool {
	return inodeOf(rec, st) && st.Size == rec.Stamp.Size && st.MTime == rec.Stamp.MTime
}

// wasThere reports whether a file was there already while one that is gone was
// there too, so that it is another: because the commit had both, or because it
// is older than the other.
func (o *Overlay) wasThere(f *file, c *candidate) bool {
	if !inodeOf(f.rec, c.stamp) && c.stamp.CTime < f.rec.Stamp.CTime {
		return true
	}
	if !c.asked {
		c.asked = true
		head := f.head
		if head == "" {
			head = o.own.epoch.Head
		}
		if head != "" {
			_, err := o.cfg.Git.Repo().FileAt(head, c.name)
			c.old = err == nil
		}
	}
	return c.old
}

// readCandidate reads a file to compare it.
func (o *Overlay) readCandidate(ctx context.Context, c *candidate) {
	c.read = true
	data, _, err := o.cfg.Folder.Read(ctx, o.cfg.DiskAs, c.name, o.cfg.Limit)
	if err != nil {
		return
	}
	c.data = hashBytes(data)
	if text, _, ok := fromDisk(data); ok {
		c.text = text
	}
}

// likeness says how much of two texts is the same, per thousand of the longer
// one: the lines of one that the other has too, each as often as both have it,
// counted by their bytes, as git does it to find renames. Carriage returns at
// ends of lines do not count.
func likeness(a, b string) int {
	longer := max(len(a), len(b))
	if longer == 0 || min(len(a), len(b))*1000/longer < enough {
		return 0
	}
	have := map[string]int{}
	for line := range strings.Lines(a) {
		have[bare(line)]++
	}
	same := 0
	for line := range strings.Lines(b) {
		if line := bare(line); have[line] > 0 {
			have[line]--
			same += len(line) + 1
		}
	}
	return min(same*1000/longer, 1000)
}

// bare is a line without what ends it.
func bare(line string) string {
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
}

// recent is how long ago a file may have been put where it is, for a reader to
// wait until it is known whether that is one that is gone elsewhere.
const recent = 3 * time.Second

// mayBeMoved reports whether a file that is no block may be one that is a block
// under another name, of which it has not been decided yet that it is gone. Such
// a file is looked at now.
func (o *Overlay) mayBeMoved(name string) bool {
	st, err := o.cfg.Folder.Stamp(name)
	if err != nil {
		return false
	}
	now := time.Now()
	late := now.UnixNano()-st.CTime < int64(recent)
	moved := false
	for _, f := range o.own.files {
		if !f.rec.Exists || f.rec.Closed != "" || f.rec.Conflict != nil || f.left || f.problem != "" || f.rec.Fresh {
			continue
		}
		if !late && !inodeOf(f.rec, st) {
			continue
		}
		if _, err := o.cfg.Folder.Stamp(f.rec.Path); errors.Is(err, kaijutsu.ErrNotFound) || errors.Is(err, vfs.ErrNotDirectory) {
			f.hurry(now)
			moved = true
		}
	}
	return moved
}

// rename gives a file its new name. A tombstone that had it is forgotten.
func (o *Overlay) rename(ctx context.Context, f *file, name string) error {
	if other := o.own.paths[name]; other != nil && other != f {
		if err := o.forget(ctx, other); err != nil {
			return err
		}
	}
	o.cfg.Watch.Remove(o.own.root + f.rec.Path)
	delete(o.own.paths, f.rec.Path)
	f.rec.Path = name
	o.own.paths[name] = f
	o.watchFile(o.own.root + name)
	f.touched, f.stale, f.saved = true, true, false
	f.seen, f.seenAt, f.changed = vfs.Stamp{}, time.Time{}, time.Time{}
	return o.save(ctx, o.own.at.Doc, []*file{f})
}
