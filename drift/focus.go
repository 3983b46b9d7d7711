package drift

import (
	"slices"
	"strings"
)

// The shares of a focus: of the walk's new starts, and of a sentence's score.
const (
	focusStarts = 0.85
	unfocused   = 0.15
	akinWords   = 0.7 // a word that begins alike, as cache and caching do
	minAkin     = 4   // letters
)

// What of a focus is looked at.
const (
	maxFocusBytes = 4 << 10
	maxFocusWords = 32
)

// focusWords returns what a focus asks for: its words but for stop words.
func focusWords(focus string) []string {
	var list []string
	for _, w := range wordsOf(cutBytes(focus, maxFocusBytes)) {
		if !stopWords[w] && len(w) > 1 && !slices.Contains(list, w) && len(list) < maxFocusWords {
			list = append(list, w)
		}
	}
	return list
}

// answers reports whether one of some words is one of a focus, or like one, and
// another says something of it.
func answers(words, focus []string) bool {
	said, asked := 0, false
	for _, w := range words {
		if stopWords[w] || len(w) == 1 {
			continue
		}
		said++
		asked = asked || slices.ContainsFunc(focus, func(f string) bool { return akin(f, w) > 0 })
	}
	return asked && said > 1
}

// focusOf returns how well each sentence answers to the words of a focus, 0 to
// 1, the best of them 1; nil when there are none, or no sentence has one.
func (x *index) focusOf(list []sentence, focus []string) []float64 {
	weights := make(map[int32]float64)
	for _, w := range focus {
		for word, n := range x.numbers {
			if share := akin(w, word); share > 0 {
				weights[n] = max(weights[n], share*x.rarity(n, len(list)))
			}
		}
	}
	match := make([]float64, len(list))
	best := 0.0
	for i, s := range list {
		for _, t := range s.terms {
			match[i] += weights[t]
		}
		best = max(best, match[i])
	}
	if best == 0 {
		return nil
	}
	for i := range match {
		match[i] /= best
	}
	return match
}

// akin says how far two words are one: 1 for the same, less when they differ in
// their endings, 0 for others.
func akin(a, b string) float64 {
	if a == b {
		return 1
	}
	short := min(len(a), len(b))
	n := 0
	for n < short && a[n] == b[n] {
		n++
	}
	if n < minAkin || n < short-1 || max(len(a), len(b))-n > 4 {
		return 0
	}
	return akinWords
}

// starts returns where the walk begins anew: anywhere, by who says it, and
// mostly where the focus is.
func starts(list []sentence, match []float64) []float64 {
	start := make([]float64, len(list))
	all, focused := 0.0, 0.0
	for i, s := range list {
		all += s.weight
		if match != nil {
			focused += match[i]
		}
	}
	for i, s := range list {
		start[i] = s.weight / all
		if match != nil {
			start[i] = float64((1-focusStarts)*start[i]) + float64(focusStarts*match[i]/focused)
		}
	}
	return start
}

// isFocused reports whether a focus says anything.
func isFocused(focus string) bool { return strings.TrimSpace(focus) != "" }
