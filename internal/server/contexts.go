package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

const maxTitleRunes = 1000

type contextCreateIn struct {
	Title string `json:"title"`
}

// contextRow is a context as lists show it.
type contextRow struct {
	ID     string `json:"id"`
	URL    string `json:"url"`
	Title  string `json:"title"`
	Blocks int    `json:"blocks"`
}

func (s *Server) contextCreate(ctx context.Context, by kaijutsu.Principal, in contextCreateIn) (contextRow, error) {
	if !utf8.ValidString(in.Title) || utf8.RuneCountInString(in.Title) > maxTitleRunes {
		return contextRow{}, fmt.Errorf("title: %w: want at most %d characters of UTF-8", kaijutsu.ErrInvalid, maxTitleRunes)
	}
	id, err := s.repo.CreateContext(ctx, by, in.Title)
	if err != nil {
		return contextRow{}, err
	}
	return contextRow{ID: id.String(), URL: id.Document().URL(), Title: in.Title}, nil
}

type contextListIn struct{}

type contextListOut struct {
	Contexts []contextRow `json:"contexts"`
}

func (s *Server) contextList(ctx context.Context, _ kaijutsu.Principal, _ contextListIn) (contextListOut, error) {
	all, err := s.summarize(ctx)
	if err != nil {
		return contextListOut{}, err
	}
	out := contextListOut{Contexts: []contextRow{}}
	for _, sum := range all {
		if sum.context {
			out.Contexts = append(out.Contexts, sum.row())
		}
	}
	return out, nil
}

// summary is what lists need of a document, valid at its heads.
type summary struct {
	id      kaijutsu.DocumentID
	heads   kaijutsu.Heads
	context bool
	title   string
	blocks  int
}

func (m summary) row() contextRow {
	return contextRow{ID: contextName(m.id), URL: m.id.URL(), Title: m.title, Blocks: m.blocks}
}

// contextName is a document's id as contexts show it: the UUID of one of 16
// bytes, the automerge-repo text of a longer one.
func contextName(id kaijutsu.DocumentID) string {
	if b := id.Bytes(); len(b) == 16 {
		return kaijutsu.ContextID(b).String()
	}
	return id.String()
}

// summarize returns a summary of every document, by id: contexts made here
// sort by time. A document that cannot be read is left out and logged.
func (s *Server) summarize(ctx context.Context) ([]summary, error) {
	var all []summary
	for id, err := range s.store.Documents() {
		if err != nil {
			return nil, fmt.Errorf("list documents: %w", err)
		}
		sum, err := s.summary(ctx, id)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			s.log.Warn("document left out of the list", "document", id, "err", err)
			continue
		}
		all = append(all, sum)
	}
	slices.SortFunc(all, func(a, b summary) int { return cmp.Compare(string(a.id.Bytes()), string(b.id.Bytes())) })
	return all, nil
}

// summary returns the summary of a document, from memory when its heads have
// not moved.
func (s *Server) summary(ctx context.Context, id kaijutsu.DocumentID) (summary, error) {
	info, err := s.store.Info(ctx, id)
	if err != nil {
		return summary{}, err
	}
	s.summaryMu.Lock()
	sum, ok := s.summaries[id]
	s.summaryMu.Unlock()
	if ok && sum.heads.Equal(info.Heads) {
		return sum, nil
	}
	err = s.repo.View(ctx, id, func(v repo.View) error {
		sum = summary{id: id, heads: v.Heads, context: v.IsContext(), title: v.Title(), blocks: v.Len()}
		return nil
	})
	if err != nil {
		return summary{}, err
	}
	s.summaryMu.Lock()
	s.summaries[id] = sum
	s.summaryMu.Unlock()
	return sum, nil
}

// minPrefix is the shortest beginning of an id that may name a context.
const minPrefix = 4

