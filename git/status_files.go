package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"kaijutsu"
)

// statusWalk compares a worktree with its index.
type statusWalk struct {
	w     *Worktree
	x     *Index // not to be changed
	o     StatusOptions
	attrs *attrSource
	found map[string]*FileStatus

	stages map[string]int // of unmerged paths: 1 the base, 2 ours, 4 theirs

	trustCTime, trustExec, symlinks bool
}

func (w *Worktree) newStatusWalk(x *Index, o StatusOptions) (*statusWalk, error) {
	c, err := w.config()
	if err != nil {
		return nil, err
	}
	return &statusWalk{
		w: w, x: x, o: o, attrs: w.attributes(), found: map[string]*FileStatus{}, stages: map[string]int{},
		trustCTime: c.flag("core.trustctime", true),
		trustExec:  c.flag("core.filemode", true),
		symlinks:   c.flag("core.symlinks", true),
	}, nil
}

// unstaged compares the index with the files.
func (s *statusWalk) unstaged(ctx context.Context) error {
	for from := 0; from < len(s.x.Entries); from += statBatch {
		if err := ctx.Err(); err != nil {
			return err
		}
		batch := s.x.Entries[from:min(from+statBatch, len(s.x.Entries))]
		for i, f := range s.lstatAll(batch) {
			if err := s.compareEntry(from+i, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareEntry compares the entry of a number with its file.
func (s *statusWalk) compareEntry(i int, f looked) error {
	e := &s.x.Entries[i]
	switch {
	case !s.o.wanted(e.Path):
		return nil
	case e.Stage > 0:
		st := s.at(e.Path)
		if s.stages[e.Path] == 0 {
			st.Disk = s.diskMode(e, f)
		}
		s.stages[e.Path] |= 1 << (e.Stage - 1)
		st.Conflict = conflictCodes[s.stages[e.Path]]
		st.Staged, st.Unstaged = Code(st.Conflict[0]), Code(st.Conflict[1])
		return nil
	case e.SkipWorktree || e.AssumeValid:
		return nil
	}
	code, disk, err := s.compare(e, f)
	if err != nil {
		return fmt.Errorf("file %q: %w", e.Path, err)
	}
	if code == Unmodified {
		return nil
	}
	st := s.at(e.Path)
	st.Unstaged, st.Disk = code, disk
	if !e.IntentToAdd {
		st.Index, st.IndexHash = e.Mode, e.Hash
	}
	if st.Staged == Unmodified && !e.IntentToAdd {
		st.Head, st.HeadHash = e.Mode, e.Hash
	}
	return nil
}

func (s *statusWalk) diskMode(e *IndexEntry, f looked) Mode {
	if f.err != nil {
		return 0
	}
	return modeOf(f.info, e.Mode, s.trustExec, s.symlinks)
}

// compare tells how a file differs from its entry, and the mode that it has.
func (s *statusWalk) compare(e *IndexEntry, f looked) (Code, Mode, error) {
	var text []byte
	shown := false
	if s.o.Text != nil && e.Mode.IsFile() {
		text, shown = s.o.Text(e.Path)
	}
	fi, err := f.info, f.err
	switch {
	case errors.Is(err, fs.ErrNotExist) && !shown:
		return Deleted, 0, nil
	case err != nil && !shown:
		return Unmodified, 0, err
	}
	mode := e.Mode
	if err == nil {
		mode = modeOf(fi, e.Mode, s.trustExec, s.symlinks)
	}
	switch {
	case e.Mode == Submodule && mode == Tree:
		return s.compareSubmodule(e)
	case mode == Tree || mode == 0:
		return Deleted, 0, nil
	case e.IntentToAdd:
		return Added, mode, nil
	case mode != e.Mode:
		return changeCode(e.Mode, mode), mode, nil
	}
	if shown {
		if hashObject(blobKind, text) != e.Hash {
			return Modified, mode, nil
		}
		return Unmodified, mode, nil
	}
	if e.Stat.sameFile(statOf(fi), s.trustCTime) && !e.Stat.racy(s.x.mtime) {
		return Unmodified, mode, nil
	}
	same, err := s.sameContent(e, fi)
	if errors.Is(err, fs.ErrNotExist) {
		return Deleted, 0, nil
	}
	if err != nil || same {
		return Unmodified, mode, err
	}
	return Modified, mode, nil
}

// compareSubmodule compares the commit that is checked out in a submodule. An
// empty directory is one that is not checked out.
func (s *statusWalk) compareSubmodule(e *IndexEntry) (Code, Mode, error) {
	dir := filepath.Join(s.w.dir, filepath.FromSlash(e.Path))
	if !exists(filepath.Join(dir, ".git")) {
		return Unmodified, Submodule, nil
	}
	d, err := findGitDirs(dir)
	if err != nil {
		return Unmodified, Submodule, nil
	}
	sub := &Repo{common: d.common}
	if _, h, err := sub.resolveRef(d.gitdir, "HEAD"); err == nil && h != "" && h != e.Hash {
		return Modified, Submodule, nil
	}
	return Unmodified, Submodule, nil
}

// sameContent reads a file and compares it with its entry. What was found to
// be the same is remembered until the file changes.
func (s *statusWalk) sameContent(e *IndexEntry, fi os.FileInfo) (bool, error) {
	stamp := stampFrom(fi)
	if s.w.clean.has(e, stamp) {
		return true, nil
	}
	same, err := s.readSame(e, fi)
	if err == nil && same && !stamp.fresh() {
		s.w.clean.add(e, stamp)
	}
	return same, err
}

func (s *statusWalk) readSame(e *IndexEntry, fi os.FileInfo) (bool, error) {
	name := filepath.Join(s.w.dir, filepath.FromSlash(e.Path))
	if fi.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(name)
		return err == nil && hashObject(blobKind, []byte(target)) == e.Hash, err
	}
	a := s.attrs.attr(e.Path)
	if fi.Size() > maxObject {
		return false, fmt.Errorf("it has %d bytes, the limit is %d: %w", fi.Size(), int64(maxObject), kaijutsu.ErrTooLarge)
	}
	data, err := readFile(name, maxObject, syscall.O_NOFOLLOW)
	if err != nil {
		return false, err
	}
	return hashObject(blobKind, a.toRepo(data, func() []byte { return s.w.repo.blobOrNil(e.Hash) })) == e.Hash, nil
}

// blobOrNil returns a blob's content, nil if it cannot be read.
func (r *Repo) blobOrNil(h Hash) []byte {
	data, err := r.readKind(h, blobKind)
	if err != nil {
		return nil
	}
	return data
}

// cleanFiles remembers files that were read and found to be what the index
// says, though their stat does not tell. The zero value is ready.
type cleanFiles struct {
	mu    sync.Mutex
	files map[string]cleanFile
}

type cleanFile struct {
	stamp fileStamp
	hash  Hash
}

// maxCleanFiles bounds what is remembered.
const maxCleanFiles = 200000

func (c *cleanFiles) has(e *IndexEntry, stamp fileStamp) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.files[e.Path] == cleanFile{stamp, e.Hash}
}

func (c *cleanFiles) add(e *IndexEntry, stamp fileStamp) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.files == nil || len(c.files) >= maxCleanFiles {
		c.files = map[string]cleanFile{}
	}
	c.files[e.Path] = cleanFile{stamp, e.Hash}
}
