package git

import (
	"errors"
	"fmt"
	"strings"

	"kaijutsu"
)

// Branch is a branch of the repository, or of a remote as it was when it was
// fetched last.
type Branch struct {
	Name     string // short: main, or origin/main of a remote
	Head     Hash
	Remote   bool
	Worktree string // the directory where it is checked out; "" nowhere
}

// Branches lists the branches by name, those of remotes last.
func (r *Repo) Branches() ([]Branch, error) {
	heads, err := r.listRefs(headsPrefix)
	if err != nil {
		return nil, fmt.Errorf("listing branches: %w", err)
	}
	remotes, err := r.listRefs("refs/remotes/")
	if err != nil {
		return nil, fmt.Errorf("listing branches: %w", err)
	}
	trees, err := r.Worktrees()
	if err != nil {
		return nil, fmt.Errorf("listing branches: %w", err)
	}
	where := map[string]string{}
	for _, w := range trees {
		if w.Branch != "" {
			where[w.Branch] = w.Dir
		}
	}
	out := make([]Branch, 0, len(heads)+len(remotes))
	for _, ref := range heads {
		name := strings.TrimPrefix(ref.Name, headsPrefix)
		out = append(out, Branch{Name: name, Head: ref.Hash, Worktree: where[name]})
	}
	for _, ref := range remotes {
		name := strings.TrimPrefix(ref.Name, "refs/remotes/")
		if strings.HasSuffix(name, "/HEAD") {
			continue // it only points to one of the others
		}
		out = append(out, Branch{Name: name, Head: ref.Hash, Remote: true})
	}
	return out, nil
}

// CreateBranch makes a branch at a revision, HEAD if that is "". Errors wrap
// kaijutsu.ErrInvalid for a name that git does not take, and
// kaijutsu.ErrConflict if there is one of the name already.
func (r *Repo) CreateBranch(name, start string, by Signature) error {
	return r.makeBranch(r.common, name, start, by)
}

// CreateBranch is Repo.CreateBranch, where HEAD is that of the worktree.
func (w *Worktree) CreateBranch(name, start string, by Signature) error {
	return w.repo.makeBranch(w.gitdir, name, start, by)
}

// makeBranch resolves start with HEAD of a git directory.
func (r *Repo) makeBranch(gitDir, name, start string, by Signature) error {
	if err := CheckBranchName(name); err != nil {
		return fmt.Errorf("creating branch: %w", err)
	}
	if start == "" {
		start = "HEAD"
	}
	h, err := r.resolve(gitDir, start)
	if err != nil {
		return fmt.Errorf("creating branch %q: %w", name, err)
	}
	switch _, _, err := r.resolveRef(r.common, headsPrefix+name); {
	case err == nil:
		return kaijutsu.About("branch", fmt.Errorf("creating branch %q: it is there already: %w", name, kaijutsu.ErrConflict))
	case !errors.Is(err, kaijutsu.ErrNotFound):
		return fmt.Errorf("creating branch %q: %w", name, err)
	}
	if err := r.updateRef(r.common, headsPrefix+name, h, "", by.orService(), "branch: Created from "+start); err != nil {
		return fmt.Errorf("creating branch %q: %w", name, err)
	}
	return nil
}

// DeleteBranch deletes a branch. It refuses one that is checked out and,
// without force, one with commits that neither its upstream nor, where it has
// none, HEAD of the main worktree has; the error wraps kaijutsu.ErrConflict.
func (r *Repo) DeleteBranch(name string, force bool) error {
	return r.dropBranch(r.common, name, force)
}

// DeleteBranch is Repo.DeleteBranch, where HEAD is that of the worktree.
func (w *Worktree) DeleteBranch(name string, force bool) error {
	return w.repo.dropBranch(w.gitdir, name, force)
}

// dropBranch compares with HEAD of a git directory.
func (r *Repo) dropBranch(gitDir, name string, force bool) error {
	if err := CheckBranchName(name); err != nil {
		return fmt.Errorf("deleting branch: %w", err)
	}
	_, h, err := r.resolveRef(r.common, headsPrefix+name)
	if err != nil {
		return fmt.Errorf("deleting branch %q: %w", name, err)
	}
	dir, err := r.checkedOut(name, "")
	if err != nil {
		return fmt.Errorf("deleting branch %q: %w", name, err)
	}
	if dir != "" {
		return fmt.Errorf("deleting branch %q: it is checked out at %s: %w", name, dir, kaijutsu.ErrConflict)
	}
	if !force && h != "" {
		into, head, err := r.mergedInto(gitDir, name)
		if err != nil {
			return fmt.Errorf("deleting branch %q: %w", name, err)
		}
		merged, err := r.reachable(h, head)
		if err != nil {
			return fmt.Errorf("deleting branch %q: %w", name, err)
		}
		if !merged {
			return fmt.Errorf("deleting branch %q: it has commits that %s does not have; force deletes it all the same: %w", name, into, kaijutsu.ErrConflict)
		}
	}
	if err := r.deleteRef(r.common, headsPrefix+name, h); err != nil {
		return fmt.Errorf("deleting branch %q: %w", name, err)
	}
	return nil
}

// mergedInto returns what has to have a branch's commits, as git branch -d
// chooses it: its upstream, else HEAD.
func (r *Repo) mergedInto(gitDir, branch string) (string, Hash, error) {
	if c, err := r.config(); err == nil {
		remote, _ := c.get("branch." + branch + ".remote")
		merge, _ := c.get("branch." + branch + ".merge")
		name, isHead := strings.CutPrefix(merge, headsPrefix)
		full := merge
		if remote != "." {
			full = "refs/remotes/" + remote + "/" + name
		}
		if remote != "" && isHead && badRefName(full) == "" {
			if _, h, err := r.resolveRef(gitDir, full); err == nil && h != "" {
				return strings.TrimPrefix(strings.TrimPrefix(full, headsPrefix), "refs/remotes/"), h, nil
			}
		}
	}
	_, head, err := r.resolveRef(gitDir, "HEAD")
	return "HEAD", head, err
}

// reachable reports whether a commit is to, or an ancestor of it.
func (r *Repo) reachable(commit, to Hash) (bool, error) {
	if to == "" {
		return false, nil
	}
	walk := r.newWalk()
	if err := walk.push(to); err != nil {
		return false, err
	}
	for {
		c, err := walk.next()
		if err != nil || c == nil {
			return false, err
		}
		if c.Hash == commit {
			return true, nil
		}
		for _, p := range c.Parents {
			if err := walk.push(p); err != nil {
				return false, err
			}
		}
	}
}
