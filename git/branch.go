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
	if err := CheckBranchName(name); err != nil {
		return fmt.Errorf("creating branch: %w", err)
	}
	if start == "" {
		start = "HEAD"
	}
	h, err := r.Resolve(start)
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
// without force, one with commits that HEAD of the repository does not have;
// the error wraps kaijutsu.ErrConflict.
func (r *Repo) DeleteBranch(name string, force bool) error {
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
		_, head, err := r.resolveRef(r.common, "HEAD")
		if err != nil {
			return fmt.Errorf("deleting branch %q: %w", name, err)
		}
		merged, err := r.reachable(h, head)
		if err != nil {
			return fmt.Errorf("deleting branch %q: %w", name, err)
		}
		if !merged {
			return fmt.Errorf("deleting branch %q: it has commits that HEAD does not have; force deletes it all the same: %w", name, kaijutsu.ErrConflict)
		}
	}
	if err := r.deleteRef(r.common, headsPrefix+name, h); err != nil {
		return fmt.Errorf("deleting branch %q: %w", name, err)
	}
	return nil
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
