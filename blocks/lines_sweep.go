package blocks

// atom is a number of neighbouring characters of a content that came and went
// together: within one line, or one line feed.
type atom struct {
	ins, del int32 // the changes, by their place in the order; del is noDel for what shows
	n        int32 // code points
	feed     bool  // it is a line feed
}

const noDel = -1

// placedLine is a line of atoms and the change that made it what it is.
type placedLine struct{ start, n, change int }

// sweep goes through the states of a content, in the order of the changes that
// made them, and keeps of each line the last change that made it. A change
// costs what it touches: only the lines next to an atom that came or went are
// compared with what they were.
type sweep struct {
	atoms       []atom
	now, was    *bitTree // the atoms that show, after and before the change at hand
	feeds       *bitTree // those of now that are line feeds
	wrote       []int32  // by the first atom of each line, the feed of an empty one
	change      int32
	touched     []int32 // the atoms that came or went, ascending
	touchedFrom int     // those in front of it are in front of the line at hand
}

// lastWriters returns the lines of a content whose atoms, in their order, came
// and went by n changes.
func lastWriters(atoms []atom, n int) []placedLine {
	s := &sweep{
		atoms: atoms, now: newBitTree(len(atoms)), was: newBitTree(len(atoms)), feeds: newBitTree(len(atoms)),
		wrote: make([]int32, len(atoms)),
	}
	ends, list := byChange(atoms, n)
	for c := range n {
		s.change, s.touched, s.touchedFrom = int32(c), list[ends[c]:ends[c+1]], 0
		s.step()
	}
	return s.lines()
}

// byChange lists the atoms that each change touches: those of change c are at
// ends[c] to ends[c+1].
func byChange(atoms []atom, n int) (ends, list []int32) {
	ends = make([]int32, n+2)
	for _, a := range atoms {
		ends[a.ins+2]++
		if a.del != noDel {
			ends[a.del+2]++
		}
	}
	for c := 2; c < len(ends); c++ {
		ends[c] += ends[c-1]
	}
	list = make([]int32, ends[n+1])
	for i, a := range atoms { // which leaves in ends[c+1] where c ends
		list[ends[a.ins+1]] = int32(i)
		ends[a.ins+1]++
		if a.del != noDel {
			list[ends[a.del+1]] = int32(i)
			ends[a.del+1]++
		}
	}
	return ends, list
}

// step carries out a change.
func (s *sweep) step() {
	for _, i := range s.touched {
		s.now.flip(int(i))
		if s.atoms[i].feed {
			s.feeds.flip(int(i))
		}
	}
	done := -1 // the line feed up to which the lines were looked at
	for _, t := range s.touched {
		i := int(t)
		if i < done {
			continue
		}
		if s.atoms[i].feed && s.now.has(i) {
			if i > done {
				s.compare(s.feeds.below(i), i)
			}
			done = s.feeds.above(i)
			s.compare(i, done)
		} else {
			done = s.feeds.above(i)
			s.compare(s.feeds.below(i), done)
		}
	}
	for _, i := range s.touched {
		s.was.flip(int(i))
	}
}

// compare notes the line between two line feeds as written by the change at
// hand, unless it was a line before: the same atoms, between line feeds or the
// ends of the text. An empty line is its line feed.
func (s *sweep) compare(left, right int) {
	first := s.now.above(left)
	last := s.now.below(right)
	if first >= right { // it is empty
		if right == len(s.atoms) {
			return
		}
		first, last = right, right
	}
	if s.touches(first, last) || !s.ends(s.was.below(first)) || first != right && !s.ends(s.was.above(last)) {
		s.wrote[first] = s.change
	}
}

// ends reports whether a line ends at an atom, or where there is none.
func (s *sweep) ends(i int) bool { return i < 0 || i == len(s.atoms) || s.atoms[i].feed }

// touches reports whether an atom from first to last came or went. The lines
// that are asked about follow each other.
func (s *sweep) touches(first, last int) bool {
	for s.touchedFrom < len(s.touched) && int(s.touched[s.touchedFrom]) < first {
		s.touchedFrom++
	}
	return s.touchedFrom < len(s.touched) && int(s.touched[s.touchedFrom]) <= last
}

// lines returns the lines that show.
func (s *sweep) lines() []placedLine {
	var out []placedLine
	pos, first, start := 0, -1, 0
	for i := s.now.above(-1); i < len(s.atoms); i = s.now.above(i) {
		if first < 0 {
			first, start = i, pos
		}
		if s.atoms[i].feed {
			out = append(out, placedLine{start, pos - start, int(s.wrote[first])})
			first = -1
		}
		pos += int(s.atoms[i].n)
	}
	if first >= 0 {
		out = append(out, placedLine{start, pos - start, int(s.wrote[first])})
	}
	return out
}
