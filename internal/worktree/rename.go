package worktree

import (
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"time"

	"kaijutsu/internal/vfs"
)

// Bounds of the search for where files have gone.
const (
	maxWalked  = 200_000
	maxWalk    = 2 * time.Second
	maxSameLen = 64 // files of one size that are read
)

// follows finds files that are gone under one name and there under another: the
// same inode, or the same bytes where only one such file is new. Their blocks go
// with them.
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
	found := o.newFiles(ctx, gone)
	taken := map[string]bool{}
	names := make([]string, len(gone))
	for i, l := range gone {
		if names[i] = sameInode(l.f.rec, found, taken); names[i] != "" {
			taken[names[i]] = true
		}
	}
	for i, l := range gone {
		name := names[i]
		if name == "" {
			name = o.sameBytes(ctx, l.f.rec, found, taken)
		}
		if name == "" {
			continue
		}
		taken[name] = true
		if err := o.rename(ctx, l.f, name); err != nil {
			o.fail(l.f, "rename", err)
			continue
		}
		l.verdict = wait
		l.settled = false
		l.again = time.Now()
	}
}

// candidate is a file on the disk that is no block.
type candidate struct {
	name  string
	stamp vfs.Stamp
}

// newFiles walks over the worktree and returns the files that are no blocks and
// have the size or inode of one that is gone.
func (o *Overlay) newFiles(ctx context.Context, gone []*look) []candidate {
	inodes, sizes := map[uint64]bool{}, map[int64]bool{}
	for _, l := range gone {
		if l.f.rec.Stamp.Ino != 0 {
			inodes[l.f.rec.Stamp.Ino] = true
		}
		if l.f.rec.Stamp.Size > 0 {
			sizes[l.f.rec.Stamp.Size] = true
		}
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
		if st := vfs.StampOf(info); inodes[st.Ino] || sizes[st.Size] {
			found = append(found, candidate{rel, st})
		}
		return nil
	})
	return found
}

// sameInode returns the name under which a file that is gone is there now, told
// by its inode, which a file that is made later may get too: so its size and time
// have to be the same. "" when there is none.
func sameInode(rec record, found []candidate, taken map[string]bool) string {
	for _, c := range found {
		same := c.stamp.Ino == rec.Stamp.Ino && c.stamp.Dev == rec.Stamp.Dev && c.stamp.Size == rec.Stamp.Size && c.stamp.MTime == rec.Stamp.MTime
		if same && rec.Stamp.Ino != 0 && !taken[c.name] {
			return c.name
		}
	}
	return ""
}

// sameBytes is sameInode by what the file holds; "" when there are several that
// it could be, and none or several of its own name.
func (o *Overlay) sameBytes(ctx context.Context, rec record, found []candidate, taken map[string]bool) string {
	if rec.Stamp.Size == 0 {
		return ""
	}
	var same []string
	read := 0
	for _, c := range found {
		if taken[c.name] || c.stamp.Size != rec.Stamp.Size {
			continue
		}
		if read++; read > maxSameLen {
			return ""
		}
		data, _, err := o.cfg.Folder.Read(ctx, o.cfg.DiskAs, c.name, o.cfg.Limit)
		if err == nil && hashBytes(data) == rec.Disk {
			same = append(same, c.name)
		}
	}
	if len(same) == 1 {
		return same[0]
	}
	var named string
	for _, name := range same {
		if path.Base(name) != path.Base(rec.Path) {
			continue
		}
		if named != "" {
			return ""
		}
		named = name
	}
	return named
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
