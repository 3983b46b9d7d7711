package drift

import "strings"

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

// focusOf returns how well each sentence answers to a focus, 0 to 1, the best
// of them 1; nil when there is no focus, or none has a word of it.
func (x *index) focusOf(list []sentence, focus string) []float64 {
	weights := make(map[int32]float64)
	asked := make(map[string]bool)
	for _, w := range wordsOf(cutBytes(focus, maxFocusBytes)) {
		if stopWords[w] || len(w) == 1 || asked[w] || len(asked) == maxFocusWords {
			continue
		}
		asked[w] = true
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
