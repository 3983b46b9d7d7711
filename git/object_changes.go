package git

import (
	"errors"
	"fmt"

	"kaijutsu"
)

// maxTreeChanges bounds the files in which two trees may differ where all of
// them are wanted.
const maxTreeChanges = 200000

// treeChange is a path that two trees have otherwise; an entry without a hash
// is none.
type treeChange struct {
	path     string
	from, to treeEntry
}

// treeChanges returns the files, links and submodules in which two trees
// differ, in the order of git's index but for files that became directories.
func (r *Repo) treeChanges(from, to Hash) ([]treeChange, error) {
	var out []treeChange
	err := r.walkChanges("", from, to, 0, &out)
	return out, err
}

func (r *Repo) walkChanges(prefix string, from, to Hash, depth int, out *[]treeChange) error {
	if from == to {
		return nil
	}
	if depth > maxTreeDepth || len(prefix) > maxPath || len(*out) > maxTreeChanges {
		return fmt.Errorf("comparing trees at %.80q: too deep or too many changes: %w", prefix, kaijutsu.ErrTooLarge)
	}
	a, err := r.readTree(from)
	if err != nil {
		return err
	}
	b, err := r.readTree(to)
	if err != nil {
		return err
	}
	for len(a) > 0 || len(b) > 0 {
		var x, y treeEntry
		switch c := compareHeads(a, b); {
		case c < 0:
			x, a = a[0], a[1:]
		case c > 0:
			y, b = b[0], b[1:]
		default:
			x, y, a, b = a[0], b[0], a[1:], b[1:]
		}
		if err := r.oneChange(prefix, x, y, depth, out); err != nil {
			return err
		}
	}
	return nil
}

func compareHeads(a, b []treeEntry) int {
	switch {
	case len(a) == 0:
		return 1
	case len(b) == 0:
		return -1
	}
	return compareEntries(a[0], b[0])
}

// oneChange takes two entries of one name, either of which may be none; both
// are directories, or neither is.
func (r *Repo) oneChange(prefix string, x, y treeEntry, depth int, out *[]treeChange) error {
	if x.Hash == y.Hash && x.Mode == y.Mode {
		return nil
	}
	name := prefix + x.Name
	if x.Hash == "" {
		name = prefix + y.Name
	}
	if x.Mode == Tree || y.Mode == Tree {
		return r.walkChanges(name+"/", x.Hash, y.Hash, depth+1, out)
	}
	*out = append(*out, treeChange{name, x, y})
	return nil
}

// fileIn returns the file or link at a path of a tree, if there is one. A tree
// that the repository lacks counts as having none.
func (r *Repo) fileIn(tree Hash, path string) (treeEntry, bool, error) {
	e, err := r.lookup(tree, path)
	if errors.Is(err, kaijutsu.ErrNotFound) {
		return e, false, nil
	}
	return e, err == nil && (e.Mode.IsFile() || e.Mode == Symlink), err
}
