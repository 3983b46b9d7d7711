package drift

import "unicode"

// foldRune returns the least of the characters that differ from r in case only.
func foldRune(r rune) rune {
	least := r
	for q := unicode.SimpleFold(r); q != r; q = unicode.SimpleFold(q) {
		least = min(least, q)
	}
	return least
}
