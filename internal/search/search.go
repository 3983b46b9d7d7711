package search

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
)

const (
	defaultMatches = 100
	maxMatches     = 1000
	maxContext     = 20
	// maxResultBytes bounds the lines of a result, those of context included.
	maxResultBytes = 4 << 20
	// retryAfter is how long a document that could not be read is left alone.
	retryAfter = 10 * time.Second
)

// Query says what to find.
type Query struct {
	// Pattern is an RE2 expression, as regexp takes it, of at most 1000 bytes.
	// It is matched against each line by itself, without its line feed.
	Pattern string
	// May says whether a document may be looked into; nil: all may. It is
	// asked once per document, without a lock, and not asked about documents
	// that hold nothing of interest.
	May func(kaijutsu.DocumentID) bool
	// Docs are the documents to look into; nil: all.
	Docs []kaijutsu.DocumentID
	// Kind and Role are those of the blocks to look into; "": any.
	Kind blocks.Kind
	Role blocks.Role
	// ContextLines is how many lines before and after a match are returned; at
	// most 20.
	ContextLines int
	// MaxMatches is the most matches returned; 0: 100; at most 1000.
	MaxMatches int
}

// Match is a line of a block that matches.
type Match struct {
	Doc   kaijutsu.DocumentID
	Block blocks.ID
	Kind  blocks.Kind
	Role  blocks.Role
	Line  int // 0-based
	// Content is the line. Of a line of more than 500 characters it is what is
	// around the first match, and notes of how many characters were left out
	// stand on either side of it.
	Content string
	// Before and After are the lines around it, cut likewise.
	Before, After []string
}

// Result is what was found.
type Result struct {
	// Matches come by document id, then in document order, then by line.
	Matches []Match
	// Total is the number of Matches.
	Total int
	// Truncated says that there are more matches.
	Truncated bool
	// Unread are documents that could not be read, and were not searched.
	Unread []kaijutsu.DocumentID
}

// candidate is a block to compare with the expression.
type candidate struct {
	entry
	doc        kaijutsu.DocumentID
	kind, role string
}

// Search finds the lines that match, in everything that was committed before
// the call. The error wraps kaijutsu.ErrInvalid when the query is wrong,
// ErrTooLarge when the pattern is too long, ErrUnavailable when the index is
// closed, and the context's when it ends before.
func (ix *Index) Search(ctx context.Context, q Query) (Result, error) {
	re, needed, err := compile(q.Pattern)
	if err != nil {
		return Result{}, err
	}
	switch {
	case q.ContextLines < 0 || q.ContextLines > maxContext:
		return Result{}, fmt.Errorf("context_lines %d: want 0 to %d: %w", q.ContextLines, maxContext, kaijutsu.ErrInvalid)
	case q.MaxMatches < 0 || q.MaxMatches > maxMatches:
		return Result{}, fmt.Errorf("max_matches %d: want 1 to %d: %w", q.MaxMatches, maxMatches, kaijutsu.ErrInvalid)
	case q.MaxMatches == 0:
		q.MaxMatches = defaultMatches
	}
	may := q.permission()
	// Twice: contents that are damaged are read again.
	for range 2 {
		unread, err := ix.catchUp(ctx, may)
		if err != nil {
			return Result{}, fmt.Errorf("search: %w", err)
		}
		out, damaged, err := ix.compare(ctx, q, re, needed, may)
		if err != nil {
			return Result{}, fmt.Errorf("search: %w", err)
		}
		if len(damaged) == 0 {
			out.Unread = unread
			return out, nil
		}
		for doc := range damaged {
			ix.cfg.Log.Warn("contents in the search index are damaged and read again", "document", doc)
			ix.queue.add(doc, func(t *touch) { t.again = true })
		}
	}
	return Result{}, fmt.Errorf("search: the index's file of contents cannot be read back: %w", kaijutsu.ErrUnavailable)
}

// permission returns whether a document may be looked into and is asked for.
func (q Query) permission() func(kaijutsu.DocumentID) bool {
	known := make(map[kaijutsu.DocumentID]bool)
	return func(doc kaijutsu.DocumentID) bool {
		ok, asked := known[doc]
		if !asked {
			ok = (q.Docs == nil || slices.Contains(q.Docs, doc)) && (q.May == nil || q.May(doc))
			known[doc] = ok
		}
		return ok
	}
}

// catchUp waits until the documents that may be looked into are read as they
// are now, and returns those that could not be.
func (ix *Index) catchUp(ctx context.Context, may func(kaijutsu.DocumentID) bool) (unread []kaijutsu.DocumentID, err error) {
	select {
	case <-ix.scanned:
	case <-ix.quit:
		return nil, errClosed
	case <-ctx.Done():
		return nil, fmt.Errorf("the index is still being read: %w", ctx.Err())
	}
	ix.mu.RLock()
	err = ix.err
	for doc, at := range ix.failed {
		if time.Since(at) > retryAfter {
			ix.queue.add(doc, func(t *touch) { t.all = true })
		}
	}
	ix.mu.RUnlock()
	if err != nil {
		return nil, fmt.Errorf("the documents could not be listed: %w", err)
	}
	touched := ix.queue.hurry(func(doc kaijutsu.DocumentID, _ bool) bool { return may(doc) })
	if err := await(ctx, touched, ix.quit); err != nil {
		return nil, fmt.Errorf("%d touched documents are to be read first: %w", len(touched), err)
	}
	ix.mu.RLock()
	failed := make([]kaijutsu.DocumentID, 0, len(ix.failed))
	for doc := range ix.failed {
		failed = append(failed, doc)
	}
	ix.mu.RUnlock()
	for _, doc := range failed {
		if may(doc) {
			unread = append(unread, doc)
		}
	}
	slices.SortFunc(unread, kaijutsu.DocumentID.Compare)
	return unread, nil
}

