package mounts

import (
	"context"
	"fmt"
	"path"
	"strings"
	"sync"

	"kaijutsu"
	"kaijutsu/git"
	"kaijutsu/internal/vfs"
)

// plainFolder is a folder as callers see it: without what is git's own, wherever
// a link leads. Who writes .git/config has whoever uses git there next run
// commands, and who reads it may find passwords.
type plainFolder struct {
	*vfs.Folder
	// writing serialises what changes the folder, so that no caller puts another
	// link in the place of one that was looked at.
	writing *sync.Mutex
}

const (
	// maxLinks is how many links one path may lead through, as on Linux.
	maxLinks = 40
	// maxWalk is how many entries are looked at before a directory is removed
	// with what is in it.
	maxWalk = 100_000
)

// lead returns where a name leads inside of the folder. The last part, if it is a
// link, is followed only when last says so. What is not there leads where it
// says.
func (f plainFolder) lead(ctx context.Context, name string, last bool) (string, error) {
	name, err := vfs.Clean(name)
	if err != nil {
		return "", err
	}
	at, rest := ".", strings.Split(name, "/")
	for links := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if at == "." {
				return "", fmt.Errorf("path %.200q: a link leads out of the folder: %w", name, vfs.ErrEscapes)
			}
			at = path.Dir(at)
			continue
		}
		next := path.Join(at, part)
		info, err := f.Folder.Stat(ctx, next)
		if err != nil || info.Kind != vfs.KindSymlink || len(rest) == 0 && !last {
			at = next // what cannot be looked at, the folder refuses
			continue
		}
		if links++; links > maxLinks || path.IsAbs(info.Target) {
			return "", fmt.Errorf("path %.200q: a link leads out of the folder, or in a circle: %w", name, vfs.ErrEscapes)
		}
		rest = append(strings.Split(info.Target, "/"), rest...)
	}
	return at, nil
}

// gits reports whether a name has a part that is git's own.
func gits(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if git.OwnName(part) {
			return true
		}
	}
	return false
}

// look refuses to read what is git's own: it is not there.
func (f plainFolder) look(ctx context.Context, name string, last bool) error {
	to, err := f.lead(ctx, name, last)
	if err == nil && (gits(name) || gits(to)) {
		err = fmt.Errorf("file %.200q: %w", name, kaijutsu.ErrNotFound)
	}
	return err
}

// touch refuses to change what is git's own, or in a repository without files.
func (f plainFolder) touch(ctx context.Context, name string) error {
	to, err := f.lead(ctx, name, false)
	if err != nil {
		return err
	}
	if gits(name) || gits(to) {
		return fmt.Errorf("file %.200q is git's own; change it with git: %w", name, kaijutsu.ErrDenied)
	}
	for dir := to; ; dir = path.Dir(dir) {
		if f.bare(ctx, dir) {
			return fmt.Errorf("file %.200q is in a git repository without files, whose files are git's own; change it with git: %w", name, kaijutsu.ErrDenied)
		}
		if dir == "." {
			return nil
		}
	}
}

// bare reports whether git takes a directory for a repository.
func (f plainFolder) bare(ctx context.Context, dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := f.Folder.Stat(ctx, path.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// Stat describes what stands at a name; of a link, the link.
func (f plainFolder) Stat(ctx context.Context, name string) (vfs.Info, error) {
	if err := f.look(ctx, name, false); err != nil {
		return vfs.Info{}, err
	}
	return f.Folder.Stat(ctx, name)
}

// List describes what a directory holds, by name.
func (f plainFolder) List(ctx context.Context, name string) ([]vfs.Info, error) {
	if err := f.look(ctx, name, true); err != nil {
		return nil, err
	}
	all, err := f.Folder.List(ctx, name)
	out := all[:0]
	for _, info := range all {
		if !git.OwnName(path.Base(info.Path)) {
			out = append(out, info)
		}
	}
	return out, err
}

// Read returns the bytes of a file.
func (f plainFolder) Read(ctx context.Context, by kaijutsu.Principal, name string, limit int64) ([]byte, vfs.Info, error) {
	if err := f.look(ctx, name, true); err != nil {
		return nil, vfs.Info{}, err
	}
	return f.Folder.Read(ctx, by, name, limit)
}

// Write makes data the whole of a file.
func (f plainFolder) Write(ctx context.Context, by kaijutsu.Principal, name string, data []byte, o vfs.WriteOptions) (vfs.Info, error) {
	f.writing.Lock()
	defer f.writing.Unlock()
	if err := f.touch(ctx, name); err != nil {
		return vfs.Info{}, err
	}
	return f.Folder.Write(ctx, by, name, data, o)
}

// Mkdir makes a directory, and those above it that are missing.
func (f plainFolder) Mkdir(ctx context.Context, by kaijutsu.Principal, name string) error {
	f.writing.Lock()
	defer f.writing.Unlock()
	if err := f.touch(ctx, name); err != nil {
		return err
	}
	return f.Folder.Mkdir(ctx, by, name)
}

// Remove removes what stands at a name; a directory in which there is a
// repository stays.
func (f plainFolder) Remove(ctx context.Context, by kaijutsu.Principal, name string, recursive bool) error {
	f.writing.Lock()
	defer f.writing.Unlock()
	if err := f.touch(ctx, name); err != nil {
		return err
	}
	if recursive {
		left := maxWalk
		if err := f.search(ctx, name, &left); err != nil {
			return err
		}
	}
	return f.Folder.Remove(ctx, by, name, recursive)
}

// Rename moves a file, link or directory.
func (f plainFolder) Rename(ctx context.Context, by kaijutsu.Principal, from, to string) error {
	f.writing.Lock()
	defer f.writing.Unlock()
	for _, name := range []string{from, to} {
		if err := f.touch(ctx, name); err != nil {
			return err
		}
	}
	return f.Folder.Rename(ctx, by, from, to)
}

// search refuses a directory in which something is git's own.
func (f plainFolder) search(ctx context.Context, name string, left *int) error {
	if info, err := f.Folder.Stat(ctx, name); err != nil || info.Kind != vfs.KindDir {
		return nil // the folder says what is wrong
	}
	all, err := f.Folder.List(ctx, name)
	if err != nil {
		return err
	}
	for _, info := range all {
		if *left--; *left < 0 {
			return fmt.Errorf("remove %.200q: there are more than %d files in it: %w", name, maxWalk, kaijutsu.ErrTooLarge)
		}
		if git.OwnName(path.Base(info.Path)) {
			return fmt.Errorf("%.200q holds a git repository; remove that on the disk: %w", name, kaijutsu.ErrDenied)
		}
		if info.Kind == vfs.KindDir {
			if err := f.search(ctx, info.Path, left); err != nil {
				return err
			}
		}
	}
	return nil
}
