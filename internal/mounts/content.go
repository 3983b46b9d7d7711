package mounts

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"kaijutsu"
	"kaijutsu/git"
	"kaijutsu/internal/vfs"
	"kaijutsu/internal/worktree"
)

// read fills in what a commit would have of a file: what its block holds, else
// what the disk holds.
func (s seen) read(ctx context.Context, f *changed, held map[string]worktree.Snap, head git.Hash) error {
	if head != "" {
		old, err := s.tree.Repo().FileAt(head, f.path)
		if err != nil && !errors.Is(err, kaijutsu.ErrNotFound) {
			return err
		}
		f.old = old
	}
	switch f.old.Mode {
	case git.Tree:
		f.old = git.Blob{}
	case git.Submodule:
		return fmt.Errorf("%s is a submodule: %w: commit it with git", f.path, kaijutsu.ErrInvalid)
	}
	if b, open := held[f.path]; open {
		if b.Conflict {
			return fmt.Errorf("file %s: block and disk both changed: %w: resolve it first", f.path, kaijutsu.ErrConflict)
		}
		f.block, f.data, f.mode, f.exists = b.Block, b.RepoData, b.Mode, b.Exists
	} else if err := s.readDisk(ctx, f); err != nil {
		return err
	}
	if f.exists && f.old.Hash == "" && f.field != "" && s.tree.Ignored(f.path, false) && !s.indexed(f.path) {
		return fmt.Errorf("file %s is ignored by git: %w: take it out of .gitignore, or leave it out", f.path, kaijutsu.ErrInvalid)
	}
	return nil
}

// readDisk is read of a file that is no block.
func (s seen) readDisk(ctx context.Context, f *changed) error {
	info, err := s.folder.Stat(ctx, f.path)
	if errors.Is(err, kaijutsu.ErrNotFound) || errors.Is(err, vfs.ErrNotDirectory) {
		return nil
	}
	if err != nil {
		return err
	}
	f.exists = true
	switch info.Kind {
	case vfs.KindSymlink:
		f.mode, f.data = git.Symlink, []byte(info.Target)
		return nil
	case vfs.KindFile:
	default:
		return fmt.Errorf("%s is no file: %w: git keeps files and links", f.path, kaijutsu.ErrInvalid)
	}
	attr := s.tree.Attributes(f.path)
	if attr.Filter != "" || attr.Encoding != "" {
		return fmt.Errorf("file %s goes through the filter %s on its way to git: %w: commit it with git", f.path, or(attr.Filter, attr.Encoding), kaijutsu.ErrInvalid)
	}
	data, info, err := s.folder.Read(ctx, kaijutsu.Principal{}, f.path, 0)
	if err != nil {
		return err
	}
	f.mode = git.Regular
	if info.Mode&0o100 != 0 {
		f.mode = git.Executable
	}
	var old []byte
	if f.old.Mode.IsFile() {
		old = f.old.Data
	}
	f.data = attr.ToRepo(data, old)
	return nil
}

// indexed reports whether git follows a file although it is in no commit.
func (s seen) indexed(path string) bool {
	index, err := s.tree.ReadIndex()
	return err == nil && slices.ContainsFunc(index.Entries, func(e git.IndexEntry) bool { return e.Path == path })
}