// candidates returns the blocks that may match, and the file that holds their
// contents, to be released.
func (ix *Index) candidates(q Query, needed *need) ([]candidate, *texts) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	t := ix.table
	kind, kindKnown := t.word[string(q.Kind)]
	role, roleKnown := t.word[string(q.Role)]
	numbers, all := t.grams.find(needed)
	if all {
		numbers = make([]uint32, len(t.blocks))
		for i := range numbers {
			numbers[i] = uint32(i)
		}
	}
	out := make([]candidate, 0, len(numbers))
	for _, n := range numbers {
		e := t.blocks[n]
		switch {
		case e.doc == 0, e.pos == hidden:
		case q.Kind != "" && (!kindKnown || e.kind != kind):
		case q.Role != "" && (!roleKnown || e.role != role):
		default:
			out = append(out, candidate{e, t.docs[e.doc].id, t.words[e.kind], t.words[e.role]})
		}
	}
	ix.texts.uses.Add(1)
	return out, ix.texts
}

// inOrder sorts by document id, then in document order.
func inOrder(list []candidate) {
	rank := make(map[kaijutsu.DocumentID]int)
	for _, c := range list {
		rank[c.doc] = 0
	}
	for i, doc := range slices.SortedFunc(maps.Keys(rank), kaijutsu.DocumentID.Compare) {
		rank[doc] = i
	}
	ranks := make([]int, 0, 64) // by the table's number of the document
	for _, c := range list {
		for int(c.entry.doc) >= len(ranks) {
			ranks = append(ranks, 0)
		}
		ranks[c.entry.doc] = rank[c.doc]
	}
	slices.SortFunc(list, func(a, b candidate) int {
		if a.entry.doc != b.entry.doc {
			return ranks[a.entry.doc] - ranks[b.entry.doc]
		}
		return int(a.pos) - int(b.pos)
	})
}

// compare compares the blocks that may match with the expression. It returns
// the documents of which contents are damaged.
func (ix *Index) compare(ctx context.Context, q Query, re *Matcher, needed *need, may func(kaijutsu.DocumentID) bool) (Result, map[kaijutsu.DocumentID]bool, error) {
	list, x := ix.candidates(q, needed)
	defer x.release()
	list = slices.DeleteFunc(list, func(c candidate) bool { return !may(c.doc) })
	inOrder(list)
	out := results{q: q, re: re}
	damaged := make(map[kaijutsu.DocumentID]bool)
	if err := out.turn.take(ctx); err != nil {
		return Result{}, nil, err
	}
	defer out.turn.give()
	var buf []byte
	for i := range list {
		if err := out.turn.pass(ctx); err != nil {
			return Result{}, nil, err
		}
		if err := ctx.Err(); err != nil {
			return Result{}, nil, err
		}
		var ok bool
		if buf, ok = x.read(&list[i].entry, buf); !ok {
			damaged[list[i].doc] = true
			continue
		}
		if more, err := out.block(ctx, &list[i], buf); err != nil || !more {
			return out.Result, damaged, err
		}
	}
	return out.Result, damaged, nil
}

// results gathers matches.
type results struct {
	Result
	q     Query
	re    *Matcher
	turn  turn
	bytes int
}

// block adds the matching lines of a block; false when there is one match more
// than may be returned.
func (r *results) block(ctx context.Context, c *candidate, text []byte) (more bool, err error) {
	line, start := 0, 0
	for rest := text; len(rest) > 0; line++ {
		if line%1024 == 1023 {
			if err := r.turn.pass(ctx); err != nil {
				return false, err
			}
		}
		this := rest
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			this, rest = rest[:end], rest[end+1:]
		} else {
			rest = nil
		}
		at, err := r.re.first(ctx, &r.turn, trimReturn(this))
		if err != nil {
			return false, err
		}
		if at != nil {
			m := Match{
				Doc: c.doc, Block: c.id.id(), Kind: blocks.Kind(c.kind), Role: blocks.Role(c.role), Line: line,
				Content: excerpt(trimReturn(this), at[0], at[1]),
				Before:  linesBefore(text[:start], r.q.ContextLines),
				After:   linesAfter(rest, r.q.ContextLines),
			}
			if r.bytes += m.size(); len(r.Matches) == r.q.MaxMatches || r.bytes > maxResultBytes && len(r.Matches) > 0 {
				r.Truncated = true
				return false, nil
			}
			r.Matches = append(r.Matches, m)
			r.Total++
		}
		start = len(text) - len(rest)
	}
	return true, nil
}

func (m *Match) size() int {
	n := 200 + len(m.Content)
	for _, l := range m.Before {
		n += 20 + len(l)
	}
	for _, l := range m.After {
		n += 20 + len(l)
	}
	return n
}
