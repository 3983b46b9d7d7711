package mounts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"kaijutsu"
	"kaijutsu/git"
	"kaijutsu/internal/diskwatch"
	"kaijutsu/internal/vfs"
	"kaijutsu/internal/worktree"
)

// open opens what is behind a mount. A branch is what the worktree is to be on;
// "" leaves one that is there as it is.
func (m *Mounts) open(ctx context.Context, l *live, r record, branch string) (o *opened, err error) {
	o = &opened{}
	defer func() {
		if err != nil {
			_ = o.close() // what went wrong is said already
			o = nil
		}
	}()
	switch r.kind {
	case memoryKind:
		o.fsys = vfs.NewMemory(m.cfg.Scratch)
		return o, nil
	case folderKind:
		m.mu.RLock()
		others := m.known.mounted()
		m.mu.RUnlock()
		if err = m.checkPlace(r, others); err != nil {
			return o, err
		}
		err = o.openFolder(r.dir, "")
		o.fsys = plainFolder{o.folder, new(sync.Mutex)}
		return o, err
	}
	return o, m.openGit(ctx, o, l, r, branch)
}

func (o *opened) openFolder(dir, scratch string) (err error) {
	if o.root, err = os.Stat(dir); err != nil {
		return fileError(dir, err)
	}
	if o.folder, err = vfs.OpenFolder(dir); err != nil {
		return err
	}
	if scratch != "" {
		o.folder.SetScratch(scratch)
	}
	return nil
}

// openGit opens the repository, makes or adopts the worktree, and opens its
// files as blocks.
func (m *Mounts) openGit(ctx context.Context, o *opened, l *live, r record, branch string) error {
	repo, err := m.repository(ctx, l, r)
	if err != nil {
		return err
	}
	dir := m.worktreeDir(r)
	if o.tree, o.notice, err = m.worktree(ctx, repo, l, r, dir, branch); err != nil {
		return err
	}
	scratch := filepath.Join(m.worktrees(), ".writing")
	if err := os.MkdirAll(scratch, 0o700); err != nil {
		return fileError(scratch, err)
	}
	if err := o.openFolder(dir, scratch); err != nil {
		return err
	}
	if o.watch, err = diskwatch.Open(diskwatch.Config{Log: m.log, Now: m.cfg.Now}); err != nil {
		return err
	}
	o.overlay, err = worktree.Open(worktree.Config{
		Log: m.log, Repo: m.cfg.Repo, Kernel: m.cfg.Kernel, Store: m.cfg.Store, Git: o.tree, Folder: o.folder, Watch: o.watch,
		Mount: r.path, ReadOnly: !r.rw, DiskAs: r.diskAs, Limit: m.cfg.Limit, Now: m.cfg.Now,
		Context: func(ctx context.Context, branch string, from kaijutsu.DocumentID) (kaijutsu.DocumentID, error) {
			return m.contextOf(ctx, r, branch, from)
		},
		Others: func() []kaijutsu.DocumentID { return m.contextsOf(r.id) },
	})
	if err != nil {
		return err
	}
	return o.arrive(ctx)
}

// arrive waits until a worktree that is on another branch than when it was open
// last is at that branch's context: nobody may take the old one for it. While git
// is at work there it stays at the old one.
func (o *opened) arrive(ctx context.Context) error {
	e, err := o.tree.Epoch()
	if err != nil || o.overlay.Branch() == or(e.Branch, worktree.Detached) {
		return nil // one that cannot be read pauses the overlay, which says so
	}
	if err := o.overlay.Settle(ctx); err != nil && !errors.Is(err, kaijutsu.ErrUnavailable) {
		return err
	}
	return nil
}

// worktreeDir is where the worktree of a git mount is.
func (m *Mounts) worktreeDir(r record) string { return filepath.Join(m.worktrees(), r.worktree) }

// repository opens the repository of a git mount, which is cloned first when it
// has an address and is not here yet.
func (m *Mounts) repository(ctx context.Context, l *live, r record) (*git.Repo, error) {
	if r.url == "" {
		return git.Open(r.dir)
	}
	dir := filepath.Join(m.clones(), r.worktree+".git")
	if _, err := os.Stat(dir); err == nil {
		return git.Open(dir)
	}
	part := dir + ".part"
	err := os.MkdirAll(m.clones(), 0o700)
	if err == nil {
		err = os.RemoveAll(part) // of a clone that was broken off
	}
	if err != nil {
		return nil, fileError(part, err)
	}
	m.progress(l, "it is being cloned")
	if _, err := git.Clone(ctx, r.url, part, io.Discard); err != nil {
		return nil, fmt.Errorf("clone %s: %w", r.url, err)
	}
	if err := os.Rename(part, dir); err != nil {
		return nil, fileError(dir, err)
	}
	return git.Open(dir)
}

// worktree opens the worktree of a git mount, which is made when it is not there.
func (m *Mounts) worktree(ctx context.Context, repo *git.Repo, l *live, r record, dir, branch string) (*git.Worktree, string, error) {
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
		w, err := repo.OpenWorktree(dir)
		if err != nil || branch == "" {
			return w, "", err
		}
		return m.adopt(ctx, repo, w, r, branch)
	}
	list, err := repo.Worktrees()
	if err != nil {
		return nil, "", err
	}
	if all, err := repo.Branches(); err != nil {
		return nil, "", err
	} else if len(all) == 0 {
		if _, err := repo.Resolve("HEAD"); errors.Is(err, kaijutsu.ErrNotFound) {
			return nil, "", kaijutsu.About("source", fmt.Errorf("%s has no commit yet; make the first, if need be with git commit --allow-empty: %w", r.source(), kaijutsu.ErrConflict))
		}
	}
	spec := git.WorktreeSpec{Dir: dir, Name: freeName(list, dir, r.worktree), By: m.signature(r.by), Progress: func(done, total int) {
		m.progress(l, fmt.Sprintf("%d of %d files are checked out", done, total))
	}}
	notice := ""
	if spec.Branch, spec.Start, notice, err = chooseBranch(list, m.sourceBranch(r), dir, or(branch, r.branch)); err != nil {
		return nil, "", err
	}
	if err := os.MkdirAll(m.worktrees(), 0o700); err != nil {
		return nil, "", fileError(m.worktrees(), err)
	}
	w, err := repo.AddWorktree(ctx, spec)
	return w, notice, err
}

// progress says how far opening a mount is.
func (m *Mounts) progress(l *live, what string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l.state == StateOpening {
		l.reason = what
	}
}
