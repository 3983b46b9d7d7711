package git

import (
	"container/heap"
	"context"
	"fmt"
	"time"

	"kaijutsu"
)

const (
	maxRange      = 20000   // commits of a range
	maxRangeWalks = 1000000 // commits that are looked at to find a range
)

// Range is the commits that are reachable from To and not from From.
type Range struct {
	From, To Hash // From "": the merge bases of what is compared
}

// sides of a range, which commits pass on to their parents.
const (
	sideWanted = 1 << iota
	sideOther
)

// commitsBetween returns the commits that are reachable from to and not from
// other, parents before children. It goes by date, as git rev-list does, and
// looks at the common history only as far as dates make it necessary.
func (r *Repo) commitsBetween(ctx context.Context, to, other Hash) ([]CommitInfo, error) {
	w := rangeWalk{repo: r, flags: make(map[Hash]int), infos: make(map[Hash]*blamedCommit), shallow: r.shallowCommits()}
	if err := w.mark(to, sideWanted); err != nil {
		return nil, err
	}
	if other != "" {
		if err := w.mark(other, sideOther); err != nil {
			return nil, err
		}
	}
	for n := 0; w.goesOn(); n++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if n > maxRangeWalks {
			return nil, fmt.Errorf("over %d commits: %w", maxRangeWalks, kaijutsu.ErrTooLarge)
		}
		c := heap.Pop(&w.queue).(*blamedCommit)
		w.queued(c.Hash, false)
		if w.flags[c.Hash] == sideWanted && (w.oldest.IsZero() || c.Committer.When.Before(w.oldest)) {
			w.oldest = c.Committer.When
		}
		for _, p := range c.Parents {
			if err := w.mark(p, w.flags[c.Hash]); err != nil {
				return nil, err
			}
		}
	}
	return w.inOrder(to)
}

type rangeWalk struct {
	repo    *Repo
	flags   map[Hash]int
	infos   map[Hash]*blamedCommit
	waiting map[Hash]bool
	queue   byDate
	open    int // commits in the queue that are wanted so far
	shallow map[Hash]bool
	oldest  time.Time // date of the oldest commit that was looked at and wanted then
}

// goesOn says whether the answer may still change: commits that are wanted so
// far wait, or others that are not older than one that was found.
func (w *rangeWalk) goesOn() bool {
	return w.open > 0 || w.queue.Len() > 0 && !w.queue[0].Committer.When.Before(w.oldest)
}

// mark adds sides to a commit, which is looked at again if that is news.
func (w *rangeWalk) mark(h Hash, sides int) error {
	old, seen := w.flags[h]
	if seen && old|sides == old {
		return nil
	}
	c := w.infos[h]
	if c == nil {
		info, err := w.repo.readCommit(h)
		if err != nil {
			return err
		}
		if w.shallow[h] {
			info.Parents = nil
		}
		c = &blamedCommit{CommitInfo: info}
		w.infos[h] = c
	}
	if w.waiting[h] {
		w.queued(h, false)
		w.flags[h] = old | sides
		w.queued(h, true)
		return nil
	}
	w.flags[h] = old | sides
	heap.Push(&w.queue, c)
	w.queued(h, true)
	return nil
}

// queued keeps count of the wanted commits in the queue.
func (w *rangeWalk) queued(h Hash, in bool) {
	if w.waiting == nil {
		w.waiting = make(map[Hash]bool)
	}
	w.waiting[h] = in
	if w.flags[h] == sideWanted {
		if in {
			w.open++
		} else {
			w.open--
		}
	}
}

// inOrder lists what is wanted only, parents first.
func (w *rangeWalk) inOrder(to Hash) ([]CommitInfo, error) {
	var out []CommitInfo
	done := make(map[Hash]bool)
	type step struct {
		h    Hash
		next int
	}
	stack := []step{{h: to}}
	for len(stack) > 0 {
		s := &stack[len(stack)-1]
		if s.next == 0 && (done[s.h] || w.flags[s.h] != sideWanted) {
			stack = stack[:len(stack)-1]
			continue
		}
		done[s.h] = true
		c := w.infos[s.h]
		if s.next < len(c.Parents) {
			s.next++
			if p := c.Parents[s.next-1]; !done[p] {
				stack = append(stack, step{h: p})
			}
			continue
		}
		if out = append(out, c.CommitInfo); len(out) > maxRange {
			return nil, fmt.Errorf("a range of over %d commits: %w", maxRange, kaijutsu.ErrTooLarge)
		}
		stack = stack[:len(stack)-1]
	}
	return out, nil
}
