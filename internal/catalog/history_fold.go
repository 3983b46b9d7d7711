package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

// folding makes points of the changes of a context.
type folding struct {
	h     repo.History
	in    []bool       // the changes that are wanted
	names []authorName // of each actor
	gap   int64        // seconds
	mixed bool

	runs    []run
	changes int
	forks   []bool // changes that several others rest on
	merges  []bool
}

// authorName is who an actor is. Actors of one principal are one author.
type authorName struct{ author, via string }

// run is the changes from first to last that are wanted; they become a point.
type run struct {
	first, last int
	changes     int
	from, to    int64 // Unix seconds
	by          authorName
	others      bool // by is not the only one
}

// namesOf returns the authors that these actors are.
func namesOf(v repo.View, actors []kaijutsu.ActorID) []authorName {
	names := make([]authorName, len(actors))
	for i, a := range actors {
		names[i].author, names[i].via = authorOf(v, a)
	}
	return names
}

// fold finds the runs.
func (f *folding) fold() {
	f.forks, f.merges = make([]bool, len(f.h.Changes)), make([]bool, len(f.h.Changes))
	parents := make([]bool, len(f.h.Changes))
	for i, c := range f.h.Changes {
		deps := f.h.Deps(i)
		for _, d := range deps {
			f.forks[d] = f.forks[d] || parents[d]
			parents[d] = true
		}
		f.merges[i] = len(deps) > 1
		if !f.in[i] {
			continue
		}
		f.changes++
		by := f.names[c.Actor]
		if k := len(f.runs) - 1; k >= 0 && f.continues(&f.runs[k], by, c.Time) {
			r := &f.runs[k]
			r.last, r.others = i, r.others || r.by != by
			r.changes++
			r.from, r.to = min(r.from, c.Time), max(r.to, c.Time)
			continue
		}
		f.runs = append(f.runs, run{first: i, last: i, changes: 1, from: c.Time, to: c.Time, by: by})
	}
}

// continues reports whether a change belongs to the run before it. A clock that
// goes backwards counts like one that goes on.
func (f *folding) continues(r *run, by authorName, at int64) bool {
	if f.gap == 0 || !f.mixed && r.by != by {
		return false
	}
	return apart(at, r.to) <= f.gap && apart(max(at, r.to), min(at, r.from)) <= historyRun*f.gap
}

// apart returns how far apart two times are. Clients may write any.
func apart(a, b int64) int64 {
	a, b = max(a, b), min(a, b)
	if d := a - b; d >= 0 {
		return d
	}
	return 1<<63 - 1
}

// authors returns who made how many changes.
func (f *folding) authors() []historyAuthor {
	index := make(map[authorName]int)
	of := make([]int, len(f.names)) // of each actor its author
	type total struct {
		changes  int
		from, to int64
	}
	var names []authorName
	for i, n := range f.names {
		k, ok := index[n]
		if !ok {
			k = len(names)
			index[n] = k
			names = append(names, n)
		}
		of[i] = k
	}
	totals := make([]total, len(names))
	for i, c := range f.h.Changes {
		if !f.in[i] {
			continue
		}
		t := &totals[of[c.Actor]]
		if t.changes++; t.changes == 1 {
			t.from, t.to = c.Time, c.Time
		}
		t.from, t.to = min(t.from, c.Time), max(t.to, c.Time)
	}
	out := []historyAuthor{}
	for k, t := range totals {
		if t.changes > 0 {
			out = append(out, historyAuthor{names[k].author, names[k].via, t.changes, unixText(t.from), unixText(t.to)})
		}
	}
	slices.SortStableFunc(out, func(a, b historyAuthor) int {
		return cmp.Or(cmp.Compare(b.Changes, a.Changes), cmp.Compare(a.Author, b.Author))
	})
	return out[:min(len(out), historyAuthors)]
}

// page returns the last runs in front of a version, oldest first, and the
// cursor for those before them.
func (f *folding) page(author string, before, limit int) (page []run, next string) {
	for k := len(f.runs) - 1; k >= 0; k-- {
		r := f.runs[k]
		if r.last+1 >= before || author != "" && !f.hasAuthor(r, author) {
			continue
		}
		if len(page) == limit {
			next = strconv.Itoa(page[limit-1].last + 1)
			break
		}
		page = append(page, r)
	}
	slices.Reverse(page)
	return page, next
}

