package vfs

import (
	"context"
	"fmt"
	"strings"

	"kaijutsu"
)

// Write makes data the whole of a file. Names of new files and directories hold
// no control characters nor changes of direction: kaijutsu.ErrInvalid.
func (t *Table) Write(ctx context.Context, by kaijutsu.Principal, p string, data []byte, o WriteOptions) (Info, error) {
	w, err := t.writable("write", p)
	if err != nil {
		return Info{}, err
	}
	if w.rel == "." || holdsMount(w.mounts, w.path) {
		return Info{}, fmt.Errorf("write %s: %w", w.path, ErrIsDirectory)
	}
	if err := w.showable(ctx, "write"); err != nil {
		return Info{}, err
	}
	info, err := w.m.FS.Write(ctx, by, w.rel, data, o)
	info.Path = w.path
	return info, err
}

// Mkdir makes a directory, and those above it that are missing.
func (t *Table) Mkdir(ctx context.Context, by kaijutsu.Principal, p string) error {
	w, err := t.writable("mkdir", p)
	if err != nil {
		return err
	}
	if w.rel == "." {
		return fmt.Errorf("mkdir %s: %w", w.path, ErrExists)
	}
	if err := w.showable(ctx, "mkdir"); err != nil {
		return err
	}
	return w.m.FS.Mkdir(ctx, by, w.rel)
}

// Remove removes what stands at a path. Mounts, and what holds one, stay.
func (t *Table) Remove(ctx context.Context, by kaijutsu.Principal, p string, recursive bool) error {
	w, err := t.movable("remove", p)
	if err != nil {
		return err
	}
	return w.m.FS.Remove(ctx, by, w.rel, recursive)
}

// Rename moves what stands at a path. Mounts, and what holds one, stay; into
// another mount nothing goes: ErrCrossDevice.
func (t *Table) Rename(ctx context.Context, by kaijutsu.Principal, from, to string) error {
	w, err := t.movable("rename", from)
	if err != nil {
		return err
	}
	d, err := t.movable("rename to", to)
	if err != nil {
		return err
	}
	if w.m.Path != d.m.Path {
		return fmt.Errorf("rename %s to %s: %w", w.path, d.path, ErrCrossDevice)
	}
	if err := d.showable(ctx, "rename to"); err != nil {
		return err
	}
	return w.m.FS.Rename(ctx, by, w.rel, d.rel)
}

// place is a path with its mount.
type place struct {
	m      Mounted
	mounts []Mounted // the table as it was
	path   string    // clean
	rel    string
}

// showable refuses to make what has a name that would not be shown as it is.
// What is there already may be written, whatever its name.
func (w place) showable(ctx context.Context, doing string) error {
	if !strings.ContainsFunc(w.rel, hides) {
		return nil
	}
	if _, err := w.m.FS.Stat(ctx, w.rel); err == nil {
		return nil
	}
	return fmt.Errorf("%s %q: the name holds a character that does not show: choose another: %w", doing, w.path, kaijutsu.ErrInvalid)
}

// writable finds the mount in which a path may be changed.
func (t *Table) writable(doing, p string) (place, error) {
	p, err := cleanPath(p)
	if err != nil {
		return place{}, err
	}
	mounts := t.all()
	m, rel, ok := find(mounts, p)
	switch {
	case !ok:
		return place{}, fmt.Errorf("%s %s: %s: %w", doing, p, whatIsMounted(mounts), ErrNoMount)
	case m.ReadOnly:
		return place{}, fmt.Errorf("%s %s: %s: %w", doing, p, m.Path, ErrReadOnly)
	}
	return place{m, mounts, p, rel}, nil
}

// movable is writable for what may go away: no mount, nor what holds one.
func (t *Table) movable(doing, p string) (place, error) {
	w, err := t.writable(doing, p)
	switch {
	case err != nil:
		return w, err
	case w.rel == ".":
		return w, fmt.Errorf("%s %s: it is a mount; unmount it: %w", doing, w.path, kaijutsu.ErrInvalid)
	case holdsMount(w.mounts, w.path):
		return w, fmt.Errorf("%s %s: there is a mount in it; unmount that first: %w", doing, w.path, kaijutsu.ErrConflict)
	}
	return w, nil
}
