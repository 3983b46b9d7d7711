package textdiff

// group is a run of changed lines, which may be empty: between two neighbouring
// unchanged lines there is always one, and the groups of two texts face each
// other.
type group struct{ start, end int }

func (s *side) isChanged(i int) bool { return i >= 0 && i < len(s.changed) && s.changed[i] }

func (s *side) firstGroup() group {
	g := group{}
	for s.isChanged(g.end) {
		g.end++
	}
	return g
}

// next returns the group behind one, false if there is none.
func (s *side) next(g group) (group, bool) {
	if g.end == len(s.lines) {
		return g, false
	}
	g = group{g.end + 1, g.end + 1}
	for s.isChanged(g.end) {
		g.end++
	}
	return g, true
}

// previous returns the group in front of one.
func (s *side) previous(g group) group {
	if g.start == 0 {
		return g
	}
	g = group{g.start - 1, g.start - 1}
	for s.isChanged(g.start - 1) {
		g.start--
	}
	return g
}

// down moves a group by a line towards the end, if the lines at its ends let
// it, and joins it with the one that it meets.
func (s *side) down(g *group) bool {
	if g.end == len(s.lines) || s.lines[g.start] != s.lines[g.end] {
		return false
	}
	s.changed[g.start], s.changed[g.end] = false, true
	g.start, g.end, s.moves = g.start+1, g.end+1, s.moves+1
	for s.isChanged(g.end) {
		g.end++
	}
	return true
}

// up moves it towards the beginning.
func (s *side) up(g *group) bool {
	if g.start == 0 || s.lines[g.start-1] != s.lines[g.end-1] {
		return false
	}
	g.start, g.end, s.moves = g.start-1, g.end-1, s.moves+1
	s.changed[g.start], s.changed[g.end] = true, false
	for s.isChanged(g.start - 1) {
		g.start--
	}
	return true
}

// settle moves each group of changed lines, as equal lines allow, to where it
// faces changed lines of the other text, or else as far to the end as it goes.
// What has moved too far in all stays where it is.
func (s *side) settle(other *side) {
	g, o := s.firstGroup(), other.firstGroup()
	for {
		if g.start < g.end && s.moves <= mergeSteps {
			s.place(&g, other, &o)
		}
		var more bool
		if g, more = s.next(g); !more {
			return
		}
		o, _ = other.next(o)
	}
}

// place settles one group; o is the one that it faces.
func (s *side) place(g *group, other *side, o *group) {
	moves, facing := false, false
	for size := -1; size != g.end-g.start && s.moves <= mergeSteps; {
		size = g.end - g.start
		for s.up(g) {
			*o = other.previous(*o)
		}
		moves, facing = false, o.start < o.end
		for s.down(g) {
			moves = true
			*o, _ = other.next(*o)
			facing = facing || o.start < o.end
		}
	}
	if moves && facing {
		for o.start == o.end && s.up(g) {
			*o = other.previous(*o)
		}
	}
}
