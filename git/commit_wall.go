package git

import (
	"fmt"
	"os"
	"path/filepath"

	"kaijutsu"
)

// checkPlaces refuses files that git add could not have taken from where they
// are: below a link or a file of the worktree, in a submodule or in place of
// one, or where there is a directory. Their commit would take away what is
// there. Directories that are missing are none of these.
func (w *Worktree) checkPlaces(files []FileChange) error {
	x, err := w.cachedIndex()
	if err != nil {
		return err
	}
	good := map[string]bool{}
	for _, f := range files {
		if err := w.checkPlace(x, f); err != nil {
			return err
		}
		if f.Delete {
			continue
		}
		for above := parentName(f.Path); above != "" && !good[above]; above = parentName(above) {
			if err := w.checkAbove(x, f.Path, above); err != nil {
				return err
			}
			good[above] = true
		}
	}
	return nil
}

// checkPlace looks at the path itself.
func (w *Worktree) checkPlace(x *Index, f FileChange) error {
	info, err := os.Lstat(filepath.Join(w.dir, filepath.FromSlash(f.Path)))
	isDir := err == nil && info.IsDir() && !linkAbove(w.dir, f.Path)
	if e := x.Find(f.Path); e != nil && e.Mode == Submodule {
		if isDir || err != nil && !f.Delete {
			return fmt.Errorf("path %q is a submodule; change it with git: %w", f.Path, kaijutsu.ErrConflict)
		}
		return nil
	}
	if isDir && !f.Delete {
		return fmt.Errorf("path %q is a directory of the worktree, and no file: %w", f.Path, kaijutsu.ErrConflict)
	}
	return nil
}

// checkAbove looks at a directory on the way to a path.
func (w *Worktree) checkAbove(x *Index, path, above string) error {
	if e := x.Find(above); e != nil && e.Mode == Submodule {
		return fmt.Errorf("path %q is in the submodule %q, another repository; commit it there: %w", path, above, kaijutsu.ErrConflict)
	}
	info, err := os.Lstat(filepath.Join(w.dir, filepath.FromSlash(above)))
	switch {
	case err != nil || info.IsDir():
		return nil
	case info.Mode()&os.ModeSymlink != 0:
		return fmt.Errorf("path %q is behind the symbolic link %q: %w", path, above, kaijutsu.ErrConflict)
	}
	return fmt.Errorf("path %q is below %q, which is a file: %w", path, above, kaijutsu.ErrConflict)
}
