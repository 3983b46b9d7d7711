package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kaijutsu"
)

// maxUntracked bounds the untracked files and directories that are looked at.
const maxUntracked = 1000000

// untrackedWalk looks for what the index does not have.
type untrackedWalk struct {
	*statusWalk
	ctx    context.Context
	ignore *ignoreSource
	out    []FileStatus
	left   int
}

func (s *statusWalk) untracked(ctx context.Context) ([]FileStatus, error) {
	u := &untrackedWalk{statusWalk: s, ctx: ctx, ignore: s.w.ignores(), left: maxUntracked}
	if err := u.walk(""); err != nil {
		return nil, err
	}
	return u.out, nil
}

// tracked reports whether the index has the path, or something below it.
func (s *statusWalk) tracked(path string) (file, below bool) {
	i, _ := slices.BinarySearchFunc(s.x.Entries, path, func(e IndexEntry, path string) int { return strings.Compare(e.Path, path) })
	if i < len(s.x.Entries) && s.x.Entries[i].Path == path {
		return true, s.x.Entries[i].Mode == Submodule
	}
	dir := path + "/"
	j, _ := slices.BinarySearchFunc(s.x.Entries, dir, func(e IndexEntry, path string) int { return strings.Compare(e.Path, path) })
	return false, j < len(s.x.Entries) && strings.HasPrefix(s.x.Entries[j].Path, dir)
}

func (u *untrackedWalk) read(dir string) ([]os.DirEntry, error) {
	if err := u.ctx.Err(); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(filepath.Join(u.w.dir, filepath.FromSlash(dir)))
	if os.IsNotExist(err) || os.IsPermission(err) {
		return nil, nil
	}
	if u.left -= len(entries) + 1; u.left < 0 {
		return nil, fmt.Errorf("more than %d untracked files; name the paths: %w", maxUntracked, kaijutsu.ErrTooLarge)
	}
	return entries, err
}

// walk looks into a directory that has tracked files, or is the top.
func (u *untrackedWalk) walk(dir string) error {
	entries, err := u.read(dir)
	if err != nil {
		return err
	}
	for _, d := range entries {
		name := d.Name()
		path := strings.TrimPrefix(dir+"/"+name, "/")
		if strings.EqualFold(name, ".git") || !u.mayWant(path) {
			continue
		}
		file, below := u.tracked(path)
		switch {
		case file && !d.IsDir() || file && below:
			// tracked, or a submodule
		case d.IsDir() && below:
			if err := u.walk(path); err != nil {
				return err
			}
		case d.IsDir():
			if err := u.newDir(path); err != nil {
				return err
			}
		case !trackable(d):
		case u.ignore.matches(path, false):
			u.addIgnored(path)
		default:
			u.add(path, Untracked)
		}
	}
	return nil
}

// trackable reports whether git could track such a thing.
func trackable(d os.DirEntry) bool {
	return d.Type().IsRegular() || d.Type()&os.ModeSymlink != 0
}

// mayWant reports whether the path, or something below it, was asked for.
func (u *untrackedWalk) mayWant(path string) bool {
	if u.o.wanted(path) {
		return true
	}
	for _, p := range u.o.Paths {
		if strings.HasPrefix(p, path+"/") {
			return true
		}
	}
	return false
}

func (u *untrackedWalk) add(path string, code Code) {
	if u.o.wanted(path) || u.o.wanted(strings.TrimSuffix(path, "/")) {
		u.out = append(u.out, FileStatus{Path: path, Staged: code, Unstaged: code})
	}
}

func (u *untrackedWalk) addIgnored(path string) {
	if u.o.Ignored {
		u.add(path, Ignored)
	}
}

// newDir looks into a directory without tracked files.
func (u *untrackedWalk) newDir(dir string) error {
	if u.ignore.matches(dir, true) {
		any, err := u.anyFile(dir)
		if err == nil && any {
			u.addIgnored(dir + "/")
		}
		return err
	}
	if isGitDir(filepath.Join(u.w.dir, filepath.FromSlash(dir), ".git")) {
		u.add(dir+"/", Untracked) // a repository of its own
		return nil
	}
	if u.o.Every || !u.o.wanted(dir) {
		return u.walk(dir)
	}
	before := len(u.out)
	has, err := u.anyUntracked(dir)
	if err != nil {
		return err
	}
	u.out = u.out[:before]
	if has {
		u.add(dir+"/", Untracked)
	}
	if !u.o.Ignored {
		return nil
	}
	// What is ignored inside is listed, too; all of it at once if there is
	// nothing else.
	if !has {
		any, err := u.anyFile(dir)
		if err == nil && any {
			u.addIgnored(dir + "/")
		}
		return err
	}
	return u.ignoredBelow(dir)
}

// anyUntracked reports whether a directory has a file that is not ignored.
func (u *untrackedWalk) anyUntracked(dir string) (bool, error) {
	entries, err := u.read(dir)
	if err != nil {
		return false, err
	}
	for _, d := range entries {
		path := dir + "/" + d.Name()
		if strings.EqualFold(d.Name(), ".git") || u.ignore.matches(path, d.IsDir()) {
			continue
		}
		if trackable(d) {
			return true, nil
		}
		if !d.IsDir() {
			continue
		}
		if isGitDir(filepath.Join(u.w.dir, filepath.FromSlash(path), ".git")) {
			return true, nil
		}
		if has, err := u.anyUntracked(path); has || err != nil {
			return has, err
		}
	}
	return false, nil
}

// anyFile reports whether there is any file below a directory.
func (u *untrackedWalk) anyFile(dir string) (bool, error) {
	entries, err := u.read(dir)
	if err != nil {
		return false, err
	}
	for _, d := range entries {
		if trackable(d) {
			return true, nil
		}
		if d.IsDir() {
			if any, err := u.anyFile(dir + "/" + d.Name()); any || err != nil {
				return any, err
			}
		}
	}
	return false, nil
}

func (u *untrackedWalk) ignoredBelow(dir string) error {
	entries, err := u.read(dir)
	if err != nil {
		return err
	}
	for _, d := range entries {
		path := dir + "/" + d.Name()
		ignored := u.ignore.matches(path, d.IsDir())
		switch {
		case d.IsDir() && ignored:
			any, err := u.anyFile(path)
			if err != nil {
				return err
			}
			if any {
				u.addIgnored(path + "/")
			}
		case d.IsDir():
			has, err := u.anyUntracked(path)
			if err != nil {
				return err
			}
			if has {
				err = u.ignoredBelow(path)
			} else if any, err2 := u.anyFile(path); any && err2 == nil {
				u.addIgnored(path + "/")
			}
			if err != nil {
				return err
			}
		case ignored && trackable(d):
			u.addIgnored(path)
		}
	}
	return nil
}
