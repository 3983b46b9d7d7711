package git

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"kaijutsu"
)

const (
	maxTreeDepth = 512     // directories inside of each other
	maxTreeFiles = 2000000 // files of one tree
	maxPath      = 4096    // bytes of a path
)

// treeEntry is a line of a tree object.
type treeEntry struct {
	Name string
	Mode Mode
	Hash Hash
}

// readTree returns the entries of a tree, in its order; of the empty hash,
// none. Names that repeat or that are no file names are refused.
func (r *Repo) readTree(h Hash) ([]treeEntry, error) {
	if h == "" {
		return nil, nil
	}
	data, err := r.readKind(h, treeKind)
	if err != nil {
		return nil, err
	}
	entries, err := parseTree(data)
	if err != nil {
		return nil, corrupt(h, err)
	}
	return entries, nil
}

func parseTree(data []byte) ([]treeEntry, error) {
	entries := make([]treeEntry, 0, len(data)/36)
	for len(data) > 0 {
		space := bytes.IndexByte(data, ' ')
		if space < 1 || space > 7 {
			return nil, errors.New("an entry of the tree has no mode")
		}
		var raw uint32
		for _, c := range data[:space] {
			if c < '0' || c > '7' {
				return nil, errors.New("the mode of a tree entry is not octal")
			}
			raw = raw<<3 | uint32(c-'0')
		}
		end := bytes.IndexByte(data, 0)
		if end < space || len(data) < end+21 {
			return nil, errors.New("the tree ends early")
		}
		e := treeEntry{Name: string(data[space+1 : end]), Mode: canonMode(raw), Hash: Hash(hex.EncodeToString(data[end+1 : end+21]))}
		if e.Name == "" || strings.IndexByte(e.Name, '/') >= 0 {
			return nil, fmt.Errorf("%q is no name of a tree entry", e.Name)
		}
		if n := len(entries); n > 0 && compareEntries(entries[n-1], e) >= 0 {
			return nil, fmt.Errorf("its entries %q and %q are not in order", entries[n-1].Name, e.Name)
		}
		entries = append(entries, e)
		data = data[end+21:]
	}
	return entries, nil
}

// canonMode maps the modes of old trees to the ones of now, as git does.
func canonMode(raw uint32) Mode {
	switch raw & 0o170000 {
	case 0o040000:
		return Tree
	case 0o120000:
		return Symlink
	case 0o160000:
		return Submodule
	}
	if raw&0o100 != 0 {
		return Executable
	}
	return Regular
}

// lookup returns the entry at a path below a tree; "." is the tree itself. The
// error wraps kaijutsu.ErrNotFound.
func (r *Repo) lookup(tree Hash, path string) (treeEntry, error) {
	e := treeEntry{Mode: Tree, Hash: tree}
	if path == "." || path == "" {
		return e, nil
	}
	if len(path) > maxPath {
		return e, fmt.Errorf("path of %d bytes: %w", len(path), kaijutsu.ErrTooLarge)
	}
	for name := range strings.SplitSeq(path, "/") {
		if e.Mode != Tree {
			return e, fmt.Errorf("path %q: %w", path, kaijutsu.ErrNotFound)
		}
		entries, err := r.readTree(e.Hash)
		if err != nil {
			return e, err
		}
		found := false
		for i := range entries {
			if entries[i].Name == name {
				e, found = entries[i], true
				break
			}
		}
		if !found {
			return e, fmt.Errorf("path %q: %w", path, kaijutsu.ErrNotFound)
		}
	}
	return e, nil
}

// treeFile is a file, link or submodule of a whole tree.
type treeFile struct {
	Path string
	Mode Mode
	Hash Hash
}

// walkTree calls visit for all that is below a tree except directories, sorted
// by path as the index is. enter, if not nil, says whether to go into a
// directory, whose path ends in a slash.
func (r *Repo) walkTree(tree Hash, enter func(dir string, h Hash) bool, visit func(treeFile) error) error {
	left := maxTreeFiles
	return r.walkBelow("", tree, 0, &left, enter, visit)
}

func (r *Repo) walkBelow(prefix string, tree Hash, depth int, left *int, enter func(string, Hash) bool, visit func(treeFile) error) error {
	if depth > maxTreeDepth || len(prefix) > maxPath {
		return fmt.Errorf("tree at %.80q: too deep: %w", prefix, kaijutsu.ErrTooLarge)
	}
	entries, err := r.readTree(tree)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if *left--; *left < 0 {
			return fmt.Errorf("tree with more than %d files: %w", maxTreeFiles, kaijutsu.ErrTooLarge)
		}
		path := prefix + e.Name
		if e.Mode != Tree {
			if err := visit(treeFile{path, e.Mode, e.Hash}); err != nil {
				return err
			}
			continue
		}
		if enter == nil || enter(path+"/", e.Hash) {
			if err := r.walkBelow(path+"/", e.Hash, depth+1, left, enter, visit); err != nil {
				return err
			}
		}
	}
	return nil
}
