package git

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"path"
	"slices"
)

const (
	maxRenames    = 1000    // files that appear, and files that disappear, between which renames are looked for
	maxRenameSize = 8 << 20 // bytes of a file that is compared with others
	minSimilar    = 50      // percent of the larger file that both have, as git's default
	minSimilarTo  = 75      // the same where both are the only ones with their base name
)

// renamedFrom returns the file of the parent's tree that became path in tree:
// one that is gone, and that is the same or similar by half or more. It follows
// git's diffcore-rename: equal files first, then files with a base name of
// their own, then the most similar pairs.
func (r *Repo) renamedFrom(parent, tree Hash, to string) (treeEntry, string, bool, error) {
	f, err := r.renameFinder(parent, tree)
	if err != nil {
		return treeEntry{}, "", false, err
	}
	f.run(func() bool { return f.found(to) })
	for _, p := range f.pairs {
		if p.to == to {
			return p.entry, p.from, true, nil
		}
	}
	return treeEntry{}, "", false, nil
}

// renames returns all renames between two trees.
func (r *Repo) renames(from, to Hash) ([]renamePair, error) {
	f, err := r.renameFinder(from, to)
	if err != nil {
		return nil, err
	}
	f.run(func() bool { return false })
	return f.pairs, nil
}

func (r *Repo) renameFinder(from, to Hash) (*renameFinder, error) {
	changes, err := r.treeChanges(from, to)
	if err != nil {
		return nil, err
	}
	f := &renameFinder{repo: r, prints: make(map[Hash]fingerprint)}
	for _, c := range changes {
		switch {
		case c.from.Hash == "" && c.to.Mode.IsFile():
			f.added = append(f.added, c)
		case c.to.Hash == "" && c.from.Mode.IsFile():
			f.gone = append(f.gone, c)
		}
	}
	return f, nil
}

// renameFinder pairs files; those that have a partner leave added and gone.
type renameFinder struct {
	repo        *Repo
	added, gone []treeChange
	pairs       []renamePair
	prints      map[Hash]fingerprint
}

// run finds pairs until enough says so. Where too many files came and went, it
// finds only equal ones.
func (f *renameFinder) run(enough func() bool) {
	f.equal()
	if enough() || len(f.added)*len(f.gone) > maxRenames*maxRenames {
		return
	}
	f.sameBase()
	if !enough() {
		f.similar()
	}
}

type renamePair struct {
	from, to string
	entry    treeEntry // of from
}

func (f *renameFinder) found(to string) bool {
	return slices.ContainsFunc(f.pairs, func(p renamePair) bool { return p.to == to })
}

func (f *renameFinder) pair(a, g treeChange) {
	f.pairs = append(f.pairs, renamePair{g.path, a.path, g.from})
	f.added = slices.DeleteFunc(f.added, func(c treeChange) bool { return c.path == a.path })
	f.gone = slices.DeleteFunc(f.gone, func(c treeChange) bool { return c.path == g.path })
}

func (f *renameFinder) equal() {
	for _, a := range slices.Clone(f.added) {
		best := -1
		for i, g := range f.gone {
			if g.from.Hash != a.to.Hash {
				continue
			}
			if best < 0 || path.Base(g.path) == path.Base(a.path) && path.Base(f.gone[best].path) != path.Base(a.path) {
				best = i
			}
		}
		if best >= 0 {
			f.pair(a, f.gone[best])
		}
	}
}

func (f *renameFinder) sameBase() {
	bases := func(changes []treeChange) map[string][]treeChange {
		out := make(map[string][]treeChange)
		for _, c := range changes {
			out[path.Base(c.path)] = append(out[path.Base(c.path)], c)
		}
		return out
	}
	gone := bases(f.gone)
	for base, added := range bases(f.added) {
		if len(added) == 1 && len(gone[base]) == 1 && f.likeness(added[0], gone[base][0]) >= minSimilarTo {
			f.pair(added[0], gone[base][0])
		}
	}
}

func (f *renameFinder) similar() {
	type scored struct {
		a, g  treeChange
		score int
		base  bool
	}
	var all []scored
	for _, a := range f.added {
		for _, g := range f.gone {
			if s := f.likeness(a, g); s >= minSimilar {
				all = append(all, scored{a, g, s, path.Base(a.path) == path.Base(g.path)})
			}
		}
	}
	slices.SortStableFunc(all, func(x, y scored) int {
		if c := cmp.Compare(y.score, x.score); c != 0 || x.base == y.base {
			return c
		}
		if x.base {
			return -1
		}
		return 1
	})
	for _, s := range all {
		free := slices.ContainsFunc(f.gone, func(c treeChange) bool { return c.path == s.g.path })
		if free && !f.found(s.a.path) {
			f.pair(s.a, s.g)
		}
	}
}

// likeness is the percentage of the larger file's bytes in lines that the
// other has too.
func (f *renameFinder) likeness(a, g treeChange) int {
	x, y := f.print(a.to.Hash), f.print(g.from.Hash)
	small, large := min(x.size, y.size), max(x.size, y.size)
	if small == 0 || small*100 < large*minSimilar {
		return 0
	}
	copied := 0
	for line, n := range x.lines {
		copied += min(n, y.lines[line])
	}
	return copied * 100 / large
}

// fingerprint is the bytes of a file by the lines they are in.
type fingerprint struct {
	size  int
	lines map[uint64]int
}

func (f *renameFinder) print(h Hash) fingerprint {
	if p, ok := f.prints[h]; ok {
		return p
	}
	var p fingerprint
	kind, data, err := f.repo.readObject(h, maxRenameSize)
	if err == nil && kind == blobKind {
		p = fingerprint{len(data), make(map[uint64]int)}
		for line := range bytes.Lines(data) {
			p.lines[maphash.Bytes(lineSeed, bytes.TrimRight(line, "\r\n"))] += len(line)
		}
	}
	f.prints[h] = p
	return p
}
