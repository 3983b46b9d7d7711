package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kaijutsu"
)

// Switch checks out another branch, as git switch does: files that are the
// same on both branches keep local changes; if a change, or an untracked file,
// would be lost, nothing is done and the error wraps kaijutsu.ErrConflict, as
// it does when the branch is checked out elsewhere. A branch that only a remote
// has is made. by is for the reflog.
func (w *Worktree) Switch(ctx context.Context, name string, by Signature) error {
	if err := w.switchTo(ctx, name, by.orService()); err != nil {
		return fmt.Errorf("switching %s to %q: %w", w.dir, name, err)
	}
	return nil
}

func (w *Worktree) switchTo(ctx context.Context, name string, by Signature) error {
	if err := CheckBranchName(name); err != nil {
		return err
	}
	now, err := w.Epoch()
	if err != nil {
		return err
	}
	if now.State != "" {
		return fmt.Errorf("a %s is in progress: %w", now.State, kaijutsu.ErrConflict)
	}
	if now.Branch == name {
		return nil
	}
	if dir, err := w.repo.checkedOut(name, w.gitdir); dir != "" || err != nil {
		if err == nil {
			err = fmt.Errorf("the branch is checked out at %s: %w", dir, kaijutsu.ErrConflict)
		}
		return err
	}
	head, err := w.switchTarget(name, by)
	if err != nil {
		return err
	}
	l, err := waitForLock(ctx, filepath.Join(w.gitdir, "index"))
	if err != nil {
		return err
	}
	defer l.abort()
	x, err := w.ReadIndex()
	if err != nil {
		return err
	}
	if err := w.moveTo(ctx, l, x, now.Head, head); err != nil {
		return err
	}
	return w.pointHead(name, now, head, by)
}

// switchTarget returns the commit of the branch.
func (w *Worktree) switchTarget(name string, by Signature) (Hash, error) {
	_, head, err := w.repo.resolveRef(w.repo.common, headsPrefix+name)
	if !errors.Is(err, kaijutsu.ErrNotFound) {
		return head, err
	}
	start := w.repo.defaultStart(name)
	if start == "HEAD" {
		return "", err
	}
	if err := w.repo.CreateBranch(name, start, by); err != nil {
		return "", err
	}
	_, head, err = w.repo.resolveRef(w.repo.common, headsPrefix+name)
	return head, err
}

// pointHead makes HEAD point to the branch and logs it.
func (w *Worktree) pointHead(name string, old Epoch, head Hash, by Signature) error {
	l, err := lockFile(filepath.Join(w.gitdir, "HEAD"))
	if err != nil {
		return err
	}
	defer l.abort()
	if _, err := l.Write([]byte("ref: " + headsPrefix + name + "\n")); err != nil {
		return err
	}
	from := old.Branch
	if from == "" {
		from = string(old.Head)
	}
	line := fmt.Sprintf("%s %s %s\tcheckout: moving from %s to %s\n", logHash(old.Head), logHash(head), by.ident(), from, name)
	if err := w.repo.appendLog(w.gitdir, "HEAD", line); err != nil {
		return err
	}
	return l.commit()
}

// move is what becomes of a path when a worktree goes from one tree to
// another. Modes of 0 mean that it is not there.
type move struct {
	path     string
	from, to treeFile
}

// moveTo rewrites files and index from one commit to another. First everything
// is looked at, then written.
func (w *Worktree) moveTo(ctx context.Context, l *lock, x *Index, from, to Hash) error {
	moves, target, err := w.moves(from, to)
	if err != nil {
		return err
	}
	if err := w.checkMoves(x, moves); err != nil {
		return err
	}
	c, err := w.config()
	if err != nil {
		return err
	}
	attrs := w.repo.treeAttributes(c, func(path string) (treeFile, bool) {
		e, err := w.repo.lookup(target, path)
		return treeFile{path, e.Mode, e.Hash}, err == nil
	})
	co, err := newCheckout(w.repo, w.dir, c, attrs)
	if err != nil {
		return err
	}
	defer co.close()
	before := slices.Clone(x.Entries)
	if err := w.applyMoves(ctx, co, x, moves); err != nil {
		// What was written so far is in the index, so that git status tells.
		x.forget(before)
		return errors.Join(err, w.writeIndex(l, x, before))
	}
	x.forget(before)
	if err := w.smudge(x, before); err != nil {
		return err
	}
	return w.writeIndex(l, x, before)
}

// moves lists the paths that differ between two commits, sorted.
func (w *Worktree) moves(from, to Hash) (moves []move, target Hash, err error) {
	a, err := w.repo.treeOf(from)
	if err != nil {
		return nil, "", err
	}
	b, err := w.repo.treeOf(to)
	if err != nil {
		return nil, "", err
	}
	err = w.repo.diffTrees("", a, b, 0, func(m move) error {
		moves = append(moves, m)
		if m.to.Mode != 0 {
			return checkPath(m.path, m.to.Mode)
		}
		return nil
	})
	slices.SortFunc(moves, func(a, b move) int { return strings.Compare(a.path, b.path) })
	return moves, b, err
}

