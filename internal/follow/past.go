package follow

import (
	"errors"
	"fmt"
	"iter"

	"kaijutsu"
	"kaijutsu/internal/repo"
)

// past is a replay under way. It runs only while somebody pulls.
type past struct {
	next func() (event, error, bool) // nil: there is none
	stop func()
	to   place // where the follower is behind it
}

// close ends the replay.
func (p *past) close() {
	if p.stop != nil {
		p.stop()
	}
	*p = past{}
}

// replay begins to read from the log what is behind the follower's place, up to
// another.
func (f *Follower) replay(to place) past {
	var p past
	var all iter.Seq2[event, error]
	if f.one {
		p.to, all = wholeVersion(to.version), f.versions(f.at, to.version)
	} else {
		p.to, all = wholeEntry(to.seq), f.journal(f.at, to.seq)
	}
	p.next, p.stop = iter.Pull2(all)
	return p
}

// pastItems returns the next items of the replay; none when it is over.
func (f *Follower) pastItems() ([]Item, error) {
	clear(f.out)
	f.out = f.out[:0]
	for size := 0; len(f.out) < nextEvents && size < nextBytes; {
		e, err, ok := f.past.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			f.at = f.past.to
			f.past.close()
			break
		}
		f.at = e.place
		if f.kinds&bitOf[e.kind] != 0 && (f.one || f.matches(e.kind, e.subject) && f.mayRead(e.doc)) {
			f.out = append(f.out, frameOf(string(e.kind), mark{node: f.h.node, place: e.place}.String(), e.json))
			size += len(e.json)
		}
	}
	return f.out, nil
}

// errEnough ends a replay that nobody reads any more.
var errEnough = errors.New("enough")

// versions derives the events of one context behind a place, up to a version.
func (f *Follower) versions(at place, to uint64) iter.Seq2[event, error] {
	return func(yield func(event, error) bool) {
		from := at.version
		if at.part != whole && from > 0 {
			from--
		}
		err := f.replayed(f.id, place{0, at.version, at.part}, 0, from, to, yield)
		switch {
		case errors.Is(err, kaijutsu.ErrNotFound):
			yield(event{}, unknown(f.id))
		case err != nil && !errors.Is(err, errEnough):
			yield(event{}, fmt.Errorf("read what came behind version %d: %w", at.version, err))
		}
	}
}

// journal derives the events of all contexts that the follower may read, behind
// a place, up to an entry of the journal. A context that cannot be read is named
// once, and passed over.
func (f *Follower) journal(at place, to uint64) iter.Seq2[event, error] {
	return func(yield func(event, error) bool) {
		after := at.seq
		if at.version != wholeEntry(0).version && after > 0 {
			after-- // the rest of an entry
		}
		expect := after + 1
		bad := make(map[kaijutsu.DocumentID]bool)
		for e, err := range f.h.cfg.Repo.Journal(after) {
			if err == nil && e.Seq != expect {
				err = fmt.Errorf("the reader cannot keep up: %w: what came is not listed any more", kaijutsu.ErrUnavailable)
			}
			if err != nil {
				yield(event{}, err)
				return
			}
			if e.Seq > to {
				return
			}
			expect++
			if f.h.records(e.Doc) {
				if !f.pastRecords(at, e, yield) {
					return
				}
				continue
			}
			id, ok := contextOf(e.Doc)
			if !ok || f.h.cfg.Hidden(e.Doc) || !f.mayRead(e.Doc) || bad[e.Doc] {
				continue
			}
			err := f.replayed(id, at, e.Seq, e.From, e.From+e.N, yield)
			switch {
			case err == nil, errors.Is(err, kaijutsu.ErrNotFound), errors.Is(err, repo.ErrDeleted): // it is gone by now
			case errors.Is(err, errEnough):
				return
			case f.ctx.Err() != nil || passes(err):
				yield(event{}, fmt.Errorf("read what came to context %s: %w", id, err))
				return
			default:
				bad[e.Doc] = true
				f.h.cfg.Log.Warn("events are passed over that cannot be read", "context", id, "err", err)
				if !yield(unreadIn(id, e.Seq), nil) {
					return
				}
			}
		}
	}
}

// pastRecords gives what was recorded with an entry of the journal, and reports
// whether it is to go on.
func (f *Follower) pastRecords(at place, entry repo.Entry, yield func(event, error) bool) bool {
	events, err := f.h.recorded(entry.Seq, entry.From, entry.From+entry.N)
	if err != nil {
		yield(event{}, err)
		return false
	}
	for _, e := range events {
		if at.before(e.place) && !yield(e, nil) {
			return false
		}
	}
	return true
}

// replayed gives the events of some versions that are behind a place.
func (f *Follower) replayed(id kaijutsu.ContextID, at place, seq, from, to uint64, yield func(event, error) bool) error {
	if from >= to {
		return nil
	}
	who := f.h.names(id.Document())
	return f.h.cfg.Repo.Replay(f.ctx, id.Document(), from, to, func(version uint64, c repo.Change) error {
		events, err := f.h.eventsOf(id, seq, version, c, who)
		if err != nil {
			return err
		}
		for _, e := range events {
			if at.before(e.place) && !yield(e, nil) {
				return errEnough
			}
		}
		return nil
	})
}
