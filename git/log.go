package git

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"kaijutsu"
)

// Log returns the last n commits that a revision reaches, the newest first as
// git log orders them; with a path those that changed it or what is below it,
// where a merge that took one side as it was follows that side only. A branch
// without commits has none, which is no error. rev "" is HEAD, n 0 all.
func (w *Worktree) Log(ctx context.Context, rev string, n int, path string) ([]CommitInfo, error) {
	if rev == "" {
		rev = "HEAD"
		if _, h, err := w.repo.resolveRef(w.gitdir, rev); err == nil && h == "" {
			return nil, nil
		}
	}
	h, err := w.Resolve(rev)
	if err != nil {
		return nil, fmt.Errorf("log: %w", err)
	}
	path = strings.Trim(path, "/")
	walk := w.repo.newWalk()
	if err := walk.push(h); err != nil {
		return nil, fmt.Errorf("log: %w", err)
	}
	var out []CommitInfo
	for n <= 0 || len(out) < n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c, err := walk.next()
		if err != nil {
			return nil, fmt.Errorf("log: %w", err)
		}
		if c == nil {
			break
		}
		follow, show, err := w.repo.simplify(c, path)
		if err != nil {
			return nil, fmt.Errorf("log: %w", err)
		}
		for _, p := range follow {
			if err := walk.push(p); err != nil {
				return nil, fmt.Errorf("log: %w", err)
			}
		}
		if show {
			out = append(out, *c)
		}
	}
	return out, nil
}

// simplify says which parents to go on with, and whether a commit changed the
// path: the default history simplification of git log.
func (r *Repo) simplify(c *CommitInfo, path string) (follow []Hash, show bool, err error) {
	if path == "" || path == "." {
		return c.Parents, true, nil
	}
	own, err := r.entryAt(c.Hash, path)
	if err != nil {
		return nil, false, err
	}
	if len(c.Parents) == 0 || r.shallow(c.Hash) {
		return nil, own != (treeEntry{}), nil
	}
	for _, p := range c.Parents {
		was, err := r.entryAt(p, path)
		if err != nil {
			return nil, false, err
		}
		if was == own {
			return []Hash{p}, false, nil
		}
	}
	return c.Parents, true, nil
}

// entryAt returns what a commit has at a path, zero for nothing.
func (r *Repo) entryAt(commit Hash, path string) (treeEntry, error) {
	tree, err := r.treeOf(commit)
	if err != nil {
		return treeEntry{}, err
	}
	e, err := r.lookup(tree, path)
	if errors.Is(err, kaijutsu.ErrNotFound) {
		return treeEntry{}, nil
	}
	return e, err
}

// shallow reports whether a commit is where the history of a shallow clone
// ends.
func (r *Repo) shallow(h Hash) bool {
	data, err := readSmall(filepath.Join(r.common, "shallow"))
	return err == nil && strings.Contains(string(data), string(h))
}

// commitWalk goes through history, the commits with the latest time first.
// Each commit comes once.
type commitWalk struct {
	repo    *Repo
	seen    map[Hash]bool
	queue   commitQueue
	shallow map[Hash]bool
}

func (r *Repo) newWalk() *commitWalk {
	w := &commitWalk{repo: r, seen: map[Hash]bool{}, shallow: map[Hash]bool{}}
	if data, err := readSmall(filepath.Join(r.common, "shallow")); err == nil {
		for line := range strings.FieldsSeq(string(data)) {
			w.shallow[Hash(line)] = true
		}
	}
	return w
}

func (w *commitWalk) push(h Hash) error {
	if w.seen[h] {
		return nil
	}
	w.seen[h] = true
	c, err := w.repo.readCommit(h)
	if err != nil {
		return err
	}
	if w.shallow[h] {
		c.Parents = nil
	}
	heap.Push(&w.queue, queued{&c, len(w.seen)})
	return nil
}

// next returns the next commit, nil at the end. Its parents are pushed by the
// caller.
func (w *commitWalk) next() (*CommitInfo, error) {
	if w.queue.Len() == 0 {
		return nil, nil
	}
	return heap.Pop(&w.queue).(queued).commit, nil
}

type queued struct {
	commit *CommitInfo
	order  int // what came first goes first among commits of one second
}

type commitQueue []queued

func (q commitQueue) Len() int      { return len(q) }
func (q commitQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q commitQueue) Less(i, j int) bool {
	a, b := q[i].commit.Committer.When, q[j].commit.Committer.When
	if !a.Equal(b) {
		return a.After(b)
	}
	return q[i].order < q[j].order
}
func (q *commitQueue) Push(x any) { *q = append(*q, x.(queued)) }
func (q *commitQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
