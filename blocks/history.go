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
	past, err := behind(log, heads, 0)
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

// behind says of each change whether it is one of heads or behind them. What
// lies in the log in front of change from is not looked at.
func behind(log Log, heads []kaijutsu.ChangeHash, from int) ([]bool, error) {
	past, last := make([]bool, log.Len()), -1
	for _, h := range heads {
		i, ok := log.Index(h)
		if !ok {
			return nil, fmt.Errorf("change %v: %w", h, kaijutsu.ErrNotFound)
		}
		past[i], last = true, max(last, i)
	}
	for i := last; i >= from; i-- {
		if !past[i] {
			continue
		}
		c, err := log.Change(i)
		if err != nil {
			return nil, fmt.Errorf("read change %d: %w", i, err)
		}
		for _, d := range c.Deps {
			if k, ok := log.Index(d); ok {
				past[k] = true
			}
		}
	}
	return past[:last+1], nil
}
