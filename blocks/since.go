package blocks

import (
	"fmt"

	"kaijutsu"
)

// Since says who wrote those of the characters a block shows that are not the
// work of a past: the runs of Blame, from front to back, without the ones
// whose change is in it. As in Blame, what an undo brought back and what took
// on another form is the work of those who wrote it first. It costs what Blame
// does for the characters that are new, and little for the others.
//
// The error wraps kaijutsu.ErrNotFound when there is no such block.
func (m *Model) Since(id ID, past Past, log Log) ([]Run, error) {
	pieces, err := m.piecesOf(id, log)
	if err != nil {
		return nil, fmt.Errorf("block %s since: %w", id, err)
	}
	var out []Run
	var fresh []piece
	v, at, from := m.viewAt(past), 0, 0
	flush := func() error {
		runs, err := m.sign(fresh, log)
		for _, r := range runs {
			r.Start += from
			out = append(out, r)
		}
		fresh = fresh[:0]
		return err
	}
	for _, p := range pieces {
		for p.n > 0 {
			n, known := v.covers(p)
			if known {
				if err := flush(); err != nil {
					return nil, fmt.Errorf("block %s since: %w", id, err)
				}
				from = at + n
			} else {
				fresh = append(fresh, p.cut(0, n))
			}
			at += n
			p = p.cut(n, p.n-n)
		}
	}
	if err := flush(); err != nil {
		return nil, fmt.Errorf("block %s since: %w", id, err)
	}
	return out, nil
}

// covers returns how many characters of a piece, from its first on, are all in
// the past, or all not.
func (v *viewing) covers(p piece) (n int, known bool) {
	limit := v.limit(p.id.actor)
	switch {
	case p.id.counter > limit:
		return p.n, false
	case p.run:
		return min(p.n, int(limit-p.id.counter)+1), true
	}
	return p.n, true
}

// piecesOf returns the pieces of the content that a block shows.
func (m *Model) piecesOf(id ID, log Log) ([]piece, error) {
	b := m.blocks[id]
	if b == nil {
		return nil, kaijutsu.ErrNotFound
	}
	_, e := formsOf(b.fields).form()
	if e == nil {
		return nil, nil
	}
	o := origins{m: m, log: keep(log), scans: maxScanned}
	return o.current(e, 0)
}