// resolve finds the document that a person means: an id or URL in full, the
// beginning of an id, a title, or the beginning of one.
func (s *Server) resolve(ctx context.Context, name string) (kaijutsu.DocumentID, error) {
	if name == "" {
		return kaijutsu.DocumentID{}, fmt.Errorf("context: %w: name one by id, automerge URL or title", kaijutsu.ErrInvalid)
	}
	if id, ok := fullID(name); ok {
		_, err := s.store.Info(ctx, id)
		if errors.Is(err, kaijutsu.ErrNotFound) {
			return id, fmt.Errorf("document %s: %w on this server", id, kaijutsu.ErrNotFound)
		}
		return id, err
	}
	all, err := s.summarize(ctx)
	if err != nil {
		return kaijutsu.DocumentID{}, err
	}
	matches := []func(summary) bool{
		func(m summary) bool { return m.context && m.title == name },
		func(m summary) bool { return len(name) >= minPrefix && strings.HasPrefix(contextName(m.id), name) },
		func(m summary) bool { return len(name) >= minPrefix && strings.HasPrefix(m.id.String(), name) },
		func(m summary) bool { return m.context && hasPrefixFold(m.title, name) },
	}
	for _, match := range matches {
		var found []summary
		for _, m := range all {
			if match(m) {
				found = append(found, m)
			}
		}
		switch {
		case len(found) == 1:
			return found[0].id, nil
		case len(found) > 1:
			return kaijutsu.DocumentID{}, fmt.Errorf("context %q: %w: it may mean %s", name, kaijutsu.ErrConflict, listSummaries(found))
		}
	}
	return kaijutsu.DocumentID{}, fmt.Errorf("context %q: %w%s", name, kaijutsu.ErrNotFound, suggest(name, all))
}

func hasPrefixFold(s, prefix string) bool {
	return strings.HasPrefix(strings.ToLower(s), strings.ToLower(prefix))
}

// fullID reads an id that needs no list: an automerge URL, its bare id, or a
// UUID.
func fullID(name string) (kaijutsu.DocumentID, bool) {
	if id, err := kaijutsu.ParseDocumentID(name); err == nil {
		return id, true
	}
	if id, err := kaijutsu.ParseContextID(name); err == nil {
		return id.Document(), true
	}
	return kaijutsu.DocumentID{}, false
}

// listSummaries names a few candidates.
func listSummaries(found []summary) string {
	const most = 5
	var parts []string
	for i, m := range found {
		if i == most {
			parts = append(parts, fmt.Sprintf("… (%d in all)", len(found)))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %q", contextName(m.id), m.title))
	}
	return strings.Join(parts, ", ")
}

// suggest says what a wrong name may have meant, or what there is.
func suggest(name string, all []summary) string {
	var contexts []summary
	best, bestDistance := summary{}, 3
	for _, m := range all {
		if !m.context {
			continue
		}
		contexts = append(contexts, m)
		if d := distance(strings.ToLower(m.title), strings.ToLower(name)); d < bestDistance {
			best, bestDistance = m, d
		}
	}
	switch {
	case len(contexts) == 0:
		return "; there are none yet"
	case bestDistance < 3:
		return fmt.Sprintf("; did you mean %q?", best.title)
	}
	return "; there are " + listSummaries(contexts)
}

// distance is the Levenshtein distance of two short texts, in code points;
// texts longer than any title worth suggesting are far apart.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 100 || len(y) > 100 {
		return max(len(x), len(y))
	}
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			cost := diagonal
			if x[i] != y[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(y)]
}

type contextGetIn struct {
	Context string `json:"context"`
}

// contextDetail is a context with its blocks in document order.
type contextDetail struct {
	contextRow
	Heads     []string   `json:"heads"`
	BlockList []blockRow `json:"block_list"`
}

// blockRow is a block as clients see it.
type blockRow struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Role    string `json:"role"`
	Status  string `json:"status"`
	Parent  string `json:"parent,omitempty"`
	Form    string `json:"form"`
	Content string `json:"content"`
	Meta    string `json:"meta,omitempty"`
	Author  string `json:"author"`
	Created string `json:"created"`
	Deleted bool   `json:"deleted,omitempty"`
}

