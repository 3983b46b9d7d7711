package mounts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

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
		return fmt.Errorf("%s is a submodule, which is another repository; commit it with git: %w", f.path, kaijutsu.ErrInvalid)
	}
	if b, open := held[f.path]; open {
		if b.Conflict {
			return fmt.Errorf("file %s: block and disk both changed; resolve it first: %w", f.path, kaijutsu.ErrConflict)
		}
		if b.Exists && vfs.IsBinary(b.RepoData) { // the disk does not get it either
			return fmt.Errorf("file %s: its block holds NUL characters, and files with them are no text; take them out, or leave the file out: %w", f.path, kaijutsu.ErrConflict)
		}
		f.block, f.data, f.mode, f.exists = b.Block, b.RepoData, b.Mode, b.Exists
	} else if err := s.readDisk(ctx, f); err != nil {
		return err
	}
	if f.exists && f.old.Hash == "" && f.field != "" && s.tree.Ignored(f.path, false) && !s.indexed(f.path) {
		return fmt.Errorf("file %s is ignored by git; take it out of .gitignore, or leave it out: %w", f.path, kaijutsu.ErrInvalid)
	}
	return nil
}

// readDisk is read of a file that is no block.
func (s seen) readDisk(ctx context.Context, f *changed) error {
	info, err := s.folder.Stat(ctx, f.path)
	if errors.Is(err, kaijutsu.ErrNotFound) || errors.Is(err, vfs.ErrNotDirectory) || s.covered(ctx, f.path) {
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
	case vfs.KindDir:
		if f.exists = false; f.old.Hash != "" {
			return nil // the file has become a directory
		}
		fallthrough
	default:
		return fmt.Errorf("%s is no file; git keeps files and links: %w", f.path, kaijutsu.ErrInvalid)
	}
	attr := s.tree.Attributes(f.path)
	if attr.Filter != "" {
		return fmt.Errorf("file %s goes through the filter %s on its way to git; commit it with git: %w", f.path, attr.Filter, kaijutsu.ErrInvalid)
	}
	if !attr.Convertible() {
		return fmt.Errorf("file %s is in the encoding %s on its way to git, which is not known here; commit it with git: %w", f.path, attr.Encoding, kaijutsu.ErrInvalid)
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
	if attr.Encoding != "" && !utf8.Valid(f.data) {
		return fmt.Errorf("file %s is not in the encoding %s, in which its attributes say that it is: %w", f.path, attr.Encoding, kaijutsu.ErrInvalid)
	}
	return nil
}

// indexed reports whether git follows a file although it is in no commit.
func (s seen) indexed(path string) bool {
	index, err := s.tree.ReadIndex()
	return err == nil && slices.ContainsFunc(index.Entries, func(e git.IndexEntry) bool { return e.Path == path })
}