// hasAuthor reports whether an author has a part in a run.
func (f *folding) hasAuthor(r run, author string) bool {
	if !r.others {
		return r.by.author == author
	}
	for i := r.first; i <= r.last; i++ {
		if f.in[i] && f.names[f.h.Changes[i].Actor].author == author {
			return true
		}
	}
	return false
}

// points returns what is known of runs without the document.
func (f *folding) points(page []run) []historyPoint {
	out := make([]historyPoint, len(page))
	number := make(map[uint32]int) // of the run that a block was touched in last
	for k, r := range page {
		p := &out[k]
		*p = historyPoint{
			Version: uint64(r.last + 1), First: unixText(r.from), Last: unixText(r.to),
			Author: r.by.author, Via: r.by.via, Changes: r.changes, How: []string{}, Blocks: []string{},
		}
		if r.others {
			f.share(r, p)
		}
		var how blocks.Touch
		title := false
		for i := r.first; i <= r.last; i++ {
			if !f.in[i] {
				continue
			}
			p.Merge, p.Fork = p.Merge || f.merges[i], p.Fork || f.forks[i]
			title = title || f.h.Changes[i].Title
			for _, t := range f.h.Touches(i) {
				how |= t.How
				if number[t.Block] == k+1 {
					continue
				}
				number[t.Block] = k + 1
				if p.Touched++; len(p.Blocks) < historyBlocks {
					p.Blocks = append(p.Blocks, string(f.h.IDs[t.Block]))
				}
			}
		}
		p.How = append(p.How, touchWords(how)...)
		if title {
			p.How = append(p.How, "title")
		}
	}
	return out
}

// share says who made most of a run of several authors, and who the others are.
func (f *folding) share(r run, p *historyPoint) {
	counts := make(map[authorName]int)
	var names []authorName
	for i := r.first; i <= r.last; i++ {
		if !f.in[i] {
			continue
		}
		n := f.names[f.h.Changes[i].Actor]
		if counts[n]++; counts[n] == 1 {
			names = append(names, n)
		}
	}
	slices.SortStableFunc(names, func(a, b authorName) int { return cmp.Compare(counts[b], counts[a]) })
	p.Author, p.Via = names[0].author, names[0].via
	for _, n := range names[1:min(len(names), historyOthers+1)] {
		p.Others = append(p.Others, n.author)
	}
}

// historyMessages is how many of a run's changes are asked for a message.
const historyMessages = 8

// heads returns, of each run, the numbers of the changes that no other rests on
// right after it.
func (f *folding) heads(page []run) [][]int32 {
	out := make([][]int32, len(page))
	var open []int32
	for i, k := 0, 0; k < len(page); i++ {
		for _, d := range f.h.Deps(i) {
			if at := slices.Index(open, d); at >= 0 {
				open = slices.Delete(open, at, at+1)
			}
		}
		if open = append(open, int32(i)); i == page[k].last {
			out[k] = slices.Clone(open)
			k++
		}
	}
	return out
}

// tell adds to points what only the document knows: the hashes of these heads
// and messages.
func (f *folding) tell(v repo.View, page []run, heads [][]int32, points []historyPoint) error {
	log := v.Log()
	for k := range page {
		if len(heads[k]) <= historyHeads {
			hashes := make(kaijutsu.Heads, len(heads[k]))
			for j, i := range heads[k] {
				hashes[j] = log.Hash(int(i))
			}
			points[k].Heads = kaijutsu.NewHeads(hashes...).Texts()
		}
		var err error
		if points[k].Message, err = f.message(log, page[k]); err != nil {
			return err
		}
	}
	return nil
}

// message returns the last message of a run.
func (f *folding) message(log repo.Log, r run) (string, error) {
	for i, asked := r.last, 0; i >= r.first && asked < historyMessages; i-- {
		if !f.in[i] {
			continue
		}
		asked++
		header, err := log.Header(i)
		if err != nil {
			return "", fmt.Errorf("read change %d: %w", i, err)
		}
		if header.Message != "" {
			return cutText(header.Message, 200), nil
		}
	}
	return "", nil
}

// cutText returns the first n code points of a text, and a mark if that is not
// all.
func cutText(text string, n int) string {
	head, rest := text, ""
	if len(text) > n {
		head, rest = cutRunes(text, n)
	}
	if rest != "" {
		head += "…"
	}
	return head
}

// unixText is a time of a change as results show it.
func unixText(seconds int64) string { return timeText(time.Unix(seconds, 0)) }

// touchWords lists the ways of a touch; none for none.
func touchWords(how blocks.Touch) []string {
	if how == 0 {
		return nil
	}
	return strings.Split(how.String(), ",")
}
