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

// checkout writes files into a worktree. It goes down the directories one by
// one, and never through a symbolic link. Not safe for concurrent use.
type checkout struct {
	repo     *Repo
	dir      string // of the worktree
	attrs    *attrSource
	symlinks bool
	top      *os.Root
	names    []string   // the directory that is open below top
	open     []*os.Root // one for each of names
	last     string     // names, joined
}

// newCheckout opens a worktree for writing. blobs returns the .gitattributes
// of a directory in the tree that is going to be written.
func newCheckout(r *Repo, dir string, c config, attrs *attrSource) (*checkout, error) {
	top, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening worktree: %w", err)
	}
	return &checkout{repo: r, dir: dir, attrs: attrs, symlinks: c.flag("core.symlinks", true), top: top}, nil
}

func (c *checkout) close() {
	c.leave(0)
	c.top.Close()
}

// leave closes the directories below depth.
func (c *checkout) leave(depth int) {
	for len(c.open) > depth {
		c.open[len(c.open)-1].Close()
		c.open = c.open[:len(c.open)-1]
		c.names = c.names[:len(c.names)-1]
	}
	c.last = strings.Join(c.names, "/")
}

// enter opens a directory; with create it makes those that are not there.
// What is there and is no directory is a kaijutsu.ErrConflict.
func (c *checkout) enter(dir string, create bool) (*os.Root, error) {
	if dir == c.last {
		return c.current(), nil
	}
	var names []string
	if dir != "" {
		names = strings.Split(dir, "/")
	}
	common := 0
	for common < len(names) && common < len(c.names) && names[common] == c.names[common] {
		common++
	}
	c.leave(common)
	for _, name := range names[common:] {
		next, err := openDir(c.current(), name, create)
		if err != nil {
			return nil, fmt.Errorf("directory %q: %w", dir, err)
		}
		c.open, c.names = append(c.open, next), append(c.names, name)
	}
	c.last = dir
	return c.current(), nil
}

func (c *checkout) current() *os.Root {
	if len(c.open) == 0 {
		return c.top
	}
	return c.open[len(c.open)-1]
}

// openDir opens a directory that is no link.
func openDir(in *os.Root, name string, create bool) (*os.Root, error) {
	fi, err := in.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) && create {
		if err := in.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		fi, err = in.Lstat(name)
	}
	if err != nil {
		return nil, err
	}
	if !fi.IsDir() {
		return nil, fmt.Errorf("%q is in the way: %w", name, kaijutsu.ErrConflict)
	}
	next, err := in.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if now, err := next.Stat("."); err != nil || !os.SameFile(fi, now) {
		next.Close()
		return nil, fmt.Errorf("%q became something else meanwhile: %w", name, kaijutsu.ErrConflict)
	}
	return next, nil
}

func splitPath(path string) (dir, name string) {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return "", path
}

// write makes a file that is not there and returns its index entry.
func (c *checkout) write(f treeFile) (IndexEntry, error) {
	e := IndexEntry{Path: f.Path, Mode: f.Mode, Hash: f.Hash}
	dir, name := splitPath(f.Path)
	in, err := c.enter(dir, true)
	if err != nil {
		return e, err
	}
	if f.Mode == Submodule {
		if err := in.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return e, fmt.Errorf("submodule %q: %w", f.Path, err)
		}
		return e, nil
	}
	data, err := c.repo.readKind(f.Hash, blobKind)
	if err != nil {
		return e, fmt.Errorf("file %q: %w", f.Path, err)
	}
	var fi fs.FileInfo
	if f.Mode == Symlink && c.symlinks {
		fi, err = writeLink(in, name, string(data))
	} else {
		fi, err = c.writeFile(in, name, f, data)
	}
	if errors.Is(err, fs.ErrExist) {
		return e, fmt.Errorf("file %q is there already: %w", f.Path, kaijutsu.ErrConflict)
	}
	if err != nil {
		return e, fmt.Errorf("file %q: %w", f.Path, err)
	}
	e.Stat = statOf(fi)
	return e, nil
}

func writeLink(in *os.Root, name, target string) (fs.FileInfo, error) {
	if target == "" || len(target) > maxPath || strings.IndexByte(target, 0) >= 0 {
		return nil, fmt.Errorf("target of a symbolic link is empty, too long or contains a NUL: %w", kaijutsu.ErrInvalid)
	}
	if err := in.Symlink(target, name); err != nil {
		return nil, err
	}
	return in.Lstat(name)
}

func (c *checkout) writeFile(in *os.Root, name string, f treeFile, data []byte) (fs.FileInfo, error) {
	perm := fs.FileMode(0o666)
	if f.Mode == Executable {
		perm = 0o777
	}
	if f.Mode.IsFile() {
		data = c.attrs.attr(f.Path).ToDisk(data)
	}
	out, err := in.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, err
	}
	_, err = out.Write(data)
	fi, statErr := out.Stat()
	return fi, errors.Join(err, statErr, out.Close())
}

