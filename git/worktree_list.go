package git

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"kaijutsu"
)

// maxWorktrees bounds the linked worktrees of a repository.
const maxWorktrees = 10000

// WorktreeInfo is a line of git worktree list.
type WorktreeInfo struct {
	Dir      string // absolute; for a bare repository its own directory
	GitDir   string
	Name     string // "" for the main one
	Branch   string // short; "" detached or bare
	Head     Hash   // "" unborn
	Main     bool
	Bare     bool
	Locked   bool
	Prunable bool // its directory, or the way back from it, is gone
}

// Worktrees lists the main worktree, or the bare repository, and the linked
// worktrees by name.
func (r *Repo) Worktrees() ([]WorktreeInfo, error) {
	main := WorktreeInfo{Dir: r.common, GitDir: r.common, Main: true, Bare: r.Bare()}
	if !main.Bare {
		main.Dir = filepath.Dir(r.common)
		if c, err := r.config(); err == nil {
			if top := c.path("core.worktree"); top != "" {
				if !filepath.IsAbs(top) {
					top = filepath.Join(r.common, top)
				}
				main.Dir = filepath.Clean(top)
			}
		}
	}
	r.fillHead(&main)
	if main.Bare {
		main.Branch, main.Head = "", ""
	}
	all := []WorktreeInfo{main}
	names, err := os.ReadDir(filepath.Join(r.common, "worktrees"))
	if err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("listing worktrees: %w", err)
	}
	if len(names) > maxWorktrees {
		return nil, fmt.Errorf("listing worktrees: more than %d; run git worktree prune: %w", maxWorktrees, kaijutsu.ErrTooLarge)
	}
	for _, d := range names {
		if d.IsDir() {
			all = append(all, r.linked(d.Name()))
		}
	}
	return all, nil
}

// linked describes the linked worktree of a name.
func (r *Repo) linked(name string) WorktreeInfo {
	gitdir := filepath.Join(r.common, "worktrees", name)
	w := WorktreeInfo{Name: name, GitDir: gitdir, Locked: exists(filepath.Join(gitdir, "locked"))}
	data, err := readSmall(filepath.Join(gitdir, "gitdir"))
	dot := strings.TrimRight(string(data), "\r\n")
	if err == nil && dot != "" {
		if !filepath.IsAbs(dot) {
			dot = filepath.Join(gitdir, dot)
		}
		w.Dir = strings.TrimSuffix(filepath.Clean(dot), string(filepath.Separator)+".git")
	}
	w.Prunable = w.Dir == "" || !exists(dot)
	r.fillHead(&w)
	return w
}

func (r *Repo) fillHead(w *WorktreeInfo) {
	full, h, err := r.resolveRef(w.GitDir, "HEAD")
	if err != nil {
		return
	}
	w.Head = h
	if full != "HEAD" {
		w.Branch = strings.TrimPrefix(full, headsPrefix)
	}
}

// checkedOut returns the directory of a worktree that is on a branch, or that
// is rebasing or bisecting it; "" for none. except is left out.
func (r *Repo) checkedOut(branch, except string) (string, error) {
	all, err := r.Worktrees()
	if err != nil {
		return "", err
	}
	for _, w := range all {
		if w.GitDir == except || w.Bare {
			continue
		}
		if w.Branch == branch || busyBranch(w.GitDir) == branch {
			return w.Dir, nil
		}
	}
	return "", nil
}

// busyBranch returns the branch that a rebase or bisect of a worktree will go
// back to.
func busyBranch(gitdir string) string {
	for _, f := range []string{"rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"} {
		if data, err := readSmall(filepath.Join(gitdir, f)); err == nil && data != nil {
			return strings.TrimPrefix(strings.TrimSpace(string(data)), headsPrefix)
		}
	}
	return ""
}

// HeadBranch returns the branch, short, that HEAD says of the worktree or bare
// repository at dir, which may have no commit yet; "" when HEAD is detached or
// cannot be read.
func HeadBranch(dir string) string {
	d, err := findGitDirs(dir)
	if err != nil {
		return ""
	}
	full, _, err := (&Repo{common: d.common}).resolveRef(d.gitdir, "HEAD")
	name, isBranch := strings.CutPrefix(full, headsPrefix)
	if err != nil || !isBranch {
		return ""
	}
	return name
}
