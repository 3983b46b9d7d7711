package vfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"kaijutsu"
)

// Write makes data the whole of a file, in one step: readers see the old bytes
// or the new ones. Directories on the way may be links that stay in the
// folder; a link at the end of the name, wherever it leads, is
// kaijutsu.ErrConflict, and is left as it is. With o.IfHash, what another
// program writes meanwhile is not lost: see Replace.
func (f *Folder) Write(ctx context.Context, _ kaijutsu.Principal, name string, data []byte, o WriteOptions) (Info, error) {
	name, err := Clean(name)
	switch {
	case err != nil:
		return Info{}, fmt.Errorf("write: %w", err)
	case name == ".":
		return Info{}, fmt.Errorf("write %q: %w", name, ErrIsDirectory)
	case ctx.Err() != nil:
		return Info{}, ctx.Err()
	}
	if o.Parents {
		if err := f.makeParents(name); err != nil {
			return Info{}, err
		}
	}
	info, err := f.put(replacement{
		name: name, data: data, follow: true, compare: o.IfHash != "",
		mode: func(old fs.FileMode, exists bool) fs.FileMode { return execMode(old, exists, o.Exec) },
		expect: func(s seen) error {
			switch {
			case o.Exclusive && s.exists:
				return fmt.Errorf("write %q: %w", name, ErrExists)
			case o.IfHash != "" && (!s.exists || HashOf(s.data) != o.IfHash):
				return staleError(name, s.exists)
			}
			return nil
		},
	})
	if err != nil {
		return Info{}, err
	}
	out := f.describe(name, info)
	out.Binary, out.Hash = IsBinary(data), HashOf(data)
	return out, nil
}

// execMode returns the permissions a file gets: those it had, or 0666, with
// the right to execute for whoever may read, without it, or as it was.
func execMode(old fs.FileMode, exists bool, exec *bool) fs.FileMode {
	if !exists {
		old = 0o666
	}
	switch {
	case exec == nil:
		return old
	case *exec:
		return old | old&0o444>>2
	}
	return old &^ 0o111
}

// Mkdir makes a directory, and those above it that are missing.
func (f *Folder) Mkdir(_ context.Context, _ kaijutsu.Principal, name string) error {
	name, err := Clean(name)
	if err != nil {
		return fmt.Errorf("mkdir: %w", err)
	}
	if err := f.makeParents(name); err != nil {
		return err
	}
	return problem("mkdir", name, f.root.Mkdir(name, 0o777))
}

// makeParents makes the directories above a name.
func (f *Folder) makeParents(name string) error {
	dir := path.Dir(name)
	if dir == "." {
		return nil
	}
	err := f.root.MkdirAll(dir, 0o777)
	if errors.Is(err, fs.ErrExist) {
		err = ErrNotDirectory
	}
	return problem("make the directory of", name, err)
}

// Remove removes a file, a link (not what it names) or a directory. With
// recursive it is not undone when it fails halfway.
func (f *Folder) Remove(ctx context.Context, _ kaijutsu.Principal, name string, recursive bool) error {
	name, _, err := f.lstat("remove", name)
	switch {
	case err != nil:
		return err
	case name == ".":
		return errRoot("remove")
	case ctx.Err() != nil:
		return ctx.Err()
	case recursive:
		return problem("remove", name, f.root.RemoveAll(name))
	}
	return problem("remove", name, f.root.Remove(name))
}

// Rename moves a file, a link (not what it names) or a directory. A link at
// the new name is not replaced: kaijutsu.ErrConflict.
func (f *Folder) Rename(ctx context.Context, _ kaijutsu.Principal, from, to string) error {
	from, info, err := f.lstat("rename", from)
	if err != nil {
		return err
	}
	to, there, err := f.lstat("rename to", to)
	switch {
	case err != nil && !errors.Is(err, kaijutsu.ErrNotFound):
		return err
	case from == "." || to == ".":
		return errRoot("rename")
	case from == to:
		return nil
	case strings.HasPrefix(to, from+"/"):
		return fmt.Errorf("rename %q to %q: into itself: %w", from, to, kaijutsu.ErrInvalid)
	case err == nil && (there.IsDir() || info.IsDir()):
		return fmt.Errorf("rename %q to %q: %w", from, to, ErrExists)
	case err == nil && there.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("rename %q to %q: %w", from, to, errSymlink)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	f.swap.Lock()
	defer f.swap.Unlock()
	return problem("rename", from+" to "+to, f.root.Rename(from, to))
}
