package search

import (
	"slices"
	"unicode"
)

// trigram is three folded characters, 21 bits each.
type trigram uint64

// fold returns the least of the characters that differ from r in case only, as
// regexp's (?i) sees it. Two characters that (?i) takes for one fold to one.
func fold(r rune) rune {
	if r < 'A' || r >= '[' && r < 'a' {
		return r
	}
	if r <= 'Z' {
		return r
	}
	if r <= 'z' {
		return r - ('a' - 'A')
	}
	least := r
	for q := unicode.SimpleFold(r); q != r; q = unicode.SimpleFold(q) {
		least = min(least, q)
	}
	return least
}

// trigramsOf returns the trigrams of each line of text, ascending and once.
func trigramsOf(text string) []trigram {
	const line = 1<<63 - 1
	keys := make([]trigram, 0, min(len(text), 1<<16))
	var window trigram
	n := 0
	for _, r := range text {
		if r == '\n' {
			n = 0
			continue
		}
		window = (window<<21 | trigram(fold(r))) & line
		if n++; n >= 3 {
			if keys = append(keys, window); len(keys) == 1<<20 { // bounds what a huge text takes
				keys = distinct(keys)
			}
		}
	}
	return slices.Clone(distinct(keys))
}

func distinct(keys []trigram) []trigram {
	slices.Sort(keys)
	return slices.Compact(keys)
}
