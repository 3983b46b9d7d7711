package mounts

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"kaijutsu"
	"kaijutsu/git"
	"kaijutsu/internal/op"
)

// parseSource fills in what is behind a mount. What a path names must be there;
// symbolic links in it are resolved once, now.
func (m *Mounts) parseSource(r *record, text, branch string) error {
	bad := func(reason, hint string) error {
		return &op.FieldError{Field: "source", Reason: reason, Hint: hint}
	}
	scheme, _, _ := strings.Cut(text, ":")
	switch {
	case text == "":
		return bad("there is none", "want memory, a folder such as ~/src, or git:~/src/app@branch")
	case len(text) > maxSourceBytes || !plain(text):
		return bad(fmt.Sprintf("want at most %d bytes that can be shown", maxSourceBytes), "")
	case scheme == "kernel":
		return bad("kernels cannot be mounted", "drift and fork carry between contexts; mount memory, a folder or git:…")
	case text == "memory":
		r.kind = memoryKind
	case scheme == "git" && strings.HasPrefix(text, "git:") && !strings.HasPrefix(text, "git://"):
		return m.parseGit(r, text, branch)
	default:
		r.kind = folderKind
		var err error
		if r.dir, err = m.directory(text); err != nil {
			return err
		}
	}
	if branch != "" {
		return &op.FieldError{Field: "branch", Reason: "only a git mount has one", Hint: "write the source as git:" + text}
	}
	return nil
}

// parseGit is parseSource of a repository.
func (m *Mounts) parseGit(r *record, text, branch string) error {
	if rest, ok := strings.CutPrefix(text, "git:~/"); ok && m.cfg.Home != "" {
		text = "git:" + filepath.Join(m.cfg.Home, rest)
	}
	src, err := git.ParseSource(text)
	if err != nil {
		return kaijutsu.About("source", fmt.Errorf("source: %w", err))
	}
	r.kind, r.url, r.branch = gitKind, src.URL, or(branch, src.Branch)
	if len(r.branch) > maxBranchBytes || !plain(r.branch) {
		return &op.FieldError{Field: "branch", Reason: fmt.Sprintf("want at most %d bytes that can be shown", maxBranchBytes)}
	}
	if src.URL == "" {
		r.dir, err = m.directory(src.Dir)
		return err
	}
	if u, err := url.Parse(src.URL); err == nil && u.User != nil {
		if _, secret := u.User.Password(); secret {
			return &op.FieldError{Field: "source", Reason: "the address holds a password, which everybody who sees the mount would read", Hint: "clone it yourself and mount the clone: git:~/src/app"}
		}
	}
	return nil
}

// directory returns a directory of this node's disk as it is from the root.
func (m *Mounts) directory(text string) (string, error) {
	dir := text
	if dir == "~" || strings.HasPrefix(dir, "~/") {
		if m.cfg.Home == "" {
			return "", &op.FieldError{Field: "source", Reason: "the server has no home directory", Hint: "write the path from the root"}
		}
		dir = filepath.Join(m.cfg.Home, dir[1:])
	}
	if !filepath.IsAbs(dir) {
		return "", &op.FieldError{Field: "source", Reason: fmt.Sprintf("%.200q is relative, and the server does not know to what", text), Hint: "write it from the root, or from ~"}
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err == nil {
		var info os.FileInfo
		if info, err = os.Stat(dir); err == nil && !info.IsDir() {
			return "", &op.FieldError{Field: "source", Reason: fmt.Sprintf("%.200q is no directory", text), Hint: "mount the directory that it is in"}
		}
	}
	if err != nil {
		return "", kaijutsu.About("source", fmt.Errorf("source: %w", fileError(text, err)))
	}
	return dir, nil
}

// fileError says what is wrong with a path of the disk.
func fileError(path string, err error) error {
	kind := kaijutsu.ErrUnavailable
	switch {
	case os.IsNotExist(err):
		return fmt.Errorf("%.200q %w on this node", path, kaijutsu.ErrNotFound)
	case os.IsPermission(err):
		kind = kaijutsu.ErrDenied
	}
	why := err.Error()
	if e, ok := err.(*os.PathError); ok {
		why = e.Err.Error()
	}
	return fmt.Errorf("%.200q: %s: %w", path, why, kind)
}

// checkPlace refuses a mount that leads into the server's own directory, or in a
// circle: one below another whose source it contains or lies in.
func (m *Mounts) checkPlace(r record, others []record) error {
	bad := func(reason, hint string) error {
		return &op.FieldError{Field: "source", Reason: reason, Hint: hint}
	}
	if r.kind == folderKind && overlap(r.dir, m.data) {
		return bad(fmt.Sprintf("%.200q and the server's own directory hold each other", r.dir), "mount a directory beside it")
	}
	if r.kind == gitKind && r.dir != "" && below(r.dir, m.data) && !below(r.dir, m.clones()) {
		return bad(fmt.Sprintf("%.200q is in the server's own directory", r.dir), "mount the repository that it was made from")
	}
	for _, o := range others {
		if o.id == r.id || o.node != r.node || r.dir == "" || o.dir == "" || r.kind == gitKind || o.kind == gitKind {
			continue
		}
		if overlap(r.path, o.path) && overlap(r.dir, o.dir) {
			return bad(fmt.Sprintf("mounts %s and %s would hold each other", o.path, r.path), "mount it beside "+o.path+", or leave it out: it is there already")
		}
	}
	return nil
}

// overlap reports whether one of two clean paths is the other or lies in it.
func overlap(a, b string) bool { return below(a, b) || below(b, a) }
