package git

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"kaijutsu"
)

// Repo is an open repository. It may be used by many goroutines.
type Repo struct {
	common  string // the git directory that all worktrees share, absolute
	objects *objectStore
	packed  packedRefs
	configs configFiles
}

// gitDirs is where a directory's repository is.
type gitDirs struct {
	top    string // of the worktree; "" for a bare repository
	gitdir string // the worktree's own
	common string
}

// Open opens the repository of dir: a work tree (its top directory), a linked
// worktree, a .git directory or a bare repository. Errors wrap
// kaijutsu.ErrNotFound if there is none, and kaijutsu.ErrUnavailable if it
// needs what this package does not understand.
func Open(dir string) (*Repo, error) {
	d, err := findGitDirs(dir)
	if err != nil {
		return nil, err
	}
	return openCommon(d.common)
}

func openCommon(common string) (*Repo, error) {
	r := &Repo{common: common}
	c, err := r.config()
	if err != nil {
		return nil, fmt.Errorf("opening repository %s: %w", common, err)
	}
	if err := checkFormat(c); err != nil {
		return nil, fmt.Errorf("opening repository %s: %w", common, err)
	}
	if r.objects, err = openObjects(common); err != nil {
		return nil, fmt.Errorf("opening repository %s: %w", common, err)
	}
	return r, nil
}

// config returns the settings of the repository and of the user.
func (r *Repo) config() (config, error) { return r.configs.load(r.common, r.common) }

// GitDir returns the git directory that all worktrees of the repository share.
func (r *Repo) GitDir() string { return r.common }

// Bare reports whether the repository has no main worktree.
func (r *Repo) Bare() bool {
	c, err := r.config()
	return err == nil && c.flag("core.bare", filepath.Base(r.common) != ".git")
}

// Remote returns the URL of a remote; "" when there is no such.
func (r *Repo) Remote(name string) string {
	c, err := r.config()
	if err != nil {
		return ""
	}
	url, _ := c.get("remote." + name + ".url")
	return url
}

// findGitDirs follows what lies at dir, as gitrepository-layout(5) says.
func findGitDirs(dir string) (gitDirs, error) {
	abs, err := filepath.Abs(expandHome(dir))
	if err != nil {
		return gitDirs{}, fmt.Errorf("directory %q: %w", dir, err)
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return gitDirs{}, fmt.Errorf("directory %q: %w", dir, kaijutsu.ErrNotFound)
		}
		return gitDirs{}, fmt.Errorf("directory %q: %w", dir, err)
	}
	dot := filepath.Join(abs, ".git")
	st, err := os.Stat(dot)
	switch {
	case err == nil && st.IsDir() && isGitDir(dot):
		common, err := commonDir(dot)
		return gitDirs{top: abs, gitdir: dot, common: common}, err
	case err == nil && st.Mode().IsRegular():
		gitdir, err := readPointer(dot, "gitdir:")
		if err != nil {
			return gitDirs{}, err
		}
		if !isGitDir(gitdir) {
			return gitDirs{}, fmt.Errorf("%s points to %s, which is no git directory: %w", dot, gitdir, kaijutsu.ErrNotFound)
		}
		common, err := commonDir(gitdir)
		return gitDirs{top: abs, gitdir: gitdir, common: common}, err
	case isGitDir(abs):
		common, err := commonDir(abs)
		return gitDirs{gitdir: abs, common: common}, err
	}
	return gitDirs{}, fmt.Errorf("%q is no git repository: give its top directory: %w", dir, kaijutsu.ErrNotFound)
}

// isGitDir reports whether dir looks like a git directory: it has HEAD, and
// objects and refs, itself or in its common directory.
func isGitDir(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return false
	}
	common, err := commonDir(dir)
	if err != nil {
		return false
	}
	for _, name := range []string{"objects", "refs"} {
		if st, err := os.Stat(filepath.Join(common, name)); err != nil || !st.IsDir() {
			return false
		}
	}
	return true
}

// commonDir returns the git directory that a worktree's one shares.
func commonDir(gitdir string) (string, error) {
	if _, err := os.Lstat(filepath.Join(gitdir, "commondir")); err != nil {
		return gitdir, nil
	}
	return readPointer(filepath.Join(gitdir, "commondir"), "")
}

// readPointer returns the directory that a file names, absolute and without
// symbolic links.
func readPointer(file, prefix string) (string, error) {
	data, err := readSmall(file)
	if err != nil {
		return "", err
	}
	target, ok := bytes.CutPrefix(data, []byte(prefix))
	path := strings.TrimSpace(string(target))
	if !ok || path == "" || strings.ContainsAny(path, "\n\x00") {
		return "", fmt.Errorf("%s names no directory: %w", file, kaijutsu.ErrInvalid)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return filepath.Clean(path), nil
}

// extensions lists those of the repository format that are understood.
// Their names are in lower case.
var extensions = map[string]bool{
	"noop": true, "noop-v1": true, "worktreeconfig": true, "preciousobjects": true, "relativeworktrees": true,
}

// checkFormat refuses repositories that need what is not understood, as
// git-scm.com/docs/repository-version asks.
func checkFormat(c config) error {
	version, _ := c.get("core.repositoryformatversion")
	if version != "" && version != "0" && version != "1" {
		return fmt.Errorf("core.repositoryFormatVersion is %.20q, only 0 and 1 are understood: %w", version, kaijutsu.ErrUnavailable)
	}
	for _, item := range c {
		name, ok := strings.CutPrefix(item.key, "extensions.")
		if !ok || extensions[name] {
			continue
		}
		value := strings.ToLower(item.value)
		switch {
		case name == "objectformat" && value == "sha1", name == "refstorage" && value == "files":
		case name == "compatobjectformat" && value == "sha1":
		case name == "objectformat" || name == "compatobjectformat":
			return fmt.Errorf("its object names are %.20q, only sha1 is understood: %w", value, kaijutsu.ErrUnavailable)
		case name == "refstorage":
			return fmt.Errorf("its refs are stored as %.20q, only files are understood; git refs migrate --ref-format=files makes them: %w", value, kaijutsu.ErrUnavailable)
		case name == "partialclone":
			return fmt.Errorf("it is a partial clone, which lacks objects; clone it without --filter: %w", kaijutsu.ErrUnavailable)
		case version == "1":
			return fmt.Errorf("its extension %.40q is not understood: %w", name, kaijutsu.ErrUnavailable)
		}
	}
	return nil
}
