package git

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// StatusOptions says what Status looks for; the zero value: tracked files.
type StatusOptions struct {
	Untracked bool     // also untracked files; a directory without tracked ones is one entry that ends in a slash
	Every     bool     // with Untracked: every file of such directories instead
	Ignored   bool     // with Untracked: also what is ignored
	Renames   bool     // pair staged deletions with equal staged additions
	Paths     []string // only these files and what is below these directories; nil: all
	// Text returns what counts instead of the file on disk, as git would store
	// it; false: the disk counts. It may be nil.
	Text func(path string) ([]byte, bool)
}

// Code says what became of a file, in the letters of git status.
type Code byte

// The codes.
const (
	Unmodified  Code = '.'
	Modified    Code = 'M'
	TypeChanged Code = 'T'
	Added       Code = 'A'
	Deleted     Code = 'D'
	Renamed     Code = 'R'
	Unmerged    Code = 'U'
	Untracked   Code = '?'
	Ignored     Code = '!'
)

// FileStatus is a path that is not the same in HEAD, index and worktree.
type FileStatus struct {
	Path              string
	OldPath           string // of Renamed
	Staged, Unstaged  Code   // HEAD to index, index to worktree
	Head, Index, Disk Mode   // 0: not there
	HeadHash          Hash   // "": not there
	IndexHash         Hash
	Conflict          string // "UU", "AA", "DU" …: the two letters of an unmerged path
}

