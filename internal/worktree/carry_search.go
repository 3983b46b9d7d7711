package worktree

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

// Bounds of looking for the writers of lines that git brings.
const (
	maxSources   = 8                      // contexts that are searched
	maxSearching = 300 * time.Millisecond // for the lines of one file
	maxElsewhere = 10_000                 // files of another context
)

// source is a text that a log knows the writers of.
type source struct {
	doc   kaijutsu.DocumentID
	id    blocks.ID
	heads kaijutsu.Heads // at which the block held it
	back  map[int]int    // the lines of it that come back, by where they stand now
	like  float64        // how much of it and of what git has brought is the same, to 1
}

// search is the search for the writers of lines that a text has and another has
// not.
type search struct {
	o        *Overlay
	from, to string
	wanted   map[int]string // the lines that are looked for
	some     map[string]bool
	sources  []source
	known    map[int]writer
}

// writers looks for who wrote the lines that a text has and another has not: in
// what the block held before git brought something else, and in the blocks of the
// same file in the mount's other contexts. Each of those texts is laid beside the
// new one as a whole; the one that is most like it counts first.
func (o *Overlay) writers(ctx context.Context, f *file, from, to string) map[int]writer {
	s := &search{o: o, from: from, to: to, wanted: insertedLines(from, to), some: map[string]bool{}, known: map[int]writer{}}
	for _, line := range s.wanted {
		if strings.TrimSpace(line) != "" {
			s.some[line] = true
		}
	}
	if len(s.some) == 0 {
		return nil
	}
	s.gather(ctx, f)
	slices.SortStableFunc(s.sources, func(a, b source) int { return cmp.Compare(b.like, a.like) })
	for _, from := range s.sources {
		if err := s.credit(ctx, from); err != nil && ctx.Err() == nil {
			o.cfg.Log.Debug("writers of lines are not known", "mount", o.cfg.Mount, "err", err)
		}
	}
	return s.known
}

// gather finds the texts that lines may come back from, until one is all of what
// git has brought.
func (s *search) gather(ctx context.Context, f *file) {
	o := s.o
	end := time.Now().Add(maxSearching)
	// look reports whether to go on.
	look := func(doc kaijutsu.DocumentID, id blocks.ID, heads kaijutsu.Heads) bool {
		if err := s.look(ctx, doc, id, heads); err != nil && ctx.Err() == nil {
			o.cfg.Log.Debug("an earlier text is not known", "mount", o.cfg.Mount, "err", err)
		}
		n := len(s.sources)
		return time.Now().Before(end) && (n == 0 || s.sources[n-1].like < 1)
	}
	for i := len(f.rec.Past) - 1; i >= 0; i-- {
		if !look(o.own.at.Doc, f.rec.Block, f.rec.Past[i]) {
			return
		}
	}
	n := 0
	for _, doc := range o.cfg.Others() {
		if doc == o.own.at.Doc {
			continue
		}
		if n++; n > maxSources {
			return
		}
		r, ok := o.elsewhere(doc, f)
		if !ok {
			continue
		}
		if !look(doc, r.Block, nil) {
			return
		}
		if len(r.Heads) > 0 && !look(doc, r.Block, r.Heads) { // what was flushed before it was left
			return
		}
	}
}

// elsewhere returns the record of a file in another context of the mount: of the
// same block, or of one with the same path.
func (o *Overlay) elsewhere(doc kaijutsu.DocumentID, f *file) (record, bool) {
	if data, err := o.cfg.Store.Record(o.keys.file(doc, f.rec.Block)); err == nil {
		r, err := decodeRecord(data)
		return r, err == nil
	}
	paths, ok := o.own.elsewhere[doc]
	if !ok {
		paths = map[string]string{}
		for name, err := range o.cfg.Store.Records(o.keys.files(doc)) {
			if err != nil || len(paths) == maxElsewhere {
				break
			}
			if data, err := o.cfg.Store.Record(name); err == nil {
				if r, err := decodeRecord(data); err == nil {
					paths[r.Path] = name
				}
			}
		}
		if o.own.elsewhere == nil {
			o.own.elsewhere = map[kaijutsu.DocumentID]map[string]string{}
		}
		o.own.elsewhere[doc] = paths
	}
	name, ok := paths[f.rec.Path]
	if !ok {
		return record{}, false
	}
	data, err := o.cfg.Store.Record(name)
	if err != nil {
		return record{}, false
	}
	r, err := decodeRecord(data)
	return r, err == nil && r.Path == f.rec.Path
}

// look adds what a block held at some heads or, without, what it holds, to the
// sources, if lines of it come back.
func (s *search) look(ctx context.Context, doc kaijutsu.DocumentID, id blocks.ID, heads kaijutsu.Heads) error {
	content := ""
	err := s.o.cfg.Repo.View(ctx, doc, func(v repo.View) error {
		if heads == nil {
			b, _ := v.Block(id)
			content, heads = b.Content, v.Heads
			return nil
		}
		then, err := v.ContentAt(id, heads)
		content = then.Content
		return err
	})
	if err != nil || len(content) > maxCarryBytes || !s.has(content) {
		return err
	}
	if back, like := comeBack(s.from, s.to, content, s.wanted); len(back) > 0 {
		s.sources = append(s.sources, source{doc, id, heads, back, like})
	}
	return nil
}

// has reports whether a text has one of the wanted lines at all.
func (s *search) has(text string) bool {
	for line := range strings.Lines(text) {
		if s.some[line] {
			return true
		}
	}
	return false
}

// credit adds who wrote the lines that come back from a source.
func (s *search) credit(ctx context.Context, from source) error {
	for i := range from.back {
		if _, have := s.known[i]; have {
			delete(from.back, i)
		}
	}
	if len(from.back) == 0 {
		return nil
	}
	return s.o.cfg.Repo.View(ctx, from.doc, func(v repo.View) error {
		m := v.Model()
		if !from.heads.Equal(v.Heads) {
			var err error
			if m, err = v.At(from.heads); err != nil {
				return err
			}
		}
		by, err := m.Lines(from.id, v.Log())
		if err != nil {
			return err
		}
		for i, at := range from.back {
			if at >= len(by) {
				continue
			}
			who, via := v.Principal(by[at].Actor)
			if who.IsZero() || who.Kind == kaijutsu.Service {
				continue
			}
			s.known[i] = writer{who, s.o.carriedMessage(v, from.doc, by[at].Change, via)}
		}
		return nil
	})
}
