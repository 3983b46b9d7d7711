package policy

import (
	"slices"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

// vouched reports whether a rule may push a block in its author's name: whoever
// else has a hand in it, in what it says now or in the labels and the status
// that the rule looks at, could have written where it goes.
func (k *Keeper) vouched(t *task, b repo.Block, at target) bool {
	may := func(p kaijutsu.Principal) bool {
		if p == b.By || p == Service {
			return true
		}
		doc := at.doc
		if doc.IsZero() { // of another kernel: who may edit the source may push there
			doc = t.doc
		}
		return !p.IsZero() && k.cfg.Kernel.Right(k.cfg.Kernel.CallOf(p), doc) >= kaijutsu.RightEdit
	}
	if slices.ContainsFunc(t.hands, func(p kaijutsu.Principal) bool { return !may(p) }) {
		return false
	}
	hands, ok := k.hands(t.doc, b, nil)
	if !ok {
		return false
	}
	var good []kaijutsu.Principal
	for _, p := range hands {
		if may(p) {
			good = append(good, p)
		}
	}
	if len(good) == len(hands) {
		return true
	}
	_, ok = k.hands(t.doc, b, good) // what the others did may be gone again
	return ok
}

// hands returns who has written what a block says, or has taken something out
// of it, and perhaps some whose work is gone again. With a list of them it
// reports whether the block would say the same had only these written. ok is
// false too when that cannot be known, or the block says something else by now.
func (k *Keeper) hands(doc kaijutsu.DocumentID, b repo.Block, only []kaijutsu.Principal) (all []kaijutsu.Principal, ok bool) {
	type answer struct {
		all []kaijutsu.Principal
		ok  bool
	}
	came := make(chan answer, 1)
	err := k.cfg.Repo.View(k.stopping, doc, func(v repo.View) error {
		past := &handsPast{v: v, only: only}
		then, exact, err := v.Model().ContentAt(b.ID, past, v.Log())
		switch {
		case err == nil && exact:
			came <- answer{past.asked, then.Content == b.Content}
		case only == nil: // what is kept of the block is not all: who has written what shows
			now, there := v.Block(b.ID)
			came <- answer{past.writers(b.ID), there && now.Content == b.Content}
		default:
			came <- answer{}
		}
		return nil
	})
	if err != nil {
		return nil, false
	}
	a := <-came
	return a.all, a.ok
}

// handsPast is what some principals did; of all of them, where only is nil. It
// notes who is asked about.
type handsPast struct {
	v     repo.View
	only  []kaijutsu.Principal
	asked []kaijutsu.Principal
}

// UpTo implements blocks.Past.
func (p *handsPast) UpTo(actor kaijutsu.ActorID) uint64 {
	by, _ := p.v.Principal(actor)
	if !slices.Contains(p.asked, by) {
		p.asked = append(p.asked, by)
	}
	if p.only != nil && !slices.Contains(p.only, by) {
		return 0
	}
	return 1<<32 - 1
}

// writers are those of the characters that show.
func (p *handsPast) writers(id blocks.ID) []kaijutsu.Principal {
	runs, err := p.v.Model().Blame(id, p.v.Log())
	if err != nil {
		return []kaijutsu.Principal{{}}
	}
	var out []kaijutsu.Principal
	for _, r := range runs {
		if by, _ := p.v.Principal(r.Actor); !slices.Contains(out, by) {
			out = append(out, by)
		}
	}
	return out
}
