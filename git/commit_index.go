package git

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// replacePath makes e the entry of a path; e without a path: it has none. All
// stages of a conflict go, and so do entries that cannot be beside e: those
// below the path, and files that have the name of a directory above it.
func (x *Index) replacePath(path string, e IndexEntry) {
	x.drop(path)
	if e.Path == "" {
		return
	}
	at := x.search(path + "/")
	end := at
	for end < len(x.Entries) && strings.HasPrefix(x.Entries[end].Path, path+"/") {
		end++
	}
	x.Entries = slices.Delete(x.Entries, at, end)
	for dir := parentName(path); dir != ""; dir = parentName(dir) {
		x.drop(dir)
	}
	x.Entries = slices.Insert(x.Entries, x.search(path), e)
}

func (x *Index) drop(path string) {
	at := x.search(path)
	end := at
	for end < len(x.Entries) && x.Entries[end].Path == path {
		end++
	}
	x.Entries = slices.Delete(x.Entries, at, end)
}

func (x *Index) search(path string) int {
	at, _ := slices.BinarySearchFunc(x.Entries, path, func(e IndexEntry, path string) int { return strings.Compare(e.Path, path) })
	return at
}

// stagedEntries returns what the index is to hold for each file of the
// specification; for deleted ones an entry without a path.
func (w *Worktree) stagedEntries(spec CommitSpec, edits *treeEdit, blobs []Hash) []IndexEntry {
	out := make([]IndexEntry, len(spec.Files))
	for i, f := range spec.Files {
		if f.Delete {
			continue
		}
		f.Mode = edits.modeOf(f.Path)
		out[i] = IndexEntry{Path: f.Path, Hash: blobs[i], Mode: f.Mode}
		if info := w.statCommitted(spec, f); info != nil {
			out[i].Stat = statOf(info)
		}
	}
	return out
}

// statCommitted returns what the file system says of a file that holds what is
// committed; nil if it does not, or that is not known. Then git looks at the
// file's content when it wants to know.
func (w *Worktree) statCommitted(spec CommitSpec, f FileChange) os.FileInfo {
	if spec.Stat != nil {
		info, err := spec.Stat(f.Path)
		if err != nil {
			return nil
		}
		return info
	}
	full := filepath.Join(w.dir, filepath.FromSlash(f.Path))
	info, err := os.Lstat(full)
	if err != nil || linkAbove(w.dir, f.Path) {
		return nil
	}
	var holds []byte
	switch {
	case info.Mode()&os.ModeSymlink != 0 && f.Mode == Symlink:
		target, err := os.Readlink(full)
		if err != nil {
			return nil
		}
		holds = []byte(target)
	case info.Mode().IsRegular() && f.Mode.IsFile() && (info.Mode()&0o100 != 0) == (f.Mode == Executable):
		disk, err := readFile(full, maxObject, syscall.O_NOFOLLOW)
		if err != nil {
			return nil
		}
		holds = w.Attributes(f.Path).ToRepo(disk, f.Data)
	default:
		return nil
	}
	if !bytes.Equal(holds, f.Data) {
		return nil
	}
	if after, err := os.Lstat(full); err != nil || stampFrom(after) != stampFrom(info) {
		return nil
	}
	return info
}

// linkAbove reports whether a directory on the way to a file is a symbolic
// link: then the file is not the worktree's.
func linkAbove(dir, path string) bool {
	for above := parentName(path); above != ""; above = parentName(above) {
		info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(above)))
		if err != nil || !info.IsDir() {
			return true
		}
	}
	return false
}
