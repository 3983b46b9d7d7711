package policy

import (
	"slices"

	"kaijutsu"
	"kaijutsu/internal/repo"
)

// voice says in whose name a rule may push a block.
type voice struct {
	// by made the change that the rule is about; zero: nobody knows who did, or
	// several did at once.
	by      kaijutsu.Principal
	several bool
	// own says that the block would say the same had nobody else ever written
	// into it or taken anything out.
	own bool
	// labelled says that the meta is by too, or the kernel's own, or that there is none.
	labelled bool
}

// voiceOf returns who speaks in a block that was changed. It is called in the
// document's owner.
func voiceOf(v repo.View, b repo.Block, t *task) voice {
	w := wordsOf(v, b, t)
	w.labelled = b.Meta == ""
	if actor, ok := v.Model().MetaAuthor(b.ID); ok {
		by, _ := v.Principal(actor)
		w.labelled = by == w.by || by == Service
	}
	return w
}

// wordsOf is voiceOf but for the meta.
func wordsOf(v repo.View, b repo.Block, t *task) voice {
	hands := t.hands
	if len(hands) == 0 {
		hands = t.typed
	}
	said := func(p kaijutsu.Principal) bool {
		then, exact, err := v.Model().ContentAt(b.ID, alone{v, p}, v.Log())
		return err == nil && exact && then.Content == b.Content
	}
	switch {
	case len(hands) == 1:
		if hands[0].IsZero() {
			return voice{}
		}
		return voice{by: hands[0], own: said(hands[0])}
	case len(t.hands) == 0: // they typed; what of it shows may be one's own all the same
		for _, p := range hands {
			if !p.IsZero() && said(p) {
				return voice{by: p, own: true}
			}
		}
	}
	return voice{several: len(hands) > 1}
}

// silent says why a rule pushes nothing of a block; "": it does. A briefing is
// of the whole context, and not of what the block says.
func (w voice) silent(r Rule) string {
	switch {
	case w.several:
		return "several principals changed it at once"
	case w.by.IsZero():
		return "nobody knows who changed it"
	case !w.labelled && r.On != OnMention:
		return "somebody else than who changed it labelled it"
	case !w.own && !r.briefs():
		return "it says what others have written than who changed it"
	}
	return ""
}

// alone is a blocks.Past in which nobody but one principal did anything.
type alone struct {
	v  repo.View
	by kaijutsu.Principal
}

// UpTo implements blocks.Past.
func (a alone) UpTo(actor kaijutsu.ActorID) uint64 {
	if by, _ := a.v.Principal(actor); by != a.by {
		return 0
	}
	return 1<<32 - 1
}

// withHand adds a principal to those that there are, each once.
func withHand(all []kaijutsu.Principal, by kaijutsu.Principal) []kaijutsu.Principal {
	if slices.Contains(all, by) {
		return all
	}
	return append(slices.Clip(all), by)
}
