package provenance

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/textdiff"
)

// judged is what came of judging a span.
type judged struct {
	span  *span
	heads kaijutsu.Heads // that were found
	state state
	fate  repo.Fate
}

// judge finds out for a few milliseconds what became of the spans of a source
// that may have changed.
func (ix *Index) judge(s *source) {
	ix.mu.Lock()
	ix.gatherLocked(s)
	todo := slices.Clone(s.todo)
	ix.mu.Unlock()
	began := time.Now()
	var now kaijutsu.Heads
	var list []judged
	var err error
	again := false
	if ix.cfg.Kernel.Deleted(s.doc) {
		for _, sp := range todo {
			list = append(list, judged{span: sp, state: stale, fate: repo.Fate{Reason: drift.ReasonContextDeleted}})
		}
	} else if _, err = ix.cfg.Store.Info(ix.ctx, s.doc); err == nil {
		err = ix.cfg.Repo.View(ix.ctx, s.doc, func(v repo.View) error {
			began, now, list = time.Now(), v.Heads, nil
			for _, sp := range todo {
				j, err := fateOf(v, sp)
				if err != nil && len(list) > 0 {
					return nil // what takes longer is the first one the next time
				}
				if err != nil {
					return err
				}
				if list = append(list, j); time.Since(began) > slice {
					break
				}
			}
			return nil
		})
	}
	switch {
	case ix.ctx.Err() != nil:
		return
	case err != nil: // it is not here, or cannot be read: nothing is known
		again = !errors.Is(err, kaijutsu.ErrNotFound)
		if list = nil; again {
			ix.cfg.Log.Warn("citations not judged", "document", s.doc, "err", err)
		}
		for _, sp := range todo {
			list = append(list, judged{span: sp, state: absent})
		}
	}
	took := time.Since(began)
	verdicts := make([]verdict, len(list))
	texts := now.Texts()
	for i, j := range list {
		verdicts[i] = verdict{state: j.state}
		if j.state == stale {
			verdicts[i] = verdict{stale, j.fate.Reason, diffOf(j), 0, texts}
			verdicts[i].sum = diffSum(verdicts[i].diff)
		}
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if !ix.keeping {
		return
	}
	for i, j := range list {
		ix.settleLocked(s, j, verdicts[i])
	}
	s.todo = s.todo[min(len(list), len(s.todo)):]
	if len(s.todo) == 0 {
		s.todo = nil
	}
	s.pace.done(took)
	if again {
		s.retry, s.pace.took = true, maxPause
		ix.dueLocked(s, true)
		return
	}
	if len(s.todo) > 0 {
		ix.dueLocked(s, true)
	} else if s.dirty() && !s.pace.queued {
		ix.dueLocked(s, false)
	}
}

// gatherLocked collects what is to be judged of a source. Spans that are judged
// by the same heads come together.
func (ix *Index) gatherLocked(s *source) {
	if !s.all && !s.retry && len(s.touched) == 0 && len(s.asked) == 0 {
		return
	}
	set := make(map[*span]struct{}, len(s.todo)+len(s.asked))
	for _, sp := range s.todo {
		set[sp] = struct{}{}
	}
	for sp := range s.asked {
		set[sp] = struct{}{}
	}
	for id, spans := range s.blocks {
		_, touched := s.touched[id]
		for sp := range spans {
			switch sp.state {
			case never:
				if !s.all {
					continue
				}
			case absent:
				if !s.retry {
					continue
				}
			default:
				if !s.all && !touched {
					continue
				}
			}
			set[sp] = struct{}{}
		}
	}
	s.todo = s.todo[:0]
	for sp := range set {
		if ix.spans[sp.key] == sp {
			s.todo = append(s.todo, sp)
		}
	}
	slices.SortFunc(s.todo, func(a, b *span) int {
		return cmp.Or(cmp.Compare(a.key.heads, b.key.heads), cmp.Compare(a.key.block, b.key.block), a.key.first-b.key.first, a.key.last-b.key.last)
	})
	if s.retry {
		s.missing = nil
	}
	s.all, s.retry = false, false
	clear(s.touched)
	clear(s.asked)
}

// settleLocked takes a verdict over. Whoever cites the span is looked at when it
// is another than before.
func (ix *Index) settleLocked(s *source, j judged, v verdict) {
	sp := j.span
	if ix.spans[sp.key] != sp {
		return // nobody cites it any more
	}
	if sp.heads == nil {
		sp.heads = j.heads
	}
	if v.state == absent {
		s.missLocked(sp.key.heads)
	}
	same := sp.state == v.state && sp.reason == v.reason && sp.diff == v.diff
	sp.verdict = v
	if same {
		return
	}
	for at := range sp.citers {
		ix.oweLocked(at)
	}
}

// fateOf asks what became of a span. The error is one to be returned to
// Repo.View.
func fateOf(v repo.View, sp *span) (judged, error) {
	j := judged{span: sp, heads: sp.heads}
	if j.heads == nil {
		if j.heads = headsOf(v, sp.key.heads); j.heads == nil {
			j.state = absent
			return j, nil
		}
	}
	fate, err := v.Fate(sp.key.block, j.heads, sp.key.first, sp.key.last)
	switch {
	case errors.Is(err, kaijutsu.ErrNotFound), errors.Is(err, kaijutsu.ErrInvalid):
		j.state = never
		return j, nil
	case err != nil:
		return j, err
	}
	j.fate = fate
	if j.state = fresh; fate.Stale {
		j.state = stale
	}
	return j, nil
}

// headsOf finds the changes that a handle's heads name: full hashes, or unique
// beginnings. It returns nil when one is not here, or names several.
func headsOf(v repo.View, text string) kaijutsu.Heads {
	log := v.Log()
	var heads kaijutsu.Heads
	var short [][]byte
	for h := range strings.SplitSeq(text, ",") {
		if hash, err := kaijutsu.ParseChangeHash(h); err == nil {
			if _, ok := log.Index(hash); !ok {
				return nil
			}
			heads = append(heads, hash)
			continue
		}
		b, err := hex.DecodeString(h[:len(h)&^1])
		if err != nil {
			return nil
		}
		short = append(short, b)
	}
	if len(short) == 0 {
		return kaijutsu.NewHeads(heads...)
	}
	texts := strings.Split(text, ",")
	found := make([]int, len(texts))
	for i := range log.Len() {
		hash := log.Hash(i)
		for _, b := range short {
			if !bytes.HasPrefix(hash[:], b) {
				continue
			}
			full := hash.String()
			for k, t := range texts {
				if len(t) < len(full) && strings.HasPrefix(full, t) {
					heads = append(heads, hash)
					found[k]++
				}
			}
			break
		}
	}
	for k, t := range texts {
		if len(t) < 2*len(kaijutsu.ChangeHash{}) && found[k] != 1 {
			return nil
		}
	}
	return kaijutsu.NewHeads(heads...)
}

// maxDiffed is how long two texts may be together, in bytes, that a diff is made
// of: longer ones would keep all other citations waiting.
const maxDiffed = 512 << 10

// diffOf returns the diff of a span that has changed, cut to what a mark holds.
func diffOf(j judged) string {
	if j.fate.Reason != drift.ReasonChanged || len(j.fate.Then)+len(j.fate.Now) > maxDiffed {
		return ""
	}
	return cutDiff(textdiff.Unified(j.fate.Then, j.fate.Now, string(j.span.key.block)), drift.MaxDiff)
}