// remove takes a file away, and the directories that are empty then. What is
// not there is fine.
func (c *checkout) remove(path string, mode Mode) error {
	dir, name := splitPath(path)
	in, err := c.enter(dir, false)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, kaijutsu.ErrConflict) {
		return nil
	}
	if err != nil {
		return err
	}
	if fi, err := in.Lstat(name); err == nil && (!fi.IsDir() || mode == Submodule) {
		err := in.Remove(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && mode != Submodule {
			return fmt.Errorf("removing %q: %w", path, err)
		}
	}
	for len(c.names) > 0 {
		name := c.names[len(c.names)-1]
		c.leave(len(c.names) - 1)
		if c.current().Remove(name) != nil {
			break // not empty
		}
	}
	return nil
}

// progressEvery is after how many files Progress is called again.
const progressEvery = 100

// checkedFiles returns the files of a tree, after a look at all of their
// paths: nothing is written of a tree that has a hostile one.
func (r *Repo) checkedFiles(tree Hash) ([]treeFile, error) {
	var files []treeFile
	err := r.walkTree(tree, func(dir string, _ Hash) bool { return true }, func(f treeFile) error {
		files = append(files, f)
		return checkPath(f.Path, f.Mode)
	})
	return files, err
}

// writeTree writes all files of a tree into an empty directory and returns the
// index of it.
func (r *Repo) writeTree(ctx context.Context, dir string, tree Hash, c config, progress func(done, total int)) (*Index, error) {
	files, err := r.checkedFiles(tree)
	if err != nil {
		return nil, err
	}
	attrs := r.treeAttributes(c, func(path string) (treeFile, bool) {
		i, ok := slices.BinarySearchFunc(files, path, func(f treeFile, path string) int { return strings.Compare(f.Path, path) })
		if !ok {
			return treeFile{}, false
		}
		return files[i], true
	})
	for _, f := range files {
		if a := attrs.attr(f.Path); f.Mode.IsFile() && a.Encoding != "" && a.Filter == "" && !a.Convertible() {
			return nil, fmt.Errorf("file %q: its working-tree-encoding %.40q is not known here: %w", f.Path, a.Encoding, kaijutsu.ErrUnavailable)
		}
	}
	co, err := newCheckout(r, dir, c, attrs)
	if err != nil {
		return nil, err
	}
	defer co.close()
	x := &Index{Version: 2, Entries: make([]IndexEntry, 0, len(files))}
	for i, f := range files {
		if i%progressEvery == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if progress != nil {
				progress(i, len(files))
			}
		}
		e, err := co.write(f)
		if err != nil {
			return nil, err
		}
		x.Entries = append(x.Entries, e)
	}
	if progress != nil {
		progress(len(files), len(files))
	}
	x.trees, err = r.cacheTreeOf(tree, "", 0)
	return x, err
}

// treeAttributes returns a source that reads .gitattributes from files that
// are not on disk yet.
func (r *Repo) treeAttributes(c config, find func(path string) (treeFile, bool)) *attrSource {
	s := r.attributesOf(c, &fileCache{})
	read := map[string][]attrRule{}
	s.dir = func(dir string) []attrRule {
		rules, ok := read[dir]
		if ok {
			return rules
		}
		if f, ok := find(strings.TrimPrefix(dir+"/.gitattributes", "/")); ok && f.Mode.IsFile() {
			if _, data, err := r.readObject(f.Hash, maxAttrFile); err == nil {
				rules = parseAttributes(data, dir == "")
			}
		}
		read[dir] = rules
		return rules
	}
	return s
}

// cacheTreeOf returns what the index remembers of a tree that it holds whole.
func (r *Repo) cacheTreeOf(tree Hash, name string, depth int) (*cacheTree, error) {
	if tree == "" || depth > maxTreeDepth {
		return nil, nil
	}
	entries, err := r.readTree(tree)
	if err != nil {
		return nil, err
	}
	t := &cacheTree{name: name, hash: tree}
	for _, e := range entries {
		if e.Mode != Tree {
			t.count++
			continue
		}
		sub, err := r.cacheTreeOf(e.Hash, e.Name, depth+1)
		if err != nil || sub == nil {
			return nil, err
		}
		t.count += sub.count
		t.below = append(t.below, sub)
	}
	// git keeps them by the length of their names, then by the names.
	slices.SortFunc(t.below, func(a, b *cacheTree) int {
		if len(a.name) != len(b.name) {
			return len(a.name) - len(b.name)
		}
		return strings.Compare(a.name, b.name)
	})
	return t, nil
}

// emptyDir reports whether there is nothing at dir, or an empty directory.
func emptyDir(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	return err == nil && len(entries) == 0, err
}

// sameDir reports whether two names are of the same place.
func sameDir(a, b string) bool {
	ra, err := filepath.EvalSymlinks(a)
	if err != nil {
		ra = filepath.Clean(a)
	}
	rb, err := filepath.EvalSymlinks(b)
	if err != nil {
		rb = filepath.Clean(b)
	}
	return ra == rb
}