// diffTrees calls visit for the files that two trees do not share.
func (r *Repo) diffTrees(prefix string, a, b Hash, depth int, visit func(move) error) error {
	if a == b {
		return nil
	}
	if depth > maxTreeDepth {
		return fmt.Errorf("tree at %.80q: too deep: %w", prefix, kaijutsu.ErrTooLarge)
	}
	left, err := r.readTree(a)
	if err != nil {
		return err
	}
	right, err := r.readTree(b)
	if err != nil {
		return err
	}
	names := map[string][2]treeEntry{}
	for _, e := range left {
		names[e.Name] = [2]treeEntry{e, {}}
	}
	for _, e := range right {
		names[e.Name] = [2]treeEntry{names[e.Name][0], e}
	}
	for name, pair := range names {
		if pair[0] == pair[1] {
			continue
		}
		path := prefix + name
		var trees [2]Hash
		m := move{path: path}
		for i, e := range pair {
			switch f := (treeFile{path, e.Mode, e.Hash}); {
			case e.Mode == Tree:
				trees[i] = e.Hash
			case e.Mode != 0 && i == 0:
				m.from = f
			case e.Mode != 0:
				m.to = f
			}
		}
		if err := r.diffTrees(path+"/", trees[0], trees[1], depth+1, visit); err != nil {
			return err
		}
		if m.from.Mode != 0 || m.to.Mode != 0 {
			if err := visit(m); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkMoves refuses when a file would be lost: the rules of a two-way merge
// in git-read-tree(1).
func (w *Worktree) checkMoves(x *Index, moves []move) error {
	s, err := w.newStatusWalk(x, StatusOptions{})
	if err != nil {
		return err
	}
	for i := range x.Entries {
		if x.Entries[i].Stage > 0 {
			return fmt.Errorf("file %q is in conflict; settle that first: %w", x.Entries[i].Path, kaijutsu.ErrConflict)
		}
	}
	leaving := map[string]bool{}
	for _, m := range moves {
		if m.to.Mode == 0 {
			leaving[m.path] = true
		}
	}
	ignore, files := w.ignores(), newLstatter(w.dir)
	for _, m := range moves {
		e := x.Find(m.path)
		if e != nil && e.Hash == m.to.Hash && e.Mode == m.to.Mode {
			continue // it is there already
		}
		if e == nil && m.to.Mode == 0 {
			continue
		}
		if (e == nil) != (m.from.Mode == 0) || e != nil && (e.Hash != m.from.Hash || e.Mode != m.from.Mode) {
			return fmt.Errorf("the staged change of %q would be lost; commit it or take it back: %w", m.path, kaijutsu.ErrConflict)
		}
		if e != nil {
			var f looked
			f.info, f.err = files.lstat(e.Path)
			code, _, err := s.compare(e, f)
			if err != nil {
				return fmt.Errorf("file %q: %w", m.path, err)
			}
			if code != Unmodified && code != Deleted {
				return fmt.Errorf("the local change of %q would be lost; commit it or take it back: %w", m.path, kaijutsu.ErrConflict)
			}
			continue
		}
		if err := w.checkRoom(s, ignore, m.path, leaving); err != nil {
			return err
		}
	}
	return nil
}

// checkRoom refuses when an untracked file is where a new one is to be written.
func (w *Worktree) checkRoom(s *statusWalk, ignore *ignoreSource, path string, leaving map[string]bool) error {
	inTheWay := func(what string) error {
		return fmt.Errorf("the untracked file %q would be overwritten; move or remove it: %w", what, kaijutsu.ErrConflict)
	}
	for i := range len(path) {
		if path[i] != '/' {
			continue
		}
		dir := path[:i]
		fi, err := os.Lstat(filepath.Join(w.dir, filepath.FromSlash(dir)))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if !fi.IsDir() && !leaving[dir] {
			if ignore.ignored(dir, false) {
				continue
			}
			return inTheWay(dir)
		}
		if !fi.IsDir() {
			return nil // what is there goes away first
		}
	}
	fi, err := os.Lstat(filepath.Join(w.dir, filepath.FromSlash(path)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !fi.IsDir() {
		if ignore.ignored(path, false) {
			return nil
		}
		return inTheWay(path)
	}
	// A directory may go if all that is in it is tracked and leaves.
	return filepath.WalkDir(filepath.Join(w.dir, filepath.FromSlash(path)), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(w.dir, name)
		if err != nil {
			return err
		}
		if rel = filepath.ToSlash(rel); !leaving[rel] {
			return inTheWay(rel)
		}
		return nil
	})
}

// applyMoves does what checkMoves found to be safe: first it removes, then it
// writes.
func (w *Worktree) applyMoves(ctx context.Context, co *checkout, x *Index, moves []move) error {
	for i := len(moves) - 1; i >= 0; i-- {
		m := moves[i]
		if m.from.Mode == 0 {
			continue
		}
		e := x.Find(m.path)
		if e == nil || e.Hash == m.to.Hash && e.Mode == m.to.Mode {
			continue
		}
		if m.from.Mode == Submodule && m.to.Mode == Submodule {
			continue
		}
		if err := co.remove(m.path, m.from.Mode); err != nil {
			return err
		}
		if m.to.Mode == 0 {
			x.drop(m.path)
		}
	}
	for i, m := range moves {
		if i%progressEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if m.to.Mode == 0 {
			continue
		}
		if e := x.Find(m.path); e != nil && e.Hash == m.to.Hash && e.Mode == m.to.Mode {
			continue
		}
		if err := w.clearPlace(co, m); err != nil {
			return err
		}
		e, err := co.write(m.to)
		if err != nil {
			return err
		}
		x.replacePath(m.path, e)
	}
	return nil
}

// clearPlace takes ignored files away that are where a file is to be written,
// as git does.
func (w *Worktree) clearPlace(co *checkout, m move) error {
	if m.from.Mode != 0 {
		return nil
	}
	for i := range len(m.path) {
		if m.path[i] != '/' {
			continue
		}
		dir := m.path[:i]
		if fi, err := os.Lstat(filepath.Join(w.dir, filepath.FromSlash(dir))); err == nil && !fi.IsDir() {
			if err := co.remove(dir, 0); err != nil {
				return err
			}
		}
	}
	return co.remove(m.path, 0)
}
