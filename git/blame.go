package git

import (
	"container/heap"
	"context"
	"fmt"
	"slices"

	"kaijutsu"
)

// maxBlamed bounds the commits that one Blame looks at.
const maxBlamed = 1000000

// LineOrigin says where a line of a file came from.
type LineOrigin struct {
	Commit Hash
	Path   string // of the file in that commit
	Line   int    // 1-based, in that commit
	Author Signature
}

// Blame returns for each line of the file at path in a commit the commit that
// brought it there. It goes the way of git blame: from commit to parents,
// through renames that leave half of the file or more, a merge's lines to the
// first parent that has them. Lines that are equal to others nearby may be
// found in another commit than git finds, since the choice is the differ's.
//
// It returns an error that wraps ErrNotFound if the file is not in the commit
// or is no file, and ErrTooLarge for histories of over a million commits.
func (r *Repo) Blame(ctx context.Context, commit Hash, path string) ([]LineOrigin, error) {
	lines, err := r.blame(ctx, commit, path)
	if err != nil {
		return nil, fmt.Errorf("blame %.300q in %.40s: %w", path, commit, err)
	}
	return lines, nil
}

func (r *Repo) blame(ctx context.Context, commit Hash, path string) ([]LineOrigin, error) {
	if err := checkTreePath(path); err != nil {
		return nil, err
	}
	b := &blamer{repo: r, waiting: make(map[Hash]*blamedCommit), shallow: r.shallowCommits()}
	start, err := b.commit(commit)
	if err != nil {
		return nil, err
	}
	e, err := r.lookup(start.Tree, path)
	if err != nil {
		return nil, err
	}
	if !e.Mode.IsFile() && e.Mode != Symlink {
		return nil, fmt.Errorf("is no file: %w", kaijutsu.ErrNotFound)
	}
	text, err := r.readKind(e.Hash, blobKind)
	if err != nil {
		return nil, err
	}
	n := countLines(text)
	b.out = make([]LineOrigin, n)
	if n > 0 {
		b.suspect(start, &suspect{path: path, blob: e.Hash, runs: []lineRun{{0, 0, n}}})
	}
	for b.queue.Len() > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if b.seen++; b.seen > maxBlamed {
			return nil, fmt.Errorf("over %d commits: %w", maxBlamed, kaijutsu.ErrTooLarge)
		}
		c := heap.Pop(&b.queue).(*blamedCommit)
		delete(b.waiting, c.Hash)
		if err := b.look(c); err != nil {
			return nil, err
		}
	}
	return b.out, nil
}

// blamer passes runs of lines from commits to their parents until they stay.
type blamer struct {
	repo    *Repo
	out     []LineOrigin
	queue   byDate
	waiting map[Hash]*blamedCommit // what is in the queue
	shallow map[Hash]bool          // commits whose parents are not there
	seen    int
}

// blamedCommit is a commit with the files whose lines may be its work.
type blamedCommit struct {
	CommitInfo
	suspects []*suspect
}

// suspect is a file of a commit, and the lines of it that are asked for.
type suspect struct {
	path string
	blob Hash
	runs []lineRun // apart from each other, by at
}

// lineRun says that n lines from line at of a file are those from line out of
// the file that Blame was asked for.
type lineRun struct{ out, at, n int }

func (b *blamer) commit(h Hash) (*blamedCommit, error) {
	if c := b.waiting[h]; c != nil {
		return c, nil
	}
	info, err := b.repo.readCommit(h)
	if err != nil {
		return nil, err
	}
	if b.shallow[h] {
		info.Parents = nil
	}
	return &blamedCommit{CommitInfo: info}, nil
}

// suspect adds a file to a commit, which waits from then on.
func (b *blamer) suspect(c *blamedCommit, s *suspect) {
	if other := b.waiting[c.Hash]; other != nil {
		c = other
	} else {
		b.waiting[c.Hash] = c
		heap.Push(&b.queue, c)
	}
	for _, other := range c.suspects {
		if other.path == s.path {
			other.runs = append(other.runs, s.runs...)
			slices.SortFunc(other.runs, func(x, y lineRun) int { return x.at - y.at })
			return
		}
	}
	c.suspects = append(c.suspects, s)
}

// look passes what it can of a commit's files to its parents, and keeps the
// rest for the commit.
func (b *blamer) look(c *blamedCommit) error {
	parents := make([]*blamedCommit, 0, len(c.Parents))
	for _, h := range c.Parents {
		p, err := b.commit(h)
		if err != nil {
			return err
		}
		parents = append(parents, p)
	}
	for _, s := range c.suspects {
		if err := b.pass(c, s, parents); err != nil {
			return err
		}
		for _, run := range s.runs {
			for i := range run.n {
				b.out[run.out+i] = LineOrigin{Commit: c.Hash, Path: s.path, Line: run.at + i + 1, Author: c.Author}
			}
		}
	}
	return nil
}

// pass takes from a suspect the runs of lines that parents have, in the order
// of git's pass_blame: a parent with the very same file takes all; the same path counts
// before a rename, and the first parent before the next.
func (b *blamer) pass(c *blamedCommit, s *suspect, parents []*blamedCommit) error {
	origins := make([]*suspect, len(parents))
	for _, find := range []func(*blamedCommit, *suspect, *blamedCommit) (*suspect, error){b.samePath, b.renamed} {
		for i, p := range parents {
			if origins[i] != nil {
				continue
			}
			o, err := find(c, s, p)
			if err != nil {
				return err
			}
			if o == nil {
				continue
			}
			if o.blob == s.blob {
				o.runs, s.runs = s.runs, nil
				b.suspect(p, o)
				return nil
			}
			if !slices.ContainsFunc(origins[:i], func(x *suspect) bool { return x != nil && x.blob == o.blob }) {
				origins[i] = o
			}
		}
	}
	for i, o := range origins {
		if o == nil || len(s.runs) == 0 {
			continue
		}
		if err := b.passLines(s, o); err != nil {
			return err
		}
		if len(o.runs) > 0 {
			b.suspect(parents[i], o)
		}
	}
	return nil
}

func (b *blamer) passLines(s, o *suspect) error {
	from, err := b.repo.readKind(o.blob, blobKind)
	if err != nil {
		return err
	}
	to, err := b.repo.readKind(s.blob, blobKind)
	if err != nil {
		return err
	}
	o.runs, s.runs = splitRuns(s.runs, sameLines(from, to))
	return nil
}

func (b *blamer) samePath(_ *blamedCommit, s *suspect, p *blamedCommit) (*suspect, error) {
	e, ok, err := b.repo.fileIn(p.Tree, s.path)
	if err != nil || !ok {
		return nil, err
	}
	return &suspect{path: s.path, blob: e.Hash}, nil
}

func (b *blamer) renamed(c *blamedCommit, s *suspect, p *blamedCommit) (*suspect, error) {
	e, path, ok, err := b.repo.renamedFrom(p.Tree, c.Tree, s.path)
	if err != nil || !ok {
		return nil, err
	}
	return &suspect{path: path, blob: e.Hash}, nil
}

// byDate is the commits that wait, the youngest first; children come before
// their parents unless clocks were wrong, and then a parent is looked at twice.
type byDate []*blamedCommit

func (q byDate) Len() int { return len(q) }
func (q byDate) Less(i, j int) bool {
	return q[i].Committer.When.After(q[j].Committer.When)
}
func (q byDate) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *byDate) Push(x any)   { *q = append(*q, x.(*blamedCommit)) }
func (q *byDate) Pop() any {
	last := len(*q) - 1
	c := (*q)[last]
	*q = (*q)[:last]
	return c
}
