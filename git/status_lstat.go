package git

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
)

const (
	statBatch   = 4096 // files that are looked at before they are compared
	statAtLeast = 128  // files that are worth a goroutine
	maxStatting = 8    // goroutines
)

// looked is what stands at a path.
type looked struct {
	info os.FileInfo
	err  error
}

// lstatAll describes the files of entries, several at a time. Those that nobody
// asks for are left out.
func (s *statusWalk) lstatAll(entries []IndexEntry) []looked {
	out := make([]looked, len(entries))
	workers := min(len(entries)/statAtLeast, runtime.GOMAXPROCS(0), maxStatting)
	if workers <= 1 {
		s.lstatSome(entries, out)
		return out
	}
	var all sync.WaitGroup
	each := (len(entries) + workers - 1) / workers
	for from := 0; from < len(entries); from += each {
		to := min(from+each, len(entries))
		all.Go(func() { s.lstatSome(entries[from:to], out[from:to]) })
	}
	all.Wait()
	return out
}

func (s *statusWalk) lstatSome(entries []IndexEntry, out []looked) {
	l := newLstatter(s.w.dir)
	for i := range entries {
		if e := &entries[i]; s.o.wanted(e.Path) && (e.Stage > 0 || !e.SkipWorktree && !e.AssumeValid) {
			out[i].info, out[i].err = l.lstat(e.Path)
		}
	}
}

// lstatter describes tracked files, of which neighbours share their directory.
// It is not safe for concurrent use.
type lstatter struct {
	root string
	dir  string // the directory looked at last, and whether it is one
	ok   bool
}

func newLstatter(root string) *lstatter { return &lstatter{root: root, ok: true} }

// lstat describes a tracked file. What lies behind a symbolic link is not
// there.
func (l *lstatter) lstat(path string) (os.FileInfo, error) {
	dir := ""
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		dir = path[:i]
	}
	if dir != l.dir {
		l.dir, l.ok = dir, l.real(dir)
	}
	if !l.ok {
		return nil, fs.ErrNotExist
	}
	fi, err := os.Lstat(l.root + "/" + path)
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, fs.ErrNotExist
	}
	return fi, err
}

// real reports whether a directory and those above it are no links.
func (l *lstatter) real(dir string) bool {
	for end := 0; end < len(dir); end++ {
		next := strings.IndexByte(dir[end:], '/')
		if next < 0 {
			next = len(dir) - end
		}
		end += next
		if fi, err := os.Lstat(l.root + "/" + dir[:end]); err != nil || !fi.IsDir() {
			return false
		}
	}
	return true
}
