package textdiff

// Hunk is a run of lines of one text that another text has otherwise.
type Hunk struct {
	// OldStart and OldEnd are lines of the first text, NewStart and NewEnd of
	// the second. An empty range stands between two lines.
	OldStart, OldEnd, NewStart, NewEnd int
	// Old and New are those lines with their line feeds; only the last line of
	// a text may have none.
	Old, New []string
}

// Hunks returns the runs of lines in which a and b differ, from front to back
// and apart by at least one equal line.
func Hunks(a, b string) []Hunk {
	x, y := splitLines(a), splitLines(b)
	edits := lineEdits(x, y)
	out := make([]Hunk, len(edits))
	for i, e := range edits {
		out[i] = Hunk{e.a0, e.a1, e.b0, e.b1, x[e.a0:e.a1:e.a1], y[e.b0:e.b1:e.b1]}
	}
	return out
}

func lineEdits(x, y []string) []edit {
	n := number(x, y)
	return compare(n.a, n.b)
}
