package drift

import (
	"strings"
	"unicode"

	"github.com/clipperhouse/uax29/v2/words"
)

// wordsOf returns the words of a text, folded, as Unicode segments it (UAX #29);
// what has no letter and no digit is no word. A script without spaces has a
// word for each character, or for each run, as the standard says.
func wordsOf(text string) []string {
	var list []string
	for it := words.FromString(text); it.Next(); {
		if w := it.Value(); strings.ContainsFunc(w, isWordRune) {
			list = append(list, fold(w))
		}
	}
	return list
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// fold takes the case off a word, and curls off its apostrophe.
func fold(w string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + ('a' - 'A')
		case r < 0x80:
			return r
		case r == '’':
			return '\''
		}
		return unicode.ToLower(r)
	}, w)
}

// stopWords are the words of English that say nothing of what a text is about.
// Other languages have none here: their frequent words are left out by how many
// sentences they are in.
var stopWords = setOf(`a about after again all also am an and any are aren't as at be because been before being both but by can
can't could did didn't do does doesn't doing don't done down each even every few for from further get gets got had hadn't has
hasn't have haven't having he her here him his how i i'd i'll i'm i've if in into is isn't it it's its itself just let let's like
make makes me more most much must my no nor not now of off ok on once one only or other our out over own per same she should
shouldn't so some still such than that that's the their them then there there's these they they're this those through to too
under until up us very was wasn't we we'd we'll we're we've well were weren't what what's when where which while who why will
with won't would wouldn't yes yet you you'd you'll you're your`)

func setOf(list string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}
