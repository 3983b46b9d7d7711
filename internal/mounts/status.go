package mounts

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/git"
	"kaijutsu/internal/op"
)

// maxStatus bounds the files of an answer.
const maxStatus = 10_000

// StatusSpec says where to look for changes.
type StatusSpec struct {
	At        string // a mount, or a path in one: what is below it
	Untracked bool   // files that git does not know too
}

// Status is what of a mount is not as in its last commit.
type Status struct {
	Mount     Mount
	Files     []FileStatus // by path
	Truncated bool         // there are more
}

// FileStatus is a file that is not as in the last commit, or that wants something.
type FileStatus struct {
	git.FileStatus
	Block blocks.ID // "": it is no block
	// Dirty says that the block holds what the disk has not, Conflict that both
	// changed, and Problem why that is, if something went wrong.
	Dirty, Conflict bool
	Problem         string
}

// Status says what is changed, by what the blocks hold where files are open.
func (m *Mounts) Status(ctx context.Context, c op.Call, spec StatusSpec) (_ Status, err error) {
	defer m.veil(c, &err)
	s, rel, err := m.gitAt(c, spec.At, kaijutsu.RightRead)
	if err != nil {
		return Status{}, err
	}
	o := git.StatusOptions{Untracked: spec.Untracked, Renames: true, Text: s.texts(ctx)}
	if rel != "." {
		o.Paths = []string{rel}
	}
	changed, err := s.tree.Status(ctx, o)
	if err != nil {
		return Status{}, fmt.Errorf("status of mount %s: %w", s.path, err)
	}
	out := Status{Mount: m.shown(c, s)}
	at := make(map[string]int, len(changed))
	for i, f := range changed {
		out.Files = append(out.Files, FileStatus{FileStatus: f})
		at[f.Path] = i
	}
	for _, f := range s.overlay.State().Files {
		if rel != "." && !below(f.Path, rel) {
			continue
		}
		i, there := at[f.Path]
		if !there && !f.Dirty && !f.Conflict && f.Problem == "" {
			continue
		}
		if !there {
			i = len(out.Files)
			out.Files = append(out.Files, FileStatus{FileStatus: git.FileStatus{Path: f.Path, Staged: git.Unmodified, Unstaged: git.Unmodified}})
		}
		out.Files[i].Block, out.Files[i].Dirty, out.Files[i].Conflict, out.Files[i].Problem = f.Block, f.Dirty, f.Conflict, m.hidden(c, f.Problem)
	}
	slices.SortFunc(out.Files, func(a, b FileStatus) int { return strings.Compare(a.Path, b.Path) })
	if len(out.Files) > maxStatus {
		out.Files, out.Truncated = out.Files[:maxStatus], true
	}
	return out, nil
}

// DiffSpec says what to compare.
type DiffSpec struct {
	At       string
	Paths    []string // only these files, and those below these directories; none: all
	From, To string   // revisions, "index" or "worktree"; "": HEAD, and what the blocks hold
}

// Diff compares two states of a mount's files.
func (m *Mounts) Diff(ctx context.Context, c op.Call, spec DiffSpec) (_ []git.FileDiff, err error) {
	defer m.veil(c, &err)
	s, rel, err := m.gitAt(c, spec.At, kaijutsu.RightRead)
	if err != nil {
		return nil, err
	}
	o := git.DiffOptions{From: side(spec.From), To: side(spec.To)}
	if o.Paths, err = s.relative(spec.Paths); err != nil {
		return nil, err
	}
	if rel != "." && len(o.Paths) == 0 {
		o.Paths = []string{rel}
	}
	if o.From == git.SideWorktree || o.To == "" || o.To == git.SideWorktree {
		o.Text = s.texts(ctx)
	}
	out, err := s.tree.Diff(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("diff of mount %s: %w", s.path, err)
	}
	return out, nil
}

// side reads a side of a comparison.
func side(word string) git.Side {
	switch word {
	case "index":
		return git.SideIndex
	case "worktree":
		return git.SideWorktree
	}
	return git.Side(word)
}

// LogSpec says which commits to list.
type LogSpec struct {
	At   string // a mount, or a file in one: the commits that changed it
	Rev  string // "": HEAD
	Path string // as At's
	N    int    // at most; 0: 20
}

// maxLog bounds the commits of an answer.
const maxLog = 1000

// Log lists commits, the newest first. An empty repository has none.
func (m *Mounts) Log(ctx context.Context, c op.Call, spec LogSpec) (_ []git.CommitInfo, err error) {
	defer m.veil(c, &err)
	s, rel, err := m.gitAt(c, spec.At, kaijutsu.RightRead)
	if err != nil {
		return nil, err
	}
	if spec.N < 0 || spec.N > maxLog {
		return nil, &op.FieldError{Field: "limit", Reason: fmt.Sprintf("it is %d", spec.N), Hint: fmt.Sprintf("want 1 to %d", maxLog)}
	}
	if spec.N == 0 {
		spec.N = 20
	}
	if spec.Path != "" {
		paths, err := s.relative([]string{spec.Path})
		if err != nil {
			return nil, err
		}
		rel = paths[0]
	}
	if rel == "." {
		rel = ""
	}
	out, err := s.tree.Log(ctx, or(spec.Rev, "HEAD"), spec.N, rel)
	if err != nil {
		return nil, fmt.Errorf("log of mount %s: %w", s.path, err)
	}
	return out, nil
}
