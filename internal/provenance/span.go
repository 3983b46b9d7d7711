package provenance

import (
	"encoding/hex"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/repo"
)

// spanKey names lines of a block as they were at some heads. It is comparable.
type spanKey struct {
	doc         kaijutsu.DocumentID
	block       blocks.ID
	heads       string // hexadecimal, as the handle has them, separated by commas
	first, last int    // both 0: the whole block
}

// spanKeyOf returns what a handle names; false when it is nothing that can
// change: of another kernel, of now, or of an address that is no id.
func (ix *Index) spanKeyOf(h drift.Handle) (spanKey, bool) {
	if h.Kernel != "" && h.Kernel != ix.cfg.Name || len(h.Heads) == 0 || h.Check() != nil {
		return spanKey{}, false
	}
	doc, ok := documentOf(h.Context)
	if !ok {
		return spanKey{}, false
	}
	return spanKey{doc, blocks.ID(h.Block), strings.Join(h.Heads, ","), h.First, h.Last}, true
}

// documentOf reads the UUID or automerge URL of a context.
func documentOf(address string) (kaijutsu.DocumentID, bool) {
	if id, err := kaijutsu.ParseContextID(address); err == nil {
		return id.Document(), true
	}
	id, err := kaijutsu.ParseDocumentID(address)
	return id, err == nil
}

// What is known of a span.
type state uint8

const (
	unknown state = iota // nobody has judged it
	absent               // this node does not hold its heads
	never                // there were no such lines: nothing can become of them
	fresh
	stale
)

// verdict is what became of a span.
type verdict struct {
	state  state
	reason string
	diff   string
	sum    uint64   // of the diff
	heads  []string // of its document then
}

// span is lines that somebody cites. Fields are guarded by Index.mu.
type span struct {
	key    spanKey
	heads  kaijutsu.Heads // once they were found
	citers map[place]struct{}
	verdict
}

// place is a block of a context.
type place struct {
	doc   kaijutsu.DocumentID
	block blocks.ID
}

// source is a document that is cited. Fields are guarded by Index.mu.
type source struct {
	doc    kaijutsu.DocumentID
	blocks map[blocks.ID]map[*span]struct{}
	spans  int

	// What has to be judged: all spans, those of some blocks, some spans; and
	// those that were absent.
	all, retry bool
	touched    map[blocks.ID]struct{}
	asked      map[*span]struct{}
	todo       []*span // of the judging that is under way

	missing map[[4]byte]struct{} // beginnings of hashes that were not here
	pace    pace
}

// pace says when something that is touched again and again is looked at.
type pace struct {
	queued bool      // it is on the agenda
	due    time.Time // when
	first  time.Time // when it was touched first since it was looked at
	ended  time.Time // when it was looked at
	took   time.Duration
}

func (s *source) dirty() bool {
	return s.all || s.retry || len(s.touched) > 0 || len(s.asked) > 0 || len(s.todo) > 0
}

// watchLocked has a block watch a span.
func (ix *Index) watchLocked(key spanKey, by place) *span {
	s := ix.sources[key.doc]
	if s == nil {
		s = &source{doc: key.doc, blocks: make(map[blocks.ID]map[*span]struct{}), asked: make(map[*span]struct{}), touched: make(map[blocks.ID]struct{})}
		ix.sources[key.doc] = s
	}
	sp := ix.spans[key]
	if sp == nil {
		sp = &span{key: key, citers: make(map[place]struct{})}
		ix.spans[key] = sp
		if s.blocks[key.block] == nil {
			s.blocks[key.block] = make(map[*span]struct{})
		}
		s.blocks[key.block][sp] = struct{}{}
		s.spans++
	}
	sp.citers[by] = struct{}{}
	return sp
}

// unwatchLocked ends watchLocked.
func (ix *Index) unwatchLocked(key spanKey, by place) {
	sp := ix.spans[key]
	if sp == nil {
		return
	}
	if delete(sp.citers, by); len(sp.citers) > 0 {
		return
	}
	delete(ix.spans, key)
	s := ix.sources[key.doc]
	s.spans--
	delete(s.asked, sp)
	if delete(s.blocks[key.block], sp); len(s.blocks[key.block]) == 0 {
		delete(s.blocks, key.block)
	}
	if s.spans == 0 {
		delete(ix.sources, key.doc)
	}
}

// askLocked has a span judged that nobody has judged yet.
func (ix *Index) askLocked(sp *span) {
	s := ix.sources[sp.key.doc]
	if sp.state != unknown || !ix.keeping {
		return
	}
	s.asked[sp] = struct{}{}
	ix.dueLocked(s, true)
}

// stirLocked marks what a commit may have made of the spans of its document.
func (ix *Index) stirLocked(s *source, c *repo.Committed) {
	if !ix.keeping {
		return
	}
	was := s.dirty()
	if c.Deleted || c.All || c.Deltas == nil || c.Base != nil || c.From == 0 {
		s.all, s.retry = true, true
	}
	const alters = blocks.TouchInserted | blocks.TouchContent | blocks.TouchDeleted | blocks.TouchRestored
	changed := false
	if !s.all {
		for i := range c.Deltas {
			for _, b := range c.Deltas[i].Blocks {
				if b.How&alters != 0 && s.blocks[b.ID] != nil {
					s.touched[b.ID] = struct{}{}
					changed = true
				}
			}
		}
	}
	if len(s.missing) > 0 && !s.retry {
		for _, ch := range c.Changes {
			if _, ok := s.missing[[4]byte(ch.Hash[:4])]; ok {
				s.retry = true
			}
		}
	}
	if changed || s.all || s.retry && !was {
		ix.dueLocked(s, false)
	}
}

// missLocked notes heads that were not here when a span was judged.
func (s *source) missLocked(heads string) {
	if s.missing == nil {
		s.missing = make(map[[4]byte]struct{})
	}
	for h := range strings.SplitSeq(heads, ",") {
		var key [4]byte
		if _, err := hex.Decode(key[:], []byte(h[:8])); err == nil {
			s.missing[key] = struct{}{}
		}
	}
}
