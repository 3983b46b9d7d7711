package blocks

import (
	"fmt"

	"kaijutsu"
)

// ModelAt returns the model of a document as it was at some heads: of them and
// everything behind them. No heads are the empty document. The error wraps
// kaijutsu.ErrNotFound when the log does not hold one of the heads. It costs
// the decoding of the changes behind them.
func ModelAt(log Log, heads kaijutsu.Heads) (*Model, error) {
	scans := log.Len()
	past, err := behind(log, heads, 0, &scans)
	if err != nil {
		return nil, err
	}
	m := NewModel()
	for i, in := range past {
		if !in {
			continue
		}
		c, err := log.Change(i)
		if err != nil {
			return nil, fmt.Errorf("read change %d: %w", i, err)
		}
		m.Apply(c)
	}
	return m, nil
}

// behind says of each change from the change from on whether it is one of
// heads or behind them. It reads each of them, and counts scans down.
func behind(log Log, heads []kaijutsu.ChangeHash, from int, scans *int) ([]bool, error) {
	past := make([]bool, max(0, log.Len()-from))
	last := -1
	for _, h := range heads {
		i, ok := log.Index(h)
		if !ok {
			return nil, fmt.Errorf("change %v: %w", h, kaijutsu.ErrNotFound)
		}
		if i >= from {
			past[i-from], last = true, max(last, i-from)
		}
	}
	for i := last; i >= 0; i-- {
		if !past[i] {
			continue
		}
		if *scans--; *scans < 0 {
			return nil, fmt.Errorf("read what %d changes did: %w", last+1, kaijutsu.ErrTooLarge)
		}
		c, err := log.Change(from + i)
		if err != nil {
			return nil, fmt.Errorf("read change %d: %w", from+i, err)
		}
		for _, d := range c.Deps {
			if k, ok := log.Index(d); ok && k >= from {
				past[k-from] = true
			}
		}
	}
	return past[:last+1], nil
}
