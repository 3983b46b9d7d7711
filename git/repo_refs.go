package git

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"kaijutsu"
)

const (
	maxPackedRefs = 256 << 20 // bytes of packed-refs
	maxRefDepth   = 5         // symbolic refs that lead to each other, as git's
	maxLooseRefs  = 100000    // loose refs that are listed
)

// refValue is what a ref holds: an object, or the name of another ref.
type refValue struct {
	Hash   Hash
	Target string
}

// checkRefName refuses what git check-ref-format refuses of a full name
// (refs/heads/x, HEAD). The error wraps kaijutsu.ErrInvalid.
func checkRefName(name string) error {
	if why := badRefName(name); why != "" {
		return fmt.Errorf("ref name %.200q %s: %w", name, why, kaijutsu.ErrInvalid)
	}
	return nil
}

// CheckBranchName refuses names that git takes for no branch's. The error
// wraps kaijutsu.ErrInvalid.
func CheckBranchName(name string) error {
	why := badRefName("refs/heads/" + name)
	if why == "" && (strings.HasPrefix(name, "-") || name == "HEAD" || name == "@") {
		why = "is reserved"
	}
	if why != "" {
		return kaijutsu.About("branch", fmt.Errorf("branch name %.200q %s: %w", name, why, kaijutsu.ErrInvalid))
	}
	return nil
}

// badRefName says what is wrong with a name, by the rules of
// git-check-ref-format(1).
func badRefName(name string) string {
	switch {
	case name == "" || len(name) > 1000:
		return "is empty or too long"
	case name == "@" || strings.HasSuffix(name, ".") || strings.HasSuffix(name, "/") || strings.HasPrefix(name, "/"):
		return "is @, or begins or ends with a slash, or ends in a dot"
	case strings.Contains(name, "..") || strings.Contains(name, "//") || strings.Contains(name, "@{"):
		return "contains .., // or @{"
	}
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c == 0x7f || strings.IndexByte("~^:?*[\\", c) >= 0 {
			return "contains a space, a control character or one of ~^:?*[\\"
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock") {
			return "has a part that begins with a dot or ends in .lock"
		}
	}
	return ""
}

// perWorktree reports whether a ref belongs to a worktree and not to the whole
// repository.
func perWorktree(name string) bool {
	return !strings.HasPrefix(name, "refs/") || strings.HasPrefix(name, "refs/bisect/") ||
		strings.HasPrefix(name, "refs/worktree/") || strings.HasPrefix(name, "refs/rewritten/")
}

// refFile returns where a loose ref is; gitDir is that of a worktree, or the
// common one.
func (r *Repo) refFile(gitDir, name string) string {
	if perWorktree(name) {
		return filepath.Join(gitDir, filepath.FromSlash(name))
	}
	return filepath.Join(r.common, filepath.FromSlash(name))
}

// readRef reads one ref without following it. The error wraps
// kaijutsu.ErrNotFound when there is none.
func (r *Repo) readRef(gitDir, name string) (refValue, error) {
	if err := checkRefName(name); err != nil {
		return refValue{}, err
	}
	path := r.refFile(gitDir, name)
	for range 2 { // a ref may be packed between the two looks
		data, err := readRefFile(path)
		if err != nil {
			return refValue{}, fmt.Errorf("reading ref %s: %w", name, err)
		}
		if data != nil {
			v, err := parseRef(data)
			if err != nil {
				return v, fmt.Errorf("ref %s: %w", name, err)
			}
			return v, nil
		}
		h, err := r.packed.lookup(r.common, name)
		if err != nil || h != "" {
			return refValue{Hash: h}, err
		}
	}
	return refValue{}, fmt.Errorf("ref %s: %w", name, kaijutsu.ErrNotFound)
}

// readRefFile returns what a loose ref file holds, nil when there is none. A
// directory is none.
func readRefFile(path string) ([]byte, error) {
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return nil, nil
	}
	return readSmall(path)
}

func parseRef(data []byte) (refValue, error) {
	if target, ok := bytes.CutPrefix(data, []byte("ref:")); ok {
		name := strings.TrimSpace(string(target))
		if err := checkRefName(name); err != nil {
			return refValue{}, err
		}
		return refValue{Target: name}, nil
	}
	if len(data) < 40 || !isHash(string(data[:40])) || len(data) > 40 && !strings.ContainsRune(" \t\r\n", rune(data[40])) {
		return refValue{}, fmt.Errorf("it holds no object name; the file is damaged: %w", kaijutsu.ErrInvalid)
	}
	return refValue{Hash: Hash(data[:40])}, nil
}

// resolveRef follows symbolic refs. full is the last name, h its object, ""
// when that ref is not there: an unborn branch. If name itself is not there,
// the error wraps kaijutsu.ErrNotFound.
func (r *Repo) resolveRef(gitDir, name string) (full string, h Hash, err error) {
	full = name
	for depth := range maxRefDepth {
		v, err := r.readRef(gitDir, full)
		if errors.Is(err, kaijutsu.ErrNotFound) && depth > 0 {
			return full, "", nil
		}
		if err != nil {
			return full, "", err
		}
		if v.Target == "" {
			return full, v.Hash, nil
		}
		full = v.Target
	}
	return full, "", fmt.Errorf("ref %s: symbolic refs lead in a circle: %w", name, kaijutsu.ErrInvalid)
}

// packedRefs reads packed-refs and keeps it until the file changes. The zero
// value is ready.
type packedRefs struct {
	mu    sync.Mutex
	stamp fileStamp
	refs  []packedRef // sorted by name
}

type packedRef struct {
	name string
	hash Hash
}

func (p *packedRefs) load(common string) ([]packedRef, error) {
	path := filepath.Join(common, "packed-refs")
	p.mu.Lock()
	defer p.mu.Unlock()
	stamp := stampOf(path)
	if stamp == (fileStamp{}) {
		p.refs, p.stamp = nil, stamp
		return nil, nil
	}
	if stamp == p.stamp && !stamp.fresh() {
		return p.refs, nil
	}
	data, err := readFile(path, maxPackedRefs, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading packed-refs: %w", err)
	}
	refs, err := parsePackedRefs(data)
	if err != nil {
		return nil, fmt.Errorf("packed-refs: %w", err)
	}
	p.refs, p.stamp = refs, stamp
	return refs, nil
}

func (p *packedRefs) lookup(common, name string) (Hash, error) {
	refs, err := p.load(common)
	if err != nil {
		return "", err
	}
	i, ok := slices.BinarySearchFunc(refs, name, func(r packedRef, name string) int { return strings.Compare(r.name, name) })
	if !ok {
		return "", nil
	}
	return refs[i].hash, nil
}

// parsePackedRefs reads the file that git pack-refs writes, as
// git-scm.com/docs/gitrepository-layout describes it.
func parsePackedRefs(data []byte) ([]packedRef, error) {
	var refs []packedRef
	for n := 1; len(data) > 0; n++ {
		var line []byte
		line, data, _ = bytes.Cut(data, []byte{'\n'})
		line = bytes.TrimSuffix(line, []byte{'\r'})
		if len(line) == 0 || line[0] == '#' || line[0] == '^' {
			continue
		}
		if len(line) < 42 || line[40] != ' ' || !isHash(string(line[:40])) {
			return nil, fmt.Errorf("line %d is no ref; run git pack-refs: %w", n, kaijutsu.ErrInvalid)
		}
		name := string(line[41:])
		if badRefName(name) != "" || !strings.HasPrefix(name, "refs/") {
			continue // git ignores refs with broken names, too
		}
		refs = append(refs, packedRef{name, Hash(line[:40])})
	}
	byName := func(a, b packedRef) int { return strings.Compare(a.name, b.name) }
	if !slices.IsSortedFunc(refs, byName) {
		slices.SortStableFunc(refs, byName)
	}
	return refs, nil
}

// namedRef is a ref with its object.
type namedRef struct {
	Name string
	Hash Hash
}

// listRefs returns the refs whose names begin with prefix, which ends in a
// slash, sorted by name. Symbolic ones are followed; broken ones left out.
func (r *Repo) listRefs(prefix string) ([]namedRef, error) {
	packed, err := r.packed.load(r.common)
	if err != nil {
		return nil, err
	}
	all := map[string]Hash{}
	for _, p := range packed {
		if strings.HasPrefix(p.name, prefix) {
			all[p.name] = p.hash
		}
	}
	top := filepath.Join(r.common, filepath.FromSlash(prefix))
	left := maxLooseRefs
	err = filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if left--; left < 0 {
			return fmt.Errorf("more than %d loose refs; run git pack-refs: %w", maxLooseRefs, kaijutsu.ErrTooLarge)
		}
		rel, err := filepath.Rel(r.common, path)
		name := filepath.ToSlash(rel)
		if err != nil || badRefName(name) != "" {
			return nil
		}
		if _, h, err := r.resolveRef(r.common, name); err == nil && h != "" {
			all[name] = h
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	refs := make([]namedRef, 0, len(all))
	for name, h := range all {
		refs = append(refs, namedRef{name, h})
	}
	slices.SortFunc(refs, func(a, b namedRef) int { return strings.Compare(a.Name, b.Name) })
	return refs, nil
}
