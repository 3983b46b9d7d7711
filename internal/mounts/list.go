package mounts

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/git"
	"kaijutsu/internal/op"
)

// Mount is a mount as lists show it.
type Mount struct {
	ID        string
	Path      string
	Source    string // for those who do not own the kernel without the directory
	Kind      string // memory, folder or git
	ReadWrite bool
	Node      string // whose disk it is
	Here      bool   // it is this node's
	State     string // one of the States
	Reason    string // why it failed, where it is, or how far opening is
	Dir       string // on the node's disk; "" for those who do not own the kernel

	// Of git mounts that are ready, and as far as known of others.
	Branch  string
	Head    git.Hash
	Context kaijutsu.DocumentID // of the branch
	Paused  string              // why nothing goes to the disk or comes from it; "": it does
	// Open is how many files are blocks, Dirty how many of them hold what the disk
	// has not, Conflicts how many both have changed.
	Open, Dirty, Conflicts int
	Notice                 string // what is to be known of how it was opened

	DiskAs                  kaijutsu.Principal
	Trailers, Notes, Author string
	By                      kaijutsu.Principal
	At                      time.Time
}

// List returns the mounts that a caller may read, by path. Owners of the kernel
// see records that cannot be read too.
func (m *Mounts) List(_ context.Context, c op.Call) []Mount {
	var out []Mount
	if c.Right >= kaijutsu.RightRead {
		out = append(out, m.shown(c, m.scratchMount()))
	}
	for _, s := range m.visible(c) {
		out = append(out, m.shown(c, s))
	}
	if owns(c) == nil {
		out = append(out, m.illegible()...)
	}
	slices.SortStableFunc(out, func(a, b Mount) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// Get returns the mount of a path, of a path in it, or with this last part.
func (m *Mounts) Get(_ context.Context, c op.Call, word string) (_ Mount, err error) {
	defer m.veil(c, &err)
	s, err := m.named(c, word)
	if err != nil {
		return Mount{}, err
	}
	return m.shown(c, s), nil
}

// Unread returns the names of records of mounts that cannot be read, sorted.
func (m *Mounts) Unread() []string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var out []string
	for name := range m.known.unread {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Failed returns the mounts of this node that could not be opened, and why.
func (m *Mounts) Failed() map[string]string {
	out := make(map[string]string)
	for _, s := range m.all() {
		if s.state == StateFailed {
			out[s.path] = s.reason
		}
	}
	return out
}

func (m *Mounts) illegible() (out []Mount) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for name, why := range m.known.unread {
		out = append(out, Mount{ID: strings.TrimPrefix(name, recordPrefix), State: StateFailed, Reason: "its record cannot be read: " + why})
	}
	return out
}

// scratchMount is the memory that is always there.
func (m *Mounts) scratchMount() seen {
	return seen{record: record{path: scratch, kind: memoryKind, rw: true, notes: true, node: m.cfg.Node}, state: StateReady, opened: &opened{fsys: m.scratch}}
}

// shown is a mount as a caller may see it.
func (m *Mounts) shown(c op.Call, s seen) Mount {
	out := Mount{
		ID: s.id, Path: s.path, Source: s.source(), Kind: string(s.kind), ReadWrite: s.rw, Node: s.node, Here: s.node == m.cfg.Node,
		State: s.state, Reason: s.reason, Branch: s.current, Context: s.doc, DiskAs: s.diskAs,
		Trailers: or(s.trailers, trailerPolicies[0]), Notes: notePolicies[0], Author: or(s.author, authorPolicies[0]), By: s.by, At: s.at,
	}
	if !s.notes {
		out.Notes = notePolicies[1]
	}
	if owns(c) != nil {
		if s.dir != "" {
			out.Source = strings.ReplaceAll(out.Source, s.dir, path.Base(s.dir))
		}
	} else if s.kind == folderKind {
		out.Dir = s.dir
	} else if s.kind == gitKind && out.Here {
		out.Dir = m.worktreeDir(s.record)
	}
	if s.opened != nil {
		out.Notice = s.notice
		if s.overlay != nil {
			out.overlay(s)
		}
	}
	out.Reason, out.Notice, out.Paused = m.hidden(c, out.Reason), m.hidden(c, out.Notice), m.hidden(c, out.Paused)
	return out
}

// overlay fills in what is known of the files of a git mount.
func (out *Mount) overlay(s seen) {
	state := s.overlay.State()
	out.Branch, out.Head = s.checkedOut(), state.Head
	if out.Head == "" {
		out.Head = s.head()
	}
	if state.Paused {
		out.Paused = or(state.Reason, "it is paused")
	}
	for _, f := range state.Files {
		if f.Closed == "" && !f.Deleted {
			out.Open++
		}
		if f.Dirty {
			out.Dirty++
		}
		if f.Conflict {
			out.Conflicts++
		}
	}
}

// named returns the mount that somebody names: by its path, a path in it, or the
// last part of its path when only one has it. "" is the only git mount.
func (m *Mounts) named(c op.Call, word string) (seen, error) {
	list := m.visible(c)
	if c.Right >= kaijutsu.RightRead {
		list = append(list, m.scratchMount())
	}
	best := -1
	var near []string
	for i, s := range list {
		near = append(near, s.path)
		fits := strings.HasPrefix(word, "/") && below(path.Clean(word), s.path) || !strings.Contains(word, "/") && word != "" && path.Base(s.path) == word ||
			word == "" && s.kind == gitKind
		switch {
		case !fits:
		case best < 0, strings.HasPrefix(word, "/") && len(s.path) > len(list[best].path):
			best = i
		case s.path != list[best].path && !strings.HasPrefix(word, "/"):
			return seen{}, &op.FieldError{Field: "mount", Reason: fmt.Sprintf("%s and %s are meant by %q", list[best].path, s.path, word), Hint: "give the path"}
		}
	}
	if best >= 0 {
		return list[best], nil
	}
	hint := "kj mount lists them"
	if word == "" {
		return seen{}, &op.FieldError{Field: "mount", Reason: "there is no git mount", Hint: "an owner of the kernel makes one: kj mount /mnt/app git:~/src/app"}
	}
	if n := op.Nearest(word, near); n != "" {
		hint = fmt.Sprintf("did you mean %q?", n)
	}
	return seen{}, kaijutsu.About("mount", fmt.Errorf("mount %.200q %w: %s", word, kaijutsu.ErrNotFound, hint))
}