func (s *Server) contextGet(ctx context.Context, _ kaijutsu.Principal, in contextGetIn) (contextDetail, error) {
	id, err := s.resolve(ctx, in.Context)
	if err != nil {
		return contextDetail{}, err
	}
	var out contextDetail
	err = s.repo.View(ctx, id, func(v repo.View) error {
		if !v.IsContext() {
			return notContext(id)
		}
		out.contextRow = contextRow{ID: contextName(id), URL: id.URL(), Title: v.Title(), Blocks: v.Len()}
		out.Heads, out.BlockList = []string{}, []blockRow{}
		for _, h := range v.Heads {
			out.Heads = append(out.Heads, h.String())
		}
		for _, b := range v.Blocks() {
			out.BlockList = append(out.BlockList, rowOf(b))
		}
		return nil
	})
	return out, err
}

func notContext(id kaijutsu.DocumentID) error {
	return fmt.Errorf("document %s: %w: it is not a context of blocks; kj export writes it as a file", id, kaijutsu.ErrInvalid)
}

// rowOf shows a block. Its author is the principal behind the actor that made
// it, or the actor when nobody is on record.
func rowOf(b repo.Block) blockRow {
	author := b.By.Name
	if b.By.IsZero() {
		author = b.Author.String()
	}
	return blockRow{
		ID: string(b.ID), Kind: string(b.Kind), Role: string(b.Role), Status: string(b.Status),
		Parent: string(b.Parent), Form: string(b.Form), Content: b.Content, Meta: b.Meta,
		Author: author, Created: b.Created.UTC().Format(time.RFC3339), Deleted: b.Deleted,
	}
}

type blockCreateIn struct {
	Context string `json:"context"`
	Parent  string `json:"parent"`
	Kind    string `json:"kind"`
	Role    string `json:"role"`
	Form    string `json:"form"`
	Status  string `json:"status"`
	Content string `json:"content"`
	Meta    string `json:"meta"`
}

type blockOut struct {
	ID string `json:"id"`
}

func (s *Server) blockCreate(ctx context.Context, by kaijutsu.Principal, in blockCreateIn) (blockOut, error) {
	id, err := s.resolve(ctx, in.Context)
	if err != nil {
		return blockOut{}, err
	}
	spec := blocks.BlockSpec{
		ID: blocks.NewID(time.Now()), Parent: blocks.ID(in.Parent), Kind: blocks.Kind(in.Kind), Role: blocks.Role(in.Role),
		Form: blocks.Form(in.Form), Status: blocks.Status(in.Status), Content: in.Content, Meta: in.Meta,
	}
	if spec.Form == blocks.FormChunks && spec.Status == "" {
		spec.Status = blocks.StatusRunning // what is written in chunks is not done yet
	}
	err = s.repo.EditBlocks(ctx, id, by, func(tx *blocks.Tx) error { return tx.InsertBlock(spec) })
	return blockOut{string(spec.ID)}, err
}

type blockStatusIn struct {
	Context string `json:"context"`
	Block   string `json:"block"`
	Status  string `json:"status"`
}

func (s *Server) blockStatus(ctx context.Context, by kaijutsu.Principal, in blockStatusIn) (blockOut, error) {
	id, err := s.resolve(ctx, in.Context)
	if err != nil {
		return blockOut{}, err
	}
	err = s.repo.EditBlocks(ctx, id, by, func(tx *blocks.Tx) error {
		return tx.SetStatus(blocks.ID(in.Block), blocks.Status(in.Status))
	})
	return blockOut{in.Block}, err
}

type blockAppendIn struct {
	Context string `json:"context"`
	Block   string `json:"block"`
	Text    string `json:"text"`
}

func (s *Server) blockAppend(ctx context.Context, by kaijutsu.Principal, in blockAppendIn) (blockOut, error) {
	id, err := s.resolve(ctx, in.Context)
	if err != nil {
		return blockOut{}, err
	}
	err = s.repo.EditBlocks(ctx, id, by, func(tx *blocks.Tx) error { return tx.AppendText(blocks.ID(in.Block), in.Text) })
	return blockOut{in.Block}, err
}
