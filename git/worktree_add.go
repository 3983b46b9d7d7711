package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kaijutsu"
)

// WorktreeSpec says which worktree AddWorktree makes.
type WorktreeSpec struct {
	Dir    string // where; absolute
	Name   string // its name below worktrees/ in the repository; default: the last element of Dir
	Branch string // short name; made from Start if it is not there
	Start  string // revision; default: the branch of the same name of a remote, or HEAD
	// Progress is called now and then with the number of files written and of
	// all; nil: nobody wants to know.
	Progress func(done, total int)
	By       Signature // who, for the reflog; zero: Kaijutsu, now
}

// AddWorktree makes a linked worktree and leaves it as git worktree add does.
// If there is one of this repository at Dir already, that is opened, whatever
// branch it is on. Errors wrap kaijutsu.ErrConflict if there is something else,
// or if the branch is checked out elsewhere, and kaijutsu.ErrInvalid if the
// tree has paths that must not be written. What was made is taken away again
// when it fails.
func (r *Repo) AddWorktree(ctx context.Context, spec WorktreeSpec) (*Worktree, error) {
	if !filepath.IsAbs(spec.Dir) {
		return nil, kaijutsu.About("dir", fmt.Errorf("adding worktree: %q is no absolute path: %w", spec.Dir, kaijutsu.ErrInvalid))
	}
	if err := CheckBranchName(spec.Branch); err != nil {
		return nil, fmt.Errorf("adding worktree: %w", err)
	}
	if w, err := r.adopt(spec.Dir); w != nil || err != nil {
		return w, err
	}
	spec.By = spec.By.orService()
	made, head, err := r.ensureBranch(spec)
	if err != nil {
		return nil, fmt.Errorf("adding worktree %s: %w", spec.Dir, err)
	}
	w, err := r.addWorktree(ctx, spec, head)
	if err != nil {
		if made {
			err = errors.Join(err, r.deleteRef(r.common, headsPrefix+spec.Branch, head))
		}
		return nil, fmt.Errorf("adding worktree %s: %w", spec.Dir, err)
	}
	return w, nil
}

// orService fills in who moves refs when nobody was named.
func (s Signature) orService() Signature {
	if s.Name == "" {
		s.Name, s.Email = "Kaijutsu", "kaijutsu@kaijutsu.invalid"
	}
	if s.When.IsZero() {
		s.When = time.Now()
	}
	return s
}

// adopt opens the worktree at dir; nil if there is nothing, or an empty
// directory. What is registered for a directory that is gone is taken away.
func (r *Repo) adopt(dir string) (*Worktree, error) {
	empty, err := emptyDir(dir)
	if err != nil {
		return nil, fmt.Errorf("adding worktree: %w", err)
	}
	if !empty {
		w, err := r.OpenWorktree(dir)
		if err != nil {
			return nil, fmt.Errorf("%s is there and is no worktree of %s: %w: %w", dir, r.common, err, kaijutsu.ErrConflict)
		}
		return w, nil
	}
	all, err := r.Worktrees()
	if err != nil {
		return nil, err
	}
	for _, w := range all {
		if w.Main || !sameDir(w.Dir, dir) {
			continue
		}
		if w.Locked {
			return nil, fmt.Errorf("worktree %q at %s is locked but its files are gone; git worktree unlock gives it free: %w", w.Name, dir, kaijutsu.ErrConflict)
		}
		if err := os.RemoveAll(w.GitDir); err != nil {
			return nil, fmt.Errorf("removing what is left of worktree %q: %w", w.Name, err)
		}
	}
	return nil, nil
}

// ensureBranch makes the branch if it is not there, and returns its commit; ""
// in a repository without commits.
func (r *Repo) ensureBranch(spec WorktreeSpec) (made bool, head Hash, err error) {
	dir, err := r.checkedOut(spec.Branch, "")
	if err != nil {
		return false, "", err
	}
	if dir != "" {
		return false, "", kaijutsu.About("branch", fmt.Errorf("branch %q is checked out at %s: %w", spec.Branch, dir, kaijutsu.ErrConflict))
	}
	_, head, err = r.resolveRef(r.common, headsPrefix+spec.Branch)
	if err == nil {
		return false, head, nil
	}
	if !errors.Is(err, kaijutsu.ErrNotFound) {
		return false, "", err
	}
	start := spec.Start
	if start == "" {
		start = r.defaultStart(spec.Branch)
	}
	if start == "HEAD" {
		if _, h, err := r.resolveRef(r.common, "HEAD"); err == nil && h == "" {
			return false, "", nil // unborn
		}
	}
	if err := r.CreateBranch(spec.Branch, start, spec.By); err != nil {
		return false, "", err
	}
	_, head, err = r.resolveRef(r.common, headsPrefix+spec.Branch)
	return true, head, err
}

// defaultStart is where git switch begins a branch: at that of the only remote
// that has one of the name, or at HEAD.
func (r *Repo) defaultStart(branch string) string {
	refs, err := r.listRefs("refs/remotes/")
	if err != nil {
		return "HEAD"
	}
	found := ""
	for _, ref := range refs {
		_, name, _ := strings.Cut(strings.TrimPrefix(ref.Name, "refs/remotes/"), "/")
		if name != branch {
			continue
		}
		if found != "" {
			return "HEAD"
		}
		found = ref.Name
	}
	if found == "" {
		return "HEAD"
	}
	return found
}

