package blocks

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// summaryRunes is how much of its content a summary shows, in code points.
const summaryRunes = 100

// Summary is a block with no more than the beginning of its content.
type Summary struct {
	// Block has all of its fields but Content, which holds the first 100
	// characters.
	Block
	// Lines is the number of lines of the whole content; the last one may lack
	// its line feed.
	Lines int
	// More says that the content is longer than what is shown.
	More bool
}

// Summaries yields what shows, in document order, as Blocks returns it. It does
// not put contents together, and costs little more than counting their lines.
// The model must not be changed meanwhile.
func (m *Model) Summaries() iter.Seq[Summary] {
	return func(yield func(Summary) bool) {
		for _, r := range m.arranged() {
			if !yield(m.summarise(r.block, r.depth)) {
				return
			}
		}
	}
}

// Everything yields what exists, in document order: what shows, and each
// deleted block where it would show, with what hangs below it. The model must
// not be changed meanwhile.
func (m *Model) Everything() iter.Seq[Summary] {
	return func(yield func(Summary) bool) {
		for stack := pushRows(nil, m.siblings(""), 0); len(stack) > 0; {
			r := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if !yield(m.summarise(r.block, r.depth)) {
				return
			}
			if len(m.tree.children[r.block.key]) > 0 {
				stack = pushRows(stack, m.siblings(r.block.key), r.depth+1)
			}
		}
	}
}

// Summary returns the summary of a block, also of one that is deleted; false if
// there is none of this id.
func (m *Model) Summary(id ID) (Summary, bool) {
	b := m.blocks[id]
	if b == nil {
		return Summary{}, false
	}
	return m.summarise(b, m.depth(b)), true
}

func (m *Model) summarise(b *blockMap, depth int) Summary {
	out, current := m.readFields(b, depth)
	s := Summary{Block: out}
	form, e := current.form()
	s.Form = form
	if e == nil {
		return s
	}
	var head gist
	if e.seq != nil {
		head.sequence(e.seq)
	} else {
		head.add(e.str)
	}
	s.Content, s.Lines, s.More = head.start(), head.lines, head.cut
	if head.open {
		s.Lines++
	}
	return s
}

// gist gathers the beginning of a content and the number of its lines.
type gist struct {
	text  string // the beginning, as long as it came in one part
	more  []byte // the beginning, when it came in several
	runes int    // of both
	lines int    // ended ones
	open  bool   // something follows the last line feed
	cut   bool   // something follows the beginning
}

// sequence takes in what a text or list holds.
func (g *gist) sequence(s *sequence) {
	if s.clean {
		g.add(s.joined)
		return
	}
	for sp := s.first; sp != nil; sp = sp.next {
		if sp.kind == spanRun || sp.kind == spanString {
			g.add(sp.text)
		} else if sp.kind == spanOther {
			g.add(s.specialValue(s.special[sp.id]))
		}
	}
}

// add takes in the next part of a content.
func (g *gist) add(part string) {
	if part == "" {
		return
	}
	g.lines += strings.Count(part, "\n")
	g.open = part[len(part)-1] != '\n'
	if g.runes == summaryRunes {
		g.cut = true
		return
	}
	first := g.runes == 0
	at := 0
	for at < len(part) && g.runes < summaryRunes {
		size := 1
		if part[at] >= utf8.RuneSelf {
			_, size = utf8.DecodeRuneInString(part[at:])
		}
		at += size
		g.runes++
	}
	g.cut = at < len(part)
	switch {
	case first:
		g.text = part[:at]
	case g.more == nil:
		g.more = append(append(g.more, g.text...), part[:at]...)
	default:
		g.more = append(g.more, part[:at]...)
	}
}

// start returns the beginning.
func (g *gist) start() string {
	if g.more != nil {
		return string(g.more)
	}
	return g.text
}
