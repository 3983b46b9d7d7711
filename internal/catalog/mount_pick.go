package catalog

import (
	"context"
	"fmt"
	"path"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/mounts"
	"kaijutsu/internal/op"
)

// gitMount returns the git mount that a call means, and the path below it that
// the parameter mount names, "" for none. Where the parameter is empty, it is
// the one of the first path from the root, that of the call's context, or the
// only one.
func (o *operations) gitMount(ctx context.Context, c op.Call, named string, paths ...string) (m mounts.Mount, below string, err error) {
	for _, p := range paths {
		if named == "" && strings.HasPrefix(p, "/") {
			m, _, err = o.gitMount(ctx, c, p)
			return m, "", err
		}
	}
	if named == "" {
		m, err = o.meantMount(ctx, c)
		return m, "", err
	}
	if m, err = o.parts.Mounts.Get(ctx, c, named); err != nil {
		return m, "", err
	}
	if m.Kind != "git" {
		return m, "", &op.FieldError{Field: "mount", Reason: fmt.Sprintf("%s is no git mount", m.Path), Hint: "mount_list says which are"}
	}
	if rest, ok := strings.CutPrefix(path.Clean(named), m.Path+"/"); ok {
		below = rest
	}
	return m, below, nil
}

// meantMount returns the git mount that is meant where none is named.
func (o *operations) meantMount(ctx context.Context, c op.Call) (mounts.Mount, error) {
	var here kaijutsu.DocumentID
	if c.Context != "" {
		here, _ = o.parts.Kernel.Resolve(ctx, c, "", kaijutsu.RightRead) // a context that is not there is none of a mount's
	}
	var all []mounts.Mount
	var names []string
	for _, m := range o.parts.Mounts.List(ctx, c) {
		if m.Kind != "git" {
			continue
		}
		if !here.IsZero() && m.Context == here {
			return m, nil
		}
		all, names = append(all, m), append(names, m.Path)
	}
	switch len(all) {
	case 0:
		return mounts.Mount{}, kaijutsu.About("mount", fmt.Errorf("mount: there is no git mount: %w; mount_add mounts a repository", kaijutsu.ErrNotFound))
	case 1:
		return all[0], nil
	}
	return mounts.Mount{}, &op.FieldError{Field: "mount", Reason: "there is more than one git mount", Hint: "name one of " + strings.Join(names, ", ")}
}

// fromRoot returns paths of a mount as paths from the root; below, if there is
// one, is the first of them.
func fromRoot(m mounts.Mount, below string, paths []string) []string {
	var all []string
	if below != "" {
		all = append(all, m.Path+"/"+below)
	}
	for _, p := range paths {
		if !strings.HasPrefix(p, "/") {
			p = m.Path + "/" + p
		}
		all = append(all, p)
	}
	return all
}
