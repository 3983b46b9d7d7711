package follow

import (
	"context"
	"errors"
	"strconv"
)

// Newest returns the events of the last n versions of a context, or of the last
// n entries of the journal when the pattern is of many, at most n of them, and
// the id to go on from. Since and Snapshot of the wishes do not count.
func (h *Hub) Newest(ctx context.Context, w Want, n int) (items []Item, id string, err error) {
	w.Since, w.Snapshot = "", false
	now, err := h.Follow(ctx, w) // what comes meanwhile is kept
	if err != nil {
		return nil, "", err
	}
	defer now.Close()
	first, last := uint64(0), now.at.version
	if !now.one {
		first, last = h.cfg.Repo.JournalEnds()
		first--
	}
	from := max(first, last-min(last, uint64(n)))
	if w.Since = strconv.FormatUint(from, 10); !now.one {
		w.Since = mark{h.node, wholeEntry(from), letterWide, 0}.String()
	}
	f, err := h.Follow(ctx, w)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	over, cancel := context.WithCancel(ctx)
	cancel() // only what is there
	for {
		more, err := f.Next(over)
		if errors.Is(err, context.Canceled) && ctx.Err() == nil {
			break
		}
		if err != nil {
			return nil, "", err
		}
		for _, i := range more {
			if i.Name != Hello && i.Name != Reset && i.Name != Snapshot {
				items = append(items, i)
			}
		}
		if extra := len(items) - n; extra > 0 {
			items = append(items[:0], items[extra:]...)
		}
	}
	return items, f.ID(), nil
}
