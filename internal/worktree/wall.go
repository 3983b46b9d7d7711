package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"kaijutsu"
	"kaijutsu/git"
	"kaijutsu/internal/vfs"
)

// maxLinks is how many symbolic links a name may lead over.
const maxLinks = 40

// resolved returns where a name leads: what it is itself, without symbolic links
// on the way and, with last, at its end. What then is git's own is not there, and
// what is not in the worktree is refused. A name of nothing stays as it is.
func (o *Overlay) resolved(name string, last bool) (string, error) {
	at, rest := "", name
	for links := 0; rest != ""; {
		part, more, _ := strings.Cut(rest, "/")
		next := path.Join(at, part)
		if notGits(next) != nil {
			return "", fmt.Errorf("file %q: %w", name, kaijutsu.ErrNotFound)
		}
		st, err := o.cfg.Folder.Stamp(next)
		if err != nil {
			return name, nil
		}
		if st.Mode&syscall.S_IFMT != syscall.S_IFLNK || more == "" && !last {
			at, rest = next, more
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("file %q: more than %d links: %w", name, maxLinks, kaijutsu.ErrConflict)
		}
		target, err := os.Readlink(filepath.Join(o.cfg.Folder.Dir(), next))
		if err != nil {
			return name, nil
		}
		if path.IsAbs(target) {
			inside, ok := strings.CutPrefix(target+"/", o.own.root)
			if !ok {
				return "", fmt.Errorf("file %q: %w", name, vfs.ErrEscapes)
			}
			at, rest = "", path.Join(inside, more)
		} else {
			at, rest = "", path.Join(at, target, more)
		}
		switch {
		case rest == "..", strings.HasPrefix(rest, "../"):
			return "", fmt.Errorf("file %q: %w", name, vfs.ErrEscapes)
		case rest == ".":
			return ".", nil
		}
	}
	return at, nil
}

// buildable refuses names at which the worktree can hold nothing of its own:
// behind a symbolic link, below a file, in another repository. missing says that
// a directory on the way is not there.
func (o *Overlay) buildable(name string) (missing bool, err error) {
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		dir := name[:i]
		st, err := o.cfg.Folder.Stamp(dir)
		switch {
		case errors.Is(err, kaijutsu.ErrNotFound):
			missing = true
		case err != nil:
			return false, err
		case st.Mode&syscall.S_IFMT == syscall.S_IFLNK:
			return false, fmt.Errorf("%q: %q is a symbolic link: use the name that it leads to: %w", name, dir, kaijutsu.ErrConflict)
		case st.Mode&syscall.S_IFMT != syscall.S_IFDIR:
			return false, fmt.Errorf("%q: %q is a file: %w", name, dir, vfs.ErrNotDirectory)
		}
		if missing {
			break
		}
	}
	if repository := o.otherRepository(name); repository != "" {
		return false, fmt.Errorf("%q: %q is another repository, a submodule or a clone: change it there: %w", name, repository, kaijutsu.ErrConflict)
	}
	return missing, nil
}

// otherRepository returns the directory at or above a name that is another
// repository: a submodule of the index, or anything with a .git of its own; ""
// when there is none.
func (o *Overlay) otherRepository(name string) string {
	index, err := o.cfg.Git.ReadIndex()
	if err != nil {
		index = &git.Index{}
	}
	for i := range len(name) + 1 {
		if i < len(name) && name[i] != '/' {
			continue
		}
		dir := name[:i]
		if e := index.Find(dir); e != nil && e.Mode == git.Submodule {
			return dir
		}
		if _, err := o.cfg.Folder.Stamp(dir + "/.git"); err == nil {
			return dir
		}
	}
	return ""
}

// submodules marks directories that the index has as submodules.
func (o *Overlay) submodules(infos []vfs.Info) {
	index, err := o.cfg.Git.ReadIndex()
	if err != nil {
		return
	}
	for i := range infos {
		if infos[i].Kind != vfs.KindDir {
			continue
		}
		if e := index.Find(infos[i].Path); e != nil && e.Mode == git.Submodule {
			infos[i].Kind = vfs.KindSubmodule
		}
	}
}

// withoutRepositories refuses to remove or rename what holds another
// repository.
func (o *Overlay) withoutRepositories(ctx context.Context, name string) error {
	index, err := o.cfg.Git.ReadIndex()
	if err != nil {
		return nil
	}
	for _, e := range index.Entries {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if e.Mode == git.Submodule && (e.Path == name || strings.HasPrefix(e.Path, name+"/")) {
			return fmt.Errorf("%q: %q is a submodule: use git: %w", name, e.Path, kaijutsu.ErrConflict)
		}
	}
	return nil
}
