package worktree

import (
	"unicode/utf8"

	"kaijutsu/internal/textdiff"
)

// span is an edit of a text: the code points from, up to to, become ins.
// Positions are those of the text before any edit.
type span struct {
	from, to int
	ins      string
}

// spans turns splices, each of which counts in what those before it made, into
// edits of the first text.
func spans(splices []textdiff.Splice) []span {
	out := make([]span, 0, len(splices))
	shift := 0
	for _, s := range splices {
		out = append(out, span{s.Pos - shift, s.Pos - shift + s.Del, s.Ins})
		shift += utf8.RuneCountInString(s.Ins) - s.Del
	}
	return out
}

// moveOver returns the splices that do to ours what the way from base to theirs
// did to base: moved over what ours has otherwise, and replacing nothing of it.
// What both insert at one place stands one behind the other, ours first. It
// reports false when they touch the same characters. This is the transformation
// of concurrent edits of one text that an editor of a shared document makes,
// in the special case that it has to be made once.
func moveOver(base, theirs, ours string) ([]textdiff.Splice, bool) {
	mine, other := spans(textdiff.Splices(base, ours)), spans(textdiff.Splices(base, theirs))
	out := make([]textdiff.Splice, 0, len(other))
	i, shift, done := 0, 0, 0 // shift: by ours so far; done: by what was put out
	for _, e := range other {
		for i < len(mine) && before(mine[i], e) {
			shift += utf8.RuneCountInString(mine[i].ins) - (mine[i].to - mine[i].from)
			i++
		}
		if i < len(mine) && !before(e, mine[i]) {
			return nil, false
		}
		out = append(out, textdiff.Splice{Pos: e.from + shift + done, Del: e.to - e.from, Ins: e.ins})
		done += utf8.RuneCountInString(e.ins) - (e.to - e.from)
	}
	return out, true
}

// before reports whether edit a is over where edit b begins. An insertion that
// stands at the border of what another deletes is beside it; two edits that are
// the same place do not come before one another unless both only insert.
func before(a, b span) bool {
	if a.from == a.to && b.from == b.to {
		return a.from <= b.from
	}
	return a.to <= b.from
}
