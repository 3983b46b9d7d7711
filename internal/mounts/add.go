package mounts

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/worktree"
)

// maxMounts bounds the mounts of a kernel.
const maxMounts = 256

// AddSpec says what to mount.
type AddSpec struct {
	Path string // from the root: /mnt/app
	// Source is "memory", a directory from the root or from ~, or git:SOURCE with
	// an optional @BRANCH: a local repository, or an address to clone.
	Source string
	Branch string // counts instead of the source's; "": that, or one of our own
	// ReadWrite allows to change what is mounted.
	ReadWrite bool
	// DiskAs is in whose name edits on the disk of a git mount are made; zero:
	// the service disk.
	DiskAs kaijutsu.Principal
	// Trailers, Notes and Author say what commits carry: off, people or all (the
	// default); on (the default) or off; most (the default), caller or committer.
	Trailers, Notes, Author string
}

// Add mounts something on this node, for an owner of the kernel, and returns when
// it is open. A mount that was removed has its contexts again when the same is
// added at its path. Errors wrap kaijutsu.ErrDenied, ErrInvalid and ErrNotFound
// with the field, and ErrConflict when something has the path.
func (m *Mounts) Add(ctx context.Context, c op.Call, spec AddSpec) (Mount, error) {
	if err := owns(c); err != nil {
		return Mount{}, fmt.Errorf("add a mount: %w", err)
	}
	leave, err := m.turn(ctx)
	if err != nil {
		return Mount{}, err
	}
	defer leave()
	r, err := m.plan(c, spec)
	if errors.Is(err, errThere) {
		return m.Get(ctx, c, r.path)
	}
	if err != nil {
		return Mount{}, err
	}
	if err := m.bring(ctx, c, r); err != nil {
		return Mount{}, fmt.Errorf("mount %s: %w", r.path, err)
	}
	m.log.Info("mount added", "mount", r.path, "source", r.source(), "by", c.By)
	return m.Get(ctx, c, r.path)
}

// plan makes the record of a mount that is to be added.
func (m *Mounts) plan(c op.Call, spec AddSpec) (record, error) {
	r := record{
		path: spec.Path, rw: spec.ReadWrite, node: m.cfg.Node, diskAs: spec.DiskAs, trailers: spec.Trailers,
		notes: spec.Notes != "off", author: spec.Author, by: c.By, at: m.now(),
	}
	if spec.Path != "/" {
		r.path = strings.TrimSuffix(spec.Path, "/")
	}
	if err := checkPath(r.path); err != nil {
		return r, err
	}
	for _, err := range []error{checkTrailers(spec.Trailers), checkNotes(spec.Notes), checkAuthor(spec.Author), m.checkDiskAs(spec.DiskAs)} {
		if err != nil {
			return r, err
		}
	}
	if err := m.parseSource(&r, spec.Source, spec.Branch); err != nil {
		return r, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	others := m.known.mounted()
	if r.path == scratch {
		return r, taken(r.path, "is the memory that is always there")
	}
	if o, there := m.known.at(r.path); there && o.repeats(r) {
		return r, errThere
	} else if there {
		return r, taken(r.path, "has "+o.source()+" of node "+m.cfg.NodeName(o.node)+"; remove that first")
	}
	if len(others) >= maxMounts {
		return r, fmt.Errorf("add a mount: there are %d: %w: remove one first", maxMounts, kaijutsu.ErrTooLarge)
	}
	m.known.identify(&r)
	if r.id == "" {
		r.id = string(blocks.NewID(m.cfg.Now()))
	}
	return r, m.checkPlace(r, others)
}

// errThere says that what is to be added is there already, as it is to be.
var errThere = errors.New("the mount is there")

// repeats reports whether adding a mount again would bring about nothing else.
func (r record) repeats(n record) bool {
	return r.same(n) && (n.branch == "" || n.branch == r.branch) && n.rw == r.rw && n.diskAs == r.diskAs &&
		(n.trailers == "" || n.trailers == r.trailers) && n.notes == r.notes && (n.author == "" || n.author == r.author)
}

// WritesByDefault reports whether a mount of a source may be written to where
// nobody says: memory, and worktrees, which are ours.
func WritesByDefault(source string) bool {
	return source == "memory" || strings.HasPrefix(source, "git:")
}

func taken(path, why string) error {
	return kaijutsu.About("path", fmt.Errorf("path %s %s: %w", path, why, kaijutsu.ErrConflict))
}

// checkDiskAs refuses a name for edits on the disk that nobody has.
func (m *Mounts) checkDiskAs(p kaijutsu.Principal) error {
	if p.IsZero() {
		return nil
	}
	if known, ok := m.cfg.Access.Member(p.Name); !ok || known.Principal != p {
		return &op.FieldError{Field: "disk_as", Reason: fmt.Sprintf("there is no %.80q", p), Hint: "want a principal that has a token"}
	}
	return nil
}

// identify gives a mount the id and worktree of the one that was removed from
// the same place, or a worktree's name that is free.
func (k *known) identify(r *record) {
	for _, o := range k.all {
		if !o.removed.IsZero() && o.same(*r) {
			r.id, r.worktree, r.current = o.id, o.worktree, o.current
			return
		}
	}
	if r.kind != gitKind {
		return
	}
	used := func(name string) bool {
		for _, o := range k.all {
			if o.node == r.node && o.worktree == name {
				return true
			}
		}
		return false
	}
	base := worktreeName(path.Base(r.path))
	r.worktree = base
	for i := 2; used(r.worktree); i++ {
		r.worktree = base + "-" + strconv.Itoa(i)
	}
}

// worktreeName makes a directory's name of a path's last part that every file
// system and git take.
func worktreeName(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, s)
	if s = strings.Trim(s[:min(len(s), 64)], ".-"); s == "" {
		return "mount"
	}
	return strings.TrimSuffix(s, ".lock")
}

// bring opens a mount and puts it on record. When it cannot be opened there is no
// mount.
func (m *Mounts) bring(ctx context.Context, c op.Call, r record) error {
	l := newLive(r)
	m.mu.Lock()
	if old := m.live[r.id]; old != nil {
		m.mu.Unlock()
		return fmt.Errorf("it is still being closed; try again in a moment: %w", kaijutsu.ErrUnavailable)
	}
	m.live[r.id] = l
	m.mu.Unlock()
	var o *opened
	err := m.forget(ctx, r)
	if err == nil {
		o, err = m.openFor(ctx, l, r)
	}
	if err == nil && o.overlay != nil {
		r.current = o.checkedOut()
	}
	if err == nil {
		err = m.put(context.WithoutCancel(ctx), c.By, r)
	}
	if err != nil {
		if o != nil {
			_ = o.close() // the reason is said already
		}
		m.mu.Lock()
		delete(m.live, r.id)
		m.mu.Unlock()
		return err
	}
	m.mu.Lock()
	l.rec = r
	m.mu.Unlock()
	m.settle(l, o, nil)
	m.finish(l, r, o)
	return nil
}

// forget drops what this node keeps of another mount that had the path of a new
// one.
func (m *Mounts) forget(ctx context.Context, r record) error {
	m.mu.RLock()
	_, again := m.known.all[r.id]
	m.mu.RUnlock()
	if again || r.kind != gitKind {
		return nil
	}
	return worktree.Forget(ctx, m.cfg.Store, r.path)
}

// openFor opens a mount for somebody who waits for it.
func (m *Mounts) openFor(ctx context.Context, l *live, r record) (*opened, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(m.life, cancel)()
	return m.open(ctx, l, r, r.branch)
}
