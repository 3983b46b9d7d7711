package git

import (
	"fmt"
	"strings"

	"kaijutsu"
)

// treeEdit is what happens to the paths of a tree: to its own entries, and to
// the trees below it.
type treeEdit struct {
	files map[string]fileEdit
	dirs  map[string]*treeEdit
}

// fileEdit puts a blob at a path, or takes the path away. Mode 0 keeps the mode.
type fileEdit struct {
	blob   Hash
	mode   Mode
	delete bool
}

func newTreeEdit() *treeEdit {
	return &treeEdit{files: make(map[string]fileEdit), dirs: make(map[string]*treeEdit)}
}

// add notes the edit of a path.
func (t *treeEdit) add(path string, e fileEdit) error {
	at := t
	for {
		dir, rest, below := strings.Cut(path, "/")
		if !below {
			break
		}
		if at.dirs[dir] == nil {
			at.dirs[dir] = newTreeEdit()
		}
		at, path = at.dirs[dir], rest
	}
	if _, twice := at.files[path]; twice {
		return fmt.Errorf("is there twice: %w", kaijutsu.ErrInvalid)
	}
	at.files[path] = e
	return nil
}

// modeOf returns the mode that the edit of a path ended up with.
func (t *treeEdit) modeOf(path string) Mode {
	for {
		dir, rest, below := strings.Cut(path, "/")
		if !below {
			return t.files[path].mode
		}
		t, path = t.dirs[dir], rest
	}
}

// puts reports whether any file is put somewhere in the tree.
func (t *treeEdit) puts() bool {
	for _, e := range t.files {
		if !e.delete {
			return true
		}
	}
	for _, d := range t.dirs {
		if d.puts() {
			return true
		}
	}
	return false
}

// editTree returns the tree with the edits made; "" if nothing is left of it.
// Only trees on the way to an edit are read and written. A file that is put
// where a directory is, or below a file, takes its place, as in git's index. It
// fills in the modes of t that were to be kept.
func (r *Repo) editTree(tree Hash, t *treeEdit) (Hash, error) {
	entries, err := r.readTree(tree)
	if err != nil {
		return "", err
	}
	out := make([]treeEntry, 0, len(entries)+len(t.files)+len(t.dirs))
	done := make(map[string]bool)
	for _, e := range entries {
		edit, isFile := t.files[e.Name]
		sub, isDir := t.dirs[e.Name]
		if !isFile && !isDir {
			out = append(out, e)
			continue
		}
		done[e.Name] = true
		e, err := r.editEntry(e, t, edit, isFile, sub)
		if err != nil {
			return "", err
		}
		if e.Hash != "" {
			out = append(out, e)
		}
	}
	for name := range t.names() {
		if done[name] {
			continue
		}
		edit, isFile := t.files[name]
		e, err := r.editEntry(treeEntry{Name: name}, t, edit, isFile, t.dirs[name])
		if err != nil {
			return "", err
		}
		if e.Hash != "" {
			out = append(out, e)
		}
	}
	if len(out) == 0 {
		return "", nil
	}
	return r.writeObject(treeKind, encodeTree(out))
}

func (t *treeEdit) names() map[string]bool {
	names := make(map[string]bool, len(t.files)+len(t.dirs))
	for name := range t.files {
		names[name] = true
	}
	for name := range t.dirs {
		names[name] = true
	}
	return names
}

// editEntry makes the edits of one name. An entry without a hash is none.
func (r *Repo) editEntry(e treeEntry, t *treeEdit, edit fileEdit, isFile bool, sub *treeEdit) (treeEntry, error) {
	if isFile && !edit.delete {
		if sub != nil && sub.puts() {
			return e, fmt.Errorf("%s is both a file and a directory of the commit: %w", e.Name, kaijutsu.ErrInvalid)
		}
		if edit.mode == 0 {
			edit.mode = keptMode(e.Mode)
			t.files[e.Name] = edit
		}
		return treeEntry{Name: e.Name, Mode: edit.mode, Hash: edit.blob}, nil
	}
	if isFile && e.Mode != Tree {
		e.Mode, e.Hash = 0, ""
	}
	if sub == nil || e.Mode != Tree && !sub.puts() {
		return e, nil
	}
	from := e.Hash
	if e.Mode != Tree {
		from = ""
	}
	h, err := r.editTree(from, sub)
	return treeEntry{Name: e.Name, Mode: Tree, Hash: h}, err
}

func keptMode(m Mode) Mode {
	if m == Regular || m == Executable || m == Symlink {
		return m
	}
	return Regular
}
