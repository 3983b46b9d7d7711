package mounts

import (
	"context"
	"fmt"
	"path"
	"strings"

	"kaijutsu"
	"kaijutsu/git"
	"kaijutsu/internal/op"
	"kaijutsu/internal/vfs"
	"kaijutsu/internal/worktree"
)

// gitAt returns the git mount that somebody names, and the path in it, when the
// caller may do so much with its context and something can be done in it now.
func (m *Mounts) gitAt(c op.Call, word string, need kaijutsu.Right) (seen, string, error) {
	s, err := m.named(c, word)
	if err != nil {
		return s, "", err
	}
	if s.kind != gitKind {
		return s, "", &op.FieldError{Field: "mount", Reason: fmt.Sprintf("%s is no git mount", s.path), Hint: "git works where a mount's source begins with git:"}
	}
	if err := s.unavailable(); err != nil {
		return s, "", about("mount", err)
	}
	if right := m.right(c, s); right < need {
		return s, "", fmt.Errorf("mount %s: %w: it takes the role %s in its context, %s has %s", s.path, kaijutsu.ErrDenied, need, c.By.Name, right)
	}
	rel := "."
	if strings.HasPrefix(word, "/") {
		if rel, err = vfs.Clean(strings.TrimPrefix(strings.TrimPrefix(word, s.path), "/")); err != nil {
			return s, "", about("mount", err)
		}
	}
	return s, rel, nil
}

// relative returns paths that somebody gave as they are below a mount: from the
// root, or from the mount.
func (s seen) relative(paths []string) ([]string, error) {
	if len(paths) > maxChosen {
		return nil, kaijutsu.About("paths", fmt.Errorf("paths: %d: %w: at most %d; name their directory", len(paths), kaijutsu.ErrTooLarge, maxChosen))
	}
	var out []string
	for i, p := range paths {
		field := fmt.Sprintf("paths[%d]", i)
		if strings.HasPrefix(p, "/") {
			if !below(path.Clean(p), s.path) {
				return nil, &op.FieldError{Field: field, Reason: fmt.Sprintf("%.200q is not in mount %s", p, s.path), Hint: "one commit is of one mount"}
			}
			p = strings.TrimPrefix(strings.TrimPrefix(path.Clean(p), s.path), "/")
		}
		rel, err := vfs.Clean(p)
		if err != nil {
			return nil, kaijutsu.About(field, err)
		}
		out = append(out, rel)
	}
	return out, nil
}

// maxChosen bounds the paths that one call names.
const maxChosen = 10_000

// texts returns what the open blocks hold, in the form that git keeps, so that
// status and diff show it before it is on the disk. A paused mount, or one whose
// state cannot be seen now, shows its disk.
func (s seen) texts(ctx context.Context) func(string) ([]byte, bool) {
	held := make(map[string]worktree.Snap)
	err := s.overlay.Frozen(ctx, nil, func(snap worktree.Snapshot) error {
		for _, f := range snap.Files {
			if f.Exists {
				held[f.Path] = f
			}
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return func(p string) ([]byte, bool) {
		f, ok := held[p]
		return f.RepoData, ok
	}
}

// signature is how a principal signs in git, now.
func (m *Mounts) signature(p kaijutsu.Principal) git.Signature {
	s := m.book.Signature(p)
	s.When = m.cfg.Now()
	return s
}
