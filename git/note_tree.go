package git

import (
	"fmt"
	"strings"

	"kaijutsu"
)

// maxFlatNotes is how many notes a tree holds before they are spread over 256
// trees by the next two digits. git reads any mixture of the two.
const maxFlatNotes = 256

// findNote returns the note whose name within the tree is the digits rest, as
// a file of that name, or in the directory of the first two of them.
func (r *Repo) findNote(tree Hash, rest string) (Hash, error) {
	for tree != "" {
		entries, err := r.readTree(tree)
		if err != nil {
			return "", err
		}
		tree = ""
		for _, e := range entries {
			switch {
			case e.Name == rest && e.Mode.IsFile():
				return e.Hash, nil
			case len(rest) > 2 && e.Name == rest[:2] && e.Mode == Tree:
				tree = e.Hash
			}
		}
		if tree != "" {
			rest = rest[2:]
		}
	}
	return "", fmt.Errorf("there is none: %w", kaijutsu.ErrNotFound)
}

// editNotes returns the tree with the edits made, "" if nothing is left of it.
// Names of notes within the tree have the given number of digits; an edit is a
// blob, or "" for a note that goes away. Entries that are no notes stay.
func (r *Repo) editNotes(tree Hash, edits map[string]Hash, digits int) (Hash, error) {
	entries, err := r.readTree(tree)
	if err != nil {
		return "", err
	}
	var kept []treeEntry
	taken := make(map[string]bool) // names that are no note's and no directory's of notes
	flat := make(map[string]treeEntry)
	below := make(map[string]Hash)
	for _, e := range entries {
		switch {
		case e.Mode.IsFile() && len(e.Name) == digits && isDigits(e.Name):
			flat[e.Name] = e
		case e.Mode == Tree && digits > 2 && len(e.Name) == 2 && isDigits(e.Name):
			below[e.Name] = e.Hash
		default:
			kept = append(kept, e)
			taken[e.Name] = true
		}
	}
	deeper := spreadNotes(flat, below, edits, taken, digits)
	for prefix, edits := range deeper {
		if below[prefix], err = r.editNotes(below[prefix], edits, digits-2); err != nil {
			return "", err
		}
	}
	for prefix, h := range below {
		if h != "" {
			kept = append(kept, treeEntry{Name: prefix, Mode: Tree, Hash: h})
		}
	}
	for _, e := range flat {
		kept = append(kept, e)
	}
	if len(kept) == 0 {
		return "", nil
	}
	return r.writeObject(treeKind, encodeTree(kept))
}

// spreadNotes makes the edits of one tree in flat, and returns those to be made
// in the trees below it, by their name.
func spreadNotes(flat map[string]treeEntry, below map[string]Hash, edits map[string]Hash, taken map[string]bool, digits int) map[string]map[string]Hash {
	deeper := make(map[string]map[string]Hash)
	down := func(name string, blob Hash) {
		if deeper[name[:2]] == nil {
			deeper[name[:2]] = make(map[string]Hash)
		}
		deeper[name[:2]][name[2:]] = blob
	}
	for name, blob := range edits {
		delete(flat, name)
		_, hasTree := below[name[:2]]
		switch {
		case hasTree && digits > 2:
			down(name, blob)
		case blob != "":
			flat[name] = treeEntry{Name: name, Mode: Regular, Hash: blob}
		}
	}
	if len(flat) > maxFlatNotes && digits > 2 {
		for name, e := range flat {
			if !taken[name[:2]] {
				down(name, e.Hash)
				delete(flat, name)
			}
		}
	}
	return deeper
}

func isDigits(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }
