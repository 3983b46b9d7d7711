package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"kaijutsu"
)

// Resolve returns the commit that a revision names: HEAD, a branch, a tag, a
// remote's branch, a ref in full, an object name or the beginning of one, or
// what a ref was n changes ago (main@{1}, @{1}), each with ^, ^2, ~3 behind it.
// HEAD is that of the main worktree. Errors wrap
// kaijutsu.ErrNotFound, or kaijutsu.ErrInvalid where rev says too little.
func (r *Repo) Resolve(rev string) (Hash, error) { return r.resolve(r.common, rev) }

// Resolve is Repo.Resolve, where HEAD is that of the worktree.
func (w *Worktree) Resolve(rev string) (Hash, error) { return w.repo.resolve(w.gitdir, rev) }

// Commit returns the commit that a revision names.
func (r *Repo) Commit(rev string) (CommitInfo, error) {
	h, err := r.Resolve(rev)
	if err != nil {
		return CommitInfo{}, err
	}
	return r.readCommit(h)
}

const maxRevision = 1000 // bytes

func (r *Repo) resolve(gitDir, rev string) (Hash, error) {
	if rev == "" || len(rev) > maxRevision {
		return "", fmt.Errorf("revision %.80q is empty or too long: %w", rev, kaijutsu.ErrInvalid)
	}
	base := rev
	if i := strings.IndexAny(rev, "^~"); i >= 0 {
		base = rev[:i]
	}
	h, err := r.resolveName(gitDir, base)
	if err == nil {
		h, err = r.peel(h, commitKind)
	}
	if err == nil {
		h, err = r.walkBack(h, rev[len(base):])
	}
	if err != nil {
		return "", fmt.Errorf("revision %q: %w", rev, err)
	}
	return h, nil
}

// walkBack follows ^, ^n and ~n.
func (r *Repo) walkBack(h Hash, steps string) (Hash, error) {
	for steps != "" {
		op := steps[0]
		end := 1
		for end < len(steps) && isDigit(steps[end]) {
			end++
		}
		n := 1
		if end > 1 {
			var err error
			if n, err = strconv.Atoi(steps[1:end]); err != nil || n > 100000 {
				return "", fmt.Errorf("%q is no step back: %w", steps, kaijutsu.ErrInvalid)
			}
		}
		if op != '^' && op != '~' {
			return "", fmt.Errorf("%q is no step back: %w", steps, kaijutsu.ErrInvalid)
		}
		steps = steps[end:]
		times, parent := 1, n
		if op == '~' {
			times, parent = n, 1
		}
		for ; times > 0 && parent > 0; times-- {
			c, err := r.readCommit(h)
			if err != nil {
				return "", err
			}
			if parent > len(c.Parents) {
				return "", fmt.Errorf("commit %s has no such parent: %w", h, kaijutsu.ErrNotFound)
			}
			h = c.Parents[parent-1]
		}
	}
	return h, nil
}

// resolveName returns what a name without steps back stands for.
func (r *Repo) resolveName(gitDir, name string) (Hash, error) {
	if name == "@" {
		name = "HEAD"
	}
	if isHash(name) {
		return Hash(name), nil
	}
	if ref, n, ok := cutReflog(name); ok {
		return r.resolveLog(gitDir, ref, n)
	}
	_, h, err := r.findRef(gitDir, name)
	if err == nil && h == "" {
		return "", fmt.Errorf("it has no commit yet: %w", kaijutsu.ErrNotFound)
	}
	if !errors.Is(err, kaijutsu.ErrNotFound) {
		return h, err
	}
	if len(name) >= 4 && len(name) < 40 && isHash(strings.ToLower(name)+strings.Repeat("0", 40-len(name))) {
		return r.abbreviated(strings.ToLower(name))
	}
	return "", kaijutsu.ErrNotFound
}

