package bench

import "iter"

// history is what a document holds and how it came to be: the changes that one
// writer made, one after the other. Its zero value is a document with one empty
// text.
type history struct {
	// name says which it is, also to caches of what was made of it.
	name string
	// changes is how many steps there are.
	changes int
	// steps yields them, the same each time. The first text is there, empty,
	// before the first step.
	steps iter.Seq[step]
}

// step is one change: it puts characters in, or takes one out. The characters
// of a document are numbered from 0 on in the order in which they were put in.
// Code points outside of the basic plane do not occur, so that a character is one
// unit of UTF-16 too.
type step struct {
	// text is which of the document's texts it is in. One higher than all before
	// makes a new text, at the end of the document.
	text int
	// insert is what is put in; empty: a character is taken out.
	insert string
	// after is the number of the character that it is put behind, -1 at the
	// beginning of the text. Before is that of the one that came next so far,
	// whether it has been taken out or not, -1 at the end.
	after, before int
	// remove is the number of the character that is taken out.
	remove int
}

// all yields the steps of a history, also of the zero one.
func (h history) all() iter.Seq[step] {
	if h.steps == nil {
		return func(func(step) bool) {}
	}
	return h.steps
}
