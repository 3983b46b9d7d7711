package drift

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/sentences"
)

// sentence is one that an extract may take.
type sentence struct {
	text        string // on one line
	block       int    // in Source.Blocks
	first, last int    // its lines in the block
	words       []string
	terms       []int32 // what it is about: numbers of words, ascending, each once
	section     section
	weight      float64 // of who says it and how; 1 is usual
	rank        float64
}

// The shortest and longest sentences that an extract takes, in words.
const (
	minSentenceWords = 4
	minCuedWords     = 2 // when it says of itself what it is, or something of the focus
	maxSentenceWords = 70
	maxSentenceBytes = 1000
)

// abbreviations end with a full stop that ends no sentence.
var abbreviations = setOf("e.g. i.e. vs. cf. approx. Fig. fig. Eq. Sec. Ch. Vol. Dr. Mr. Mrs. Ms. Prof. St. No. incl. resp. ca.")

// sentencesOf returns the sentences of the prose in a block. Unicode segments
// (UAX #29) are joined where they end with an abbreviation, or inside code or
// brackets. What is said of the words of a focus may be shorter.
func sentencesOf(text string, block int, focus []string) []sentence {
	var list []sentence
	for _, p := range paragraphs(text) {
		from, to := 0, 0
		for it := sentences.FromString(p.text); it.Next(); {
			to += len(it.Value())
			if to < len(p.text) && unfinished(p.text[from:to]) {
				continue
			}
			if s, ok := newSentence(&p, from, to, focus); ok {
				s.block = block
				list = append(list, s)
			}
			from = to
		}
	}
	return list
}

// newSentence takes text[from:to] of a paragraph, if it is one to take.
func newSentence(p *paragraph, from, to int, focus []string) (sentence, bool) {
	raw := p.text[from:to]
	if len(raw) > 2*maxSentenceBytes {
		return sentence{}, false
	}
	text := tidy(raw)
	if text == "" || len(text) > maxSentenceBytes {
		return sentence{}, false
	}
	start := from + len(raw) - len(strings.TrimLeft(raw, " "))
	s := sentence{
		text: text, words: wordsOf(text), weight: 1,
		first: p.lineAt(start), last: p.lineAt(from + len(strings.TrimRight(raw, " ")) - 1),
	}
	var cue float64
	s.section, cue = classify(text, s.words, p.heading)
	least := minSentenceWords
	switch {
	case cue > 0:
		s.weight, least = cue, minCuedWords
	case answers(s.words, focus):
		least = minCuedWords
	}
	announces := strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：") // what follows is elsewhere
	if n := bulletWords(&s); n < least+bulletMarks || n > maxSentenceWords || announces || isMachine(text) {
		return sentence{}, false
	}
	switch {
	case isChatter(s.words):
		s.weight *= chatterWeight
	case len(s.words) > 0 && pointers[s.words[0]]:
		s.weight *= pointingWeight
	}
	return s, true
}

// unfinished reports whether a segment goes on in the next one.
func unfinished(segment string) bool {
	if len(segment) > maxSentenceBytes {
		return false
	}
	if strings.Count(segment, "`")%2 == 1 || strings.Count(segment, "(") > strings.Count(segment, ")") {
		return true
	}
	trimmed := strings.TrimRight(segment, " ")
	last := trimmed[strings.LastIndexAny(trimmed, " (")+1:]
	if abbreviations[last] {
		return true
	}
	initial, size := utf8.DecodeRuneInString(last)
	return len(last) == size+1 && last[size] == '.' && initial >= 'A' && initial <= 'Z' && initial != 'I'
}

// tidy puts a sentence on one line. Control characters go, and so do numbers
// that cite passages of another text and emphasis that has only one end.
func tidy(raw string) string {
	text := strings.Map(printable, strings.Join(strings.Fields(raw), " "))
	if strings.Contains(text, "[") {
		text = withoutRefs(text)
	}
	for _, mark := range []string{"**", "__", "`"} {
		if strings.Count(text, mark)%2 == 1 {
			text = strings.ReplaceAll(text, mark, "")
		}
	}
	return strings.TrimSpace(text)
}

// printable drops control characters.
func printable(r rune) rune {
	if unicode.IsControl(r) {
		return -1
	}
	return r
}

// withoutRefs takes out the numbers that cite passages of another text.
func withoutRefs(text string) string {
	code := codeSpans(text)
	var b strings.Builder
	done := 0
	for _, at := range passageRef.FindAllStringIndex(text, -1) {
		isRef := text[at[0]] == ' ' || at[0] == 0 || !isWordByte(text[at[0]-1])
		if isRef && !within(code, at[0]) && !strings.HasPrefix(text[at[1]:], "(") {
			b.WriteString(text[done:at[0]])
			done = at[1]
		}
	}
	b.WriteString(text[done:])
	return b.String()
}