// findRef tries the places that gitrevisions(7) lists, and returns the name in
// full and what it is at.
func (r *Repo) findRef(gitDir, name string) (string, Hash, error) {
	for _, rule := range []string{"%s", "refs/%s", "refs/tags/%s", "refs/heads/%s", "refs/remotes/%s", "refs/remotes/%s/HEAD"} {
		full := fmt.Sprintf(rule, name)
		if badRefName(full) != "" || rule == "%s" && !plainRef(name) {
			continue
		}
		_, h, err := r.resolveRef(gitDir, full)
		if errors.Is(err, kaijutsu.ErrNotFound) || errors.Is(err, kaijutsu.ErrInvalid) {
			continue
		}
		return full, h, err
	}
	return "", "", kaijutsu.ErrNotFound
}

// plainRef reports whether a name without a rule is that of a ref: one in full,
// or HEAD and its like.
func plainRef(name string) bool {
	if strings.HasPrefix(name, "refs/") {
		return true
	}
	for i := range len(name) {
		if !isUpper(name[i]) && name[i] != '_' {
			return false
		}
	}
	return true
}

// abbreviated returns the only commit or tag whose name begins so.
func (r *Repo) abbreviated(prefix string) (Hash, error) {
	names, err := r.objects.beginning(prefix)
	if err != nil {
		return "", err
	}
	var found []Hash
	for _, h := range names {
		if kind, _, err := r.readObject(h, 0); err == nil && (kind == commitKind || kind == tagKind) {
			found = append(found, h)
		}
	}
	switch len(found) {
	case 0:
		return "", kaijutsu.ErrNotFound
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%d objects begin with %s; write more of the name: %w", len(found), prefix, kaijutsu.ErrInvalid)
}

// maxAbbreviated bounds the objects that share the beginning of a name.
const maxAbbreviated = 1000

func (s *objectStore) beginning(prefix string) ([]Hash, error) {
	found := map[Hash]bool{}
	for _, dir := range s.dirs {
		names, _ := os.ReadDir(filepath.Join(dir, prefix[:2]))
		for _, d := range names {
			if h := prefix[:2] + d.Name(); isHash(h) && strings.HasPrefix(h, prefix) {
				found[Hash(h)] = true
			}
		}
	}
	packs, _, err := s.packList(true)
	if err != nil {
		return nil, err
	}
	for _, p := range packs {
		if err := p.beginning(prefix, func(h Hash) { found[h] = true }); err != nil {
			return nil, err
		}
	}
	if len(found) > maxAbbreviated {
		return nil, fmt.Errorf("more than %d objects begin with %s: %w", maxAbbreviated, prefix, kaijutsu.ErrInvalid)
	}
	names := make([]Hash, 0, len(found))
	for h := range found {
		names = append(names, h)
	}
	return names, nil
}

// FileAt returns what a commit has at a path. The error wraps
// kaijutsu.ErrNotFound when it has nothing there. Data is the caller's.
func (r *Repo) FileAt(commit Hash, path string) (Blob, error) {
	tree, err := r.treeOf(commit)
	if err != nil {
		return Blob{}, fmt.Errorf("file %q at %s: %w", path, commit, err)
	}
	e, err := r.lookup(tree, path)
	if err != nil {
		return Blob{}, fmt.Errorf("file %q at %s: %w", path, commit, err)
	}
	b := Blob{Hash: e.Hash, Mode: e.Mode}
	if e.Mode == Tree || e.Mode == Submodule {
		return b, nil
	}
	data, err := r.readKind(e.Hash, blobKind)
	if err != nil {
		return Blob{}, fmt.Errorf("file %q at %s: %w", path, commit, err)
	}
	b.Data = append([]byte{}, data...)
	return b, nil
}

// HasBlob reports whether the repository has an object of this name.
func (r *Repo) HasBlob(h Hash) bool {
	has, err := r.hasObject(h)
	return err == nil && has
}

// BlobHash returns the name that git gives to a file's content, as it is
// stored.
func BlobHash(data []byte) Hash { return hashObject(blobKind, data) }
