package doctor

import (
	"fmt"
	"strings"
)

// withoutHint leaves out the mend that an error of the store names: the doctor
// names a better one.
func withoutHint(why string) string {
	why, _, _ = strings.Cut(why, "; hint: ")
	return why
}

// mendedWords says what came of mending a document: had is how many changes it
// was known to hold, 0 for not known.
func mendedWords(path string, changes, had uint64, short bool) string {
	words := fmt.Sprintf("its rows are in %s; %d changes could be read", path, changes)
	switch {
	case had > 0:
		words = fmt.Sprintf("its rows are in %s; it holds %d of its %d changes", path, changes, had)
	case short:
		words += ", how many it had is not known"
	}
	if short {
		words += ": kj restore BACKUP has the others, or the next editor that has them brings them"
	}
	return words
}
