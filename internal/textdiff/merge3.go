package textdiff

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

// Merge3 merges what ours and theirs made of base.
func Merge3(base, ours, theirs string) Merged { return Merged{Text: ours} }
