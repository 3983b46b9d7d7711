package vfs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"kaijutsu"
)

// Replacing by looking first, for systems and file systems that cannot
// exchange two files in one step. What another program writes between the
// second look and the rename, some microseconds, is lost.

func (f *Folder) putChecked(r replacement) (fs.FileInfo, error) {
	f.swap.Lock()
	defer f.swap.Unlock()
	if err := f.wayTo(r); err != nil {
		return nil, err
	}
	for range tries {
		info, again, err := f.putOnce(r)
		if !again {
			return info, err
		}
	}
	return nil, errRestless(r.name)
}

// wayTo makes the directories of a name, or refuses the links among them.
func (f *Folder) wayTo(r replacement) error {
	if r.makes {
		if err := f.makeParents(r.name); err != nil {
			return err
		}
	}
	if r.follow {
		return nil
	}
	return f.withoutLinks(path.Dir(r.name))
}

// withoutLinks refuses a directory that is a link, or below one.
func (f *Folder) withoutLinks(dir string) error {
	for i, c := range dir + "/" {
		if c != '/' {
			continue
		}
		info, err := f.root.Lstat(dir[:i])
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			err = errLinkOnWay
		}
		if err != nil {
			return problem("open the directory", dir[:i], err)
		}
	}
	return nil
}

// errLinkOnWay is what Replace and RemoveIf answer to a directory that is a
// link.
var errLinkOnWay = fmt.Errorf("is a symbolic link: %w", kaijutsu.ErrConflict)

func (f *Folder) putOnce(r replacement) (info fs.FileInfo, again bool, err error) {
	was, err := f.look(r.name, r.compare)
	if err == nil {
		err = r.expect(was)
	}
	if err != nil {
		return nil, false, err
	}
	temp := path.Join(path.Dir(r.name), tempName())
	mode := r.mode(was.mode.Perm(), was.exists).Perm()
	file, err := f.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, false, problem("write", r.name, err)
	}
	defer func() {
		if err != nil || again {
			f.root.Remove(temp)
		}
	}()
	if was.exists {
		err = file.Chmod(mode)
	}
	if wrote := writeAll(file, r.data); err == nil {
		err = wrote
	}
	if err != nil {
		return nil, false, problem("write", r.name, err)
	}
	if info, err = f.root.Lstat(temp); err != nil {
		return nil, false, problem("write", r.name, err)
	}
	now, err := f.look(r.name, r.compare)
	if err != nil {
		return nil, false, err
	}
	if now.exists != was.exists || now.stamp.Ino != was.stamp.Ino || !bytes.Equal(now.data, was.data) {
		return nil, true, nil
	}
	if err = f.rename(temp, r.name, was.exists); err != nil {
		return nil, errors.Is(err, fs.ErrExist), problem("write", r.name, err)
	}
	if r.after != nil {
		if reason := r.after(); reason != nil {
			return nil, false, f.restore(r, was, info, reason)
		}
	}
	info, err = f.root.Lstat(r.name)
	return info, false, problem("write", r.name, err)
}

// rename puts temp in its place: over a file, or, by a hard link where the file
// system has them, only where nothing is.
func (f *Folder) rename(temp, name string, over bool) error {
	if !over {
		err := f.root.Link(temp, name)
		if err == nil || errors.Is(err, fs.ErrExist) {
			if err == nil {
				f.root.Remove(temp)
			}
			return err
		}
	}
	return f.root.Rename(temp, name)
}

// restore puts back what was there before, if what we wrote still is.
func (f *Folder) restore(r replacement, was seen, ours fs.FileInfo, reason error) error {
	now, err := f.look(r.name, true)
	switch {
	case err != nil || !now.exists || now.stamp.Ino != StampOf(ours).Ino:
		return reason
	case !bytes.Equal(now.data, r.data):
		return &Displaced{r.name, was.data, reason}
	case !was.exists:
		f.root.Remove(r.name)
		return reason
	}
	_, _, err = f.putOnce(replacement{
		name: r.name, data: was.data, compare: true,
		mode:   func(fs.FileMode, bool) fs.FileMode { return was.mode },
		expect: func(seen) error { return nil },
	})
	if err != nil {
		return &Displaced{r.name, was.data, errors.Join(reason, err)}
	}
	return reason
}

func (f *Folder) takeChecked(name string, expect func(seen) error) error {
	f.swap.Lock()
	defer f.swap.Unlock()
	if err := f.withoutLinks(path.Dir(name)); err != nil && !errors.Is(err, kaijutsu.ErrNotFound) {
		return err
	}
	for range 2 { // the second look is as near to the removal as can be
		was, err := f.look(name, true)
		if err == nil {
			err = expect(was)
		}
		if err != nil || !was.exists {
			return err
		}
	}
	err := f.root.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return problem("remove", name, err)
}

// look returns what stands at a name; of a link, a directory or what is no
// file it returns the error.
func (f *Folder) look(name string, compare bool) (seen, error) {
	info, err := f.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return seen{}, nil
	}
	if err == nil {
		err = regular(info.Mode())
	}
	if err != nil {
		return seen{}, problem("look at", name, err)
	}
	s := seen{exists: true, stamp: StampOf(info), mode: info.Mode()}
	if !compare {
		return s, nil
	}
	data, _, err := f.Read(context.Background(), kaijutsu.Principal{}, name, maxRead)
	if errors.Is(err, kaijutsu.ErrNotFound) {
		return seen{}, nil
	}
	s.data = data
	return s, err
}
