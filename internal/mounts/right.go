package mounts

import (
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/op"
	"kaijutsu/internal/worktree"
)

// owns refuses callers that do not own the kernel.
func owns(c op.Call) error {
	if c.Right < kaijutsu.RightOwn {
		return fmt.Errorf("%s is not an owner of the kernel: %w", c.By, kaijutsu.ErrDenied)
	}
	return nil
}

// right returns what a caller may do with what is in a mount: with the context
// that a git mount is at, with the kernel where it has none.
func (m *Mounts) right(c op.Call, s seen) kaijutsu.Right {
	if s.kind != gitKind || s.doc.IsZero() {
		return c.Right
	}
	return m.cfg.Kernel.Right(c, s.doc)
}

// seen is a mount at a moment.
type seen struct {
	record
	state  string
	reason string
	doc    kaijutsu.DocumentID // the context that it is at; zero: none is known
	*opened
	commits chan struct{}
}

// visible returns the mounts that a caller may read, by path, and those that
// stand in each other's way last.
func (m *Mounts) visible(c op.Call) []seen {
	var out []seen
	for _, s := range m.all() {
		if m.right(c, s) >= kaijutsu.RightRead {
			out = append(out, s)
		}
	}
	return out
}

// all returns every mount as it is now.
func (m *Mounts) all() []seen {
	m.mu.RLock()
	list := m.known.mounted()
	out := make([]seen, 0, len(list)+1)
	path := ""
	for _, r := range list {
		s := seen{record: r, state: StateElsewhere, doc: m.known.context(r)}
		l := m.live[r.id]
		switch {
		case r.path == path:
			s.state, s.reason = StateFailed, "another mount has its path: remove one of them"
		case r.node != m.cfg.Node:
			s.reason = "it is a mount of node " + m.node(r.node)
		case l == nil:
			s.state = StateOpening
		default:
			s.state, s.reason, s.opened, s.commits = l.state, l.reason, l.opened, l.commits
		}
		path = r.path
		out = append(out, s)
	}
	m.mu.RUnlock()
	for i, s := range out {
		if s.opened != nil && s.overlay != nil {
			if doc := s.overlay.Doc(); !doc.IsZero() {
				out[i].doc = doc
			}
		}
	}
	return out
}

// node says what a node is called, and where it is.
func (m *Mounts) node(id string) string {
	name, address := m.cfg.NodeName(id), m.cfg.NodeAddress(id)
	if address == "" {
		return name
	}
	return name + ", at " + address
}

// checkedOut is the branch that a worktree is on.
func (o *opened) checkedOut() string {
	if branch := o.overlay.Branch(); branch != "" {
		return branch
	}
	e, _ := o.tree.Epoch() // one that cannot be read is on none
	return or(e.Branch, worktree.Detached)
}

// unavailable says why nothing can be done in a mount now; nil: something can.
func (s seen) unavailable() error {
	switch {
	case s.opened != nil:
		return nil
	case s.state == StateElsewhere:
		return fmt.Errorf("mount %s: %s; ask there, or edit its blocks, which are here too: %w", s.path, s.reason, kaijutsu.ErrUnavailable)
	case s.reason == "":
		return fmt.Errorf("mount %s is being opened; try again in a moment: %w", s.path, kaijutsu.ErrUnavailable)
	}
	return fmt.Errorf("mount %s: %s: %w", s.path, s.reason, kaijutsu.ErrUnavailable)
}
