package git

import (
	"slices"
	"strings"
	"time"
)

// Index is what a worktree's index file says. It belongs to whoever read it.
type Index struct {
	Version int          // 2, 3 or 4
	Entries []IndexEntry // sorted by path and stage

	trees *cacheTree // which trees the entries would make; nil: not known
	kept  []indexExtension
	mtime time.Time // of the file; zero: there was none
	sum   [20]byte  // that the file ends in; zero: not known
}

// IndexEntry is a path in the index.
type IndexEntry struct {
	Path         string
	Stage        int // 0, or 1 base, 2 ours, 3 theirs of a conflict
	Hash         Hash
	Mode         Mode
	Stat         IndexStat
	AssumeValid  bool
	SkipWorktree bool
	IntentToAdd  bool
}

// IndexStat is what the index remembers of a file, cut to 32 bits as git does;
// zero: unknown.
type IndexStat struct {
	CTimeSec, CTimeNano, MTimeSec, MTimeNano uint32
	Dev, Ino, UID, GID, Size                 uint32
}

// indexExtension is a part of the index that is kept as it is.
type indexExtension struct {
	name string
	data []byte
}

func compareIndex(a, b IndexEntry) int {
	if c := strings.Compare(a.Path, b.Path); c != 0 {
		return c
	}
	return a.Stage - b.Stage
}

// Find returns the entry of a path that is in no conflict, nil when there is
// none.
func (x *Index) Find(path string) *IndexEntry {
	i, ok := slices.BinarySearchFunc(x.Entries, IndexEntry{Path: path}, compareIndex)
	if !ok {
		return nil
	}
	return &x.Entries[i]
}