// Status tells which files differ between HEAD, index and worktree, sorted by
// path. Files whose stat is what the index remembers are not read. Filters are
// not run: a file with one counts as modified when its stat changed and its
// bytes are not the stored ones. Nothing is written.
func (w *Worktree) Status(ctx context.Context, o StatusOptions) ([]FileStatus, error) {
	x, err := w.cachedIndex()
	if err != nil {
		return nil, err
	}
	s, err := w.newStatusWalk(x, o)
	if err != nil {
		return nil, err
	}
	_, head, err := w.repo.resolveRef(w.gitdir, "HEAD")
	if err != nil {
		return nil, fmt.Errorf("status: %w", err)
	}
	tree, err := w.repo.treeOf(head)
	if err != nil {
		return nil, fmt.Errorf("status: %w", err)
	}
	if err := s.staged(tree); err != nil {
		return nil, fmt.Errorf("status: %w", err)
	}
	if err := s.unstaged(ctx); err != nil {
		return nil, fmt.Errorf("status: %w", err)
	}
	if o.Renames {
		s.pairRenames()
	}
	out := make([]FileStatus, 0, len(s.found))
	for _, f := range s.found {
		out = append(out, *f)
	}
	if o.Untracked {
		rest, err := s.untracked(ctx)
		if err != nil {
			return nil, fmt.Errorf("status: %w", err)
		}
		out = append(out, rest...)
	}
	slices.SortFunc(out, func(a, b FileStatus) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// wanted reports whether a path is one of those asked for.
func (o *StatusOptions) wanted(path string) bool { return underPaths(o.Paths, path) }

// underPaths reports whether path is one of paths or below one; no paths mean
// all.
func underPaths(paths []string, path string) bool {
	if paths == nil {
		return true
	}
	for _, p := range paths {
		p = strings.TrimSuffix(p, "/")
		if p == "" || p == "." || path == p || strings.HasPrefix(path, p) && path[len(p)] == '/' {
			return true
		}
	}
	return false
}

// at returns the status of a path, which is made if it is not there.
func (s *statusWalk) at(path string) *FileStatus {
	f := s.found[path]
	if f == nil {
		f = &FileStatus{Path: path, Staged: Unmodified, Unstaged: Unmodified}
		s.found[path] = f
	}
	return f
}

// staged compares the tree of HEAD with the index. Directories that the index
// knows to be the same are left out.
func (s *statusWalk) staged(tree Hash) error {
	var files []treeFile
	var same []string
	enter := func(dir string, h Hash) bool {
		if s.x.trees != nil {
			if t := s.x.trees.at(dir); t != nil && t.count >= 0 && t.hash == h {
				same = append(same, dir)
				return false
			}
		}
		return true
	}
	if enter("", tree) {
		err := s.w.repo.walkTree(tree, enter, func(f treeFile) error {
			files = append(files, f)
			return nil
		})
		if err != nil {
			return err
		}
	}
	s.compareHead(files, same)
	return nil
}

func (s *statusWalk) compareHead(files []treeFile, same []string) {
	at := 0
	for i := range s.x.Entries {
		e := &s.x.Entries[i]
		for len(same) > 0 && e.Path > same[0] && !strings.HasPrefix(e.Path, same[0]) {
			same = same[1:]
		}
		if len(same) > 0 && strings.HasPrefix(e.Path, same[0]) {
			continue
		}
		for at < len(files) && files[at].Path < e.Path {
			s.stagedDeleted(files[at])
			at++
		}
		var head *treeFile
		if at < len(files) && files[at].Path == e.Path {
			head = &files[at]
			if i+1 == len(s.x.Entries) || s.x.Entries[i+1].Path != e.Path {
				at++
			}
		}
		s.compareStaged(e, head)
	}
	for ; at < len(files); at++ {
		s.stagedDeleted(files[at])
	}
}

func (s *statusWalk) stagedDeleted(f treeFile) {
	if !s.o.wanted(f.Path) {
		return
	}
	st := s.at(f.Path)
	st.Staged, st.Head, st.HeadHash = Deleted, f.Mode, f.Hash
}

func (s *statusWalk) compareStaged(e *IndexEntry, head *treeFile) {
	if !s.o.wanted(e.Path) {
		return
	}
	if e.Stage > 0 {
		st := s.at(e.Path)
		st.Staged, st.Unstaged = Unmerged, Unmerged
		if head != nil {
			st.Head, st.HeadHash = head.Mode, head.Hash
		}
		return
	}
	switch {
	case head == nil && e.IntentToAdd:
	case head == nil:
		st := s.at(e.Path)
		st.Staged, st.Index, st.IndexHash, st.Disk = Added, e.Mode, e.Hash, e.Mode
	case e.IntentToAdd:
		st := s.at(e.Path)
		st.Staged, st.Head, st.HeadHash = Deleted, head.Mode, head.Hash
	case head.Hash != e.Hash || head.Mode != e.Mode:
		st := s.at(e.Path)
		st.Staged = changeCode(head.Mode, e.Mode)
		st.Head, st.HeadHash, st.Index, st.IndexHash, st.Disk = head.Mode, head.Hash, e.Mode, e.Hash, e.Mode
	}
}

// changeCode tells a change of type from one of content or of the executable
// bit.
func changeCode(from, to Mode) Code {
	if from == to || from.IsFile() && to.IsFile() {
		return Modified
	}
	return TypeChanged
}

// conflictCodes are the letters of unmerged paths, by the stages that are
// there: 1 the base, 2 ours, 4 theirs.
var conflictCodes = [8]string{1: "DD", 2: "AU", 3: "UD", 4: "UA", 5: "DU", 6: "AA", 7: "UU"}

// pairRenames makes one entry of a staged deletion and a staged addition of
// equal content.
func (s *statusWalk) pairRenames() {
	gone := map[Hash][]*FileStatus{}
	for _, path := range s.paths() {
		if f := s.found[path]; f.Staged == Deleted && f.Unstaged == Unmodified && f.Head.IsFile() {
			gone[f.HeadHash] = append(gone[f.HeadHash], f)
		}
	}
	for _, path := range s.paths() {
		f := s.found[path]
		from := gone[f.IndexHash]
		if f.Staged != Added || len(from) == 0 || f.IndexHash == emptyBlob {
			continue
		}
		old := from[0]
		gone[f.IndexHash] = from[1:]
		f.Staged, f.OldPath, f.Head, f.HeadHash = Renamed, old.Path, old.Head, old.HeadHash
		delete(s.found, old.Path)
	}
}

const emptyBlob Hash = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"

func (s *statusWalk) paths() []string {
	paths := make([]string, 0, len(s.found))
	for path := range s.found {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}
