package git

import (
	"context"
	"fmt"
	"slices"
	"strconv"
)

// FindRewrites says which commits of the old range became which of the new
// one. A commit that adds and takes away the same lines is the same commit; of
// the others, one with the same author, time of writing and subject, then one
// with the same author and time, since rebase, amend and cherry-pick keep
// these. What is left over, as after a squash or a split, is paired where half
// of the lines that the smaller one adds and takes away are among those of the
// other; and old commits whose lines later ones of a squash took away again are
// part of that, too. Old
// commits that were dropped are in no pair, new ones that are new in none
// either. Pairs come in the order of the new commits.
//
// It returns an error that wraps ErrTooLarge for ranges of over 20,000 commits.
func (r *Repo) FindRewrites(ctx context.Context, old, new Range) ([]Rewrite, error) {
	olds, err := r.readRange(ctx, old, new.To)
	if err != nil {
		return nil, fmt.Errorf("finding rewritten commits: old: %w", err)
	}
	news, err := r.readRange(ctx, new, old.To)
	if err != nil {
		return nil, fmt.Errorf("finding rewritten commits: new: %w", err)
	}
	m := rewriteMatch{olds: olds, news: news}
	m.byPatch()
	m.byKey(rewriteCommit.full)
	m.byKey(rewriteCommit.who)
	m.byLines()
	m.writtenOver()
	return m.pairs(), nil
}

// rewriteCommit is a commit of one of the two ranges.
type rewriteCommit struct {
	CommitInfo
	patch patch
	same  bool  // its patch is in the other range
	mates []int // of a new commit: the old ones, by place
	taken bool  // of an old commit: it has a new one
}

func (r *Repo) readRange(ctx context.Context, g Range, other Hash) ([]rewriteCommit, error) {
	if g.From != "" {
		other = g.From
	}
	commits, err := r.commitsBetween(ctx, g.To, other)
	if err != nil {
		return nil, err
	}
	out := make([]rewriteCommit, len(commits))
	for i, c := range commits {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if out[i].patch, err = r.patchOf(c); err != nil {
			return nil, fmt.Errorf("commit %s: %w", c.Hash, err)
		}
		out[i].CommitInfo = c
	}
	return out, nil
}

// full identifies a commit that was carried on as it was.
func (c rewriteCommit) full() string { return c.who() + "\x00" + c.Subject() }

// who identifies a commit by what rebase keeps even of reworded and squashed
// ones.
func (c rewriteCommit) who() string {
	return c.Author.ident() + "\x00" + strconv.FormatBool(len(c.Parents) > 1)
}

type rewriteMatch struct{ olds, news []rewriteCommit }

func (m *rewriteMatch) pair(o, n int) {
	m.olds[o].taken = true
	if !slices.Contains(m.news[n].mates, o) {
		m.news[n].mates = append(m.news[n].mates, o)
	}
}

func (m *rewriteMatch) byPatch() {
	places := make(map[string][]int)
	for i, c := range m.olds {
		if c.patch.id != "" {
			places[c.patch.id] = append(places[c.patch.id], i)
		}
	}
	for n := range m.news {
		if at := places[m.news[n].patch.id]; len(at) > 0 {
			places[m.news[n].patch.id] = at[1:]
			m.pair(at[0], n)
			m.olds[at[0]].same, m.news[n].same = true, true
		}
	}
}

func (m *rewriteMatch) byKey(key func(rewriteCommit) string) {
	places := make(map[string][]int)
	for i, c := range m.olds {
		if !c.taken {
			places[key(c)] = append(places[key(c)], i)
		}
	}
	for n, c := range m.news {
		if at := places[key(c)]; len(c.mates) == 0 && len(at) > 0 {
			places[key(c)] = at[1:]
			m.pair(at[0], n)
		}
	}
}

// byLines finds the commit that a squashed one went into, and the one that a
// part of a split one came from.
func (m *rewriteMatch) byLines() {
	for o := range m.olds {
		if m.olds[o].taken {
			continue
		}
		if n := closest(m.olds[o].patch, m.news); n >= 0 {
			m.pair(o, n)
		}
	}
	for n := range m.news {
		if len(m.news[n].mates) > 0 {
			continue
		}
		if o := closest(m.news[n].patch, m.olds); o >= 0 {
			m.pair(o, n)
		}
	}
}

// closest returns the commit whose patch shares most lines with p, and enough
// of them, -1 if there is none. Commits with a patch of the other range are
// spoken for.
func closest(p patch, commits []rewriteCommit) int {
	best, most := -1, 0
	for i, c := range commits {
		if c.same || c.patch.lines == 0 {
			continue
		}
		if n := p.shared(c.patch); n > most && 2*n >= min(p.lines, c.patch.lines) {
			best, most = i, n
		}
	}
	return best
}

// writtenOver gives a squash the old commits that left no line of their own
// because those after them, which are part of it, took all away.
func (m *rewriteMatch) writtenOver() {
	for n := range m.news {
		mates := m.news[n].mates
		if m.news[n].same || len(mates) == 0 {
			continue
		}
		for o := slices.Max(mates) - 1; o >= 0; o-- {
			var later []patch
			for _, mate := range m.news[n].mates {
				if mate > o {
					later = append(later, m.olds[mate].patch)
				}
			}
			if !m.olds[o].taken && m.olds[o].patch.undoneBy(later) {
				m.pair(o, n)
			}
		}
	}
}

func (m *rewriteMatch) pairs() []Rewrite {
	var out []Rewrite
	for _, c := range m.news {
		if len(c.mates) == 0 {
			continue
		}
		slices.Sort(c.mates)
		p := Rewrite{New: c.Hash}
		for _, o := range c.mates {
			p.Old = append(p.Old, m.olds[o].Hash)
		}
		out = append(out, p)
	}
	return out
}
