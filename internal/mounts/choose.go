package mounts

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/git"
	"kaijutsu/internal/op"
	"kaijutsu/internal/vfs"
	"kaijutsu/internal/worktree"
)

// choice is what somebody wants to commit.
type choice struct {
	files map[string]string // paths of files, and the parameters that name them
	dirs  map[string]string // the same of directories; "." is everything
}

// exact returns the files, when nothing but files is chosen; nil: any file may be
// among them.
func (p choice) exact() []string {
	if len(p.dirs) > 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(p.files))
}

// choice sorts what is named into files and directories.
func (m *Mounts) choice(c op.Call, s seen, spec CommitSpec) (choice, error) {
	p := choice{make(map[string]string), make(map[string]string)}
	if spec.All {
		p.dirs["."] = "all"
		return p, nil
	}
	open := s.overlay.State().Files
	byBlock, byPath := make(map[blocks.ID]string, len(open)), make(map[string]bool, len(open))
	for _, f := range open {
		byBlock[f.Block], byPath[f.Path] = f.Path, true
	}
	for i, id := range spec.Blocks {
		path, there := byBlock[id]
		if !there {
			return p, kaijutsu.About("blocks", fmt.Errorf("blocks[%d]: block %s %w among the files of mount %s", i, id, kaijutsu.ErrNotFound, s.path))
		}
		p.files[path] = fmt.Sprintf("blocks[%d]", i)
	}
	paths, err := s.relative(spec.Paths)
	if err != nil {
		return p, err
	}
	for i, path := range paths {
		field := fmt.Sprintf("paths[%d]", i)
		info, err := s.folder.Stat(context.Background(), path)
		switch {
		case byPath[path]:
			p.files[path] = field
		case path == ".", err == nil && info.Kind == vfs.KindDir:
			p.dirs[path] = field
		case err != nil && !errors.Is(err, kaijutsu.ErrNotFound):
			return p, about(field, err)
		case err != nil && slices.ContainsFunc(open, func(f worktree.FileState) bool { return f.Path != path && below(f.Path, path) }):
			p.dirs[path] = field // of files that are gone
		default:
			p.files[path] = field
		}
	}
	return p, nil
}

// changed is a file as a commit would have it.
type changed struct {
	path   string
	field  string // the parameter that names it; "": it was found
	block  blocks.ID
	data   []byte
	mode   git.Mode
	exists bool
	old    git.Blob // as it is in the last commit; no Hash: it is not
	from   string   // its path there, when that is another
	was    []byte   // what the last commit has of it
}

func (f changed) same() bool {
	if !f.exists {
		return f.old.Hash == ""
	}
	return f.old.Hash != "" && f.old.Mode == f.mode && string(f.old.Data) == string(f.data)
}

// collect returns the files that are chosen and not as in the last commit, by
// path. A file that is named and unchanged, in conflict, ignored or unknown is an
// error.
func (m *Mounts) collect(ctx context.Context, s seen, p choice, snap worktree.Snapshot) ([]changed, error) {
	held := make(map[string]worktree.Snap, len(snap.Files))
	for _, f := range snap.Files {
		held[f.Path] = f
	}
	there, err := newAbove(s, snap.Epoch.Head)
	if err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(p.dirs)) {
		if err := there.check(path, func(string) bool { return true }); err != nil {
			return nil, about(or(p.dirs[path], "paths"), err)
		}
	}
	chosen := maps.Clone(p.files)
	if len(p.dirs) > 0 {
		found, err := s.changedBelow(ctx, p, held)
		if err != nil {
			return nil, err
		}
		for _, path := range found {
			if _, named := chosen[path]; !named {
				chosen[path] = ""
			}
		}
	}
	var out []changed
	problems := make(map[string]string)
	for _, f := range s.overlay.State().Files {
		if f.Dirty {
			problems[f.Path] = f.Problem
		}
	}
	for _, path := range slices.Sorted(maps.Keys(chosen)) {
		f := changed{path: path, field: chosen[path]}
		if why := problems[path]; why != "" {
			return nil, about(or(f.field, "paths"), fmt.Errorf("file %s: what its block holds does not come to the disk (%s); mend it or leave it out: %w", path, why, kaijutsu.ErrConflict))
		}
		if err := s.read(ctx, &f, held, snap.Epoch.Head); err != nil {
			return nil, about(or(f.field, "paths"), err)
		}
		switch {
		case !f.same():
			f.was = f.old.Data
			out = append(out, f)
		case f.field != "" && !f.exists:
			return nil, kaijutsu.About(f.field, fmt.Errorf("file %s %w in mount %s", path, kaijutsu.ErrNotFound, s.path))
		case f.field != "":
			return nil, kaijutsu.About(f.field, fmt.Errorf("file %s is as in the last commit; leave it out: %w", path, kaijutsu.ErrConflict))
		}
	}
	m.pairRenames(snap.Doc, out)
	return out, there.checkAll(out)
}

// pairRenames finds out which of the new files that are blocks are files that go
// away under another path: the same block, or the same content.
func (m *Mounts) pairRenames(doc kaijutsu.DocumentID, files []changed) {
	gone := make(map[string]*changed)
	for i := range files {
		if f := &files[i]; !f.exists && f.old.Mode.IsFile() {
			gone[sumOf(f.old.Data)] = f
		}
	}
	if len(gone) == 0 {
		return
	}
	for i := range files {
		f := &files[i]
		if !f.exists || f.block == "" || f.old.Hash != "" {
			continue
		}
		old := gone[sumOf(f.data)]
		for _, base := range m.bases(baseName(doc, f.block)).Bases {
			if g := gone[base.Sum]; g != nil {
				old = g
			}
		}
		if old != nil {
			f.from, f.was = old.path, old.old.Data
		}
	}
}

// changedBelow returns the files that are not as in the last commit below the
// chosen directories.
func (s seen) changedBelow(ctx context.Context, p choice, held map[string]worktree.Snap) ([]string, error) {
	o := git.StatusOptions{Untracked: true, Every: true, Text: func(path string) ([]byte, bool) {
		f, ok := held[path]
		return f.RepoData, ok && f.Exists
	}}
	if _, all := p.dirs["."]; !all {
		o.Paths = slices.Sorted(maps.Keys(p.dirs))
	}
	list, err := s.tree.Status(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("look for what changed: %w", err)
	}
	var out []string
	for _, f := range list {
		if f.Conflict != "" {
			return nil, fmt.Errorf("file %s: git has a conflict there (%s); resolve it first: %w", f.Path, f.Conflict, kaijutsu.ErrConflict)
		}
		if f.Head != git.Submodule && f.Index != git.Submodule && f.Disk != git.Submodule {
			out = append(out, f.Path)
		}
	}
	inside := func(path string) bool {
		for dir := range p.dirs {
			if dir == "." || below(path, dir) {
				return true
			}
		}
		return false
	}
	for path := range held { // what status cannot see: a file that the disk does not have yet, or still has
		if inside(path) {
			out = append(out, path)
		}
	}
	return out, nil
}
