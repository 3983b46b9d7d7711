package kernel

import (
	"errors"
	"fmt"
	"slices"

	"kaijutsu"
	"kaijutsu/blocks"
)

// maxLost is how many errors are kept for those who have not asked yet.
const maxLost = 1000

// author is who appended to what.
type author struct {
	by  kaijutsu.Principal
	doc kaijutsu.DocumentID
	id  blocks.ID
}

// keep notes for an author that its text is lost, and logs it.
func (a *appends) keep(who author, runes int, err error) {
	a.k.log.Error("appended text not written", "context", who.doc.Name(), "block", who.id, "principal", who.by, "characters", runes, "err", err)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.lost[who] == nil {
		a.order = append(a.order, who)
	}
	a.lost[who] = fmt.Errorf("the last %d characters appended to block %s were not written: %w", runes, who.id, err)
	if len(a.order) > maxLost {
		delete(a.lost, a.order[0])
		a.order = a.order[1:]
	}
}

// told returns, once, what of an author's text in a block is lost; in any
// block of the document when id is "".
func (a *appends) told(by kaijutsu.Principal, doc kaijutsu.DocumentID, id blocks.ID) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.lost) == 0 {
		return nil
	}
	var errs []error
	a.order = slices.DeleteFunc(a.order, func(who author) bool {
		if who.by != by || who.doc != doc || id != "" && who.id != id {
			return false
		}
		errs = append(errs, a.lost[who])
		delete(a.lost, who)
		return true
	})
	return errors.Join(errs...)
}
