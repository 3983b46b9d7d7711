package mounts

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"kaijutsu"
	"kaijutsu/git"
)

// adopt puts a worktree that is there on the branch that was asked for.
func (m *Mounts) adopt(ctx context.Context, repo *git.Repo, w *git.Worktree, r record, branch string) (*git.Worktree, string, error) {
	list, err := repo.Worktrees()
	if err != nil {
		return nil, "", err
	}
	name, start, notice, err := chooseBranch(list, m.sourceBranch(r), w.Dir(), branch)
	if err != nil {
		return nil, "", err
	}
	epoch, err := w.Epoch()
	if err != nil || epoch.Branch == name {
		return w, notice, err
	}
	by := m.signature(r.by)
	all, err := repo.Branches()
	if err != nil {
		return nil, "", err
	}
	if !hasBranch(all, name) {
		if err := repo.CreateBranch(name, or(start, "HEAD"), by); err != nil {
			return nil, "", err
		}
	}
	return w, notice, w.Switch(ctx, name, by)
}

func hasBranch(all []git.Branch, name string) bool {
	for _, b := range all {
		if !b.Remote && b.Name == name {
			return true
		}
	}
	return false
}

// sourceBranch is the branch that HEAD names where a mount's source points.
func (m *Mounts) sourceBranch(r record) string {
	return git.HeadBranch(or(r.dir, filepath.Join(m.clones(), r.worktree+".git")))
}

// chooseBranch says which branch the worktree at dir is to be on: the one that
// was asked for when no other worktree has it, else one of our own beside it.
// start is what the branch is made from when it is not there: what was asked for,
// or head, which is checked out at the source.
func chooseBranch(list []git.WorktreeInfo, head, dir, asked string) (branch, start, notice string, err error) {
	taken := make(map[string]string)
	for _, w := range list {
		if w.Branch != "" && !w.Bare && w.Dir != dir {
			taken[w.Branch] = w.Dir
		}
	}
	if asked != "" && taken[asked] == "" {
		return asked, "", "", nil
	}
	base := or(asked, head)
	if base != "" && base == asked {
		notice = fmt.Sprintf("branch %s is checked out in %s", asked, taken[asked])
	} else {
		notice = "no branch was named"
	}
	for i := 1; i < 100; i++ {
		branch = "kj/" + or(base, "head")
		if i > 1 {
			branch += "-" + strconv.Itoa(i)
		}
		if taken[branch] == "" {
			return branch, base, fmt.Sprintf("%s: the mount is on branch %s", notice, branch), nil
		}
	}
	return "", "", "", fmt.Errorf("branch %s and a hundred beside it are checked out elsewhere; name another: %w", base, kaijutsu.ErrConflict)
}

// freeName returns the name of a worktree in its repository.
func freeName(list []git.WorktreeInfo, dir, name string) string {
	free := func(name string) bool {
		for _, w := range list {
			if w.Name == name && w.Dir != dir {
				return false
			}
		}
		return true
	}
	base := name
	for i := 2; !free(name); i++ {
		name = base + "-" + strconv.Itoa(i)
	}
	return name
}
