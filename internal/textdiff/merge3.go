package textdiff

import (
	"slices"
	"strings"
)

// Merged is what came of a merge of two texts that were made of a third one.
type Merged struct {
	// Text is the merged text. Where the two are in conflict it says what ours
	// does.
	Text string
	// Conflicts are the places where both changed the same lines, or lines next
	// to each other, in different ways, from front to back.
	Conflicts []Conflict
}

// Conflict is a place where two texts changed the same lines of a third one,
// each in its own way.
type Conflict struct {
	// Base, Ours and Theirs are the lines with their line feeds; any of them may
	// be none.
	Base, Ours, Theirs []string
	// BaseLine, OursLine and TheirsLine are where they start in their text, Line
	// where Ours starts in the merged text; from 0.
	BaseLine, OursLine, TheirsLine, Line int
}

// Merge3 merges what ours and theirs made of base, by lines: what only one of
// them changed is taken from it, what both changed in the same way is taken
// once. Lines that both changed, or that are next to each other, are a conflict
// unless both say the same there. A merge without conflicts is the one that
// `git merge-file` makes, and where that finds a conflict there is one here.
// The method is diff3's (S. Khanna, K. Kunal, B. Pierce: A Formal Investigation
// of Diff3, FSTTCS 2007), in the form that git gave it.
func Merge3(base, ours, theirs string) Merged {
	switch {
	case ours == theirs || base == theirs:
		return Merged{Text: ours}
	case base == ours:
		return Merged{Text: theirs}
	}
	m := merging{base: splitLines(base), ours: splitLines(ours), theirs: splitLines(theirs)}
	numbers := numberAll(m.base, m.ours, m.theirs)
	for _, p := range parts(gitEdits(numbers[0], numbers[1]), gitEdits(numbers[0], numbers[2])) {
		m.take(p)
	}
	m.write(m.ours[m.at:])
	return Merged{m.out.String(), m.conflicts}
}

// numberAll gives equal lines equal numbers.
func numberAll(texts ...[]string) [][]rune {
	numbers := make(map[string]rune)
	out := make([][]rune, len(texts))
	for k, lines := range texts {
		for _, l := range lines {
			n, ok := numbers[l]
			if !ok {
				n = rune(len(numbers))
				numbers[l] = n
			}
			out[k] = append(out[k], n)
		}
	}
	return out
}

// part is a run of lines of each text that is not the same in all.
type part struct {
	from            origin
	base, ours, thy extent
}

type extent struct{ lo, hi int }

// origin says who changed a part.
type origin uint8

const (
	fromBoth origin = iota
	fromOurs
	fromTheirs
)

// parts puts the edits of two texts of one together. What both changed in the
// same way is in none of them: it is in ours.
func parts(ours, theirs []edit) []part {
	var out []part
	shiftOurs, shiftTheirs := 0, 0 // from a line of base to that of the text, behind the last edit
	add := func(p part) {
		if n := len(out); n > 0 {
			if last := &out[n-1]; p.ours.lo <= last.ours.hi || p.thy.lo <= last.thy.hi {
				if last.from != p.from {
					last.from = fromBoth
				}
				last.base.hi, last.ours.hi, last.thy.hi = p.base.hi, p.ours.hi, p.thy.hi
				return
			}
		}
		out = append(out, p)
	}
	for len(ours) > 0 || len(theirs) > 0 {
		switch {
		case len(theirs) == 0 || len(ours) > 0 && ours[0].a1 < theirs[0].a0:
			e := ours[0]
			ours, shiftOurs = ours[1:], e.b1-e.a1
			add(part{fromOurs, extent{e.a0, e.a1}, extent{e.b0, e.b1}, extent{e.a0 + shiftTheirs, e.a1 + shiftTheirs}})
		case len(ours) == 0 || theirs[0].a1 < ours[0].a0:
			e := theirs[0]
			theirs, shiftTheirs = theirs[1:], e.b1-e.a1
			add(part{fromTheirs, extent{e.a0, e.a1}, extent{e.a0 + shiftOurs, e.a1 + shiftOurs}, extent{e.b0, e.b1}})
		default:
			x, y := ours[0], theirs[0]
			lo, hi := min(x.a0, y.a0), max(x.a1, y.a1)
			add(part{fromBoth, extent{lo, hi}, extent{x.b0 - (x.a0 - lo), x.b1 + hi - x.a1}, extent{y.b0 - (y.a0 - lo), y.b1 + hi - y.a1}})
			if x.a1 >= y.a1 {
				theirs, shiftTheirs = theirs[1:], y.b1-y.a1
			}
			if y.a1 >= x.a1 {
				ours, shiftOurs = ours[1:], x.b1-x.a1
			}
		}
	}
	return out
}

// merging is a merge in the making.
type merging struct {
	base, ours, theirs []string
	at                 int // the line of ours up to which the text is written
	out                strings.Builder
	line               int // lines written
	conflicts          []Conflict
}

func (m *merging) write(lines []string) {
	for _, l := range lines {
		m.out.WriteString(l)
	}
	m.line += len(lines)
}

// take writes the text up to the end of a part.
func (m *merging) take(p part) {
	m.write(m.ours[m.at:p.ours.lo])
	m.at = p.ours.hi
	ours, theirs := m.ours[p.ours.lo:p.ours.hi], m.theirs[p.thy.lo:p.thy.hi]
	switch {
	case p.from == fromTheirs:
		m.write(theirs)
		return
	case p.from == fromBoth && !slices.Equal(ours, theirs):
		m.conflicts = append(m.conflicts, Conflict{
			Base: slices.Clone(m.base[p.base.lo:p.base.hi]), Ours: slices.Clone(ours), Theirs: slices.Clone(theirs),
			BaseLine: p.base.lo, OursLine: p.ours.lo, TheirsLine: p.thy.lo, Line: m.line,
		})
	}
	m.write(ours)
}
