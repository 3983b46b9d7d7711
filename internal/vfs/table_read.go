package vfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"kaijutsu"
)

// Stat describes what stands at a path. What is above a mount is a directory.
func (t *Table) Stat(ctx context.Context, p string) (Info, error) {
	p, err := cleanPath(p)
	if err != nil {
		return Info{}, err
	}
	mounts := t.all()
	m, rel, ok := find(mounts, p)
	if !ok {
		return synthesized(mounts, p)
	}
	info, err := m.FS.Stat(ctx, rel)
	if errors.Is(err, kaijutsu.ErrNotFound) && holdsMount(mounts, p) {
		return synthesized(mounts, p)
	}
	info.Path = p
	return info, err
}

// List describes what a directory holds, by name, the mounts in it among the
// rest: what they stand in front of is not shown.
func (t *Table) List(ctx context.Context, p string) ([]Info, error) {
	p, err := cleanPath(p)
	if err != nil {
		return nil, err
	}
	return list(ctx, t.all(), p)
}

func list(ctx context.Context, mounts []Mounted, p string) ([]Info, error) {
	steps := stepsBelow(mounts, p)
	var infos []Info
	if m, rel, ok := find(mounts, p); ok {
		held, err := m.FS.List(ctx, rel)
		if err != nil && (len(steps) == 0 || !errors.Is(err, kaijutsu.ErrNotFound)) {
			return nil, err
		}
		for _, info := range held {
			name := path.Base(info.Path)
			if _, covered := slices.BinarySearch(steps, name); !covered {
				info.Path = path.Join(p, name)
				infos = append(infos, info)
			}
		}
	} else if len(steps) == 0 && p != "/" {
		return nil, fmt.Errorf("%s: %s: %w", p, whatIsMounted(mounts), ErrNoMount)
	}
	for _, step := range steps {
		infos = append(infos, directory(path.Join(p, step)))
	}
	slices.SortFunc(infos, func(a, b Info) int { return strings.Compare(a.Path, b.Path) })
	return infos, nil
}

// stepsBelow returns the first component of each mount below p, once and in
// order.
func stepsBelow(mounts []Mounted, p string) []string {
	var steps []string
	for _, m := range mounts {
		if isBelow(p, m.Path) {
			step, _, _ := strings.Cut(below(p, m.Path), "/")
			steps = append(steps, step)
		}
	}
	slices.Sort(steps)
	return slices.Compact(steps)
}

// Read returns the bytes of a file. The limit, in bytes, is that of FS.Read.
func (t *Table) Read(ctx context.Context, by kaijutsu.Principal, p string, limit int64) ([]byte, Info, error) {
	p, err := cleanPath(p)
	if err != nil {
		return nil, Info{}, err
	}
	mounts := t.all()
	m, rel, ok := find(mounts, p)
	switch {
	case !ok && (p == "/" || holdsMount(mounts, p)):
		return nil, directory(p), fmt.Errorf("read %s: %w", p, ErrIsDirectory)
	case !ok:
		return nil, Info{}, fmt.Errorf("%s: %s: %w", p, whatIsMounted(mounts), ErrNoMount)
	}
	data, info, err := m.FS.Read(ctx, by, rel, limit)
	info.Path = p
	return data, info, err
}

// holdsMount reports whether something is mounted below p.
func holdsMount(mounts []Mounted, p string) bool {
	return slices.ContainsFunc(mounts, func(m Mounted) bool { return isBelow(p, m.Path) })
}

// synthesized describes a directory that is there because of the mounts below.
func synthesized(mounts []Mounted, p string) (Info, error) {
	if p == "/" || holdsMount(mounts, p) {
		return directory(p), nil
	}
	return Info{}, fmt.Errorf("%s: %s: %w", p, whatIsMounted(mounts), ErrNoMount)
}

func directory(p string) Info {
	return Info{Path: p, Kind: KindDir, Mode: fs.ModeDir | 0o555}
}
