package mounts

import (
	"context"
	"errors"
	"fmt"
	"path"

	"kaijutsu"
	"kaijutsu/internal/op"
	"kaijutsu/internal/vfs"
)

// table is what a caller sees of the files.
type table struct {
	*vfs.Table
	mounts map[string]seen // by path
}

// table returns the mounts that a caller may read, as one file tree.
func (m *Mounts) table(c op.Call) (table, error) {
	if c.By.IsZero() || c.Right < kaijutsu.RightRead && len(m.visible(c)) == 0 {
		return table{}, fmt.Errorf("%s may not read files: %w: it takes the role %s", c.By, kaijutsu.ErrDenied, kaijutsu.RightRead)
	}
	t := table{vfs.NewTable(), make(map[string]seen)}
	if c.Right >= kaijutsu.RightRead {
		s := m.scratchMount()
		if err := t.add(m, c, s); err != nil {
			return t, err
		}
	}
	for _, s := range m.visible(c) {
		if _, taken := t.mounts[s.path]; taken {
			continue
		}
		if err := t.add(m, c, s); err != nil {
			return t, err
		}
	}
	return t, nil
}

func (t table) add(m *Mounts, c op.Call, s seen) error {
	t.mounts[s.path] = s
	g := guard{path: s.path, refused: s.unavailable()}
	switch {
	case g.refused != nil:
		g.FS = vfs.NewMemory(1)
	case s.overlay != nil:
		g.FS = s.overlay.FS(c)
	default:
		g.FS = s.fsys
	}
	if right := m.right(c, s); right < kaijutsu.RightEdit {
		g.denied = fmt.Errorf("%s: %w: it takes the role %s, %s has %s", s.path, kaijutsu.ErrDenied, kaijutsu.RightEdit, c.By.Name, right)
	}
	return t.Mount(s.path, g, !s.rw)
}

// find returns the mount of a path and the path in it.
func (t table) find(p string) (seen, string, error) {
	m, rel, err := t.Find(p)
	if err != nil {
		return seen{}, "", err
	}
	return t.mounts[m.Path], rel, nil
}

// missing says which path is not there, from the root, and what has a name like
// it; other errors stay as they are.
func (t table) missing(ctx context.Context, p string, err error) error {
	if err == nil || !errors.Is(err, kaijutsu.ErrNotFound) || errors.Is(err, vfs.ErrNoMount) {
		return about("path", err)
	}
	said := ""
	if around, listErr := t.List(ctx, path.Dir(p)); listErr == nil {
		names := make([]string, len(around))
		for i, info := range around {
			if names[i] = path.Base(info.Path); names[i] == path.Base(p) {
				names[i] = "" // it is listed, and not to be read
			}
		}
		if near := op.Nearest(path.Base(p), names); near != "" {
			said = fmt.Sprintf("; did you mean %q?", path.Join(path.Dir(p), near))
		}
	}
	return kaijutsu.About("path", fmt.Errorf("file %.200q %w%s", p, kaijutsu.ErrNotFound, said))
}

// guard is a mount as one caller may use it.
type guard struct {
	vfs.FS
	path    string
	refused error // why nothing can be done; nil: something can
	denied  error // why nothing may be written; nil: it may
}

func (g guard) writes() error {
	if g.refused != nil {
		return g.refused
	}
	return g.denied
}

// Stat knows the mount itself also while nothing else can be done in it.
func (g guard) Stat(ctx context.Context, name string) (vfs.Info, error) {
	if g.refused != nil && name == "." {
		return vfs.Info{Path: name, Kind: vfs.KindDir}, nil
	} else if g.refused != nil {
		return vfs.Info{}, g.refused
	}
	return g.FS.Stat(ctx, name)
}

func (g guard) List(ctx context.Context, name string) ([]vfs.Info, error) {
	if g.refused != nil {
		return nil, g.refused
	}
	return g.FS.List(ctx, name)
}

func (g guard) Read(ctx context.Context, by kaijutsu.Principal, name string, limit int64) ([]byte, vfs.Info, error) {
	if g.refused != nil {
		return nil, vfs.Info{}, g.refused
	}
	return g.FS.Read(ctx, by, name, limit)
}

// Peek reads without opening a block, for Search.
func (g guard) Peek(ctx context.Context, name string, limit int64) ([]byte, vfs.Info, error) {
	if g.refused != nil {
		return nil, vfs.Info{}, g.refused
	}
	if p, ok := g.FS.(vfs.Peeker); ok {
		return p.Peek(ctx, name, limit)
	}
	return g.FS.Read(ctx, kaijutsu.Principal{}, name, limit)
}

func (g guard) Write(ctx context.Context, by kaijutsu.Principal, name string, data []byte, o vfs.WriteOptions) (vfs.Info, error) {
	if err := g.writes(); err != nil {
		return vfs.Info{}, err
	}
	return g.FS.Write(ctx, by, name, data, o)
}

func (g guard) Mkdir(ctx context.Context, by kaijutsu.Principal, name string) error {
	if err := g.writes(); err != nil {
		return err
	}
	return g.FS.Mkdir(ctx, by, name)
}

func (g guard) Remove(ctx context.Context, by kaijutsu.Principal, name string, recursive bool) error {
	if err := g.writes(); err != nil {
		return err
	}
	return g.FS.Remove(ctx, by, name, recursive)
}

func (g guard) Rename(ctx context.Context, by kaijutsu.Principal, from, to string) error {
	if err := g.writes(); err != nil {
		return err
	}
	return g.FS.Rename(ctx, by, from, to)
}