func (r *Repo) addWorktree(ctx context.Context, spec WorktreeSpec, head Hash) (w *Worktree, err error) {
	tree, err := r.treeOf(head)
	if err != nil {
		return nil, err
	}
	existed := exists(spec.Dir)
	gitdir, err := r.worktreeGitDir(spec)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(gitdir), cleanDir(spec.Dir, existed))
			os.Remove(filepath.Dir(gitdir)) // if it is empty
		}
	}()
	if err := os.MkdirAll(spec.Dir, 0o777); err != nil {
		return nil, err
	}
	dir, err := filepath.EvalSymlinks(spec.Dir)
	if err != nil {
		return nil, err
	}
	if err := writeWorktreeFiles(dir, gitdir, spec, head); err != nil {
		return nil, err
	}
	w = newWorktree(r, dir, gitdir)
	c, err := w.config()
	if err != nil {
		return nil, err
	}
	x, err := r.writeTree(ctx, dir, tree, c, spec.Progress)
	if err != nil {
		return nil, err
	}
	l, err := lockFile(filepath.Join(gitdir, "index"))
	if err != nil {
		return nil, err
	}
	defer l.abort()
	if head != "" || len(x.Entries) > 0 {
		if err := w.writeIndex(l, x, nil); err != nil {
			return nil, err
		}
	}
	return w, os.Remove(filepath.Join(gitdir, "locked"))
}

// cleanDir removes what a failed checkout wrote.
func cleanDir(dir string, keep bool) error {
	if !keep {
		return os.RemoveAll(dir)
	}
	entries, err := os.ReadDir(dir)
	for _, d := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, d.Name())))
	}
	return err
}

// worktreeGitDir makes worktrees/<name>, with a number behind the name if it
// is taken, as git does.
func (r *Repo) worktreeGitDir(spec WorktreeSpec) (string, error) {
	name := spec.Name
	if name == "" {
		name = filepath.Base(spec.Dir)
	}
	name = refPart(name)
	parent := filepath.Join(r.common, "worktrees")
	if err := os.Mkdir(parent, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	for i := range maxWorktrees {
		dir := filepath.Join(parent, name)
		if i > 0 {
			dir += fmt.Sprint(i)
		}
		err := os.Mkdir(dir, 0o777)
		if err == nil {
			return dir, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	return "", fmt.Errorf("more than %d worktrees called %q: %w", maxWorktrees, name, kaijutsu.ErrTooLarge)
}

// refPart makes a name that can be part of a ref, as git does for worktrees.
func refPart(name string) string {
	name = strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f || strings.ContainsRune(`~^:?*[\/@{}`, r) {
			return '-'
		}
		return r
	}, name)
	for strings.Contains(name, "..") {
		name = strings.ReplaceAll(name, "..", ".-")
	}
	name = strings.TrimSuffix(strings.TrimLeft(name, ".-"), ".lock")
	if name = strings.TrimRight(name, "."); name == "" {
		return "worktree"
	}
	if len(name) > 200 {
		name = strings.ToValidUTF8(name[:200], "")
	}
	return name
}

// writeWorktreeFiles writes what makes dir a worktree. The lock keeps git
// worktree prune away until it is done.
func writeWorktreeFiles(dir, gitdir string, spec WorktreeSpec, head Hash) error {
	dot := filepath.Join(dir, ".git")
	files := []struct{ path, text string }{
		{filepath.Join(gitdir, "locked"), "initializing\n"},
		{filepath.Join(gitdir, "gitdir"), dot + "\n"},
		{dot, "gitdir: " + gitdir + "\n"},
		{filepath.Join(gitdir, "commondir"), "../..\n"},
		{filepath.Join(gitdir, "HEAD"), "ref: " + headsPrefix + spec.Branch + "\n"},
	}
	if head != "" {
		line := string(zeroHash) + " " + string(head) + " " + spec.By.ident() + "\n" +
			string(head) + " " + string(head) + " " + spec.By.ident() + "\treset: moving to HEAD\n"
		files = append(files,
			struct{ path, text string }{filepath.Join(gitdir, "ORIG_HEAD"), string(head) + "\n"},
			struct{ path, text string }{filepath.Join(gitdir, "logs", "HEAD"), line})
	}
	if err := os.Mkdir(filepath.Join(gitdir, "logs"), 0o777); err != nil {
		return err
	}
	for _, f := range files {
		out, err := os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return err
		}
		_, err = out.WriteString(f.text)
		if err := errors.Join(err, out.Close()); err != nil {
			return err
		}
	}
	return nil
}

// Remove removes the worktree, as git worktree remove does: without force only
// if nothing in it would be lost. The main worktree and locked ones stay.
func (w *Worktree) Remove(ctx context.Context, force bool) error {
	if w.gitdir == w.repo.common || filepath.Dir(w.gitdir) != filepath.Join(w.repo.common, "worktrees") {
		return fmt.Errorf("removing worktree: %s is no linked worktree: %w", w.dir, kaijutsu.ErrInvalid)
	}
	if exists(filepath.Join(w.gitdir, "locked")) {
		return fmt.Errorf("removing worktree: %s is locked; git worktree unlock gives it free: %w", w.dir, kaijutsu.ErrConflict)
	}
	if !force && exists(w.dir) {
		changed, err := w.Status(ctx, StatusOptions{Untracked: true})
		if err != nil {
			return fmt.Errorf("removing worktree: %w", err)
		}
		if len(changed) > 0 {
			return fmt.Errorf("removing worktree: %s has changes that are not committed (%q and %d more): %w", w.dir, changed[0].Path, len(changed)-1, kaijutsu.ErrConflict)
		}
	}
	if err := os.RemoveAll(w.dir); err != nil {
		return fmt.Errorf("removing worktree: %w", err)
	}
	if err := os.RemoveAll(w.gitdir); err != nil {
		return fmt.Errorf("removing worktree: %w", err)
	}
	os.Remove(filepath.Dir(w.gitdir)) // if it is empty
	return nil
}
